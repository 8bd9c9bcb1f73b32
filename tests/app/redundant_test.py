"""rattleback run with redundant constraints: left out, chosen again along the run, and still held."""

import program
from models import CIRCLE, ONE_TOO_MANY, ModelTest
from program import rattleback


class Redundant(ModelTest):
    def test_redundant_constraints_are_left_out(self):
        redundant = (CIRCLE, "3*(x^2 + y^2 - 1)")
        once, twice = self.model(CIRCLE, name="once.toml"), self.model(*redundant)
        asked = ("--step", 0.01, "--steps", 100)
        value = self.json_of("run", twice, *asked)
        self.assertRegex(value["notes"][0], r"^without '3\*\(x\^2 \+ y\^2 - 1\)': redundant")
        alone = self.json_of("run", once, *asked)["final"]
        for name in "qp":  # the same but for rounding: other code, with other fused operations
            for x, y in zip(value["final"][name], alone[name]):
                self.assertAlmostEqual(x, y, delta=1e-14)
        off = "q = [1.2, 0.1]\np = [0, 1]\n"
        file = self.model(*redundant, start=off + "project = true", name="off.toml")
        self.assertLess(self.json_of("run", file, *asked)["constraint"]["max"], 1e-14)
        file = self.model(*redundant, start=off, name="off.toml")
        self.assertIn("project = true makes", self.refused(3, "run", file, *asked))
        out = self.path("run.h5")
        self.run_program("run", twice, "--step", 0.01, "--steps", 60, "--out", out, "--quiet")
        resumed = self.json_of("run", "--resume", out, "--steps", 100)
        self.assertEqual(resumed["final"], value["final"])

    def test_redundant_constraints_among_many_are_left_out(self):
        file = self.write("chain.toml", """
[model]
coordinates = ["x[1..40]", "y[1..40]"]
mass = [1]
potential = "sum(i, 1, 40, y[i])"
constraints = ["each(i, 2, 40, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)", "x[1]", "y[1]",
               "(x[2]^2 + y[2]^2 - 1)/2"]
[initial]
q = { x = "0.6*(i-1)", y = "-0.8*(i-1)" }
""")
        value = self.json_of("run", file, "--step", 0.01, "--steps", 100)
        self.assertRegex(value["notes"][0], "^without '.*': redundant")
        self.assertLess(value["constraint"]["max"], 1e-12)

    def test_redundant_constraints_among_many(self):
        family = """
[model]
name = "chain, its first link twice"
parameters = { N = 40 }
coordinates = ["x[1..N]", "y[1..N]"]
mass = [1.0]
potential = "sum(i, 1, N, y[i])"
constraints = ["(x[1]^2 + y[1]^2 - 1)/2", "x[1]^2 + y[1]^2 - 1",
  "each(i, 2, N, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)"]
[initial]
q = { x = "i*sin(0.8)", y = "-i*cos(0.8)" }
p = { x = "0", y = "0" }
"""
        file = self.write("chain.toml", family)
        for n in (40, 200):
            value = self.json_of("run", file, "--step", 0.01, "--steps", 20, "--set", f"N={n}")
            self.assertTrue(value["notes"][0].startswith("without 'x[1]^2 + y[1]^2 - 1'"))
            self.assertLess(value["constraint"]["max"], 1e-10)

    def test_redundant_constraints_are_chosen_again_along_the_run(self):
        file = self.write("model.toml", ONE_TOO_MANY + "[run]\nstep = 0.013\ntime = 800\n")
        for method in ("rattle", "rattle:base=midpoint", "cotangent", "variational"):
            asked = ("run", file, "--method", method) + \
                (() if method == "rattle" else ("--time", 100))
            once = self.json_of(*asked, "--every", 1)
            self.assertLess(once["energy"]["max_error"], 1e-3)
            self.assertLess(once["constraint"]["max"], 1e-12)
            if method == "rattle":  # 1.77: what a step is guessed from is not forgotten
                self.assertLess(once["newton"]["mean"], 2.1)
            self.assertEqual(once["final"], self.json_of(*asked, "--every", 1000)["final"])
        # What the rows in use remember is forgotten at restart points, whoever passes them.
        out = self.path("run.h5")
        self.run_program("run", file, "--steps", 21111, "--out", out, "--quiet")
        self.assertEqual(self.json_of("run", "--resume", out, "--steps", 30000)["final"],
                         self.json_of("run", file, "--steps", 30000)["final"])
        out = self.path("run.csv")
        self.json_of("run", file, "--time", 10, "--every", 1, "--out", out)
        with open(out, encoding="utf-8") as csv:
            names, _, *lines = csv.read().splitlines()
        first = names.split(",").index("lambda_1")
        rows = [[float(x) for x in line.split(",")[first:]] for line in lines]
        self.assertTrue(all(row.count(0) == 1 for row in rows))  # always one left out
        self.assertGreater(len({row.index(0) for row in rows}), 1)  # not always the same

    def test_a_jump_that_a_redundant_constraint_sees_is_refused(self):
        # Of the two the first is kept, of which x = 0 is a branch: a large step lands there.
        file = self.write("model.toml", """
[model]
coordinates = ["x", "y"]
mass = [1]
potential = "y"
constraints = ["x*(x^2 + y^2 - 1)", "x^2 + y^2 - 1"]
[initial]
q = [0.6, -0.8]
""")
        out = self.path("run.csv")
        result = rattleback("run", file, "--method", "rattle", "--step", 0.4, "--steps", 100,
                            "--every", 1, "--out", out)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("failed at t = 1.2: a solution was found on another branch", result.stderr)
        with open(out, encoding="utf-8") as csv:
            rows = [[float(x) for x in line.split(",")[:3]] for line in csv.read().splitlines()[1:]]
        for _, x, y in rows:  # up to the last good one
            self.assertLess(abs(x * x + y * y - 1), 1e-13)


if __name__ == "__main__":
    program.main()
