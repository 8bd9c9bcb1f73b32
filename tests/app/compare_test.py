"""rattleback compare: errors against a reference that is better than they are."""

import os
import shutil
import unittest

import program
from program import PENDULUM, ProgramTest


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

    def test_the_table_names_its_reference(self):
        text = self.run_program("compare", PENDULUM, "--methods", "rattle", "--time", 1,
                                "--step-halvings", 1).stdout
        self.assertRegex(text, r"reference: baseline:kind=rk4 with h = ")
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
