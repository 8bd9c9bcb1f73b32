"""What goes wrong is called by its name."""

import os
import re
import resource

import program
from program import PENDULUM, ProgramTest, rattleback

# Of the four, one follows from the others.
LINKS = """
[model]
coordinates = ["ax", "ay", "cx", "cy"]
parameters = { l = 1, g0 = 1 }
mass = [1]
potential = "g0*(ay + cy)"
constraints = CONSTRAINTS
[initial]
q = ["cos(1)", "sin(1)", "2*cos(1)", "2*sin(1)"]
[run]
step = 0.013
steps = 60
every = 1
"""
CONSTRAINTS = ["ax^2+ay^2-l^2", "(ax-cx)^2+(ay-cy)^2-l^2", "cx-2*ax", "cy-2*ay"]


def compact(text):
    return text.replace(" ", "")


class Said(ProgramTest):
    def test_a_file_that_may_not_grow_is_said_like_a_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        for name in ("a.csv", "a.npy", "a.h5"):
            result = rattleback("run", PENDULUM, "--steps", 100000, "--every", 1, "--quiet", "--out",
                                self.path(name), preexec_fn=limit)
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertIn(f"{name}: cannot be written: File too large", result.stderr)

    def test_a_step_may_be_too_small(self):
        for options in (["run", PENDULUM], ["compare", PENDULUM, "--methods", "rattle"]):
            self.assertIn("too small", self.refused(2, *options, "--step", "1e-320"))
            self.assertIn("too small", self.refused(2, *options, "--step", "1e-160"))

    def test_compare_goes_on_where_a_method_does_not_apply(self):
        common = ["compare", PENDULUM, "--time", 1, "--step-halvings", 1, "--methods"]
        value = self.json_of(*common, "index1", "rattle")
        self.assertEqual({run["method"] for run in value["runs"]}, {"rattle:base=verlet"})
        self.assertEqual([r["method"] for r in value["refused"]], ["index1"])
        self.assertIn("does not apply", value["refused"][0]["reason"])
        self.assertIn("left out  ", self.run_program(*common, "index1", "rattle").stdout)
        self.assertIn("does not apply", self.refused(3, *common, "index1"))
        self.assertIn("unknown method", self.refused(2, *common, "rattel", "rattle"))

    def test_multipliers_are_named_by_their_constraint_as_it_was_written(self):
        orders = (CONSTRAINTS, CONSTRAINTS[::-1], CONSTRAINTS[2:] + CONSTRAINTS[:2])
        for number, constraints in enumerate(orders):
            model = self.write("links.toml", LINKS.replace(
                "CONSTRAINTS", str(constraints).replace("'", '"')))
            out = self.path(f"{number}.csv")
            value = self.json_of("run", model, "--out", out)
            names = [m["name"] for m in value["multipliers"]]
            self.assertTrue(any("redundant" in note for note in value["notes"]), value["notes"])
            self.assertEqual(names, ["lambda_1", "lambda_2", "lambda_3", "lambda_4"])
            self.assertEqual([compact(m["constraint"]) for m in value["multipliers"]], constraints)
            with open(out, encoding="utf-8") as file:
                head = file.readline().strip().split(",")
            self.assertEqual(head[-len(names):], names)
            self.assertEqual(head, value["columns"])

    def test_multipliers_keep_their_names_in_run_files_and_pictures(self):
        model = self.write("links.toml", LINKS.replace(
            "CONSTRAINTS", str(CONSTRAINTS[::-1]).replace("'", '"')))
        out = self.path("a.h5")
        value = self.json_of("run", model, "--out", out)
        again = self.json_of("run", "--resume", out, "--steps", 100)
        self.assertEqual(value["multipliers"], again["multipliers"])
        with open(out, "rb") as file:
            stored = file.read()
        for one in value["multipliers"]:
            self.assertIn(one["name"].encode(), stored)
        last = value["multipliers"][-1]["name"]
        self.run_program("plot", out, self.path("a.svg"), "--plot-coordinates", "t," + last)
        with open(self.path("a.svg"), encoding="utf-8") as file:
            self.assertIn(last, file.read())
        self.assertIn("there is no 'lambda_9'", self.refused(
            2, "plot", out, self.path("b.svg"), "--plot-coordinates", "t,lambda_9"))
        self.assertFalse(os.path.exists(self.path("b.svg")))

    def test_memory_that_is_not_there_is_not_taken(self):
        with open(program.PROGRAM, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("address sanitizers take terabytes of addresses")
        model = self.write("long.toml", """
            [model]
            coordinates = ["x[1..N]", "y[1..N]"]
            parameters = { N = 100000 }
            mass = [1]
            potential = "sum(i, 1, N, y[i])"
            constraints = ["x[1]^2 + y[1]^2 - 1",
                           "each(i, 2, N, (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)"]
            [initial]
            q = { x = "i", y = "0*i" }
            """)

        def limit(megabytes=60):
            resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
        for verb, measured in (("run", 0.35), ("check", 1.02)):  # GB
            result = rattleback(verb, model, preexec_fn=limit)
            self.assertEqual(result.returncode, 4, result.stderr)
            # The text alone fills so little.
            self.assertRegex(result.stderr, "^rattleback: out of memory: more than 6[0-9.]+ MB")
            result = rattleback(verb, model, preexec_fn=lambda: limit(300))
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertRegex(result.stderr, r"long\.toml: out of memory: about [0-9.]+ [GM]B will "
                             r"be needed, and [0-9.]+ MB are free")
            needed, unit = re.search("about ([0-9.]+) ([GM])B", result.stderr).groups()
            needed = float(needed) / (1 if unit == "G" else 1000)
            self.assertTrue(measured < needed < 2 * measured, result.stderr)
        # Without a limit of one's own it is what was free at the start.
        run = self.running("run", PENDULUM, "--method", "rattle:base=gauss3", "--steps", "1e15")
        run.wait_for("steps/s")
        with open(f"/proc/{run.process.pid}/limits", encoding="utf-8") as file:
            data = next(line for line in file if line.startswith("Max data size"))
        self.assertNotEqual(data.split()[3], "unlimited")

    def test_what_overflows_is_no_singular_point(self):
        model = self.write("large.toml", """
            [model]
            coordinates = ["x", "y"]
            mass = [1, 1]
            potential = "1e292*y"
            constraints = ["x^2 + y^2 - 1"]
            [initial]
            q = [1, 0]
            """)
        result = rattleback("run", model, "--step", 0.01, "--steps", 10, "--quiet")
        self.assertEqual(result.returncode, 4)
        self.assertIn("overflow", result.stderr)
        self.assertNotIn("singular point", result.stderr)
        self.assertNotIn("degenerate", result.stderr)


if __name__ == "__main__":
    program.main()
