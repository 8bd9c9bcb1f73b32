"""`rattleback reproduce`: the list, the files, and what is said."""

import csv
import os

import program
from program import ProgramTest


class Reproduce(ProgramTest):
    def test_list_has_every_figure(self):
        listed = self.json_of("reproduce")["experiments"]
        self.assertEqual([e["id"] for e in listed],
                         [f"reich-fig{k}" for k in range(1, 8)] + ["hopf-table1"] +
                         [f"hopf-fig{k}" for k in (1, 3, 4, 5, 6)] +
                         [f"seiler-{name}" for name in ("projections", "errors", "periodogram",
                                                        "stability", "impetus", "energy-change")])
        text = self.run_program("reproduce").stdout
        for experiment in listed:
            self.assertIn(experiment["id"], text)
            if not experiment["available"]:
                self.assertIn(experiment["reason"],
                              self.refused(2, "reproduce", experiment["id"]))

    def test_data_picture_and_claims(self):
        folder = self.path("figures")
        value = self.json_of("reproduce", "hopf-fig5", "--out", folder)
        self.assertEqual([os.path.basename(f) for f in value["files"]],
                         ["hopf-fig5-1.csv", "hopf-fig5-2.csv", "hopf-fig5.svg"])
        self.assertTrue(all(claim["holds"] for claim in value["claims"]))
        with open(value["files"][0], encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 401)
        self.assertAlmostEqual(float(rows[0]["rattle"]), 0.1978382794788868 / 2 - 0.4043988,
                               places=14)
        with open(value["files"][2], encoding="utf-8") as file:
            self.assertIn("<svg", file.read(1000))
        said = self.run_program("reproduce", "hopf-table1", "--out", folder, "--picture",
                                "none").stdout
        self.assertIn("|z|^2 = 0.98, 0.98, 0.98: NOT so", said)
        self.assertIn("errata", said)
        self.assertFalse(os.path.exists(os.path.join(folder, "hopf-table1.svg")))

    def test_bad_usage(self):
        self.assertIn("did you mean 'hopf-fig4'?", self.refused(2, "reproduce", "hopf-fig4x"))
        self.refused(2, "reproduce", "hopf-fig1", "--picture", "pdf")
        self.assertIn("nowhere", self.refused(2, "reproduce", "hopf-fig1", "--out",
                                              "/proc/nowhere"))


if __name__ == "__main__":
    program.main()
