"""The underlying equations from a model file and from the command line: counts and refusals."""

import program
from program import ProgramTest

MODEL = """
[model]
name = "pendulum"
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
q = [1, 0]
p = [0, -2]
[method]
name = "underlying"
formulation = "classical"
project = "momentum"
threshold = 1e-6
[run]
step = 0.025
time = 1023
"""


class Underlying(ProgramTest):
    def projections(self, *options):
        return self.json_of("run", self.write("model.toml", MODEL), *options)["projections"]

    def test_counts_of_seiler(self):
        self.assertEqual(self.projections(), {"position": 0, "momentum": 155})
        dirac = self.projections("--method", "underlying:project=momentum,threshold=1e-6")
        self.assertEqual(dirac, {"position": 0, "momentum": 31})
        position = self.projections("--method", "underlying:formulation=classical,project=position,threshold=1e-6")
        self.assertGreater(position["position"], 0.8 * 40920)


if __name__ == "__main__":
    program.main()
