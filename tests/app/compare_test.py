"""rattleback compare: errors against a reference that is better than they are."""

import math
import os
import shutil
import unittest

import program
from program import PENDULUM, ProgramTest, pendulum_in_a_well

MODEL = pendulum_in_a_well(1)


class Compare(ProgramTest):
    def test_orders_come_out(self):
        value = self.json_of("compare", PENDULUM, "--methods", "rattle", "baseline:kind=rk4",
                             "--time", 2, "--step", 0.1, "--step-halvings", 3)
        self.assertEqual(len(value["runs"]), 8)
        self.assertEqual([run["steps"] for run in value["runs"][:4]], [20, 40, 80, 160])
        for run, order in ((value["runs"][3], 2), (value["runs"][7], 4)):
            self.assertAlmostEqual(run["order"], order, delta=0.2)
            self.assertGreater(run["force_evaluations"], run["steps"] - 1)
            self.assertGreater(run["seconds"], 0)
        self.assertIsNone(value["runs"][0]["order"])
        self.assertIsNone(value["runs"][4]["order"])
        smallest = min(run["error"] for run in value["runs"])
        self.assertLess(value["reference"]["error"], 0.1 * smallest)

    def test_errors_and_orders_are_those_of_the_runs(self):
        file = self.write("model.toml", MODEL)
        value = self.json_of("compare", file, "--methods", "rattle", "baseline:kind=rk4", "--time",
                             2, "--step", 0.1, "--step-halvings", 3)

        def alone(run):
            return self.json_of("run", file, "--method", run["method"], "--step", run["step"],
                                "--time", 2, "--every", max(1, run.get("steps", 0) // 100))

        def final(run):
            return run["final"]["q"] + run["final"]["p"]
        reference = final(alone(value["reference"]))
        for before, run in zip([None] + value["runs"], value["runs"]):
            same = alone(run)
            error = max(abs(a - b) for a, b in zip(final(same), reference))
            self.assertAlmostEqual(run["error"], error, delta=1e-14)
            self.assertEqual((run["energy_error"], run["constraint"], run["hidden_constraint"],
                              run["newton_mean"]),
                             (same["energy"]["max_error"], same["constraint"]["max"],
                              same["hidden_constraint"]["max"], same["newton"]["mean"]))
            self.assertEqual(run["steps"], round(2 / run["step"]))
            if before is None or before["method"] != run["method"]:
                self.assertIsNone(run["order"])
            else:
                order = math.log(before["error"] / run["error"]) / math.log(2)
                self.assertAlmostEqual(run["order"], order, delta=1e-9)

    def test_evaluations_are_those_of_the_steps(self):
        """One force a step of Verlet, and one to begin with. g where the start is looked at and, for
        its curvature, at three points: one quadratic constraint is then met without iteration, g once
        a step. A projection at the end of composed steps takes it again. Each of the four stages of
        RK4 takes both at the point and on duals."""
        file = self.write("model.toml", MODEL)
        methods = {"rattle": 1, "shake": 1, "variational": 1, "rattle:compose=triplejump4": 3,
                   "baseline:kind=rk4": 0}

        def runs(step, time):
            return self.json_of("compare", file, "--methods", *methods, "--time", time, "--step",
                                step, "--step-halvings", 1)["runs"]
        for run, substeps in zip(runs(0.04, 2), (n for n in methods.values() for _ in range(2))):
            with self.subTest(method=run["method"], steps=run["steps"]):
                steps = run["steps"]
                forces, constraints = run["force_evaluations"], run["constraint_evaluations"]
                if substeps == 0:
                    self.assertEqual((forces, constraints), (8 * steps, 8 * steps))
                    continue
                self.assertEqual(forces, substeps * steps + 1)
                projections = steps if substeps > 1 else 0
                self.assertEqual(constraints, 4 + substeps * steps + projections)
        # Up to 200 steps are counted, more are scaled: 200 and 400, 800 and 1600.
        for few, many in zip(runs(0.0025, 0.5), runs(0.0025, 2)):
            if few["steps"] == 200:
                for count in ("force_evaluations", "constraint_evaluations"):
                    self.assertEqual(many[count], 4 * few[count])
        text = self.run_program("compare", file, "--methods", "rattle", "--time", 2, "--step", 0.04,
                                "--step-halvings", 1).stdout
        row = next(line for line in text.splitlines() if line.startswith("rattle:base")).split()
        self.assertEqual(row[9], "51", text)  # forces

    def test_the_table_names_its_reference(self):
        text = self.run_program("compare", PENDULUM, "--methods", "rattle", "--time", 1,
                                "--step-halvings", 1).stdout
        self.assertRegex(text, r"reference: \S+ with h = ")
        self.assertRegex(text, r"rattle:base=verlet +0\.04 +25 ")

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_picture(self):
        picture = self.path("cost.svg")
        self.run_program("compare", PENDULUM, "--methods", "rattle", "shake", "--time", 1,
                         "--step-halvings", 1, "--plot", picture)
        self.assertGreater(os.path.getsize(picture), 1000)

    def test_bad_usage(self):
        self.assertIn("--methods", self.refused(2, "compare", PENDULUM))
        self.assertIn("ratle", self.refused(2, "compare", PENDULUM, "--methods", "ratle"))
        self.assertIn("shorter", self.refused(2, "compare", PENDULUM, "--methods", "rattle",
                                              "--time", 1, "--step", 2))


if __name__ == "__main__":
    program.main()
