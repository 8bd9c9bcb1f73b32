"""Every method on every model of examples/: the contract's object, or the reason why not."""

import glob
import json
import os

import program
from program import ProgramTest, finite, rattleback
from run_test import SCHEMA

FOLDER = os.path.join(program.ROOT, "examples")
SMALLER = {"chain": ("--set", "N=8"), "elastic_rod": ("--set", "N=8")}


class EveryMethod(ProgramTest):
    def test_answers_on_every_example(self):
        methods = [m["name"] for m in json.loads(rattleback("methods", "--json").stdout)["methods"]]
        files = sorted(name for name in glob.glob("**/*.toml", root_dir=FOLDER, recursive=True)
                       if not name.startswith("mechanisms"))
        ran = 0
        for file in files:
            for method in methods:
                with self.subTest(example=file, method=method):
                    ran += self.answers(file, method)
        # Nearly all of them apply; the others were refused with a reason.
        self.assertGreater(ran, 0.7 * len(files) * len(methods))

    def answers(self, file, method):
        """Whether the method ran."""
        more = SMALLER.get(file[:-5], ())
        result = rattleback("run", os.path.join(FOLDER, file), "--method", method, "--steps", 3,
                            "--json", *more)
        if result.returncode == 3:
            self.assertTrue(result.stderr.startswith("rattleback: "), result.stderr)
            return 0
        self.assertEqual(result.returncode, 0, result.stderr)
        value = json.loads(result.stdout)
        for key, kind in SCHEMA.items():
            self.assertIn(key, value)
            for inner in kind if isinstance(kind, dict) else ():
                self.assertIn(inner, value[key])
        self.assertTrue(all(map(finite, value["final"]["q"] + value["final"]["p"])))
        return 1


if __name__ == "__main__":
    program.main()
