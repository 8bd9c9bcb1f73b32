"""rattleback check and methods: what a system is, and what there is to run it."""

import os
import re
import subprocess

import program
from program import PENDULUM, ProgramTest, rattleback

KEYS = ["constraints", "holonomic", "rank", "redundant", "coisotropic", "nondegenerate", "index",
        "hidden_constraints", "first_class", "second_class", "consistent_start", "well_posed",
        "verdict", "methods"]

MODEL = """
[model]
name = "test"
coordinates = ["x", "y"]
hamiltonian = "{hamiltonian}"
constraints = [{constraints}]
[initial]
q = {q}
p = {p}
"""


class Check(ProgramTest):
    def model(self, hamiltonian="(p_x^2 + p_y^2)/2 + y", constraints="", q="[1, 0]", p="[0, 1]"):
        return self.write("model.toml", MODEL.format(hamiltonian=hamiltonian,
                                                     constraints=constraints, q=q, p=p))

    def test_the_pendulum(self):
        value = self.json_of("check", PENDULUM)
        self.assertEqual(list(value)[:len(KEYS)], KEYS)
        self.assertEqual([value[key] for key in KEYS[:12]],
                         [1, True, 1, [], True, True, 3, 1, 0, 2, True, True])
        self.assertIn("rattle:base=verlet", value["methods"])
        refused = value["methods_that_do_not_apply"]
        self.assertEqual({name.split(":")[0] for name in refused}, {"index1"})
        text = self.run_program("check", PENDULUM).stdout
        for words in ("planar pendulum", "rank of dg", "1 of 1", "coisotropic", "index", "verdict"):
            self.assertIn(words, text)

    def test_no_constraints(self):
        value = self.json_of("check", self.model())
        self.assertEqual([value[key] for key in KEYS[:12]],
                         [0, True, 0, [], True, True, 0, 0, 0, 0, True, True])

    def test_dependent_constraints_are_named(self):
        file = self.model(constraints='"(x^2 + y^2 - 1)/2", "x^2 + y^2 - 1"')
        value = self.json_of("check", file)
        self.assertEqual((value["rank"], value["well_posed"]), (1, False))
        self.assertEqual(len(value["redundant"]), 1)
        self.assertEqual(value["methods"], [])
        self.assertIn("rank 1 of 2", value["verdict"])

    def test_constraints_that_are_not_coisotropic(self):
        file = self.model(constraints='"x", "p_x"', q="[0, 0]", p="[0, 1]")
        value = self.json_of("check", file)
        self.assertEqual((value["holonomic"], value["coisotropic"], value["well_posed"]),
                         (False, False, False))
        self.assertIsNone(value["index"])
        self.assertIn("{g_i, g_j}", value["verdict"])

    def test_a_degenerate_system(self):
        file = self.model(hamiltonian="p_y^2/2 + x*y", constraints='"x"', q="[0, 0]")
        value = self.json_of("check", file)
        self.assertEqual((value["nondegenerate"], value["well_posed"]), (False, False))

    def test_an_inconsistent_start_is_told_not_refused(self):
        value = self.json_of("check", self.model(constraints='"x^2 + y^2 - 4"'))
        self.assertFalse(value["consistent_start"])
        self.assertEqual(value["constraint"]["max"], 3)

    def test_reasons_against_methods(self):
        file = self.model(hamiltonian="(p_x^2 + p_y^2)/2*(1 + x^2) + p_x^4", constraints='"x - 1"',
                          p="[0, 0]")
        value = self.json_of("check", file)
        self.assertIn("rattle:base=midpoint", value["methods"])
        self.assertIn("natural", value["methods_that_do_not_apply"]["baseline:kind=projection"])

    def test_bad_input(self):
        self.assertIn("required", self.refused(2, "check"))
        self.refused(2, "check", self.write("bad.toml", "[model\n"))


class Methods(ProgramTest):
    def test_table_and_json_agree(self):
        value = self.json_of("methods")
        lines = self.run_program("methods").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]],
                         [method["name"] for method in value])
        rattle = next(m for m in value if m["name"] == "rattle:base=verlet")
        self.assertEqual((rattle["order"], rattle["symplectic"], rattle["symmetric"]),
                         (2, True, True))
        self.assertEqual(rattle["options"], {"base": "verlet", "project": "every"})


class Help(ProgramTest):
    def test_every_verb_has_help_with_examples(self):
        self.assertRegex(self.run_program("--version").stdout, r"^rattleback \d+\.\d+\.\d+\n$")
        verbs = ["run", "check", "compare", "methods", "plot"]
        text = self.run_program("--help").stdout
        for verb in verbs:
            self.assertIn(verb, text)
            said = self.run_program(verb, "--help").stdout
            self.assertIn("Examples:", said)
            self.assertIn("rattleback " + verb, said)

    def test_completions_know_every_option(self):
        folder = os.path.join(program.ROOT, "apps", "rattleback", "completions")
        bash = os.path.join(folder, "rattleback.bash")
        self.assertEqual(subprocess.run(["bash", "-n", bash]).returncode, 0)
        for file in (bash, os.path.join(folder, "_rattleback")):
            with open(file, encoding="utf-8") as stream:
                known = stream.read()
            for verb in ("run", "check", "compare", "methods", "plot"):
                self.assertRegex(known, rf"\b{verb}\b")
                for option in re.findall(r"--[a-z-]+", rattleback(verb, "--help").stdout):
                    if option not in ("--halvings", "--help"):
                        self.assertIn(option, known, file)
        script = (f"source {bash}; COMP_WORDS=(rattleback run --che); COMP_CWORD=2; _rattleback; "
                  "echo ${COMPREPLY[@]}")
        said = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(said.strip(), "--checkpoint-every")


if __name__ == "__main__":
    program.main()
