"""The checks of the source tree see what they should: each is fed good and bad trees."""

import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")


def run(tool, *arguments):
    command = [sys.executable, os.path.join(TOOLS, tool), *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def check_tree(tool, files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return run(tool, root)


class Layers(unittest.TestCase):
    def accept(self, path, include):
        code, out = check_tree("check_layers.py", {path: f"#pragma once\n{include}\n"})
        self.assertEqual((code, out), (0, ""))

    def reject(self, path, include):
        code, out = check_tree("check_layers.py", {path: f"#pragma once\n{include}\n"})
        self.assertEqual(code, 1)
        self.assertIn(f"{path}:2: ", out)

    def test_downwards(self):
        self.accept("include/rattleback/solve/a.hpp", '#include "rattleback/problem/b.hpp"')
        self.accept("src/app/a.cpp", "#include <rattleback/problem/b.hpp>")
        self.accept("include/rattleback/solve/a.hpp", '#include "rattleback/solve/b.hpp"')
        self.accept("include/rattleback/solve/a.hpp", "#include <vector>")
        self.accept("src/study/a.cpp", '#include "rattleback/report/b.hpp"')

    def test_upwards(self):
        self.reject("include/rattleback/problem/a.hpp", '#include "rattleback/solve/b.hpp"')
        self.reject("include/rattleback/problem/a.hpp", "#  include <rattleback/solve/b.hpp>")
        self.reject("src/integrators/deep/a.cpp", '#include "rattleback/lie/b.hpp"')
        self.reject("src/problem/a.cpp", '#include "../solve/b.hpp"')
        self.reject("src/report/a.cpp", '#include "rattleback/study/b.hpp"')
        self.reject("include/rattleback/problem/a.hpp", '#include "../solve/b.hpp"')

    def test_neighbours_do_not_know_each_other(self):
        self.reject("src/multibody/a.cpp", '#include "rattleback/molecular/b.hpp"')
        self.reject("src/molecular/a.cpp", '#include "rattleback/multibody/b.hpp"')

    def test_testing_stands_aside(self):
        self.accept("include/rattleback/testing/a.hpp", '#include "rattleback/integrators/b.hpp"')
        self.accept("include/rattleback/testing/a.hpp", '#include "rattleback/lie/b.hpp"')
        self.reject("include/rattleback/testing/a.hpp", '#include "rattleback/multibody/b.hpp"')
        self.reject("src/app/a.cpp", '#include "rattleback/testing/b.hpp"')
        self.reject("include/rattleback/rattleback.hpp", '#include "rattleback/testing/b.hpp"')

    def test_umbrella_header(self):
        self.accept("include/rattleback/rattleback.hpp", '#include "rattleback/app/b.hpp"')
        self.reject("src/app/a.cpp", '#include "rattleback/rattleback.hpp"')

    def test_unknown_layer(self):
        self.reject("src/app/a.cpp", '#include "rattleback/misc/b.hpp"')
        code, out = check_tree("check_layers.py", {"src/misc/a.cpp": "\n"})
        self.assertEqual(code, 1)
        self.assertIn("misc is not a known layer", out)


class Registry(unittest.TestCase):
    FOLDER = "include/rattleback/integrators/"
    SOURCES = "src/integrators/"
    METHOD = "inline constexpr MethodInfo info{};\n"
    FAMILY = "Family rattle_family(FamilyScalars) {\n}\n"

    def check(self, files):
        return check_tree("check_registry.py", files)

    def test_listed(self):
        files = {
            self.FOLDER + "rattle.hpp": self.METHOD,
            self.FOLDER + "helper.hpp": "int unrelated;\n",
            self.SOURCES + "families/rattle.cpp": self.FAMILY,
            self.SOURCES + "families.inc": "FAMILY(rattle)  // rattle.hpp\n",
        }
        self.assertEqual(self.check(files), (0, ""))

    def test_forgotten_header(self):
        code, out = self.check({
            self.FOLDER + "shake.hpp": self.METHOD,
            self.SOURCES + "families.inc": "FAMILY(handshake)  // handshake.hpp\n",
        })
        self.assertEqual(code, 1)
        self.assertIn(self.FOLDER + "shake.hpp", out)

    def test_forgotten_family(self):
        code, out = self.check({
            self.SOURCES + "families/rattle.cpp": self.FAMILY,
            self.SOURCES + "families.inc": "// FAMILY(rattles)\n",
        })
        self.assertEqual(code, 1)
        self.assertIn("'rattle'", out)

    def test_no_registry_yet(self):
        self.assertEqual(self.check({self.FOLDER + "a.hpp": self.METHOD})[0], 0)


class Output(unittest.TestCase):
    def check(self, expected, program):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.expected")
            if expected is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(expected)
            return run("check_output.py", path, sys.executable, "-c", program)[0]

    def test_matches(self):
        self.assertEqual(self.check("^a+$\n\nb.d\n", "print('aaa'); print('xbcdx')"), 0)
        self.assertEqual(self.check(None, "print('anything')"), 0)

    def test_mismatch(self):
        self.assertNotEqual(self.check("^a+$\n", "print('ab')"), 0)

    def test_wrong_order(self):
        self.assertNotEqual(self.check("b\na\n", "print('a'); print('b')"), 0)

    def test_failing_program(self):
        self.assertNotEqual(self.check("a\n", "print('a'); raise SystemExit(3)"), 0)
        self.assertNotEqual(self.check(None, "raise SystemExit(3)"), 0)


if __name__ == "__main__":
    unittest.main()
