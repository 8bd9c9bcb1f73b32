"""What a run prints, as text and as JSON, is what its stored states say."""

import csv
import math

import program
from program import ProgramTest, pendulum_in_a_well

STEP, MASS = 0.05, 2
MODEL = pendulum_in_a_well(MASS) + f"""
[run]
step = {STEP}
steps = 203
every = 1
"""


def slope(t, y):
    """Least squares."""
    mean_t, mean_y = math.fsum(t) / len(t), math.fsum(y) / len(y)
    return (math.fsum((a - mean_t) * (b - mean_y) for a, b in zip(t, y))
            / math.fsum((a - mean_t) ** 2 for a in t))


def energy(row):
    return (row["p_x"] ** 2 + row["p_y"] ** 2) / (2 * MASS) + row["y"] + 0.3 * row["x"] ** 2


class Figures(ProgramTest):
    def run_with_rows(self, *options):
        out = self.path("run.csv")
        value = self.json_of("run", self.write("model.toml", MODEL), "--out", out, "--force", *options)
        with open(out, encoding="utf-8", newline="") as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
        return value, rows

    def assert_figures(self, value, rows):
        energies = [energy(row) for row in rows]
        for row, exact in zip(rows, energies):
            self.assertAlmostEqual(row["energy"], exact, delta=1e-15)
            self.assertAlmostEqual(abs(row["x"] ** 2 + row["y"] ** 2 - 1) / 2, row["constraint"],
                                   delta=4e-16)
            self.assertAlmostEqual(abs(row["x"] * row["p_x"] + row["y"] * row["p_y"]) / MASS,
                                   row["hidden"], delta=4e-16)
        told = value["energy"]
        self.assertEqual(told["initial"], rows[0]["energy"])
        self.assertEqual(told["final"], rows[-1]["energy"])
        error = max(abs(row["energy"] - rows[0]["energy"]) for row in rows)
        self.assertEqual(told["max_error"], error)
        drift = slope([row["t"] for row in rows], [row["energy"] for row in rows])
        self.assertGreater(abs(drift), 1e-8)
        self.assertAlmostEqual(told["drift_per_time"], drift, delta=1e-15 + 1e-12 * error)
        self.assertNotAlmostEqual(told["drift_per_time"] / error, 1, delta=0.1)
        self.assertEqual(value["constraint"]["max"], max(row["constraint"] for row in rows))
        self.assertEqual(value["hidden_constraint"]["max"], max(row["hidden"] for row in rows))
        self.assertEqual(value["newton"]["mean"],
                         sum(row["newton"] for row in rows) / value["steps"])
        self.assertEqual(value["time"], rows[-1]["t"])
        for when, row in (("initial", rows[0]), ("final", rows[-1])):
            self.assertEqual(value[when], {"q": [row["x"], row["y"]],
                                           "p": [row["p_x"], row["p_y"]]})

    def test_json_is_what_the_rows_say(self):
        for options in ((), ("--method", "rattle:base=midpoint"), ("--method", "shake"),
                        ("--method", "baseline:kind=rk4"), ("--every", "10")):
            with self.subTest(options=options):
                value, rows = self.run_with_rows(*options)
                self.assertEqual(len(rows), 204 if "--every" not in options else 22)
                self.assert_figures(value, rows)
                if "--every" not in options:
                    self.assertEqual(value["newton"]["max"], max(row["newton"] for row in rows))

    def test_text_is_what_the_json_says(self):
        value, _ = self.run_with_rows()
        text = self.run_program("run", self.path("model.toml")).stdout

        def said(label):
            line = next(line for line in text.splitlines() if line.strip().startswith(label))
            return line.strip().removeprefix(label).replace(",", " ").split()
        energies = value["energy"]
        self.assertEqual(said("energy")[:3:2],
                         [f"{energies[k]:.17g}" for k in ("initial", "final")])
        self.assertEqual(said("largest error"), [f"{energies['max_error']:.3g}"])
        self.assertEqual(said("drift per time"), [f"{energies['drift_per_time']:.3g}"])
        self.assertEqual(said("constraint  ")[-1], f"{value['constraint']['max']:.3g}")
        self.assertEqual(said("hidden constraint")[-1], f"{value['hidden_constraint']['max']:.3g}")
        newton = said("Newton")
        self.assertEqual((newton[0], newton[-1]),
                         (f"{value['newton']['mean']:.2f}", str(value["newton"]["max"])))
        steps = said("steps")
        self.assertEqual(steps[:3], ["203", "of", "203"])
        self.assertEqual(said("method"), [value["method"]])
        self.assertIn(f"{value['projections']['momentum']} of momenta", text)

    def test_multipliers_are_those_of_the_steps(self):
        """M (q1 - q)/h = p - G^T lambda - h/2 V_q, a row's lambda being that of the step to it."""
        for method in ("rattle", "shake", "variational"):
            with self.subTest(method=method):
                _, rows = self.run_with_rows("--method", method)
                self.assertTrue(math.isnan(rows[0]["lambda_1"]))
                for old, new in zip(rows, rows[1:]):
                    for q, slope_of_v in (("x", 0.6 * old["x"]), ("y", 1)):
                        left = MASS * (new[q] - old[q]) / STEP
                        right = (old["p_" + q] - old[q] * new["lambda_1"]
                                 - STEP / 2 * slope_of_v)
                        self.assertAlmostEqual(left, right, delta=4e-14)  # eps/h
                self.assertGreater(max(abs(row["lambda_1"]) for row in rows[1:]), 0.01)


if __name__ == "__main__":
    program.main()
