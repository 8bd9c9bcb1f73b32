"""Reads URDF and MJCF files into trees of frames (robot_motion.py), by the standard library's XML: what the formats say of bodies,
joints, inertias, loops and followers, and nothing of how the library reads them. Files are taken to be right."""
import math
import os
import tomllib
import xml.etree.ElementTree as ET

import numpy as np

from minimal import rot
from robot_motion import Frame, Tree, cross, quaternion, quaternion_of


def numbers(text):
    return np.array([float(word) for word in text.split()])


def turned_inertia(frame, inertia):
    return frame.r @ inertia @ frame.r.T


def symmetric(xx, yy, zz, xy, xz, yz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)


# --- URDF ---------------------------------------------------------------------------------------------------------------

def origin(element):
    o = element.find("origin")
    if o is None:
        return Frame()
    r, p, y = numbers(o.get("rpy", "0 0 0"))
    e = np.eye(3)
    return Frame(rot(e[2], y) @ rot(e[1], p) @ rot(e[0], r), numbers(o.get("xyz", "0 0 0")))


def read_urdf(root, drop, mimic):
    tree, links = Tree(), {link.get("name"): link for link in root.findall("link")}
    joints = root.findall("joint")
    place = lambda joint, tag: joint.find(tag).get("link")
    children = {place(j, "child") for j in joints}
    (base,) = [name for name in links if name not in children]
    frame = {base: tree.fixed(-1, Frame())}
    waiting, late = [base], []
    while waiting:
        here = waiting.pop(0)
        for j in joints:
            if place(j, "parent") != here:
                continue
            child, kind = place(j, "child"), j.get("type")
            if child in frame:
                late.append(j)
                continue
            at = tree.fixed(frame[here], origin(j))
            axis = numbers(j.find("axis").get("xyz")) if j.find("axis") is not None else (1, 0, 0)
            name = {"continuous": "revolute", "spherical": "ball"}.get(kind, kind)
            frame[child] = at if kind == "fixed" else tree.joint(j.get("name"), name, at, axis)
            waiting.append(child)
    for name, link in links.items():
        inertial, centre = link.find("inertial"), np.zeros(3)
        if inertial is not None:
            own, mass, i = origin(inertial), inertial.find("mass"), inertial.find("inertia")
            centre = own.p
            entries = [float(i.get(k, 0)) if i is not None else 0.0 for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
            tree.solids.append((frame[name], float(mass.get("value")) if mass is not None else 0.0, centre, turned_inertia(own, symmetric(*entries))))
        tree.links.append((name, frame[name], centre))
    for j in late:
        axis = numbers(j.find("axis").get("xyz")) if j.find("axis") is not None else np.array((1.0, 0, 0))
        kind = {"continuous": "revolute", "spherical": "ball"}.get(j.get("type"), j.get("type"))
        tree.loops.append((kind, frame[place(j, "parent")], origin(j), frame[place(j, "child")], Frame(), axis / np.linalg.norm(axis)))
    for j in joints if mimic else []:
        m = j.find("mimic")
        if m is not None and j.get("name") in tree.joints:
            (_, _, _, (at,), (u,)), (_, _, _, (other_at,), (other,)) = tree.joints[j.get("name")], tree.joints[m.get("joint")]
            tree.follows.append((u, other, at, other_at, (float(m.get("offset", 0)), float(m.get("multiplier", 1)), 0, 0, 0), (0.0, 0.0)))
    return tree


# --- MJCF ---------------------------------------------------------------------------------------------------------------

class Mjcf:
    def __init__(self, root, folder, drop, mimic):
        self.tree, self.drop, self.folder = Tree(), drop, folder
        self.include(root)
        self.options = {}
        for compiler in root.findall("compiler"):
            self.options.update(compiler.attrib)
        self.angle = math.pi / 180 if self.options.get("angle", "degree") == "degree" else 1.0
        self.disabled = set()
        for option in root.findall("option"):
            self.tree.gravity = numbers(option.get("gravity")) if option.get("gravity") else self.tree.gravity
            for flag in option.findall("flag"):
                self.disabled |= {k for k, v in flag.attrib.items() if v == "disable"}
        if "gravity" in self.disabled:
            self.tree.gravity = np.zeros(3)
        self.classes = {"main": {}}
        for default in root.findall("default"):
            self.default(default, {}, "main")
        self.bodies, self.sites, self.unnamed = {"world": self.tree.fixed(-1, Frame())}, {}, 0
        self.tree.links.append(("world", 0, np.zeros(3)))
        for world in root.findall("worldbody"):
            self.inside(world, 0, world.get("childclass", "main"), Frame())
        total = float(self.options.get("settotalmass", -1))
        if total > 0:
            scale = total / sum(m for _, m, _, _ in self.tree.solids)
            self.tree.solids = [(f, m * scale, c, i * scale) for f, m, c, i in self.tree.solids]
        drawn = self.tree.places(np.array(self.tree.q0, float))
        for equality in root.findall("equality") if not self.disabled & {"equality", "constraint"} else []:
            for e in equality:
                if e.get("active") != "false":
                    self.equality(e, drawn, mimic)

    def include(self, element):
        for k, child in reversed(list(enumerate(element))):
            if child.tag == "include":
                other = ET.parse(os.path.join(self.folder, child.get("file"))).getroot()
                self.include(other)
                element[k:k + 1] = list(other)
            else:
                self.include(child)

    def default(self, element, above, name):
        own = {tag: dict(values) for tag, values in above.items()}
        for child in element:
            if child.tag != "default":
                own.setdefault(child.tag, {})
                own[child.tag] = self.over(own[child.tag], child.attrib)
        self.classes[element.get("class", name)] = self.classes[name] = own
        for child in element.findall("default"):
            self.default(child, own, child.get("class"))

    @staticmethod
    def over(below, own):
        """An orientation takes the place of every other way to say it."""
        ways = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
        if any(way in own for way in ways):
            below = {k: v for k, v in below.items() if k not in ways}
        return {**below, **own}

    def styled(self, element, style):
        return self.over(self.classes[element.get("class", style)].get(element.tag, {}), element.attrib)

    def orientation(self, a):
        if "quat" in a:
            return quaternion(numbers(a["quat"]))
        if "axisangle" in a:
            v = numbers(a["axisangle"])
            return rot(v[:3], v[3] * self.angle)
        if "euler" in a:
            r = np.eye(3)
            for letter, angle in zip(self.options.get("eulerseq", "xyz"), numbers(a["euler"]) * self.angle):
                turn = rot(np.eye(3)["xyz".index(letter.lower())], angle)
                r = r @ turn if letter.islower() else turn @ r
            return r
        if "xyaxes" in a:
            v = numbers(a["xyaxes"])
            x = v[:3] / np.linalg.norm(v[:3])
            y = v[3:] - x * (x @ v[3:])
            y /= np.linalg.norm(y)
            return np.stack([x, y, cross(x, y)], 1)
        if "zaxis" in a:
            return self.along(numbers(a["zaxis"]))
        return np.eye(3)

    @staticmethod
    def along(z):
        z = z / np.linalg.norm(z)
        c = cross((0, 0, 1), z)
        s = np.linalg.norm(c)
        return (np.eye(3) if z[2] > 0 else np.diag((1, -1, -1.0))) if s < 1e-14 else rot(c, math.atan2(s, z[2]))

    def frame(self, a):
        return Frame(self.orientation(a), numbers(a.get("pos", "0 0 0")))

    def parts(self, element, style, frame):
        """(element, class, frame) of what is in a body, through its <frame>s."""
        for child in element:
            if child.tag == "frame":
                yield from self.parts(child, child.get("childclass", style), frame @ self.frame(child.attrib))
            else:
                yield child, style, frame

    def inside(self, element, at, style, frame):
        for child, own, outer in self.parts(element, style, frame):
            if child.tag == "site" and child.get("name"):
                self.sites[child.get("name")] = (at, outer @ self.frame(self.styled(child, own)))
        for child, own, outer in self.parts(element, style, frame):
            if child.tag == "body":
                self.body(child, at, own, outer)

    def body(self, element, at, style, outer):
        style = element.get("childclass", style)
        here = self.tree.fixed(at, outer @ self.frame(element.attrib))
        parts = list(self.parts(element, style, Frame()))
        name = element.get("name")
        if name is None:
            name = "body%d" % len(self.tree.links)
        count = 0
        for child, own, within in parts:
            if child.tag not in ("joint", "freejoint"):
                continue
            count += 1
            label = child.get("name") or name + "_joint" + (str(count) if count > 1 else "")
            here = self.joint(child, own, within, here, label)
        self.bodies[name] = here
        mass, centre, inertia = self.inertia(parts, self.tree.rests(here))
        self.tree.solids.append((here, mass, centre, inertia))
        self.tree.links.append((name, here, centre))
        self.inside(element, here, style, Frame())

    def joint(self, child, style, within, here, label):
        a = self.styled(child, style) if child.tag == "joint" else {"type": "free"}
        kind = a.get("type", "hinge")
        passive = "passive" not in self.disabled
        armature = 0.0 if "armature" in self.drop else float(a.get("armature", 0))
        if kind == "free":
            f = self.tree.frames[here][2]     # a free body has its place in its numbers
            last = self.tree.joint(label, "floating", self.tree.fixed(-1, Frame()), armature=armature)
            _, _, _, at, _ = self.tree.joints[label]
            for k in range(3):
                self.tree.q0[at[k]] = f.p[k]
            self.tree.q0[at[3]:at[3] + 4] = list(quaternion_of(f.r))
            return last
        anchor = (within @ Frame(p=numbers(a.get("pos", "0 0 0")))).p
        axis = within.r @ numbers(a.get("axis", "0 0 1"))
        axis = axis / np.linalg.norm(axis)
        unit = self.angle if kind == "hinge" else 1.0
        ref = 0.0 if kind == "ball" else unit * float(a.get("ref", 0))
        stiffness = 0.0 if "stiffness" in self.drop or not passive else float(a.get("stiffness", "0").split()[0])
        at = self.tree.fixed(here, Frame(p=anchor))
        back = Frame(rot(axis, -ref)) if kind == "hinge" else Frame(p=-ref * axis)
        at = self.tree.fixed(at, back)
        last = self.tree.joint(label, {"hinge": "revolute", "slide": "prismatic", "ball": "ball"}[kind], at, axis, drawn=ref,
                               stiffness=stiffness, rest=unit * float(a.get("springref", 0)), armature=armature)
        return self.tree.fixed(last, Frame(p=-anchor))

    def inertia(self, parts, rests):
        given = [(c, within) for c, _, within in parts if c.tag == "inertial"]
        how = self.options.get("inertiafromgeom", "auto")
        whole = []
        if given and how != "true":
            c, within = given[0]
            f = within @ self.frame(c.attrib)
            i = symmetric(*numbers(c.get("fullinertia"))) if c.get("fullinertia") else np.diag(numbers(c.get("diaginertia", "0 0 0")))
            whole.append((float(c.get("mass")), f.p, turned_inertia(f, i)))
        elif how != "false":
            lowest, highest = numbers(self.options.get("inertiagrouprange", "0 5"))
            for c, style, within in parts:
                if c.tag == "geom" and lowest <= float(self.styled(c, style).get("group", 0)) <= highest:
                    whole += self.geom(self.styled(c, style), within, rests)
        mass = sum(m for m, _, _ in whole)
        centre = sum((m * c for m, c, _ in whole), np.zeros(3)) / mass if mass > 0 else np.zeros(3)
        inertia = np.zeros((3, 3))
        for m, c, i in whole:
            d = c - centre
            inertia += i + m * (d @ d * np.eye(3) - np.outer(d, d))
        mass = max(mass, float(self.options.get("boundmass", 0)))
        least = float(self.options.get("boundinertia", 0))
        if least or self.options.get("balanceinertia") == "true":
            values, axes = np.linalg.eigh(inertia)
            values = np.maximum(values, least)
            if self.options.get("balanceinertia") == "true" and 2 * values.max() > values.sum():
                values[:] = values.sum() / 3
            inertia = axes @ np.diag(values) @ axes.T
        return mass, centre, inertia

    def geom(self, a, within, rests):
        """Moments of unit density by those of x^2, y^2, z^2 over the shape."""
        kind, size = a.get("type", "sphere"), numbers(a.get("size", "0 0 0"))
        if kind in ("plane", "hfield") or float(a.get("mass", 1)) == 0 or ("mass" not in a and float(a.get("density", 1000)) == 0):
            return []
        if (kind == "mesh" or a.get("mesh")) and rests:
            return []
        if kind == "mesh" or a.get("mesh"):
            raise SystemExit("an inertia comes from a mesh")
        f, half = self.frame(a), size[1] if len(size) > 1 else 0.0
        if "fromto" in a:
            ends = numbers(a["fromto"])
            span = ends[3:] - ends[:3]
            f, half = Frame(self.along(span), (ends[:3] + ends[3:]) / 2), np.linalg.norm(span) / 2
            if kind in ("box", "ellipsoid"):
                size = np.array([size[0], size[0], half])
        f, r = within @ f, size[0]
        if kind == "box":
            volume = 8 * size[0] * size[1] * size[2]
            squares = size ** 2 / 3 * volume
        elif kind in ("sphere", "ellipsoid"):
            axes = np.array([r, r, r]) if kind == "sphere" else size
            volume = 4 / 3 * math.pi * axes[0] * axes[1] * axes[2]
            squares = axes ** 2 / 5 * volume
        else:
            rod, ball = math.pi * r * r * 2 * half, 4 / 3 * math.pi * r ** 3 if kind == "capsule" else 0.0
            volume = rod + ball
            # of half balls z^2 = (half + s)^2 over 0 < s < r: mean of s is 3 r / 8, of s^2 is r^2 / 5
            squares = np.array([rod * r * r / 4 + ball * r * r / 5] * 2 + [rod * half ** 2 / 3 + ball * (half ** 2 + 2 * half * 3 * r / 8 + r * r / 5)])
        scale = float(a["mass"]) / volume if "mass" in a else float(a.get("density", 1000))
        i = np.diag(squares.sum() - squares)
        return [(scale * volume, f.p, turned_inertia(f, scale * i))]

    def equality(self, e, drawn, mimic):
        tree = self.tree
        if e.tag in ("connect", "weld"):
            kind = "ball" if e.tag == "connect" else "fixed"
            if e.get("site1"):
                (a, fa), (b, fb) = self.sites[e.get("site1")], self.sites[e.get("site2")]
            else:
                a, b = self.bodies[e.get("body1")], self.bodies[e.get("body2", "world")]
                between = drawn[a].inverse() @ drawn[b]
                if kind == "ball":
                    fa = Frame(p=numbers(e.get("anchor")))
                    fb = between.inverse() @ fa
                else:
                    fa, fb = between, Frame()
                    if e.get("relpose"):
                        p = numbers(e.get("relpose"))
                        fa = Frame(quaternion(p[3:]), p[:3]) if np.linalg.norm(p[3:]) > 0 else fa
            tree.loops.append((kind, a, fa, b, fb, None))
        elif e.tag == "joint" and mimic:
            c = np.append(numbers(e.get("polycoef", "0 1 0 0 0")), np.zeros(5))[:5]
            _, _, _, (at,), (u,) = tree.joints[e.get("joint1")]
            other = other_at = None
            if e.get("joint2"):
                _, _, _, (other_at,), (other,) = tree.joints[e.get("joint2")]
            tree.follows.append((u, other, at, other_at, tuple(c), (tree.q0[at], 0.0 if other is None else tree.q0[other_at])))


def read(path, drop=("all",), mimic=True):
    root = ET.parse(path).getroot()
    words = {"armature", "stiffness"} if "all" in drop else set(drop)
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.split("}")[-1]
    return read_urdf(root, words, mimic) if root.tag == "robot" else Mjcf(root, os.path.dirname(path), words, mimic).tree


# --- A start in TOML ----------------------------------------------------------------------------------------------------

def read_start(path):
    """(tree, q, u) of a robot file as drawn, or of a TOML model beside one."""
    if not path.endswith(".toml"):
        tree = read(path)
        return tree, *tree.start({}, {})
    with open(path, "rb") as file:
        text = tomllib.load(file)
    model, initial = text["model"], text.get("initial", {})
    drop = model.get("drop", [])
    tree = read(os.path.join(os.path.dirname(path), model["file"]), [drop] if isinstance(drop, str) else drop, model.get("mimic", "enforce") == "enforce")
    if "gravity" in model:
        tree.gravity = np.array(model["gravity"], float)
    number = lambda x: eval(x, {"pi": math.pi}) if isinstance(x, str) else x
    numbers_of = lambda table: {k: [number(x) for x in v] if isinstance(v, list) else number(v) for k, v in table.items()}
    return tree, *tree.start(numbers_of(initial.get("joints", {})), numbers_of(initial.get("joint_velocities", {})), initial.get("project", False))
