"""rattleback check: what a system is."""

import json
import os

import program
from program import PENDULUM, ProgramTest, rattleback

KEYS = ["constraints", "holonomic", "rank", "redundant", "coisotropic", "nondegenerate", "index",
        "hidden_constraints", "first_class", "second_class", "consistent_start", "well_posed",
        "verdict", "methods"]

MODEL = """
[model]
name = "test"
coordinates = ["x", "y"]
hamiltonian = "{hamiltonian}"
constraints = [{constraints}]
[initial]
q = {q}
p = {p}
"""


class Check(ProgramTest):
    def model(self, hamiltonian="(p_x^2 + p_y^2)/2 + y", constraints="", q="[1, 0]", p="[0, 1]"):
        return self.write("model.toml", MODEL.format(hamiltonian=hamiltonian,
                                                     constraints=constraints, q=q, p=p))

    def test_the_pendulum(self):
        value = self.json_of("check", PENDULUM)
        self.assertEqual(list(value)[:len(KEYS)], KEYS)
        self.assertEqual([value[key] for key in KEYS[:12]],
                         [1, True, 1, [], True, True, 3, 1, 0, 2, True, True])
        self.assertIn("rattle:base=verlet", value["methods"])
        refused = value["methods_that_do_not_apply"]
        self.assertEqual({name.split(":")[0] for name in refused}, {"index1"})
        text = self.run_program("check", PENDULUM).stdout
        for words in ("planar pendulum", "rank of dg", "1 of 1", "coisotropic", "index", "verdict"):
            self.assertIn(words, text)

    def test_no_constraints(self):
        value = self.json_of("check", self.model())
        self.assertEqual([value[key] for key in KEYS[:12]],
                         [0, True, 0, [], True, True, 0, 0, 0, 0, True, True])

    def test_dependent_constraints_are_named(self):
        file = self.model(constraints='"(x^2 + y^2 - 1)/2", "x^2 + y^2 - 1"')
        value = self.json_of("check", file)
        self.assertEqual((value["rank"], value["redundant"], value["well_posed"]), (1, [1], True))
        self.assertIn("constraint 2 ('x^2 + y^2 - 1') is redundant", value["messages"][0])
        self.assertIn("rattle:base=verlet", value["methods"])

    def test_constraints_that_are_not_coisotropic(self):
        file = self.model(constraints='"x", "p_x"', q="[0, 0]", p="[0, 1]")
        value = self.json_of("check", file)
        self.assertEqual((value["holonomic"], value["coisotropic"], value["well_posed"]),
                         (False, False, True))
        self.assertEqual((value["index"], value["methods"]), (2, []))
        self.assertIn("not coisotropic: {g_i, g_j} = 1",
                      value["methods_that_do_not_apply"]["rattle:base=midpoint"])

    def test_a_degenerate_system(self):
        file = self.model(hamiltonian="p_y^2/2 + x*y", constraints='"x"', q="[0, 0]")
        value = self.json_of("check", file, code=3)
        self.assertEqual((value["nondegenerate"], value["well_posed"]), (False, False))

    def test_an_inconsistent_start_is_told(self):
        file = self.model(constraints='"x^2 + y^2 - 4"')
        value = self.json_of("check", file, code=3)
        self.assertEqual((value["consistent_start"], value["well_posed"]), (False, True))
        self.assertEqual((value["constraint"]["max"], value["start_residual"]), (3, 3))
        result = self.run_program("check", file, code=3)
        self.assertIn("'x^2 + y^2 - 4') has the value -3", result.stdout)
        self.assertIn("inconsistent start", result.stderr)

    def test_a_start_that_is_made_consistent(self):
        file = self.model(constraints='"x^2 + y^2 - 4"', p="[0.25, 1]\nproject = true")
        self.assertTrue(self.json_of("check", file)["consistent_start"])
        file = self.model(constraints='"x^2 + y^2 - 4"', q="[0, 0]\nproject = true")
        value = self.json_of("check", file, code=3)
        self.assertEqual((value["consistent_start"], value["well_posed"]), (False, True))
        for words in ("'x^2 + y^2 - 4' is -4", "dg has rank 0 of 1"):
            self.assertIn(words, value["no_start"])

    def test_a_lagrangian_without_closed_hamiltonian_is_judged_by_its_start(self):
        text = MODEL.replace('hamiltonian = "{hamiltonian}"',
                             'lagrangian = "-sqrt(1 - x_dot^2 - y_dot^2) - y"').replace("p =", "v =")
        file = self.write("relativistic.toml",
                          text.format(constraints='"x^2 + y^2 - 1"', q="[1, 0]", p="[0, 0.5]"))
        value = self.json_of("check", file)
        self.assertEqual((value["well_posed"], value["index"]), (True, 3))
        self.assertIn("only the start", value["messages"][0])
        # One that moves off the circle is said to, and it is not the form of L that is refused.
        file = self.write("off.toml",
                          text.format(constraints='"x^2 + y^2 - 1"', q="[1, 0]", p="[0.5, 0]"))
        value = self.json_of("check", file, code=3)
        self.assertEqual((value["consistent_start"], value["well_posed"]), (False, True))
        self.assertGreater(value["start_residual"], 0.9)
        self.assertIn("{g, H} of 'x^2 + y^2 - 1' is 1 at the start",
                      self.refused(3, "run", file, "--steps", "1"))

    def test_reasons_against_methods(self):
        file = self.model(hamiltonian="(p_x^2 + p_y^2)/2*(1 + x^2) + p_x^4", constraints='"x - 1"',
                          p="[0, 0]")
        value = self.json_of("check", file)
        self.assertIn("rattle:base=midpoint", value["methods"])
        self.assertIn("natural", value["methods_that_do_not_apply"]["baseline:kind=projection"])

    def test_bad_input(self):
        self.assertIn("required", self.refused(2, "check"))
        self.refused(2, "check", self.write("bad.toml", "[model\n"))


# verdict, rank, index, hidden, first and second class, coisotropic, nondegenerate: the same as in
# tests/geometry/analysis_test.cpp.
MODELS = {
    "pendulum": ("well posed", 1, 3, 1, 0, 2, True, True),
    "chain": ("well posed", 10, 3, 10, 0, 20, True, True),
    "singular_lagrangian": ("degenerate: index 5", 1, 5, 3, 0, 4, True, False),
    "singular_lagrangian_curved": ("well posed", 1, 3, 1, 0, 2, True, True),
    "first_order_lagrangian": ("well posed, but not coisotropic", 2, 2, 0, 0, 2, False, True),
    "gauge": ("not determined: 1 multiplier free", 1, None, 0, 1, 0, True, False),
    "mixed_class": ("not determined: 1 multiplier free", 2, None, 1, 1, 2, True, False),
    "inconsistent": ("inconsistent: no motion satisfies the constraints",
                     1, None, 0, 0, 0, True, False),
    "inconsistent_points": ("inconsistent: no point satisfies the constraints",
                            0, None, 0, 0, 0, True, False),
    "index4": ("degenerate: index 4", 2, 4, 4, 0, 6, True, False),
    "index5": ("degenerate: index 5", 1, 5, 3, 0, 4, True, False),
    "index5_sibling": ("not determined: 1 multiplier free", 1, None, 0, 1, 0, True, False),
    "energy_constraint": ("not determined: 1 multiplier free", 1, None, 0, 1, 0, True, False),
    "angular_momentum": ("well posed", 3, 3, 3, 0, 6, True, True),
    "commuting_harmonic": ("well posed", 2, 3, 2, 0, 4, True, True),
    "duplicate": ("well posed, redundant constraints", 1, 3, 1, 0, 2, True, True),
    "dependent_on_manifold": ("well posed, redundant constraints", 2, 3, 2, 0, 4, True, True),
    "parallelogram_flat": ("singular start", 3, 3, 3, 0, 6, True, True),
    "parallelogram_near": ("well posed", 3, 3, 3, 0, 6, True, True),
    "hopf_singular_start": ("singular start", 1, 3, 1, 0, 2, True, True),
    "rolling_disc": ("nonholonomic", 2, None, 1, 1, 2, True, False),
    "rolling_straight": ("inconsistent: no motion satisfies the constraints",
                         1, None, 0, 0, 0, True, False),
    "square": ("irregular constraint", 0, None, 0, 0, 0, True, False),
    "touching": ("irregular constraint", 1, None, 0, 0, 0, True, False),
    "not_quadratic": ("not supported", 0, None, 0, 0, 0, False, False),
    "rate_given_too": ("well posed, but not coisotropic", 2, 2, 0, 0, 2, False, True),
}


class Models(ProgramTest):
    FOLDER = os.path.join(program.ROOT, "tests", "geometry", "models")

    def file(self, name):
        return os.path.join(self.FOLDER, name + ".toml")

    def test_every_model_is_here(self):
        self.assertEqual(sorted(MODELS), sorted(name[:-5] for name in os.listdir(self.FOLDER)))

    def test_verdicts_are_those_of_the_library(self):
        for name, (verdict, *numbers) in MODELS.items():
            with self.subTest(model=name):
                well_posed = verdict.startswith("well posed")
                value = self.json_of("check", self.file(name), code=0 if well_posed else 3)
                self.assertEqual(list(value)[:len(KEYS)], KEYS)
                self.assertEqual((value["verdict"], value["well_posed"]), (verdict, well_posed))
                keys = ("rank", "index", "hidden_constraints", "first_class", "second_class",
                        "coisotropic", "nondegenerate")
                self.assertEqual([value[key] for key in keys], numbers)
                applies = well_posed and value["coisotropic"]
                self.assertEqual(len(value["methods"]) > 0, applies)
                for reason in value["methods_that_do_not_apply"].values():
                    self.assertTrue(reason)
                if not applies:
                    self.assertTrue(value["messages"])

    def test_runs_agree(self):
        """What check calls well posed runs, the rest ends with the same words."""
        for name in MODELS:
            with self.subTest(model=name):
                with open(self.file(name), encoding="utf-8") as stream:
                    if "[initial]" not in stream.read():
                        continue
                asked = ("run", self.file(name), "--step", 0.01, "--steps", 20)
                value = json.loads(rattleback("check", self.file(name), "--json").stdout)
                if not value["methods"]:
                    said = self.refused(3, *asked)
                    for message in value["messages"]:
                        self.assertIn(message, said)
                    continue
                run = self.json_of(*asked)
                self.assertLess(run["constraint"]["max"], 1e-10)
                self.assertLess(run["hidden_constraint"]["max"], 1e-9)
                left_out = [note for note in run["notes"] if note.startswith("without ")]
                self.assertEqual(len(left_out) > 0, len(value["redundant"]) > 0)

    def test_a_thousand_constraints(self):
        value = self.json_of("check", self.file("chain"), "--set", "N=1000")
        self.assertEqual((value["verdict"], value["second_class"]), ("well posed", 2000))

    def test_chains_are_printed_as_expressions(self):
        value = self.json_of("check", self.file("index5"), code=3)
        self.assertEqual([c["expression"] for c in value["chain"]], ["r", "q", "p_q", "p_r"])
        self.assertEqual([c["generation"] for c in value["chain"]], [1, 2, 3, 4])
        text = self.run_program("check", self.file("index5"), code=3).stdout
        self.assertIn("[4] p_r = 0", text)
        self.assertRegex(text, r"methods that apply +none")

    def test_families_in_a_few_lines_and_all_variants_when_asked(self):
        text = self.run_program("check", PENDULUM).stdout
        self.assertRegex(text, r"(?m)^methods that apply +shake, rattle, variational, cotangent, ")
        self.assertRegex(text, r"(?m)^and those that do not +index1$")
        self.assertNotIn("rattle:base", text)
        everything = self.run_program("check", PENDULUM, "--all-methods").stdout
        value = self.json_of("check", PENDULUM)
        for name in [*value["methods"], *value["methods_that_do_not_apply"]]:
            self.assertIn(name, everything)
        # Where not all of a family apply, its variants are named.
        mixed = os.path.join(program.ROOT, "examples", "witness", "hopf_gravity.toml")
        text = self.run_program("check", mixed).stdout
        self.assertRegex(text, r"(?s)\nmethods that apply +shake, rattle, gauss:stages=1,formulation="
                               r"unconstrained,.*baseline:kind=rk4(,\s+\S+)*\nand those that do not ")

    def test_ranks_are_told(self):
        value = self.json_of("check", self.file("parallelogram_flat"), code=3)
        self.assertEqual((value["ranks"]["dg"]["rank"], value["ranks"]["dg"]["at_start"]), (3, 2))


if __name__ == "__main__":
    program.main()
