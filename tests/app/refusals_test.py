"""What rattleback run does not do, what stops it on the way, and how it says so: words, exit codes."""

import json
import os
import signal
import subprocess

import program
from models import CIRCLE, FALLING, ModelTest
from program import PENDULUM, rattleback


class Refusals(ModelTest):
    def assert_stored(self, path, said):
        """The run file holds the sentence that was printed; zero bytes end it there."""
        with open(path, "rb") as file:
            sentence = said.removeprefix("rattleback: ").rstrip("\n")
            self.assertIn(sentence.encode() + b"\0", file.read())

    def test_methods_that_do_not_apply_say_why(self):
        file = self.model("x", energy='hamiltonian = "(p_x^2 + p_y^2)/2*(1 + y^2) + p_x^4/4"',
                          start="q = [0, 0]\np = [0, 0]")
        for method in json.loads(rattleback("methods", "--json").stdout)["methods"]:
            with self.subTest(method=method["name"]):
                result = rattleback("run", file, "--method", method["name"], "--step", 0.01,
                                    "--steps", 5, "--json")
                if method["applies_to"] in ("any", "g(q)"):
                    self.assertEqual(result.returncode, 0, result.stderr)
                else:
                    self.assertEqual(result.returncode, 3)
                    self.assertRegex(result.stderr, "does not apply.*it needs")
                    self.assertEqual(result.stdout, "")

    def test_index1_names_the_constraint_that_is_no_coordinate(self):
        for constraint, words in (
                (CIRCLE, f"'{CIRCLE}' is not a coordinate itself"),
                ("y", "'y' fixes a coordinate that H depends on (derivative 1 at a probe)"),
        ):
            file = self.model("z", constraint, coordinates="xyz",
                              energy=FALLING.replace("[1, 1]", "[1, 1, 1]"),
                              start="q = [1, 0, 0]\np = [0, 0, 0]")
            self.assertEqual(
                self.refused(3, "run", file, "--method", "index1"),
                f"rattleback: {file}: method index1:base=midpoint does not apply to 'circle': "
                f"constraint {words}; use rattle\n")

    def test_an_inconsistent_start(self):
        for start, words in (("q = [1.5, 0]\np = [0, 1]", (CIRCLE, "0.625")),
                             ("q = [1, 0]\np = [0.25, 1]", ("{g, H}", "0.25"))):
            said = self.refused(3, "run", self.model(CIRCLE, start=start))
            for word in words:
                self.assertIn(word, said)
        for word in ("project", "allow_inconsistent"):
            file = self.model(CIRCLE, start=f"q = [1.5, 0]\np = [0.1, 1]\n{word} = true")
            self.json_of("run", file, "--step", 0.01, "--steps", 3)

    def test_projection_says_why_it_fails(self):
        for constraints, q, reasons in (
                ([CIRCLE], [0, 0],
                 ("project = true", f"'{CIRCLE}' is -0.5", "dg has rank 0 of 1")),
                (["x - 3", CIRCLE], [1, 0],
                 ("'x - 3' is -2", "no point satisfies the constraints")),
                (["sqrt(x) - L"], [-1, 0], ("'sqrt(x) - L' is not finite",)),
        ):
            file = self.model(*constraints, start=f"q = {q}\np = [0, 1]\nproject = true")
            said = self.refused(3, "run", file, "--step", 0.01)
            for words in reasons:
                self.assertIn(words, said)

    def test_a_signal_before_the_first_step_ends_the_program(self):
        model = self.path("model")
        os.mkfifo(model)
        for number in signal.SIGINT, signal.SIGTERM:
            run = subprocess.Popen([program.PROGRAM, "run", model, "--out", self.path("run.h5")],
                                   stderr=subprocess.PIPE, text=True)
            with open(model, "w", encoding="utf-8"):  # opens once the program reads
                run.send_signal(number)
                said = run.communicate(timeout=60)[1]
            self.assertEqual(run.returncode, 128 + number)
            self.assertIn("before the first step", said)
            self.assertFalse(os.path.exists(self.path("run.h5")))

    def test_rank_lost_on_the_way_is_said(self):
        cusp = self.model("y^2 - x^3", energy='mass = [1, 1]\npotential = "x"',
                          start="q = [1, 1]\nv = [-2, -3]")
        out = self.path("run.h5")
        result = self.run_program("run", cusp, "--step", 0.01, "--steps", 1000, "--out", out,
                                  code=4)
        self.assertRegex(result.stderr, r"t = 0\.38: .*smallest singular value of dg fell from "
                         r"3\.6.* to 0\.0.*rank is lost\. Weakest there: constraint 'y\^2 - x\^3'")
        self.assertNotIn("too large", result.stderr)
        self.assert_stored(out, result.stderr)

    def test_a_model_at_fault_is_said_in_the_file_too(self):
        start = "q = [1, 0]\np = [0, 1]\nallow_inconsistent = true"
        file = self.model("x - 3", CIRCLE, start=start)
        out = self.path("run.h5")
        said = self.refused(3, "run", file, "--step", 0.01, "--quiet", "--out", out)
        self.assertIn("no point satisfies the constraints", said)
        self.assert_stored(out, said)

    def test_a_failure_keeps_what_was_done(self):
        wall = self.model("y", energy='mass = [1, 1]\npotential = "sqrt(1 - x)"',
                          start="q = [0, 0]\np = [1, 0]")
        out = self.path("run.csv")
        result = self.run_program("run", wall, "--method", "rattle", "--step", 0.01, "--steps",
                                  1000, "--json", "--out", out, code=4)
        value = json.loads(result.stdout, parse_constant=self.fail)
        self.assertIn("t = ", value["error"])
        self.assertIn("t = ", result.stderr)
        self.assertLess(value["steps"], 1000)
        with open(out, encoding="utf-8") as stored:
            self.assertGreater(len(stored.readlines()), 10)

    def test_bad_usage(self):
        for words, arguments in (
                ("no verb", []), ("whole number", ["run", PENDULUM, "--steps", "2.5"]),
                ("whole number", ["run", PENDULUM, "--steps", "-3"]),
                ("a number", ["run", PENDULUM, "--step", "fast"]),
                ("not zero", ["run", PENDULUM, "--step", "0"]),
                ("not both", ["run", PENDULUM, "--steps", 3, "--time", 3]),
                ("name=value", ["run", PENDULUM, "--set", "L"]),
                ("G1", ["run", PENDULUM, "--set", "G1=2"]),
                ("accuracy", ["run", PENDULUM, "--method", "auto:acuracy=1"]),
                ("not available yet", ["run", PENDULUM, "--report", "x.html"]),
                ("not available yet", ["report", "x.h5"]),
                ("no model file", ["run"]), ("unknown ending", ["run", PENDULUM, "--out", "x.xyz"]),
                (".svg or .png", ["run", PENDULUM, "--plot", "x.pdf"]),
                ("there is no 'z'", ["run", PENDULUM, "--plot", "x.svg", "--plot-coordinates", "x,z"]),
                ("nowhere.toml", ["run", self.path("nowhere.toml")]),
                ("nowhere", ["run", PENDULUM, "--out", self.path("nowhere/x.csv")]),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.refused(2, *arguments))

    def test_files_are_known_by_ending_and_kind(self):
        with open(PENDULUM, encoding="utf-8") as file:
            text = file.read()
        for verb in (["run"], ["check"], ["compare", "--methods", "rattle"]):
            said = self.refused(2, verb[0], self.write("model.txt", text), *verb[1:])
            self.assertIn("files that end in '.txt'; known: .toml", said)
            said = self.refused(2, verb[0], self.write("model.toml", '[model]\nkind = "wheel"\n'),
                                *verb[1:])
            self.assertIn("model.toml:2:8: unknown kind of model 'wheel'; known: expressions", said)

    def test_what_was_probably_meant(self):
        registry = json.loads(rattleback("methods", "--json").stdout)
        methods = registry["methods"]
        shake = next(family for family in registry["families"] if family["name"] == "shake")
        options = ", ".join(option["name"] for option in shake["options"])
        families = ", ".join(["auto", *dict.fromkeys(method["family"] for method in methods)])
        bases = ", ".join(dict.fromkeys(method["options"]["base"] for method in methods
                                        if method["family"] == "shake"))
        unknown = f"unknown method 'ratle'; known methods: {families}; did you mean 'rattle'?"
        base = f"'shake' cannot be 'verlett'; choices: {bases}; did you mean 'verlet'?"
        run = ["run", PENDULUM]
        for words, arguments in (
                (f"method: {unknown}", [*run, "--method", "ratle"]),
                (f"method: {unknown}", ["compare", PENDULUM, "--methods", "rattle", "ratle"]),
                (f"method: 'shake' has no option 'bse'; it has: {options}; did you mean 'base'?",
                 [*run, "--method", "shake:bse=verlet"]),
                (f"method: option 'base' of {base}", [*run, "--method", "shake:base=verlett"]),
                (f"method: unknown method 'atuo'; known methods: {families}; "
                 "did you mean 'auto'?", [*run, "--method", "atuo"]),
                ("command line: unknown verb 'rnu' (see rattleback --help); did you mean 'run'?",
                 ["rnu", PENDULUM]),
                ("run: unknown option '--mehtod' (see rattleback run --help); "
                 "did you mean '--method'?", [*run, "--mehtod", "rattle"]),
        ):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.refused(2, *arguments), f"rattleback: {words}\n")
        for place, words, method in (
                (":13:8", unknown, 'name = "ratle"'),
                (":14:1", f"'shake' has no option 'bse'; it has: {options}; did you mean 'base'?",
                 'name = "shake"\nbse = "verlet"'),
                (":14:8", f"option 'base' of {base}", 'name = "shake"\nbase = "verlett"'),
        ):
            with self.subTest(method=method):
                file = self.model(CIRCLE, start="q = [1, 0]\np = [0, 1]\n[method]\n" + method)
                said = self.refused(2, "run", file).splitlines()[0]
                self.assertEqual(said, f"rattleback: {file}{place}: {words}")


if __name__ == "__main__":
    program.main()
