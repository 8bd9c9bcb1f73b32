"""rattleback methods, help and what shells complete."""

import os
import re
import subprocess

import program
from program import ProgramTest, rattleback


class Methods(ProgramTest):
    def test_json_has_families_and_what_they_claim(self):
        value = self.json_of("methods")
        self.assertEqual(list(value), ["families", "methods"])
        rattle = next(m for m in value["methods"] if m["name"] == "rattle:base=verlet")
        self.assertEqual((rattle["order"], rattle["symplectic"], rattle["symmetric"]),
                         (2, True, True))
        self.assertLessEqual({"base": "verlet", "project": "every"}.items(),
                             rattle["options"].items())
        family = next(f for f in value["families"] if f["name"] == "rattle")
        project = next(o for o in family["options"] if o["name"] == "project")
        self.assertEqual((project["type"], project["standard"], project["samples"]),
                         ("word", "every", ["every", "output"]))
        only = self.json_of("methods", "rattle")
        self.assertEqual(only["families"], [family])
        self.assertEqual(only["methods"],
                         [m for m in value["methods"] if m["family"] == "rattle"])

    def test_text_names_every_family_option_and_word(self):
        text = self.run_program("methods").stdout
        for family in self.json_of("methods")["families"]:
            self.assertRegex(text, rf"(?m)^{family['name']} +{re.escape(family['text'])}$")
            full = self.run_program("methods", family["name"]).stdout
            for option in family["options"]:
                self.assertRegex(text, rf"(?m)^  {option['name']} ")
                self.assertIn(option["text"], full)
                if option["type"] == "word":
                    self.assertIn(", ".join(option["samples"]), full)
            for name, reason in family["refused"].items():
                self.assertRegex(full, rf"(?m)^{re.escape(name)} +{re.escape(reason)}$")

    def test_one_in_full_shows_every_claim(self):
        value = self.json_of("methods", "shake")
        lines = self.run_program("methods", "shake").stdout.splitlines()
        table = lines[next(i for i, line in enumerate(lines) if line.startswith("method ")) + 1:]
        table = table[:[*table, ""].index("")]  # what is refused stands below
        self.assertEqual([line.split()[0] for line in table], [m["name"] for m in value["methods"]])
        self.assertIn("did you mean 'shake'?", self.refused(2, "methods", "shak"))

    def test_completion(self):
        def said(text):
            return self.run_program("methods", "--complete", text).stdout.split()
        value = self.json_of("methods")
        self.assertEqual(said(""), ["auto", *(f["name"] for f in value["families"])])
        self.assertEqual(said("rat"), ["rattle"])
        self.assertEqual(said("auto:"), ["auto:accuracy="])
        for family in value["families"]:
            name = family["name"] + ":"
            self.assertEqual(said(name), [f"{name}{o['name']}=" for o in family["options"]])
            for option in family["options"]:
                if option["type"] == "word":
                    begin = f"{name}{option['name']}="
                    self.assertEqual(said(begin), [begin + word for word in option["samples"]])
        self.assertEqual(said("shake:base=mid"), ["shake:base=midpoint"])
        self.assertIn("rattle:base=midpoint,project=", said("rattle:base=midpoint,"))
        self.assertNotIn("rattle:base=midpoint,base=", said("rattle:base=midpoint,"))
        self.assertEqual(said("nothing:"), [])


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
            for verb in ("run", "check", "compare", "methods", "plot", "reproduce"):
                self.assertRegex(known, rf"\b{verb}\b")
                for option in re.findall(r"--[a-z-]+", rattleback(verb, "--help").stdout):
                    if option not in ("--halvings", "--help"):
                        self.assertIn(option, known, file)
        script = (f"source {bash}; COMP_WORDS=(rattleback run --che); COMP_CWORD=2; _rattleback; "
                  "echo ${COMPREPLY[@]}")
        said = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(said.strip(), "--checkpoint-every")

    def test_bash_completes_methods(self):
        bash = os.path.join(program.ROOT, "apps", "rattleback", "completions", "rattleback.bash")
        for typed, expected in (("rat", "rattle"), ("shake:ba", "base="),
                                ("shake:base=mid", "midpoint")):
            # As bash calls it, with words cut at : and =.
            words = re.findall(r"[:=]|[^:= ]+", typed)
            script = (f"PATH={os.path.dirname(program.PROGRAM)}:$PATH; source {bash}; "
                      f"COMP_LINE='rattleback run --method {typed}'; COMP_POINT=${{#COMP_LINE}}; "
                      f"COMP_WORDS=(rattleback run --method {' '.join(words)}); "
                      f"COMP_CWORD={2 + len(words)}; _rattleback; echo ${{COMPREPLY[@]}}")
            said = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True).stdout
            self.assertEqual(said.strip(), expected)


if __name__ == "__main__":
    program.main()
