"""Models in two or three coordinates, written by the tests that run them."""

from program import ProgramTest

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


class ModelTest(ProgramTest):
    def model(self, *constraints, start="q = [1, 0]\np = [0, 1]", energy=FALLING, coordinates="xy",
              name="model.toml"):
        return self.write(name, MODEL.format(coordinates=quoted(coordinates), energy=energy,
                                             constraints=quoted(constraints), start=start))
