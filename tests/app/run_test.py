"""rattleback run: the JSON of the contract for every method, choices, options, exit codes."""

import json
import os
import signal
import subprocess

import program
from program import PENDULUM, ProgramTest, finite, rattleback

NUMBER = "number"
SCHEMA = {
    "model": str, "method": str, "step": NUMBER, "steps": int, "time": NUMBER,
    "initial": {"q": list, "p": list}, "final": {"q": list, "p": list},
    "energy": {"initial": NUMBER, "final": NUMBER, "max_error": NUMBER, "drift_per_time": NUMBER},
    "constraint": {"max": NUMBER}, "hidden_constraint": {"max": NUMBER},
    "newton": {"mean": NUMBER, "max": int},
    "projections": {"position": int, "momentum": int},
    "divided": {"steps": int, "parts": int}, "seconds": NUMBER,
}

CIRCLE = "(x^2 + y^2 - L^2)/2"
FALLING = 'mass = [1, 1]\npotential = "y"'
MODEL = """
[model]
name = "circle"
coordinates = [{coordinates}]
parameters = {{ L = 1.0 }}
{energy}
constraints = [{constraints}]
[initial]
{start}
"""


def quoted(texts):
    return ", ".join(f'"{text}"' for text in texts)


class Run(ProgramTest):
    def model(self, *constraints, start="q = [1, 0]\np = [0, 1]", energy=FALLING, coordinates="xy",
              name="model.toml"):
        return self.write(name, MODEL.format(coordinates=quoted(coordinates), energy=energy,
                                             constraints=quoted(constraints), start=start))

    def assert_schema(self, value, schema, where=""):
        for key, kind in schema.items():
            self.assertIn(key, value, where)
            if isinstance(kind, dict):
                self.assert_schema(value[key], kind, key)
            elif kind == NUMBER:
                self.assertTrue(finite(value[key]), f"{where} {key}: {value[key]}")
            else:
                self.assertIsInstance(value[key], kind, f"{where} {key}")

    def assert_stored(self, path, said):
        """The run file holds the sentence that was printed; zero bytes end it there."""
        with open(path, "rb") as file:
            sentence = said.removeprefix("rattleback: ").rstrip("\n")
            self.assertIn(sentence.encode() + b"\0", file.read())

    def test_every_method_answers_as_the_contract_says(self):
        methods = json.loads(rattleback("methods", "--json").stdout)["methods"]
        self.assertGreater(len(methods), 30)
        for method in methods:
            with self.subTest(method=method["name"]):
                asked = ["run", PENDULUM, "--method", method["name"], "--steps", 20]
                if method["family"] == "index1":  # for constraints x = 0 only
                    self.assertIn("does not apply", self.refused(3, *asked, "--json"))
                    continue
                value = self.json_of(*asked)
                self.assert_schema(value, SCHEMA)
                self.assertEqual(value["method"], method["name"])
                self.assertEqual(value["steps"], 20)
                self.assertEqual(value["initial"], {"q": [1, 0], "p": [0, -2]})
                self.assertTrue(all(map(finite, value["final"]["q"] + value["final"]["p"])))
                self.assertLess(value["energy"]["max_error"], 0.1)

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

    def test_numbers_read_back_and_structure_holds(self):
        value = self.json_of("run", PENDULUM, "--steps", 1000)
        self.assertEqual(value["step"], 0.01)
        self.assertEqual(value["time"], 10)
        self.assertLess(value["constraint"]["max"], 1e-14)
        self.assertLess(value["hidden_constraint"]["max"], 1e-14)
        again = self.json_of("run", PENDULUM, "--steps", 1000)
        for key in ("final", "energy"):
            self.assertEqual(value[key], again[key])

    def test_the_summary_says_what_was_found_and_chosen(self):
        text = self.run_program("run", PENDULUM, "--steps", 100).stdout
        for words in ("planar pendulum", "natural H with a diagonal mass", "100 of 100",
                      "largest error", "max |g|", "max |{g,H}|"):
            self.assertIn(words, text)
        file = self.model(CIRCLE, start="q = [1, 0]\nv = [0, 1]")
        text = self.run_program("run", file).stdout
        self.assertRegex(text, r"chosen +method rattle: natural H")
        self.assertRegex(text, r"chosen +step 0\.0[0-9]+: the fastest motion")
        self.assertRegex(text, r"chosen +length 10000 steps")
        self.assertEqual(self.run_program("run", file, "--quiet").stdout, "")

    def test_constraints_on_momenta_get_the_midpoint_base(self):
        file = self.model("(x^2 + y^2 + p_x^2 + p_y^2)/2 - 1", start="q = [0, 1]\np = [1, 0]",
                          energy='hamiltonian = "(p_x^2 + p_y^2)/2 + y"')
        value = self.json_of("run", file, "--step", 0.01, "--steps", 10)
        self.assertEqual(value["method"], "rattle:base=midpoint")
        self.assertIn("constraints on momenta", value["notes"][0])
        self.assertLess(value["constraint"]["max"], 1e-12)

    def test_options_go_before_the_file(self):
        value = self.json_of("run", PENDULUM, "--method", "rattle:base=midpoint", "--step", 0.02,
                             "--time", 1, "--every", 5, "--set", "g0=0")
        self.assertEqual(value["method"], "rattle:base=midpoint")
        self.assertEqual((value["step"], value["steps"], value["every"]), (0.02, 50, 5))
        self.assertEqual(value["energy"]["initial"], 2)
        self.assertEqual(self.json_of("run", PENDULUM, "--steps", "1e2")["steps"], 100)

    def test_velocities_become_momenta(self):
        file = self.model(CIRCLE, energy='mass = [2, 2]\npotential = "y"',
                          start="q = [1, 0]\nv = [0, 3]")
        value = self.json_of("run", file, "--steps", 1, "--step", 0.01)
        self.assertEqual(value["initial"]["p"], [0, 6])

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

    def test_redundant_constraints_are_left_out(self):
        redundant = (CIRCLE, "3*(x^2 + y^2 - 1)")
        once, twice = self.model(CIRCLE, name="once.toml"), self.model(*redundant)
        asked = ("--step", 0.01, "--steps", 100)
        value = self.json_of("run", twice, *asked)
        self.assertRegex(value["notes"][0], r"^without '3\*\(x\^2 \+ y\^2 - 1\)': redundant")
        alone = self.json_of("run", once, *asked)["final"]
        for name in "qp":  # the same but for rounding: other code, with other fused operations
            for x, y in zip(value["final"][name], alone[name]):
                self.assertAlmostEqual(x, y, delta=1e-14)
        off = "q = [1.2, 0.1]\np = [0, 1]\n"
        file = self.model(*redundant, start=off + "project = true", name="off.toml")
        self.assertLess(self.json_of("run", file, *asked)["constraint"]["max"], 1e-14)
        file = self.model(*redundant, start=off, name="off.toml")
        self.assertIn("project = true makes", self.refused(3, "run", file, *asked))
        out = self.path("run.h5")
        self.run_program("run", twice, "--step", 0.01, "--steps", 60, "--out", out, "--quiet")
        resumed = self.json_of("run", "--resume", out, "--steps", 100)
        self.assertEqual(resumed["final"], value["final"])

    def test_redundant_constraints_among_many_are_left_out(self):
        file = self.write("chain.toml", """
[model]
coordinates = ["x[1..40]", "y[1..40]"]
mass = [1]
potential = "sum(i, 1, 40, y[i])"
constraints = ["each(i, 2, 40, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)", "x[1]", "y[1]",
               "(x[2]^2 + y[2]^2 - 1)/2"]
[initial]
q = { x = "0.6*(i-1)", y = "-0.8*(i-1)" }
""")
        value = self.json_of("run", file, "--step", 0.01, "--steps", 100)
        self.assertRegex(value["notes"][0], "^without '.*': redundant")
        self.assertLess(value["constraint"]["max"], 1e-12)

    def test_redundant_constraints_are_chosen_again_along_the_run(self):
        # Without cy - 2 ay the others are singular where ay = 0, and cy = 0 is a branch of theirs.
        file = self.write("model.toml", """
[model]
coordinates = ["ax", "ay", "cx", "cy"]
mass = [1]
potential = "ay + cy"
constraints = ["ax^2 + ay^2 - 1", "(ax - cx)^2 + (ay - cy)^2 - 1", "cx - 2*ax", "cy - 2*ay"]
[initial]
q = ["cos(1)", "sin(1)", "2*cos(1)", "2*sin(1)"]
[run]
step = 0.013
time = 800
""")
        for method in ("rattle", "rattle:base=midpoint", "cotangent", "variational"):
            asked = ("run", file, "--method", method) + \
                (() if method == "rattle" else ("--time", 100))
            once = self.json_of(*asked, "--every", 1)
            self.assertLess(once["energy"]["max_error"], 1e-3)
            self.assertLess(once["constraint"]["max"], 1e-12)
            if method == "rattle":  # 1.77: what a step is guessed from is not forgotten
                self.assertLess(once["newton"]["mean"], 2.1)
            self.assertEqual(once["final"], self.json_of(*asked, "--every", 1000)["final"])
        # What the rows in use remember is forgotten at restart points, whoever passes them.
        out = self.path("run.h5")
        self.run_program("run", file, "--steps", 21111, "--out", out, "--quiet")
        self.assertEqual(self.json_of("run", "--resume", out, "--steps", 30000)["final"],
                         self.json_of("run", file, "--steps", 30000)["final"])
        out = self.path("run.csv")
        self.json_of("run", file, "--time", 10, "--every", 1, "--out", out)
        with open(out, encoding="utf-8") as csv:
            names, _, *lines = csv.read().splitlines()
        first = names.split(",").index("lambda_1")
        rows = [[float(x) for x in line.split(",")[first:]] for line in lines]
        self.assertTrue(all(row.count(0) == 1 for row in rows))  # always one left out
        self.assertGreater(len({row.index(0) for row in rows}), 1)  # not always the same

    def test_a_jump_that_a_redundant_constraint_sees_is_refused(self):
        # Of the two the first is kept, of which x = 0 is a branch: a large step lands there.
        file = self.write("model.toml", """
[model]
coordinates = ["x", "y"]
mass = [1]
potential = "y"
constraints = ["x*(x^2 + y^2 - 1)", "x^2 + y^2 - 1"]
[initial]
q = [0.6, -0.8]
""")
        out = self.path("run.csv")
        result = rattleback("run", file, "--method", "rattle", "--step", 0.4, "--steps", 100,
                            "--every", 1, "--out", out)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("failed at t = 1.2: a solution was found on another branch", result.stderr)
        with open(out, encoding="utf-8") as csv:
            rows = [[float(x) for x in line.split(",")[:3]] for line in csv.read().splitlines()[1:]]
        for _, x, y in rows:  # up to the last good one
            self.assertLess(abs(x * x + y * y - 1), 1e-13)

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

    def test_a_singular_lagrangian_runs_with_its_constraints(self):
        # With u = x + y^2/2 it is u_dot^2/2 - u - y^2/2: u falls, y stays at 0.
        file = self.model(energy='lagrangian = "(x_dot + y*y_dot)^2/2 - (x + y^2/2) - y^2/2"',
                          start="q = [0.5, 0]\nv = [0.25, 0]")
        value = self.json_of("run", file, "--step", 0.01, "--steps", 100)
        self.assertIn("L_vv has rank 1 of 2", value["notes"][0])
        self.assertEqual(value["initial"]["p"], [0.25, 0])
        self.assertAlmostEqual(value["final"]["q"][0], 0.5 + 0.25 - 0.5, delta=1e-10)
        self.assertAlmostEqual(value["final"]["q"][1], 0, delta=1e-12)

    def test_redundant_constraints_among_many(self):
        family = """
[model]
name = "chain, its first link twice"
parameters = { N = 40 }
coordinates = ["x[1..N]", "y[1..N]"]
mass = [1.0]
potential = "sum(i, 1, N, y[i])"
constraints = ["(x[1]^2 + y[1]^2 - 1)/2", "x[1]^2 + y[1]^2 - 1",
  "each(i, 2, N, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)"]
[initial]
q = { x = "i*sin(0.8)", y = "-i*cos(0.8)" }
p = { x = "0", y = "0" }
"""
        file = self.write("chain.toml", family)
        for n in (40, 200):
            value = self.json_of("run", file, "--step", 0.01, "--steps", 20, "--set", f"N={n}")
            self.assertTrue(value["notes"][0].startswith("without 'x[1]^2 + y[1]^2 - 1'"))
            self.assertLess(value["constraint"]["max"], 1e-10)

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

    def test_the_path_is_that_of_the_method(self):
        for method, path in (("rattle", "dense 1 x 1, "),
                             ("variational:quadrature=midpoint", "dense 1 x 1, "),
                             ("baseline:kind=rk4", "by elimination, dense 1 x 1, ")):
            value = self.json_of("run", PENDULUM, "--steps", 10, "--method", method)
            self.assertIn("constraints solved " + path, value["path"])

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

    def test_automatic_choice_says_what_accuracy_gets(self):
        notes = self.json_of("run", PENDULUM, "--method", "auto", "--steps", 5)["notes"]
        self.assertEqual(len(notes), 1)
        asked = ["--method", "auto:accuracy=1e-10", "--step", 0.01, "--steps", 5]
        value = self.json_of("run", PENDULUM, *asked)
        self.assertRegex(value["method"], "^(rattle:.*compose=|multistep)")
        self.assertRegex(value["notes"][0], "tried over t = .*, the cheapest for an error of 1e-10 at "
                                            "t = .* evaluations per unit of time")
        self.assertIn("is not reached; the closest is",
                      self.refused(2, "run", PENDULUM, "--method", "auto:accuracy=1e-10", "--step", 0.5,
                                   "--steps", 50))


if __name__ == "__main__":
    program.main()
