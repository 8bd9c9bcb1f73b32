"""`run --modified-energy`: the energy that a symplectic method keeps in place of H."""

import os

import program
from program import ProgramTest

PENDULUM = os.path.join(program.ROOT, "examples", "pendulum.toml")
CHAIN = os.path.join(program.ROOT, "examples", "chain.toml")


class ModifiedEnergy(ProgramTest):
    def test_is_kept_where_the_energy_is_not(self):
        for method in ("rattle", "rattle:base=midpoint", "prk1"):
            energy = self.json_of("run", PENDULUM, "--method", method, "--steps", 500,
                                  "--modified-energy")["energy"]
            modified = energy["modified"]
            self.assertEqual(modified["states"], 493)
            self.assertGreater(modified["energy_max_error"], 1e-5)
            # Measured: at most 5.6e-13.
            self.assertLess(modified["max_error"], 2e-12, method)
        self.assertNotIn("modified", self.json_of("run", PENDULUM)["energy"])
        text = self.run_program("run", PENDULUM, "--modified-energy").stdout
        self.assertRegex(text, r"modified energy +max error")

    def test_refusals(self):
        self.assertIn("is not symplectic",
                      self.refused(2, "run", PENDULUM, "--method", "baseline", "--modified-energy"))
        self.assertIn("up to 200 coordinates",
                      self.refused(2, "run", CHAIN, "--set", "N=101", "--modified-energy"))


if __name__ == "__main__":
    program.main()
