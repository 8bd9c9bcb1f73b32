"""One file, one writer, in every format; what is there stays unless it is to be replaced."""

import os
import re

import shutil
import signal
import subprocess
import unittest

import program
from program import PENDULUM, ProgramTest, rattleback
from sweep_test import MODEL as SWEEP

ENDLESS = ["--method", "rattle:base=gauss3", "--steps", "1e15", "--every", "1000"]


class Writers(ProgramTest):
    def endless(self, name):
        """A run that writes to this file, and the arguments that would make another one do so."""
        out = self.path(name)
        if name.startswith("sweep"):
            # Members with L = 1 end at once: refused. The others never do.
            model = self.write("sweep.toml", SWEEP.replace("STEPS", "100").replace(
                '["L", 0]', "[2, 0]"))
            arguments = ["run", model, "--steps", "1e15", "--out", out]
        else:
            arguments = ["run", PENDULUM, *ENDLESS, "--out", out]
        run = self.running(*arguments)
        run.wait_for("runs/s" if name.startswith("sweep") else "steps/s")
        return run, out, arguments

    def test_a_second_writer_is_refused_with_the_number_of_the_first(self):
        for name in ("w.h5", "w.csv", "w.npy", "sweep.csv"):
            run, out, arguments = self.endless(name)
            os.symlink(out, self.path("soft-" + name))
            for force in ([], ["--force"]):
                for path in (out, self.path("soft-" + name)):
                    said = self.refused(2, *arguments[:-1], path, *force)
                    self.assertTrue("there already" in said and not force or
                                    f"is being written by process {run.process.pid}\n" in said, said)
            if name != "w.csv" and name != "w.npy":
                model = [] if name == "w.h5" else arguments[1:2]
                said = self.refused(2, "run", *model, "--resume", out)
                self.assertIn(f"is being written by process {run.process.pid}\n", said)
            # Whoever was killed holds nothing.
            run.process.send_signal(signal.SIGKILL)
            run.process.wait()
            said = self.refused(2, "run", PENDULUM, "--steps", 10, "--out", out)
            self.assertIn("is there already; --force replaces it", said)
            if name != "sweep.csv":
                self.run_program("run", PENDULUM, "--steps", 10, "--out", out, "--force")

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_readers_are_welcome(self):
        _, out, _ = self.endless("w.h5")
        self.run_program("plot", out, self.path("a.svg"))
        self.assertGreater(os.path.getsize(self.path("a.svg")), 1000)

    def test_of_two_that_start_at_once_one_writes_and_nothing_is_lost(self):
        trials, refused = 60, 0
        wanted = {}
        sweep = self.write("sweep.toml", SWEEP.replace("STEPS", "300"))
        for trial in range(trials):
            kind = ("h5", "csv", "npy", "sweep.csv")[trial % 4]
            model = [sweep] if kind == "sweep.csv" else [PENDULUM, "--steps", "2000", "--every", "1"]
            force = ["--force"] if trial % 8 >= 4 else []
            out = self.path(f"{trial}.{kind}")
            pair = [subprocess.Popen([program.PROGRAM, "run", *model, "--out", out, "--quiet", *force],
                                     stderr=subprocess.PIPE, text=True) for _ in range(2)]
            said = [process.communicate()[1] for process in pair]
            codes = sorted(process.returncode for process in pair)
            self.assertIn(codes, ([0, 2], [0, 0]) if force else ([0, 2],), said)
            for text, process in zip(said, pair):
                if process.returncode == 2:
                    other = pair[0] if process is pair[1] else pair[1]
                    self.assertTrue(f"is being written by process {other.pid}\n" in text or
                                    "is there already" in text, text)
                    refused += 1
            if kind == "h5":
                continue  # whole or not: the next lines
            with open(out, "rb") as file:
                lines = file.read()
            if kind == "sweep.csv":  # without the seconds
                lines = [line.split(b",")[:14] for line in lines.splitlines()]
            self.assertEqual(wanted.setdefault(kind, lines), lines)
        for trial in range(0, trials, 4):  # a whole run: nothing is left to do
            value = self.json_of("run", "--resume", self.path(f"{trial}.h5"))
            self.assertEqual((value["steps"], value["stopped"]), (2000, False))
        self.assertGreaterEqual(refused, trials//2)

    def test_a_stored_run_does_not_become_shorter(self):
        out = self.path("long.h5")
        whole = self.json_of("run", PENDULUM, "--steps", 41000, "--out", out)
        with open(out, "rb") as file:
            before = file.read()
        said = self.refused(2, "run", "--resume", out, "--steps", 100)
        self.assertIn("is at step 41000 already", said)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), before)
        again = self.json_of("run", "--resume", out)
        self.assertEqual(again["final"], whole["final"])
        self.assertTrue(any("at step 40000" in note for note in again["notes"]), again["notes"])

    def test_what_is_stored_does_not_change_what_is_computed(self):
        ends = [self.json_of("run", PENDULUM, "--method", method, "--steps", 25000, "--every",
                             every)["final"]
                for method in ("rattle", "rattle:base=midpoint") for every in (1, 7, 1000)]
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])
        self.assertEqual(ends[3], ends[4])
        self.assertEqual(ends[3], ends[5])

    def test_ctrl_c_loses_no_more_than_to_the_last_restart_point(self):
        out = self.path("a.h5")
        run = self.running("run", PENDULUM, *ENDLESS, "--out", out, "--checkpoint-every", 1e6)
        run.wait_for("steps/s")
        run.process.send_signal(signal.SIGINT)
        steps = int(re.search(r"^steps +(\d+) of", run.end()[0], re.M)[1])
        value = self.json_of("run", "--resume", out, "--steps", steps)
        found = [note for note in value["notes"] if "at step " in note][0]
        self.assertGreater(int(found.rsplit(" ", 1)[1]) + 10000, steps)


class Sweeps(ProgramTest):
    def test_a_swept_parameter_cannot_be_set(self):
        model = self.write("sweep.toml", SWEEP.replace("STEPS", "100"))
        said = self.refused(2, "run", model, "--set", "L=2")
        self.assertIn("'L' is swept", said)
        self.run_program("run", model, "--set", "g0=2", "--quiet")


if __name__ == "__main__":
    program.main()
