"""The numbers that check prints, by hand."""

import program
from program import ProgramTest

CIRCLE = """
[model]
name = "circle"
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
constraints = ["x^2 + y^2 - 4"]
[initial]
q = [2, 0]
p = [0.25, 1]
"""


class CheckFigures(ProgramTest):
    def check(self, text, code=0):
        return self.json_of("check", self.write("model.toml", text), code=code)

    def test_residuals_of_the_start(self):
        """{g, H} = 2 (x p_x + y p_y) = 1 there, and g = 0."""
        value = self.check(CIRCLE, code=3)
        self.assertEqual(value["constraint"]["max"], 0)
        self.assertEqual(value["hidden_constraint"]["max"], 1)
        self.assertEqual(value["start_residual"], 1)
        value = self.check(CIRCLE.replace("q = [2, 0]", "q = [3, 0]"), code=3)
        self.assertEqual((value["constraint"]["max"], value["hidden_constraint"]["max"]), (5, 1.5))

    def test_nondegeneracy_and_brackets(self):
        """N = {{g, H}, g} = -4 (x^2 + y^2) = -16 wherever g = 0."""
        value = self.check(CIRCLE.replace("0.25", "0"))
        n = value["nondegeneracy"]
        self.assertAlmostEqual(n["smallest"], 16, delta=1e-9)
        self.assertEqual((n["positive"], n["negative"], n["zero"]), (0, 1, 0))
        self.assertEqual(value["bracket"]["max"], 0)
        self.assertEqual((value["dimension"], value["free_multipliers"]), (2, 0))
        value = self.check(CIRCLE.replace('"x^2 + y^2 - 4"', '"2*x - 4", "3*p_x"').replace(
            "0.25", "0"))
        self.assertAlmostEqual(value["bracket"]["max"], 6, delta=1e-14)
        self.assertEqual((value["first_class"], value["second_class"]), (0, 2))

    def test_chains_have_generations_and_parents(self):
        value = self.check(CIRCLE.replace("0.25", "0"))
        self.assertEqual([(c["generation"], c["parent"]) for c in value["chain"]],
                         [(1, None), (2, 0)])
        self.assertEqual(value["chain"][1]["expression"], "x*p_x + y*p_y")
        ranks = value["ranks"]
        self.assertEqual([(ranks[k]["rank"], ranks[k]["rows"]) for k in
                          ("dg", "d chi", "{chi, phi}", "{chi, chi}")],
                         [(1, 1), (2, 2), (1, 2), (2, 2)])
        self.assertEqual([ranks[k]["at_start"] for k in ranks], [1, 2, 1, 2])


if __name__ == "__main__":
    program.main()
