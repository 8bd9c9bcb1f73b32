"""rattleback run: the JSON of the contract for every method, choices and options."""

import json

import program
from models import CIRCLE, ModelTest
from program import PENDULUM, finite, rattleback

NUMBER = "number"
SCHEMA = {
    "model": str, "method": str, "step": NUMBER, "steps": int, "time": NUMBER,
    "initial": {"q": list, "p": list}, "final": {"q": list, "p": list},
    "energy": {"initial": NUMBER, "final": NUMBER, "max_error": NUMBER, "drift_per_time": NUMBER},
    "constraint": {"max": NUMBER}, "hidden_constraint": {"max": NUMBER},
    "newton": {"mean": NUMBER, "max": int},
    "projections": {"position": int, "momentum": int},
    "divided": {"steps": int, "parts": int}, "seconds": NUMBER,
}


class Run(ModelTest):
    def assert_schema(self, value, schema, where=""):
        for key, kind in schema.items():
            self.assertIn(key, value, where)
            if isinstance(kind, dict):
                self.assert_schema(value[key], kind, key)
            elif kind == NUMBER:
                self.assertTrue(finite(value[key]), f"{where} {key}: {value[key]}")
            else:
                self.assertIsInstance(value[key], kind, f"{where} {key}")

    def test_every_method_answers_as_the_contract_says(self):
        methods = json.loads(rattleback("methods", "--json").stdout)["methods"]
        self.assertGreater(len(methods), 30)
        for method in methods:
            with self.subTest(method=method["name"]):
                asked = ["run", PENDULUM, "--method", method["name"], "--steps", 20]
                if method["family"] == "index1":  # for constraints x = 0 only
                    self.assertIn("does not apply", self.refused(3, *asked, "--json"))
                    continue
                value = self.json_of(*asked)
                self.assert_schema(value, SCHEMA)
                self.assertEqual(value["method"], method["name"])
                self.assertEqual(value["steps"], 20)
                self.assertEqual(value["initial"], {"q": [1, 0], "p": [0, -2]})
                self.assertTrue(all(map(finite, value["final"]["q"] + value["final"]["p"])))
                self.assertLess(value["energy"]["max_error"], 0.1)

    def test_numbers_read_back_and_structure_holds(self):
        value = self.json_of("run", PENDULUM, "--steps", 1000)
        self.assertEqual(value["step"], 0.01)
        self.assertEqual(value["time"], 10)
        self.assertLess(value["constraint"]["max"], 1e-14)
        self.assertLess(value["hidden_constraint"]["max"], 1e-14)
        again = self.json_of("run", PENDULUM, "--steps", 1000)
        for key in ("final", "energy"):
            self.assertEqual(value[key], again[key])

    def test_the_summary_says_what_was_found_and_chosen(self):
        text = self.run_program("run", PENDULUM, "--steps", 100).stdout
        for words in ("planar pendulum", "natural H with a diagonal mass", "100 of 100",
                      "largest error", "max |g|", "max |{g,H}|"):
            self.assertIn(words, text)
        file = self.model(CIRCLE, start="q = [1, 0]\nv = [0, 1]")
        text = self.run_program("run", file).stdout
        self.assertRegex(text, r"chosen +method rattle: natural H")
        self.assertRegex(text, r"chosen +step 0\.0[0-9]+: the fastest motion")
        self.assertRegex(text, r"chosen +length 10000 steps")
        self.assertEqual(self.run_program("run", file, "--quiet").stdout, "")

    def test_constraints_on_momenta_get_the_midpoint_base(self):
        file = self.model("(x^2 + y^2 + p_x^2 + p_y^2)/2 - 1", start="q = [0, 1]\np = [1, 0]",
                          energy='hamiltonian = "(p_x^2 + p_y^2)/2 + y"')
        value = self.json_of("run", file, "--step", 0.01, "--steps", 10)
        self.assertEqual(value["method"], "rattle:base=midpoint")
        self.assertIn("constraints on momenta", value["notes"][0])
        self.assertLess(value["constraint"]["max"], 1e-12)

    def test_options_go_before_the_file(self):
        value = self.json_of("run", PENDULUM, "--method", "rattle:base=midpoint", "--step", 0.02,
                             "--time", 1, "--every", 5, "--set", "g0=0")
        self.assertEqual(value["method"], "rattle:base=midpoint")
        self.assertEqual((value["step"], value["steps"], value["every"]), (0.02, 50, 5))
        self.assertEqual(value["energy"]["initial"], 2)
        self.assertEqual(self.json_of("run", PENDULUM, "--steps", "1e2")["steps"], 100)

    def test_velocities_become_momenta(self):
        file = self.model(CIRCLE, energy='mass = [2, 2]\npotential = "y"',
                          start="q = [1, 0]\nv = [0, 3]")
        value = self.json_of("run", file, "--steps", 1, "--step", 0.01)
        self.assertEqual(value["initial"]["p"], [0, 6])

    def test_a_singular_lagrangian_runs_with_its_constraints(self):
        # With u = x + y^2/2 it is u_dot^2/2 - u - y^2/2: u falls, y stays at 0.
        file = self.model(energy='lagrangian = "(x_dot + y*y_dot)^2/2 - (x + y^2/2) - y^2/2"',
                          start="q = [0.5, 0]\nv = [0.25, 0]")
        value = self.json_of("run", file, "--step", 0.01, "--steps", 100)
        self.assertIn("L_vv has rank 1 of 2", value["notes"][0])
        self.assertEqual(value["initial"]["p"], [0.25, 0])
        self.assertAlmostEqual(value["final"]["q"][0], 0.5 + 0.25 - 0.5, delta=1e-10)
        self.assertAlmostEqual(value["final"]["q"][1], 0, delta=1e-12)

    def test_the_path_is_that_of_the_method(self):
        for method, path in (("rattle", "dense 1 x 1, "),
                             ("variational:quadrature=midpoint", "dense 1 x 1, "),
                             ("baseline:kind=rk4", "by elimination, dense 1 x 1, ")):
            value = self.json_of("run", PENDULUM, "--steps", 10, "--method", method)
            self.assertIn("constraints solved " + path, value["path"])

    def test_automatic_choice_says_what_accuracy_gets(self):
        notes = self.json_of("run", PENDULUM, "--method", "auto", "--steps", 5)["notes"]
        self.assertEqual(len(notes), 1)
        asked = ["--method", "auto:accuracy=1e-10", "--step", 0.01, "--steps", 5]
        value = self.json_of("run", PENDULUM, *asked)
        self.assertRegex(value["method"], "^(rattle:.*compose=|multistep)")
        self.assertRegex(value["notes"][0], "tried over t = .*, the cheapest for an error of 1e-10 at "
                                            "t = .* evaluations per unit of time")
        self.assertIn("is not reached; the closest is",
                      self.refused(2, "run", PENDULUM, "--method", "auto:accuracy=1e-10", "--step", 0.5,
                                   "--steps", 50))


if __name__ == "__main__":
    program.main()
