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
# Four constraints of rank three, any of which may be the one too many: without cy - 2 ay the others are
# singular where ay = 0, and cy = 0 is a branch of theirs.
ONE_TOO_MANY = """
[model]
coordinates = ["ax", "ay", "cx", "cy"]
parameters = { g0 = 1 }
mass = [1]
potential = "g0*(ay + cy)"
constraints = ["ax^2 + ay^2 - 1", "(ax - cx)^2 + (ay - cy)^2 - 1", "cx - 2*ax", "cy - 2*ay"]
[initial]
q = ["cos(1)", "sin(1)", "2*cos(1)", "2*sin(1)"]
"""


def quoted(texts):
    return ", ".join(f'"{text}"' for text in texts)


class ModelTest(ProgramTest):
    def model(self, *constraints, start="q = [1, 0]\np = [0, 1]", energy=FALLING, coordinates="xy",
              name="model.toml"):
        return self.write(name, MODEL.format(coordinates=quoted(coordinates), energy=energy,
                                             constraints=quoted(constraints), start=start))
