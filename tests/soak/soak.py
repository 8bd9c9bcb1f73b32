"""Random models, methods, kills, full disks and damaged files for as long as one likes.

    soak.py [--seconds 3600 | --trials N] [--seed N] [--only KIND] [--first K]

Each trial has a number; with its seed it can be run again alone: --seed N --first K --trials 1.
What is random in a trial comes from its number, only where a kill hits is the clock's. Ends with one
line of counts, and with 1 if anything was found.
"""

import argparse
import collections
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import systems

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("RATTLEBACK", os.path.join(ROOT, "build", "bin", "rattleback"))
ANSWERS = (0, 2, 3, 4)  # of the contract; anything else is a crash


class Finding(Exception):
    """Something that must not be."""


class Refused(Exception):
    """An answer that tells nothing here: the method does not apply, the step was too large."""


def require(truth, *what):
    if not truth:
        raise Finding(" ".join(map(str, what)))


class Trial:
    def __init__(self, seed, number, methods):
        self.random = random.Random(f"{seed}/{number}")
        self.methods = methods
        self.folder = tempfile.mkdtemp(prefix="soak-")
        self.model = self.random.choice(systems.KINDS)(self.random)
        self.file = self.path("model.toml")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(self.model.text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *arguments, **options):
        """Its exit code, standard output and standard error; never a crash, never silent."""
        try:
            result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True,
                                    timeout=300, **options)
        except subprocess.TimeoutExpired:
            raise Finding("still running after 300 s:", arguments) from None
        code, error = result.returncode, result.stderr.decode(errors="replace")
        require(code in ANSWERS, "exit", code, arguments, error)
        require(code == 0 or error.startswith("rattleback: "), "no reason:", arguments, error)
        return code, result.stdout.decode(errors="replace"), error

    def answer(self, *arguments):
        """The object of a run that went well."""
        code, out, error = self.program(*arguments, "--json")
        if code in (3, 4):
            raise Refused(error)
        require(code == 0, arguments, error)
        return json.loads(out)

    def plan(self, steps):
        """A run whose length in steps is known."""
        method = self.random.choice(self.methods)
        step = self.random.choice((0.001, 0.005, 0.01))
        every = self.random.choice((1, 7, 100))
        return ["--method", method["name"], "--step", step, "--steps", steps, "--every", every]

    # What is tried.

    def check(self):
        """The analysis finds what is known of the model."""
        code, out, error = self.program("check", self.file, "--json")
        if "no consistent start near" in error:
            raise Refused(error)
        require(code == 0, error)
        found = json.loads(out)
        for key in ("constraints", "rank", "holonomic"):
            require(found[key] == getattr(self.model, key), key, found[key], "and not",
                    getattr(self.model, key))
        redundant = self.model.constraints - self.model.rank
        require(len(found["redundant"]) == redundant, "redundant", found["redundant"])
        require(found["well_posed"], found["verdict"])

    def run(self):
        """A run keeps what its method claims, and ends in the same bits however often it stores."""
        plan = self.plan(self.random.randint(1, 400))
        value = self.answer("run", self.file, *plan)
        numbers = value["final"]["q"] + value["final"]["p"]
        require(all(abs(x) < 1e6 for x in numbers), "the state ran away", numbers)
        claims = next(m for m in self.methods if m["name"] == plan[1])
        if claims["preserves_constraint"]:
            require(value["constraint"]["max"] < 1e-10, "|g| =", value["constraint"]["max"], plan)
        if claims["preserves_hidden_constraint"]:
            hidden = value["hidden_constraint"]["max"]
            require(hidden < 1e-10, "|{g,H}| =", hidden, plan)
        plan[-1] = self.random.randint(1, 50)
        other = self.answer("run", self.file, *plan)
        require(other["final"] == value["final"], "what is stored changed what is computed", plan)

    def _long_plan(self):
        plan = self.plan(300)
        began = time.monotonic()
        self.answer("run", self.file, *plan)
        pace = (time.monotonic() - began) / 300
        plan[plan.index("--steps") + 1] = max(300, min(200_000, int(1 / pace)))
        return plan

    def _goes_on(self, plan, broken):
        """Whether a file that a run was torn from goes on to the same end."""
        whole = self.answer("run", self.file, *plan, "--out", self.path("whole.h5"))
        code, out, error = self.program("run", "--resume", broken, "--json")
        if code == 2 and "is empty" in error:  # ended before there was anything to lose
            return
        require(code == 0, "does not go on:", error)
        require(json.loads(out)["final"] == whole["final"], "went on to another end", plan)

    def _torn(self, how):
        plan, broken = self._long_plan(), self.path("torn.h5")
        command = [PROGRAM, "run", self.file, *map(str, plan), "--out", broken, "--quiet",
                   "--checkpoint-every", str(self.random.choice((0.01, 0.1, 5)))]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            process.wait(self.random.uniform(0, 1.5))
        except subprocess.TimeoutExpired:
            process.send_signal(how)
        error = process.communicate()[1].decode(errors="replace")
        if process.returncode == 4:
            raise Refused(error)
        require(process.returncode in (0, 128 + how, -how), "exit", process.returncode, error)
        if os.path.exists(broken):
            self._goes_on(plan, broken)

    def kill(self):
        """A run that was killed goes on where it was, to the same end."""
        self._torn(signal.SIGKILL)

    def interrupt(self):
        """A run that was interrupted goes on where it was, to the same end."""
        self._torn(self.random.choice((signal.SIGINT, signal.SIGTERM)))

    def full(self):
        """A disk that is full loses nothing that was written."""
        plan, broken = self._long_plan(), self.path("full.h5")
        room = self.random.randint(1, 400_000)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        code, _, error = self.program("run", self.file, *plan, "--out", broken, "--quiet",
                                      preexec_fn=limit)
        if code != 0 and os.path.exists(broken):
            require(broken in error, "the full file is not named:", error)
            if os.path.getsize(broken) > 100_000:
                self._goes_on(plan, broken)

    def damage(self):
        """Damaged files are refused or read, and break nothing."""
        plan, file = self.plan(self.random.randint(1, 300)), self.path("run.h5")
        self.answer("run", self.file, *plan, "--out", file)
        with open(file, "rb") as whole:
            content = bytearray(whole.read())
        # HDF5 1.10 leaks what it read of an object header whose checksum is wrong, in a program of ten
        # lines of C too. Leaks of ours are still seen in sanitized programs.
        with open(self.path("leaks"), "w", encoding="utf-8") as known:
            known.write("leak:libhdf5\n")
        known = f"suppressions={self.path('leaks')}:print_suppressions=0"
        environment = {"env": {**os.environ, "LSAN_OPTIONS": known}}
        for _ in range(5):
            torn = bytearray(content)
            for _ in range(self.random.choice((1, 3, 100))):
                torn[self.random.randrange(len(torn))] = self.random.randrange(256)
            if self.random.random() < 0.3:
                del torn[self.random.randrange(len(torn)):]
            with open(self.path("bad.h5"), "wb") as bad:
                bad.write(torn)
            self.program("plot", self.path("bad.h5"), "--out", self.path("bad.svg"), **environment)
            self.program("run", "--resume", self.path("bad.h5"), "--quiet", **environment)

    def mangle(self):
        """Mistakes in a model file get an answer."""
        text = self.model.text
        for _ in range(self.random.randint(1, 5)):
            at = self.random.randrange(len(text))
            piece = self.random.choice((self.random.choice("()[]{}^*/+-.,=\"'\n0e9x \x00é"), "",
                                        text[at:at + self.random.randint(1, 20)] * 2, "1e999", "[1..N]"))
            text = text[:at] + piece + text[at + self.random.randint(0, 3):]
        with open(self.path("mangled.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        self.program("check", self.path("mangled.toml"))
        self.program("run", self.path("mangled.toml"), "--steps", 5, "--quiet")

    TRIALS = (check, run, run, kill, interrupt, full, damage, mangle)


def registry():
    listed = json.loads(subprocess.run([PROGRAM, "methods", "--json"], capture_output=True,
                                       check=True).stdout)
    return listed["methods"]


def soak(seconds, trials, seed, first, only):
    methods, ends = registry(), time.monotonic() + seconds
    done, refused, found, number = collections.Counter(), 0, [], first
    while number < first + trials if trials else time.monotonic() < ends:
        trial = Trial(seed, number, methods)
        what = trial.random.choice(Trial.TRIALS)
        if only in ("", what.__name__):
            try:
                what(trial)
            except Refused:
                refused += 1
            except Finding as finding:
                found.append(number)
                kept = shutil.copytree(trial.folder, f"soak-{seed}-{number}", dirs_exist_ok=True)
                print(f"{what.__doc__} Not so: {trial.model.name}, --seed {seed} --first {number} "
                      f"--trials 1, kept in {kept}\n    {finding}", flush=True)
            done[what.__name__] += 1
        shutil.rmtree(trial.folder)
        number += 1
    counts = ", ".join(f"{n} {name}" for name, n in sorted(done.items()))
    print(f"soak: seed {seed}, {sum(done.values())} trials ({counts}), {refused} refused with a "
          f"reason, {len(found)} findings {found if found else ''}".rstrip())
    return 1 if found else 0


def main():
    sys.dont_write_bytecode = True
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--seconds", type=float, default=3600)
    options.add_argument("--trials", type=int, default=0)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--only", default="")
    given = options.parse_args()
    sys.exit(soak(given.seconds, given.trials, given.seed, given.first, given.only))


if __name__ == "__main__":
    main()
