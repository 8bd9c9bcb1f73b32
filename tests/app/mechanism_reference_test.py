"""Mechanisms against numbers of 36 digits, through the program."""

import json
import os
import unittest

import program
from program import ProgramTest

REFERENCE = os.path.join(program.ROOT, "tests", "reference")


def numbers(value):
    """As TOML: numbers of the reference are text."""
    if isinstance(value, list):
        return "[" + ", ".join(map(numbers, value)) + "]"
    return value


def toml_of(mechanism):
    lines = ["[model]", 'kind = "multibody"', "gravity = " + numbers(mechanism["gravity"])]
    for body in mechanism["bodies"]:
        lines += ["[[body]]", f'name = "{body["name"]}"']
        lines += [f"{key} = {numbers(body[key])}" for key in
                  ("mass", "inertia", "position", "orientation", "velocity", "angular_velocity")]
    for joint in mechanism["joints"]:
        lines += ["[[joint]]", f'type = "{joint["type"]}"', f"bodies = {json.dumps(joint['bodies'])}"]
        lines += [f"{key} = {numbers(joint[key])}" for key in ("points", "axis", "axis2") if key in joint]
    return "\n".join(lines) + "\n"


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [float(value)]


class MechanismReference(ProgramTest):
    def test_every_record_is_met(self):
        with open(os.path.join(REFERENCE, "mechanisms.json"), encoding="utf-8") as file:
            data = json.load(file)
        for name, mechanism in data["mechanisms"].items():
            path = os.path.join(self.folder, name + ".toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(toml_of(mechanism))
            for record in (r for r in data["records"] if r["mechanism"] == name):
                method = record["method"]
                if method != "rigid-rattle":
                    method += f":group={record['group']},retraction={record['retraction']}"
                with self.subTest(mechanism=name, method=method):
                    value = self.json_of("run", path, "--method", method, "--step",
                                         data["about"]["step"], "--steps", record["steps"])
                    for found, truth in zip(value["final"]["bodies"], record["bodies"], strict=True):
                        for key in ("position", "orientation", "velocity", "angular_velocity"):
                            error = max(abs(a - b) for a, b in zip(flat(found[key]), flat(truth[key]), strict=True))
                            self.assertLess(error, 2e-14, f"{found['name']}: {key}")


if __name__ == "__main__":
    unittest.main()
