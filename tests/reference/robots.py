"""Robots of URDF and MJCF files in joint coordinates: read by robot_files.py, moved by robot_motion.py, nothing of them the library's.

    python3 tests/reference/robots.py ROBOT                       # a .urdf or .xml file, or a .toml with a start: its end as JSON
    python3 tests/reference/robots.py ROBOT --against RUN.json    # of `rattleback run ROBOT ... --json`: how far apart the ends are
    python3 tests/reference/robots.py ROBOT --write START.toml    # a start for rattleback: joints off their places, and moving

Needs numpy.
"""
import argparse
import json
import math
import os
import sys
import time

import numpy as np

from robot_files import read, read_start
from robot_motion import quaternion

EXAMPLES = {"arm": "examples/robots/arm.toml", "quadruped": "examples/robots/quadruped.toml", "gripper": "examples/robots/gripper.toml",
            "many_joints": "tests/reference/robots/many_joints.toml", "many_words": "tests/reference/robots/many_words.toml", "many_forces": "tests/reference/robots/many_forces.toml"}
TIME = 0.5


def far_apart(links, others):
    """Of the frames and centres of links, and of their turns as matrices."""
    places = turns = 0.0
    assert [link["name"] for link in links] == [link["name"] for link in others]
    for link, other in zip(links, others):
        for key in ("position", "center_of_mass"):
            places = max(places, abs(np.array(link[key]) - other[key]).max())
        turns = max(turns, abs(quaternion(link["orientation"]) - quaternion(other["orientation"])).max())
    return places, turns


def some_start(tree, amount):
    """Every joint a little off and moving, no two the same. Joints of loops only move, those that follow others follow."""
    joints, rates, followers = {}, {}, {j for j, *_ in tree.follows}
    for k, (name, (kind, _, _, at, us)) in enumerate(tree.joints.items(), 1):
        if us[0] in followers:
            continue
        if kind in ("revolute", "prismatic"):
            scale = amount * (1 if kind == "revolute" else 0.1)
            joints[name] = tree.q0[at[0]] + scale * math.sin(k)
            rates[name] = 2 * scale * math.cos(2 * k)
        elif kind == "ball":
            rates[name] = [amount * math.cos(2 * k), amount * math.sin(k), amount * math.cos(k)]
        elif kind == "floating":
            rates[name] = [0.1 * amount, -0.2 * amount, amount, amount, -amount, 0.5 * amount]
    return ({} if tree.loops else joints), rates


def write_toml(path, robot, tree, a):
    joints, rates = some_start(tree, a.amount)
    number = lambda v: repr([float(x) for x in v]) if np.ndim(v) else repr(float(v))
    table = lambda values: "{ " + ", ".join(json.dumps(k) + " = " + number(v) for k, v in values.items()) + " }"
    with open(path, "w") as out:
        out.write('[model]\nkind = "multibody"\nfile = %s\n' % json.dumps(os.path.relpath(robot, os.path.dirname(os.path.abspath(path)))))
        out.write("drop = %s\nmimic = %s\n" % (json.dumps(a.drop.split(",")), json.dumps(a.mimic)))
        if a.gravity:
            out.write("gravity = %s\n" % a.gravity)
        out.write("\n[initial]\njoints = %s\njoint_velocities = %s\n" % (table(joints), table(rates)))
        if tree.loops:
            out.write("project = true\n")


def robot_runs(only, path, write):
    """Ends of our own robots after half a second, for robots.json."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    records = []
    for name, model in EXAMPLES.items():
        if only and name not in only:
            continue
        began = time.time()
        tree, q, u = read_start(os.path.join(root, model))
        q, u, change = tree.converged(q, u, TIME, 1e-12)
        text = lambda v: ["%.17g" % x for x in v]
        links = [{"name": link["name"], **{k: text(link[k]) for k in ("position", "center_of_mass", "orientation")}} for link in tree.listed(q)]
        records.append({"robot": name, "model": model, "error": "%.1e" % change, "links": links})
        print("%s: %d rates, error %.1e, %.0f s" % (name, len(u), change, time.time() - began), flush=True)
    about = {"time": str(TIME), "links": "position and orientation (w, x, y, z) of the frame, in space, and the centre of mass"}
    write({"about": about, "records": records}, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("robot")
    parser.add_argument("--time", type=float, default=TIME)
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--against", help="a run: from its start to its end")
    parser.add_argument("--write", help="writes a TOML model with a start of its own; the others below are for it")
    parser.add_argument("--drop", default="all")
    parser.add_argument("--mimic", choices=("enforce", "ignore"), default="ignore")
    parser.add_argument("--gravity", type=float, nargs=3)
    parser.add_argument("--amount", type=float, default=0.3, help="radians")
    a = parser.parse_args()
    if a.write:
        return write_toml(a.write, a.robot, read(a.robot, a.drop.split(","), a.mimic == "enforce"), a)
    tree, q, u = read_start(a.robot)
    says, run = {}, None
    if a.against:
        with open(a.against) as file:
            run = json.load(file)
        says["starts"] = far_apart(tree.listed(q), run["initial"]["links"])
        q, u = tree.start(run["initial"]["joints"], run["initial"]["joint_velocities"])
    gaps, c, _ = tree.closure(q, u, tree.motions(q, u))
    rank = int(np.linalg.matrix_rank(c, tol=1e-8)) if len(c) else 0
    says.update({"degrees": len(u) - rank, "links": len(tree.links), "rows": len(c), "rank": rank})
    if rank:
        says.update({"gap": abs(gaps).max(), "gap_rate": abs(c @ u).max()})
    q, u, says["own_error"] = tree.converged(q, u, a.time, a.tolerance)
    if run:
        says["ends"] = far_apart(tree.listed(q), run["final"]["links"])
    else:
        says["final"] = {"links": tree.listed(q)}
    json.dump(says, sys.stdout, default=float)
    print()


if __name__ == "__main__":
    main()
