"""What is kept: run files, resuming, signals, pictures."""

import json
import os
import random
import re
import shutil
import signal
import time
import unittest

import program
from program import PENDULUM, ProgramTest, rattleback

# Of itself it ends on no machine.
ENDLESS = ["--method", "rattle:base=gauss3", "--steps", "1e15"]


class Files(ProgramTest):
    def test_csv_holds_every_stored_state(self):
        out = self.path("run.csv")
        value = self.json_of("run", PENDULUM, "--steps", 100, "--every", 10, "--out", out)
        with open(out, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), 12)
        self.assertEqual(lines[0].split(",")[:5], ["t", "x", "y", "p_x", "p_y"])
        self.assertEqual([float(x) for x in lines[-1].split(",")[1:3]], value["final"]["q"])

    def test_redundant_constraints_share_their_multiplier(self):
        # g, g, 6 g and 2 (2 + x) g: of least norm, each in proportion to its gradient.
        model = os.path.join(program.ROOT, "tests", "geometry", "models", "duplicate.toml")
        rows = {}
        for which in ("kept", "minimal"):
            out = self.path(which + ".csv")
            self.json_of("run", model, "--step", 0.01, "--steps", 20, "--every", 1, "--out", out,
                         "--multipliers", which)
            with open(out, encoding="utf-8") as file:
                names, *lines = file.read().splitlines()
            first = names.split(",").index("lambda_1")
            rows[which] = [[float(x) for x in line.split(",")] for line in lines[1:]]
        self.assertEqual(len(rows["kept"]), 20)
        for kept, minimal in zip(rows["kept"], rows["minimal"]):
            self.assertEqual(kept[first + 1:], [0, 0, 0])
            self.assertEqual(kept[:first], minimal[:first])
            shares = [1, 1, 6, 2*(2 + kept[1])]
            for share, value in zip(shares, minimal[first:], strict=True):
                wanted = kept[first]*share/sum(s*s for s in shares)
                self.assertLess(abs(value - wanted), 1e-12*abs(kept[first]) + 1e-15)

    def test_resume_equals_an_uninterrupted_run(self):
        whole = self.json_of("run", PENDULUM, "--steps", 50000, "--out", self.path("a.h5"),
                             "--every", 50)
        out = self.path("b.h5")
        self.json_of("run", PENDULUM, "--steps", 20000, "--every", 50, "--out", out)
        again = self.json_of("run", "--resume", out, "--steps", 50000)
        for key in ("final", "initial", "steps", "time", "energy", "newton"):
            self.assertEqual(whole[key], again[key], key)
        said = self.refused(2, "run", "--resume", out, "--method", "shake")
        self.assertIn("rattle:base=verlet", said)
        for option in (["--step", 0.5], ["--every", 3], ["--set", "L=2"], ["--out", "c.h5"]):
            self.assertIn("resumed", self.refused(2, "run", "--resume", out, *option))

    def test_parameters_come_back_on_resume(self):
        out = self.path("a.h5")
        self.json_of("run", PENDULUM, "--steps", 100, "--set", "g0=2", "--out", out)
        value = self.json_of("run", "--resume", out, "--steps", 20000)
        self.assertEqual(value["final"],
                         self.json_of("run", PENDULUM, "--steps", 20000, "--set", "g0=2",
                                      "--every", 1)["final"])

    def test_killed_runs_go_on(self):
        out = self.path("a.h5")
        # The first thing to be written after the start is a checkpoint: states come later.
        run = self.running("run", PENDULUM, *ENDLESS, "--every", 20000, "--out", out,
                           "--checkpoint-every", 0.02)
        run.wait_for("steps/s")
        begun = os.stat(out).st_mtime_ns
        while os.stat(out).st_mtime_ns == begun:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.2))  # at any moment
        run.process.kill()
        run.process.wait()
        said = self.refused(2, "run", "--resume", out, "--steps", 1)
        steps = int(re.search(r"at step (\d+) already", said)[1]) + 700
        value = self.json_of("run", "--resume", out, "--steps", steps)
        whole = self.json_of("run", PENDULUM, *ENDLESS[:2], "--steps", steps,
                             "--every", 20000)
        for key in ("steps", "final", "energy"):
            self.assertEqual(value[key], whole[key], key)

    def test_what_is_no_run_file(self):
        self.assertIn("not a run file", self.refused(2, "run", "--resume", PENDULUM))
        self.assertIn("no such file", self.refused(2, "run", "--resume", self.path("none.h5")))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_keeps_the_figures(self):
        os.symlink("/dev/full", self.path("full.csv"))
        result = rattleback("run", PENDULUM, "--steps", 1000, "--out", self.path("full.csv"),
                            "--json")
        self.assertIn(result.returncode, (2, 4))
        self.assertIn("full.csv", result.stderr)


class Signals(ProgramTest):
    def interrupted(self, *arguments, number=signal.SIGINT):
        run = self.running("run", PENDULUM, *ENDLESS, "--every", 10000, *arguments)
        run.wait_for("steps/s")
        run.process.send_signal(number)
        out, said = run.end()
        self.assertEqual(run.process.returncode, 128 + number)
        return out, said

    def test_ctrl_c_keeps_everything_and_says_how_to_go_on(self):
        file = self.path("run.h5")
        out, error = self.interrupted("--out", file)
        self.assertIn("steps", out)
        self.assertIn("to go on: rattleback run --resume " + file, error)
        steps = int(re.search(r"^steps +(\d+) of", out, re.M)[1]) + 1000
        self.assertEqual(self.json_of("run", "--resume", file, "--steps", steps)["steps"], steps)

    def test_termination_and_json(self):
        out, error = self.interrupted("--json", number=signal.SIGTERM)
        value = json.loads(out)
        self.assertTrue(value["stopped"])
        self.assertGreater(value["steps"], 0)
        self.assertIn("--out", error)


class Progress(ProgramTest):
    def test_bar_on_a_terminal_only(self):
        run = self.running("run", PENDULUM, *ENDLESS)
        run.wait_for("very long left")
        self.assertRegex(run.said, r"\[\.{30}\]   0 %  \d\S* steps/s  very long left")
        for arguments, shown in ([], r"\[#{30}\] 100 %  \S+ steps/s  \S+ left"), (["--quiet"], r"^$"):
            said = self.running("run", PENDULUM, "--steps", 20000, *arguments).end()[1]
            self.assertRegex(said, shown)


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
class Pictures(ProgramTest):
    def test_of_a_run_and_of_a_stored_run(self):
        out = self.path("run.h5")
        self.run_program("run", PENDULUM, "--steps", 1000, "--out", out, "--plot",
                         self.path("a.svg"))
        self.run_program("run", PENDULUM, "--steps", 1000, "--plot", self.path("b.png"),
                         "--plot-coordinates", "x,p_y", "--quiet")
        self.run_program("plot", out, self.path("c.svg"), "--plot-coordinates", "t,x")
        for name in ("a.svg", "b.png", "c.svg"):
            self.assertGreater(os.path.getsize(self.path(name)), 1000)
        self.assertIn("two or three", self.refused(2, "plot", out, self.path("d.svg"),
                                                   "--plot-coordinates", "x"))


if __name__ == "__main__":
    program.main()
