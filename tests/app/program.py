"""What the tests of the program share: running it, and what its answers must look like."""

import json
import math
import os
import pty
import select
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("RATTLEBACK", os.path.join(ROOT, "build", "bin", "rattleback"))
PENDULUM = os.path.join(ROOT, "examples", "pendulum.toml")


def pendulum_in_a_well(mass):
    """A model whose force is not the same everywhere."""
    return f"""
[model]
name = "pendulum in a well"
coordinates = ["x", "y"]
mass = [{mass}, {mass}]
potential = "y + 0.3*x^2"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
q = [0.6, -0.8]
p = [0.8, 0.6]
"""


def rattleback(*arguments, timeout=60, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout, **options)


class Running:
    """The program at work, with a terminal for its standard error: there it shows its progress."""

    def __init__(self, *arguments):
        # Both ends stay open here: a terminal whose other end was closed may drop what it holds.
        self.terminal, self.theirs = pty.openpty()
        self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=self.theirs, text=True)
        self.said = ""

    def _read(self):
        """What the terminal shows next; nothing once the program has ended and all was read."""
        while True:
            ended = self.process.poll() is not None
            if select.select([self.terminal], [], [], 0.5 if ended else 0.05)[0]:
                piece = os.read(self.terminal, 4096).decode(errors="replace")
                self.said += piece
                return piece
            if ended:
                return ""

    def wait_for(self, text):
        """Returns as soon as the terminal shows it, however long that takes."""
        while text not in self.said:
            if not self._read():
                raise AssertionError(f"ended without {text!r}: {self.said}")

    def end(self):
        """What it wrote on standard output, and all that the terminal showed."""
        while self._read():
            pass
        return self.process.communicate()[0], self.said

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        os.close(self.terminal)
        os.close(self.theirs)


class ProgramTest(unittest.TestCase):
    """A folder of its own for every test, and checks that say what the program said."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def running(self, *arguments):
        process = Running(*arguments)
        self.addCleanup(process.close)
        return process

    def run_program(self, *arguments, code=0, **options):
        result = rattleback(*arguments, **options)
        self.assertEqual(result.returncode, code,
                         f"{arguments}\n{result.stdout}\n{result.stderr}")
        if code == 0:
            self.assertEqual(result.stderr, "", arguments)
        return result

    def json_of(self, *arguments, code=0, **options):
        """The one object on standard output."""
        result = self.run_program(*arguments, "--json", code=code, **options)
        self.assertEqual(result.stdout.count("\n"), 1)
        return json.loads(result.stdout, parse_constant=self.fail)

    def refused(self, code, *arguments, **options):
        """What standard error says; nothing is on standard output."""
        result = self.run_program(*arguments, code=code, **options)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("rattleback: "), result.stderr)
        return result.stderr


def finite(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def main():
    sys.dont_write_bytecode = True
    unittest.main(verbosity=1)
