"""Every model of examples/ runs by its own method and keeps what that method keeps."""

import glob
import json
import os

import program
from program import ProgramTest, finite, rattleback
from run_test import SCHEMA

FOLDER = os.path.join(program.ROOT, "examples")
SHORTER = {"pendulum": ("--steps", 20000)}  # a million in the file

# The largest energy error: about twice what was measured.
ENERGY = {
    "bead_on_wire": 5.2e-7,
    "chain": 0.0071,
    "conical_pendulum": 2.3e-11,
    "crank": 2.1e-4,
    "double_pendulum": 0.0053,
    "elastic_rod": 1.6e-6,
    "magnetic_torus": 1.2e-5,
    "pendulum": 2.8e-4,
    "rotating_hoop": 2.6e-5,
    "tippy_surface": 2.2e-5,
    "triatomic": 4.6e-4,
    "two_body": 0.007,
    "witness/chain_2d": 0.14,
    "witness/chain_3d": 0.028,
    "witness/double_pendulum": 0.13,
    "witness/ellipsoid": 0.002,
    "witness/four_bar": 9.6e-5,
    "witness/full_mass_sphere": 6e-4,
    "witness/harmonic_angular": 5.4e-4,
    "witness/hopf_free": 1e-14,
    "witness/hopf_gravity": 3.6e-4,
    "witness/hopf_quartic": 1.1e-4,
    "witness/hopf_shifted": 2e-4,
    "witness/index1": 1.4e-4,
    "witness/magnetic": 3e-4,
    "witness/mixed_quartic": 0.0011,
    "witness/planar_pendulum": 8.8e-4,
    "witness/polar_line": 1.7e-4,
    "witness/quartic": 0.003,
    "witness/spherical_pendulum": 0.001,
    "witness/two_harmonic": 2.6e-4,
    "witness/variable_mass_sphere": 0.0011,
    "witness/zero_angular_momentum": 3.4e-4,
}


class Examples(ProgramTest):
    def test_every_example_has_its_bound(self):
        found = [name for name in glob.glob("**/*.toml", root_dir=FOLDER, recursive=True)
                 if not name.startswith(("mechanisms", "robots"))]  # with tests of their own
        self.assertEqual(sorted(name[:-5] for name in found), sorted(ENERGY))

    def test_runs_keep_energy_and_constraints(self):
        for name, bound in ENERGY.items():
            with self.subTest(example=name):
                file = os.path.join(FOLDER, name + ".toml")
                value = self.json_of("run", file, *SHORTER.get(name, ()))
                self.assert_keys(value, SCHEMA)
                self.assertEqual(value["steps"], value["wanted_steps"])
                natural = value["class"].startswith("natural") and "momenta" not in value["class"]
                tolerance = 1e-10 if natural else 1e-9
                self.assertLess(value["constraint"]["max"], tolerance)
                self.assertLess(value["hidden_constraint"]["max"], tolerance)
                self.assertLess(value["energy"]["max_error"], bound)
                self.assertTrue(all(map(finite, value["final"]["q"] + value["final"]["p"])))

    def test_checks_find_them_well_posed(self):
        for name in ENERGY:
            with self.subTest(example=name):
                file = os.path.join(FOLDER, name + ".toml")
                value = self.json_of("check", file)
                verdict = "well posed" if value["constraints"] else "well posed, without constraints"
                self.assertEqual((value["verdict"], value["consistent_start"]), (verdict, True))
                run = json.loads(rattleback("run", file, "--steps", 1, "--json").stdout)
                self.assertIn(run["method"], value["methods"])

    def assert_keys(self, value, schema):
        for key, kind in schema.items():
            self.assertIn(key, value)
            if isinstance(kind, dict):
                self.assert_keys(value[key], kind)


if __name__ == "__main__":
    program.main()
