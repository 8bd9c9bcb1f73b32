"""Robot files from the command line."""

import math
import os
import unittest

import program
from program import ProgramTest, rattleback

FOLDER = os.path.join(program.ROOT, "examples", "robots")
# The largest energy error: about twice what was measured.
ENERGY = {"arm": 0.012, "quadruped": 1.4e-7, "gripper": 1.1e-10}

ARM = """<robot name="two">
<link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.17" iyy="0.17" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.09" iyy="0.09" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="{type}"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/>{inside}</joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 -1"/><axis xyz="0 1 0"/></joint>
</robot>
"""
MODEL = """
[model]
kind = "multibody"
file = "{file}"
{model}
[initial]
{initial}
[run]
step = 0.001
steps = 100
"""


def example(name):
    return os.path.join(FOLDER, name)


class Robots(ProgramTest):
    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def arm(self, type="continuous", inside=""):
        return self.write("arm.urdf", ARM.format(type=type, inside=inside))

    def model(self, model="", initial="", file="arm.urdf"):
        return self.write("arm.toml", MODEL.format(file=file, model=model, initial=initial))

    def refused(self, code, words, *arguments):
        done = rattleback(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, done.stderr)

    def test_every_example_keeps_energy_and_joints(self):
        found = sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".toml"))
        self.assertEqual(found, sorted(ENERGY))
        for name, bound in ENERGY.items():
            with self.subTest(example=name):
                value = self.json_of("run", example(name + ".toml"))
                self.assertEqual(value["steps"], value["wanted_steps"])
                self.assertLess(value["constraint"]["max"], 2e-12)
                self.assertLess(value["energy"]["max_error"], bound)

    def test_examples_are_checked(self):
        value = self.json_of("check", example("gripper.toml"))
        self.assertEqual(value["degrees_of_freedom"], 3)
        self.assertTrue(value["redundant"])
        self.assertEqual(self.json_of("check", example("arm.urdf"))["degrees_of_freedom"], 3)
        self.assertEqual(self.json_of("check", example("quadruped.xml"))["degrees_of_freedom"], 14)

    def test_a_bare_file_runs_as_drawn(self):
        value = self.json_of("run", self.arm(), "--step", 0.001, "--steps", 10)
        self.assertEqual(value["model"], "two")
        self.assertEqual([link["name"] for link in value["final"]["links"]],
                         ["base", "upper", "lower"])
        self.assertAlmostEqual(value["final"]["joints"]["shoulder"], 0, delta=1e-14)
        self.assertTrue(any("gravity" in note for note in value["notes"]))

    def test_starts_are_in_the_sense_of_the_file(self):
        self.arm()
        value = self.json_of("run", self.model(
            initial='joints = { shoulder = 0.3, elbow = "pi/6" }\n'
                    "joint_velocities = { elbow = 0.5 }"))
        start = value["initial"]
        self.assertAlmostEqual(start["joints"]["shoulder"], 0.3, delta=1e-14)
        self.assertAlmostEqual(start["joints"]["elbow"], math.pi / 6, delta=1e-14)
        self.assertAlmostEqual(start["joint_velocities"]["elbow"], 0.5, delta=1e-14)
        self.assertAlmostEqual(start["joint_velocities"]["shoulder"], 0, delta=1e-14)
        lower = start["links"][2]
        self.assertAlmostEqual(lower["position"][0], -math.sin(0.3), delta=1e-14)
        self.assertAlmostEqual(lower["center_of_mass"][0],
                               -math.sin(0.3) - 0.5 * math.sin(0.3 + math.pi / 6), delta=1e-14)
        self.assertEqual(len(lower["orientation"]), 4)

    def test_turns_are_counted(self):
        self.arm()
        value = self.json_of("run", self.model(model="gravity = [0, 0, 0]", initial=(
            "joint_velocities = { shoulder = 80 }")), "--steps", 500)
        # Stretched out and without gravity the arm turns as one at first, and by 40 in all.
        self.assertGreater(value["final"]["joints"]["shoulder"], 20)

    def test_mistakes_of_the_start(self):
        self.arm()
        for initial, words in {
            "joints = { sholder = 0.3 }": "arm.toml:7:12: there is no joint 'sholder'; did you mean",
            "joints = { elbow = [1, 2] }": "joint 'elbow' has 1 number, not 2",
            "joints = 3": "'joints' must be a table",
            "joint_velocities = { elbow = true }": "must be a number",
        }.items():
            with self.subTest(initial=initial):
                self.refused(2, words, "run", self.model(initial=initial))
        self.refused(2, "must be enforce or ignore", "run", self.model(model='mimic = "maybe"'))
        self.refused(2, ["arm.toml:5:", "did you mean 'limits'?"], "run",
                     self.model(model='drop = ["limit"]'))
        self.refused(2, ["arm.toml:4:8:", "there is no such file"], "run",
                     self.model(file="none.urdf"))

    def test_what_cannot_be_kept_is_refused_unless_dropped(self):
        self.arm("revolute", '<limit lower="-1" upper="1"/><dynamics damping="0.2"/>')
        self.refused(2, ["arm.urdf:", "joint 'shoulder' has damping 0.2", "limits"], "run",
                     self.model())
        self.refused(2, "has limits -1 and 1", "run", self.model(model='drop = ["damping"]'))
        for drop in ('["damping", "limits"]', '["all"]', '"all"'):
            value = self.json_of("run", self.model(model="drop = " + drop))
            self.assertTrue(any("dropped: damping (1), limits (1)" in n for n in value["notes"]))
        bare = os.path.join(self.folder, "arm.urdf")
        self.refused(2, "damping", "check", bare)
        self.json_of("run", bare, "--set", "drop=damping,limits", "--steps", 10)
        self.refused(2, "mimic", "run", bare, "--set", "dropp=all")

    def test_malformed_files_have_a_line(self):
        path = self.arm(inside='<origin xyz="0.07, 0, -0.69"/>')
        self.refused(2, ["arm.urdf:8:", "not by commas"], "run", path)
        self.refused(2, ["arm.urdf:8:", "not by commas"], "run", self.model())
        self.refused(2, "not XML", "check", self.write("bad.urdf", "<robot><link></robot>"))

    def test_a_massless_leaf_has_no_motion(self):
        path = self.write("leaf.urdf", ARM.format(type="continuous", inside="").replace(
            "</robot>", '<link name="tip"/><joint name="knuckle" type="continuous">'
                        '<parent link="lower"/><child link="tip"/></joint></robot>'))
        self.refused(3, ["leaf.urdf:11: joint 'knuckle'"], "run", path)

    def test_a_run_is_resumed_without_the_file(self):
        self.arm()
        model = self.model(initial="joints = { shoulder = 1 }")
        whole = self.json_of("run", model, "--steps", 200)
        out = os.path.join(self.folder, "run.h5")
        self.json_of("run", model, "--steps", 100, "--out", out)
        os.remove(os.path.join(self.folder, "arm.urdf"))
        rest = self.json_of("run", "--resume", out, "--steps", 200)
        self.assertEqual(rest["final"]["joints"].keys(), whole["final"]["joints"].keys())
        self.assertAlmostEqual(rest["final"]["joints"]["elbow"], whole["final"]["joints"]["elbow"],
                               delta=1e-12)

    def test_gravity_of_the_model_is_that_of_the_run(self):
        self.arm()
        value = self.json_of("run", self.model(model="gravity = [0, 0, 0]",
                                               initial="joint_velocities = { shoulder = 1 }"))
        # Nothing but two links that turn: the energy is that of the motion.
        self.assertGreater(value["energy"]["initial"], 0)
        self.assertFalse(any("gravity" in note for note in value["notes"]))


if __name__ == "__main__":
    unittest.main()
