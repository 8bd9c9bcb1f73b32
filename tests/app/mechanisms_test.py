"""Bodies and joints from the command line."""

import glob
import math
import os
import unittest

import program
from program import ProgramTest, rattleback

FOLDER = os.path.join(program.ROOT, "examples", "mechanisms")
# The largest energy error: about twice what was measured.
ENERGY = {"crank_slider": 6e-4, "delta": 8e-4, "double_pendulum": 3e-3, "flip": 1.4e-4, "four_bar": 2.6e-3,
          "heavy_top": 6e-5, "satellite": 5e-7}
# Masses of the bodies of examples/robots/arm.urdf; the gripper is welded to the forearm.
ARM = {"shoulder": 2.4, "upper_arm": 3.1, "forearm": 2.3}

PENDULUM = """
[model]
kind = "multibody"
gravity = [0, 0, -9.81]
parameters = {{ L = 0.5 }}
[[body]]
name = "link"
mass = 1.2
inertia = [0.3, 0.35, 0.2]
position = [0, 0, "-L"]
{body}
[[joint]]
type = "{type}"
bodies = ["world", "{other}"]
points = [[0, 0, 0], {point}]
{joint}
{more}
"""


def example(name):
    return os.path.join(FOLDER, name + ".toml")


class Mechanisms(ProgramTest):
    def pendulum(self, body="", type="ball", other="link", point='[0, 0, "L"]', joint="", more=""):
        return self.write("pendulum.toml", PENDULUM.format(body=body, type=type, other=other,
                                                           point=point, joint=joint, more=more))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_every_example_keeps_energy_and_joints(self):
        found = glob.glob("*.toml", root_dir=FOLDER)
        self.assertEqual(sorted(name[:-5] for name in found), sorted(ENERGY))
        for name, bound in ENERGY.items():
            with self.subTest(example=name):
                value = self.json_of("run", example(name))
                self.assertEqual(value["steps"], value["wanted_steps"])
                self.assertLess(value["constraint"]["max"], 2e-13)
                self.assertLess(value["hidden_constraint"]["max"], 1e-13)
                self.assertLess(value["energy"]["max_error"], bound)
                for body in value["final"]["bodies"]:
                    rows = body["orientation"]
                    for i in range(3):
                        for j in range(3):
                            product = sum(rows[k][i] * rows[k][j] for k in range(3))
                            self.assertAlmostEqual(product, i == j, delta=2e-15)
                    self.assertEqual([len(body[key]) for key in
                                      ("position", "velocity", "angular_velocity")], [3, 3, 3])

    def test_the_start_is_that_of_the_file(self):
        value = self.json_of("run", self.pendulum(body="angular_velocity = [0.5, 0, 0]\n"
                                                       "velocity = [0, 0.25, 0]"),
                             "--step", 0.01, "--steps", 3)
        body = value["initial"]["bodies"][0]
        self.assertEqual(body["name"], "link")
        self.assertEqual(body["position"], [0, 0, -0.5])
        self.assertEqual(body["orientation"], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        self.assertAlmostEqual(body["angular_velocity"][0], 0.5, delta=1e-16)
        self.assertAlmostEqual(body["velocity"][1], 0.25, delta=1e-16)

    def test_joints_that_do_not_fit_are_ill_posed(self):
        file = self.pendulum(point="[0, 0, 0.4]")
        for verb in ("run", "check"):
            result = rattleback(verb, file)
            self.assertEqual(result.returncode, 3)
            self.assertIn("ball joint between 'world' and 'link': its two points are 0.1 apart",
                          result.stderr)
        said = self.refused(3, "run", self.pendulum(body="velocity = [1, 0, 0]"))
        self.assertIn("the velocities at the start change it by 1 per time", said)
        value = self.json_of("run", self.pendulum(body="velocity = [1, 0, 0]",
                                                  more="[initial]\nproject = true"),
                             "--step", 0.01, "--steps", 3)
        self.assertLess(value["hidden_constraint"]["max"], 1e-15)

    def test_mistakes_are_said_at_their_place(self):
        for model, words in (
                ({"type": "bal"}, r"pendulum.toml:13:8: unknown type of joint 'bal'.*mean 'ball'"),
                ({"other": "lnk"}, r"pendulum.toml:14:20: there is no body 'lnk'.*mean 'link'"),
                ({"type": "revolute"}, r":12:1: a revolute joint needs 'axis'"),
                ({"type": "revolute", "joint": "axis = [0, 0, 0]"}, r"'axis' must not be zero"),
                ({"joint": "axis = [0, 0, 1]"}, r"a ball joint has no 'axis'"),
                ({"body": "orientation = [1, 1, 0, 0]"}, r"its length is 1.41421356"),
                ({"body": "orientation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"}, r"determinant is -1"),
                ({"body": "colour = 3"}, r"unknown key 'colour' in \[\[body\]\]"),
                ({"more": '[method]\nname = "ratlie"'}, r"unknown method 'ratlie'.*mean 'rattlie'"),
                ({"more": '[method]\nname = "rattlie"\ngroup = "SO2"'}, r"cannot be 'SO2'")):
            with self.subTest(words=words):
                said = self.refused(2, "run", self.pendulum(**model)).replace("\n", " ")
                self.assertRegex(said, words)
        file = self.pendulum()
        self.assertIn("does not apply to bodies and joints",
                      self.refused(3, "run", file, "--method", "rattle"))
        self.assertIn("it moves bodies and joints",
                      self.refused(3, "run", program.PENDULUM, "--method", "rattlie"))

    def test_every_method_and_option_runs(self):
        for method in ("rattlie", "lie-rattle", "lie-composition", "lie-euler-a", "lie-euler-b",
                       "rigid-rattle", "rattlie:group=SE3", "rattlie:retraction=cayley", "rattlie:compose=suzuki4"):
            with self.subTest(method=method):
                value = self.json_of("run", example("four_bar"), "--method", method, "--steps", 100)
                self.assertEqual(value["method"], method)
                self.assertLess(value["constraint"]["max"], 1e-13)

    def test_methods_are_listed(self):
        every = self.run_program("methods").stdout
        for name in ("rattlie", "lie-rattle", "lie-composition", "lie-euler-a", "lie-euler-b",
                     "rigid-rattle"):
            self.assertIn("\n" + name + " ", every)
        self.assertIn("SO3xR3, SE3", self.run_program("methods", "rattlie").stdout)
        self.assertIn("mean 'rattlie'", self.refused(2, "methods", "ratlie"))

    def test_every_variant_is_listed_and_can_be_run(self):
        few = self.run_program("check", example("heavy_top")).stdout
        every = self.run_program("check", example("heavy_top"), "--all-methods").stdout
        names = [word.strip(",") for word in every[every.index("methods that apply"):].split()[3:]]
        for part in ("rigid-rattle", "lie-euler-b"):
            self.assertIn(part, few)
        self.assertNotIn("yoshida8", few)
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 60)
        for name in ("rattlie:group=SE3", "rattlie:compose=yoshida8", "rigid-rattle:compose=suzuki4"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if "euler" in name and "compose" in name])
        for name in names[::9]:
            self.json_of("run", example("heavy_top"), "--method", name, "--steps", 3)

    def test_methods_are_compared(self):
        """Errors are against a reference of high order; the four-bar has redundant joints."""
        value = self.json_of("compare", example("four_bar"), "--methods", "rattlie", "rigid-rattle",
                             "rattlie:compose=suzuki4", "lie-euler-a", "rattle", "--time", 0.5,
                             "--step", 0.005, "--step-halvings", 2)
        self.assertEqual([run["steps"] for run in value["runs"][:3]], [100, 200, 400])
        for first, order in ((0, 2), (3, 2), (6, 4), (9, 1)):
            self.assertAlmostEqual(value["runs"][first + 2]["order"], order, delta=0.15)
        smallest = min(run["error"] for run in value["runs"])
        self.assertLess(value["reference"]["error"], 0.1 * smallest)
        self.assertRegex(value["refused"][0]["reason"], "does not apply to bodies and joints")
        for run in value["runs"]:
            stages = 5 if "suzuki4" in run["method"] else 1
            self.assertEqual(run["force_evaluations"], stages * run["steps"] + 1)
            self.assertGreater(run["constraint_evaluations"], 2 * stages * run["steps"])
            same = self.json_of("run", example("four_bar"), "--method", run["method"], "--step",
                                run["step"], "--time", 0.5, "--every", run["steps"] // 100)
            self.assertEqual(run["energy_error"], same["energy"]["max_error"])
        self.assertIn("reference: rattlie:compose=", self.run_program(
            "compare", example("heavy_top"), "--methods", "auto", "--time", 0.1).stdout)

    def test_check_counts_freedoms_and_redundant_equations(self):
        value = self.json_of("check", example("four_bar"))
        self.assertEqual((value["constraints"], value["rank"], len(value["redundant"])), (20, 17, 3))
        self.assertEqual(value["degrees_of_freedom"], 1)
        self.assertTrue(value["consistent_start"])
        value = self.json_of("check", example("double_pendulum"))
        self.assertEqual((value["constraints"], value["rank"]), (10, 10))

    def test_forces_on_a_robot_from_a_file(self):
        """Its weight as a potential: -m g z of each body, about the centres of mass."""
        robot = os.path.join(program.ROOT, "examples", "robots", "arm.urdf")
        model = f'[model]\nkind = "multibody"\nfile = "{robot}"\ngravity = [0, 0, {{}}]\n'
        start = "[initial]\njoints = { lift = 0.3 }\n"
        weights = "".join(f'[[potential]]\nbodies = ["{name}"]\nenergy = "{mass}*9.81*z"\n'
                          for name, mass in ARM.items())
        ends = [self.json_of("run", self.write(f"{g}.toml", model.format(g) + start + more), "--step",
                             0.002, "--steps", 500)["final"]["joints"]
                for g, more in ((-9.81, ""), (0, weights))]
        for name, value in ends[0].items():
            self.assertAlmostEqual(value, ends[1][name], delta=1e-12)
        self.assertGreater(abs(ends[0]["lift"] - 0.3), 0.1)
        said = self.refused(2, "run", self.write("typo.toml", model.format(0) +
                            '[[potential]]\nbodies = ["forearn"]\nenergy = "z"\n'))
        self.assertIn("typo.toml:6:11: there is no body 'forearn'; did you mean 'forearm'", said)

    def test_divided_steps_are_told_and_resumed_to_the_bit(self):
        """Turns of 4 radians are no steps, those of 2 are."""
        file = self.pendulum(body="angular_velocity = [0, 0, 400]")
        whole, parts = (os.path.join(self.folder, name) for name in ("whole.h5", "parts.h5"))
        a = self.json_of("run", file, "--step", 0.01, "--steps", 3000, "--out", whole)
        self.assertEqual(a["divided"], {"steps": 3000, "parts": 2})
        self.json_of("run", file, "--step", 0.01, "--steps", 2000, "--out", parts)
        b = self.json_of("run", "--resume", parts, "--steps", 3000)
        self.assertEqual([a["final"], a["divided"]], [b["final"], b["divided"]])
        self.assertIn("3000 of 3000 steps, at the end into 2: larger ones had no solution",
                      self.run_program("run", file, "--step", 0.01, "--steps", 3000).stdout)

    def test_runs_are_resumed_to_the_bit_and_drawn(self):
        whole, parts = (os.path.join(self.folder, name) for name in ("whole.h5", "parts.h5"))
        a = self.json_of("run", example("four_bar"), "--steps", 3000, "--out", whole)
        self.json_of("run", example("four_bar"), "--steps", 1000, "--out", parts)
        b = self.json_of("run", "--resume", parts, "--steps", 3000)
        self.assertEqual(a["final"], b["final"])
        picture = os.path.join(self.folder, "picture.svg")
        self.run_program("plot", whole, picture)
        self.assertGreater(os.path.getsize(picture), 1000)

    def test_small_swings_have_their_period(self):
        """A compound pendulum about x: T = 2 pi sqrt((I + m L^2)/(m g L))."""
        tilt = 1e-4
        turned = f"orientation = [{math.cos(tilt / 2)!r}, {math.sin(tilt / 2)!r}, 0, 0]"
        text = PENDULUM.format(body=turned, type="revolute", other="link", point="[0, 0, 0.5]",
                               joint="axis = [1, 0, 0]", more="")
        text = text.replace('[0, 0, "-L"]', f"[0, {0.5 * math.sin(tilt)!r}, {-0.5 * math.cos(tilt)!r}]")
        period = 2 * math.pi * math.sqrt((0.3 + 1.2 * 0.25) / (1.2 * 9.81 * 0.5))
        value = self.json_of("run", self.write("swing.toml", text), "--time", period,
                             "--step", period / 2000)
        end = value["final"]["bodies"][0]["orientation"]
        self.assertAlmostEqual(end[2][1] / tilt, 1, delta=1e-5)


if __name__ == "__main__":
    unittest.main()
