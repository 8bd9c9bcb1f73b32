"""[sweep]: every member once, whatever happens in between."""

import csv
import json
import resource
import signal

import program
from models import ONE_TOO_MANY
from program import ProgramTest, rattleback

MODEL = """
[model]
name = "pendulum"
coordinates = ["x", "y"]
parameters = { L = 1.0, g0 = 1.0 }
mass = [1, 1]
potential = "g0*y"
constraints = ["(x^2 + y^2 - L^2)/2"]
[initial]
q = ["L", 0]
p = [0, -1]
[run]
step = 0.01
steps = STEPS
[sweep]
parameters = { L = [0.5, 1.0, 2.0] }
initial = { p_y = [-1, 0, 1, 2] }
"""


class Sweep(ProgramTest):
    def model(self, steps=100):
        return self.write("sweep.toml", MODEL.replace("STEPS", str(steps)))

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_every_combination_is_a_row(self):
        self.run_program("run", self.model(), "--out", self.path("a.csv"))
        rows = self.rows("a.csv")
        self.assertEqual([int(row["member"]) for row in rows], list(range(12)))
        self.assertEqual({row["status"] for row in rows}, {"done"})
        self.assertEqual((rows[5]["L"], rows[5]["p_y"]), ("1", "0"))
        single = self.json_of("run", self.write("one.toml", MODEL[:MODEL.index("[sweep]")].replace(
            "STEPS", "100").replace("[0, -1]", "[0, 2]")), "--set", "L=2")
        # A pack may take an iteration more than one run alone: the same but for round-off.
        self.assertAlmostEqual(float(rows[11]["final_x"]), single["final"]["q"][0], delta=1e-13)
        self.assertAlmostEqual(float(rows[11]["final_p_y"]), single["final"]["p"][1], delta=1e-13)
        for name, figure in (("energy_max_error", single["energy"]["max_error"]),
                             ("constraint_max", single["constraint"]["max"])):
            self.assertAlmostEqual(float(rows[11][name]), figure, delta=1e-13)
        self.assertGreaterEqual(float(rows[11]["newton_mean"]), single["newton"]["mean"])
        self.assertLess(float(rows[11]["newton_mean"]), single["newton"]["mean"] + 1)
        value = self.json_of("run", self.model())
        self.assertEqual((value["members"], value["done"], len(value["runs"])), (12, 12, 12))

    def test_every_column_is_that_of_the_run(self):
        """The member alone, as JSON; a pack may take an iteration more than one run alone."""
        self.run_program("run", self.model(), "--out", self.path("a.csv"))
        table = self.json_of("run", self.model())
        self.assertEqual([table[k] for k in ("done", "failed", "refused")], [12, 0, 0])
        alone = MODEL[:MODEL.index("[sweep]")].replace("STEPS", "100")
        most = {}
        for row, told in zip(self.rows("a.csv"), table["runs"], strict=True):
            run = self.json_of("run", self.write("one.toml", alone.replace(
                "[0, -1]", f"[0, {row['p_y']}]")), "--set", "L=" + row["L"], "--every", 1)
            self.assertEqual((row["method"], row["steps"]), (run["method"], str(run["steps"])))
            expected = {"step": run["step"], "time": run["time"],
                        "energy_initial": run["energy"]["initial"],
                        "energy_final": run["energy"]["final"],
                        "energy_max_error": run["energy"]["max_error"],
                        "energy_drift_per_time": run["energy"]["drift_per_time"],
                        "constraint_max": run["constraint"]["max"],
                        "hidden_constraint_max": run["hidden_constraint"]["max"]}
            for when in ("initial", "final"):
                for k, name in enumerate("xy"):
                    expected[f"{when}_{name}"] = run[when]["q"][k]
                    expected[f"{when}_p_{name}"] = run[when]["p"][k]
            for name, value in expected.items():
                self.assertAlmostEqual(float(row[name]), value, delta=1e-12, msg=name)
            self.assertAlmostEqual(float(row["newton_mean"]), run["newton"]["mean"], delta=1)
            most[row["L"]] = max(most.get(row["L"], 0), run["newton"]["max"])
            for name, value in row.items():
                if name in ("status", "method", "error"):
                    self.assertEqual(told[name], value)
                elif name != "seconds":
                    self.assertEqual(told[name], float(value), name)
        for row in self.rows("a.csv"):  # members of one length share a pack
            self.assertIn(int(row["newton_max"]) - most[row["L"]], (0, 1))

    def test_counts_and_exit_codes_are_those_of_the_rows(self):
        fast = MODEL.replace("STEPS", "100").replace("step = 0.01", "step = 0.1")
        for text, code in ((fast.replace("[-1, 0, 1, 2]", "[-1, 0, 30, 2]"), 4),
                           (fast.replace('["L", 0]', "[1, 0]"), 3),
                           (fast.replace('["L", 0]', "[1, 0]").replace("[-1, 0, 1, 2]",
                                                                       "[-1, 0, 30, 2]"), 4)):
            file = self.write("mixed.toml", text)
            result = rattleback("run", file, "--out", self.path("mixed.csv"), "--force")
            self.assertEqual(result.returncode, code, result.stderr)
            status = [row["status"] for row in self.rows("mixed.csv")]
            count = {word: status.count(word) for word in ("done", "failed", "refused")}
            self.assertLess(count["done"], 12)
            self.assertIn(f"12 members, {count['done']} done, {count['failed']} failed, "
                          f"{count['refused']} refused", result.stdout)
            value = json.loads(rattleback("run", file, "--json").stdout)
            self.assertEqual({word: value[word] for word in count}, count)

    def test_members_that_differ_in_numbers_only_share_packs(self):
        result = self.run_program("run", self.model(), "--out", self.path("a.csv"))
        # With L = 0.5, 1, 2 constants are folded in different ways: packs of 4 + 4, and 4.
        self.assertRegex(result.stdout, r"12 in packs of up to (8|16)\b")
        self.assertEqual({row["packed"] for row in self.rows("a.csv")}, {"1"})
        self.assertEqual(self.json_of("run", self.model())["packed"], 12)
        lonely = self.write("lonely.toml", MODEL.replace("STEPS", "100").replace(
            "initial = { p_y = [-1, 0, 1, 2] }", "").replace("potential = \"g0*y\"",
                                                             "potential = \"g0*y*(L - 2)\""))
        self.run_program("run", lonely, "--out", self.path("b.csv"))
        self.assertEqual([row["packed"] for row in self.rows("b.csv")], ["0", "0", "0"])

    def test_random_starts_are_projected_and_packed(self):
        file = self.write("random.toml", MODEL[:MODEL.index("parameters = { L = [")].replace(
            "STEPS", "100").replace("[0, -1]", "[0, -1]\nproject = true") +
            "random = { count = 50, seed = 3, spread = 0.1 }\n")
        self.run_program("run", file, "--out", self.path("a.csv"))
        rows = self.rows("a.csv")
        self.assertEqual({(row["status"], row["packed"]) for row in rows}, {("done", "1")})
        self.assertEqual(len({row["final_x"] for row in rows}), 50)
        self.assertLess(max(float(row["constraint_max"]) for row in rows), 1e-14)

    def test_a_failing_member_does_not_touch_its_pack(self):
        file = self.write("fast.toml", MODEL.replace("STEPS", "500").replace(
            "step = 0.01", "step = 0.1").replace("[-1, 0, 1, 2]", "[-1, 0, 30, 2]"))
        self.assertEqual(rattleback("run", file, "--out", self.path("a.csv")).returncode, 4)
        for row in self.rows("a.csv"):
            failed = row["p_y"] == "30"
            self.assertEqual(row["status"], "failed" if failed else "done", row)
            self.assertEqual("failed at t" in row["error"] or "step of size" in row["error"], failed)

    def test_a_resumed_table_has_the_same_numbers_to_the_bit(self):
        file, out = self.model(), self.path("a.csv")
        self.run_program("run", file, "--out", out)
        whole = self.rows("a.csv")
        with open(out, encoding="utf-8") as stream:
            lines = stream.readlines()
        for kept in (1, 3, 7, 9):  # a kill leaves part of a pack
            with open(out, "w", encoding="utf-8") as stream:
                stream.writelines(lines[:kept])
            self.run_program("run", file, "--resume", out)
            for old, new in zip(whole, self.rows("a.csv"), strict=True):
                self.assertEqual({**old, "seconds": 0}, {**new, "seconds": 0})

    def test_an_interrupted_sweep_goes_on(self):
        # The first sixteen members have no start and are refused at once, in packs of their own;
        # the others, with L = 1, never end.
        model = MODEL.replace("STEPS", "100").replace('["L", 0]', "[1, 0]").replace(
            ", 2.0]", "]").replace("[-1, 0, 1, 2]", str([k/8 for k in range(16)]))
        file, out = self.write("c.toml", model), self.path("a.csv")
        run = self.running("run", file, "--steps", "1e15", "--out", out)
        run.wait_for("50 %")
        run.process.send_signal(signal.SIGINT)
        said = run.end()[1]
        self.assertEqual(run.process.returncode, 130)
        self.assertIn("--resume " + out, said)
        kept = self.rows("a.csv")
        self.assertEqual([row["status"] for row in kept], ["refused"]*16)
        with open(out, "a", encoding="utf-8") as stream:
            stream.write("7,2,0.5,do")  # what a kill cuts off
        self.run_program("run", file, "--resume", out, code=3)
        rows = self.rows("a.csv")
        self.assertEqual([row["status"] for row in rows], ["refused"]*16 + ["done"]*16)
        for row in kept:
            self.assertEqual(rows[int(row["member"])], row)

    def test_another_sweep_is_not_continued(self):
        self.run_program("run", self.model(), "--out", self.path("a.csv"))
        other = self.write("b.toml", MODEL.replace("STEPS", "100").replace("2.0]", "3.0]"))
        self.assertIn("not one of this sweep",
                      self.refused(2, "run", other, "--resume", self.path("a.csv")))

    def test_members_that_cannot_run(self):
        file = self.write("c.toml", MODEL.replace("STEPS", "100").replace('["L", 0]', "[1, 0]"))
        result = rattleback("run", file, "--out", self.path("c.csv"))
        self.assertEqual(result.returncode, 3)
        refused = [row for row in self.rows("c.csv") if row["status"] == "refused"]
        self.assertEqual(len(refused), 8)
        self.assertIn("x^2", refused[0]["error"])

    def test_redundant_constraints_are_chosen_from_along_every_run(self):
        text = ONE_TOO_MANY + "[run]\nstep = 0.013\nsteps = 20000\n"
        swept = self.write("redundant.toml", text + "[sweep]\nparameters = { g0 = [0.5, 1, 2] }\n")
        self.run_program("run", swept, "--out", self.path("a.csv"))
        alone = self.write("alone.toml", text)
        for row in self.rows("a.csv"):
            value = self.json_of("run", alone, "--set", "g0=" + row["g0"])
            self.assertEqual((row["status"], row["packed"]), ("done", "0"))
            # A run has restart points: 3e-12 apart; with the same rows all along 1e-9.
            for name, x in zip(("ax", "ay", "cx", "cy"), value["final"]["q"]):
                self.assertAlmostEqual(float(row["final_" + name]), x, delta=1e-11)
            # Of all four, as written: 6e-15 was seen, and 1e-12 with the same rows all along.
            self.assertLess(float(row["constraint_max"]), 2e-14)
        result = rattleback("run", swept, "--method", "sundman", "--out", self.path("b.csv"))
        self.assertEqual(result.returncode, 3)
        for row in self.rows("b.csv"):
            self.assertIn("does not take redundant constraints", row["error"])

    def test_starts_of_many_long_chains_are_judged_in_little_time(self):
        """One sparse factorisation each, and not the analysis that check makes: 64 members take
        0.8 times as long as one check, and took 7.5 times as long with an analysis each."""
        text = """
[model]
parameters = { N = 100, g0 = 1 }
coordinates = ["x[1..N]", "y[1..N]"]
mass = [1.0]
potential = "sum(i, 1, N, g0*y[i])"
constraints = ["(x[1]^2 + y[1]^2 - 1)/2",
               "each(i, 2, N, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)"]
[initial]
q = { x = "i*sin(0.8) + 0.001*sin(i)", y = "-i*cos(0.8)" }
project = true
[run]
step = 0.001
steps = 10
"""

        def seconds(verb, name, text):
            file, before = self.write(name, text), resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run_program(verb, file)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime

        once = seconds("check", "chain.toml", text)
        many = seconds("run", "chains.toml", text + "[sweep]\n"
                       "parameters = { g0 = { from = 1, to = 2, count = 64 } }\n")
        self.assertLess(many, 4 * once)


if __name__ == "__main__":
    program.main()
