"""Mechanisms in joint coordinates: their motion by Kane's equations, which know nothing of multipliers on bodies.

Joints from the root outwards are screws: the pose of a body is a product of exp(S_j q_j) and constant motions, differentiated
once in every coordinate and twice along q' by the product rule. With Jv, Jw the slopes of places and turns and x'', w' their
rates at q'' = 0:

    sum m Jv^T (Jv q'' + x'' - g) + Jw^T (I (Jw q'' + w') + w x I w) + C^T nu = 0,      C q'' + c = 0

C and c are those of the joints that close loops, as functions of the joint coordinates, and are empty for trees; rows that follow from others
are left to a least-squares solution. Integrated by extrapolation of Gragg's method, to order 16, in 25 and in 40 steps for comparison.

Needs numpy.
"""
import json
import math
import os
import time

import numpy as np

TIME = 1.0
ORDER = (2, 4, 6, 8, 10, 12, 14, 16)


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])


def vee(m):
    return np.stack([m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], -1) / 2


def rot(axis, angle):
    """Rodrigues."""
    k = hat(np.array(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def motion(r=None, x=(0, 0, 0)):
    m = np.eye(4)
    m[:3, :3] = np.eye(3) if r is None else r
    m[:3, 3] = x
    return m


class Screw:
    def __init__(self, turn=None, shift=None):
        self.turns, self.s = turn is not None, np.zeros((4, 4))
        if self.turns:
            self.axis = np.array(turn, float) / np.linalg.norm(turn)
            self.s[:3, :3] = hat(self.axis)
        else:
            self.s[:3, 3] = np.array(shift, float) / np.linalg.norm(shift)

    def at(self, q):
        return motion(rot(self.axis, q)) if self.turns else np.eye(4) + q * self.s


class Moving:
    """A matrix or vector with its slopes, and its second derivative along q' at q'' = 0."""

    def __init__(self, v, d, dd):
        self.v, self.d, self.dd = v, d, dd

    def rate(self, u):
        return np.tensordot(u, self.d, 1)

    def times(self, constant):
        return Moving(self.v @ constant, self.d @ constant, self.dd @ constant)

    def screwed(self, j, screw, q, u):
        e, first = screw.at(q), self.rate(u)
        es = e @ screw.s
        d = self.d @ e
        d[j] += self.v @ es
        return Moving(self.v @ e, d, self.dd @ e + 2 * u[j] * first @ es + u[j] ** 2 * self.v @ es @ screw.s)

    def point(self, p):
        return self.times(np.append(p, 1.0)).part(slice(0, 3))

    def direction(self, p):
        return self.times(np.append(p, 0.0)).part(slice(0, 3))

    def part(self, s):
        return Moving(self.v[s], self.d[:, s], self.dd[s])

    def minus(self, other):
        return Moving(self.v - other.v, self.d - other.d, self.dd - other.dd)

    def dot(self, o, u):
        return (self.v @ o.v, self.d @ o.v + o.d @ self.v, self.dd @ o.v + 2 * self.rate(u) @ o.rate(u) + self.v @ o.dd)


def across(axis):
    a = np.array(axis, float) / np.linalg.norm(axis)
    b = np.cross(a, np.eye(3)[np.argmin(abs(a))])
    return b / np.linalg.norm(b), np.cross(a, b / np.linalg.norm(b))


E = np.eye(3)


class Linkage:
    def __init__(self, name, gravity=(0.3, -9.0, -2.0)):
        self.name, self.gravity = name, np.array(gravity, float)
        self.bodies, self.joints, self.loops, self.q, self.u = [], [], [], [], []

    def body(self, mass, inertia, on=-1, joint="free", points=((0, 0, 0), (0, 0, 0)), axis=None, axis2=None, turned=None, q=(), u=(), length=None):
        """At a joint with an earlier body (-1: the world); `turned` is its orientation in that one where all q are zero."""
        inertia = np.diag(inertia) if np.ndim(inertia) == 1 else np.array(inertia)
        turned = np.eye(3) if turned is None else turned
        before, after = motion(x=points[0]), motion(turned, (0, 0, 0)) @ motion(x=-np.array(points[1], float))
        ball = [Screw(turn=e) for e in E]
        if joint == "universal":
            screws, after = [Screw(turn=axis), motion(turned), Screw(turn=axis2)], motion(x=-np.array(points[1], float))
        elif joint == "distance":
            b, c = across(axis)
            screws = [Screw(turn=b), Screw(turn=c), motion(x=length * np.array(axis, float) / np.linalg.norm(axis))] + ball
        else:
            screws = {"revolute": lambda: [Screw(turn=axis)], "prismatic": lambda: [Screw(shift=axis)],
                      "cylindrical": lambda: [Screw(turn=axis), Screw(shift=axis)], "fixed": lambda: [], "ball": lambda: ball,
                      "planar": lambda: [Screw(shift=e) for e in across(axis)] + [Screw(turn=axis)],
                      "free": lambda: [Screw(shift=e) for e in E] + ball}[joint]()
        count = sum(isinstance(s, Screw) for s in screws)
        self.bodies.append((mass, inertia, on, before, screws, after))
        self.q += list(q) + [0.0] * (count - len(q))
        self.u += list(u) + [0.0] * (count - len(u))
        if joint != "free":
            self.joints.append((joint, on, len(self.bodies) - 1, points, axis, axis2))
        return len(self.bodies) - 1

    def close(self, joint, a, b, points, axis=None, turned=None):
        """A joint that closes a loop; `turned`: the orientation of b in a that it keeps (and the direction of the axis in b)."""
        self.loops.append((joint, a, b, points, axis, np.eye(3) if turned is None else turned))
        self.joints.append((joint, a, b, points, axis, None))

    # --- Kinematics

    def poses(self, q, u):
        n = len(q)
        still = Moving(np.eye(4), np.zeros((n, 4, 4)), np.zeros((4, 4)))
        all, j = [], 0
        for _, _, on, before, screws, after in self.bodies:
            pose = (still if on < 0 else all[on]).times(before)
            for s in screws:
                if isinstance(s, Screw):
                    pose, j = pose.screwed(j, s, q[j], u), j + 1
                else:
                    pose = pose.times(s)
            all.append(pose.times(after))
        return all, still

    def closure(self, q, u, poses, still):
        """Values, C and c of the joints that close loops."""
        rows = []
        for k, (joint, a, b, points, axis, turned) in enumerate(self.loops):
            pa, pb = (still if body < 0 else poses[body] for body in (a, b))
            gap = pb.point(points[1]).minus(pa.point(points[0]))
            fixed = still.direction
            turn_pairs = {"revolute": lambda: [(e, axis) for e in across(axis)], "cylindrical": lambda: [(e, axis) for e in across(axis)],
                          "prismatic": lambda: [(E[i], E[(i + 1) % 3]) for i in range(3)], "ball": lambda: [], "distance": lambda: []}[joint]()
            if joint in ("ball", "revolute"):
                rows += [fixed(e).dot(gap, u) for e in E]
            elif joint == "distance":
                v, d, dd = gap.dot(gap, u)
                rows.append((v - self.lengths[k] ** 2, d, dd))
            else:
                rows += [pa.direction(e).dot(gap, u) for e in across(axis)]
            rows += [pa.direction(e).dot(pb.direction(turned.T @ np.array(f, float)), u) for e, f in turn_pairs]
        return [np.array(x) for x in zip(*rows)] if rows else (np.zeros(0), np.zeros((0, len(q))), np.zeros(0))

    def assemble(self):
        """Closes the loops from where they nearly are, and takes the nearest velocities that they allow."""
        q, u = np.array(self.q, float), np.array(self.u, float)
        poses, still = self.poses(q, u)
        ends = lambda a, b, p: [(still if k < 0 else poses[k]).point(x).v for k, x in ((a, p[0]), (b, p[1]))]
        self.lengths = [np.linalg.norm(np.subtract(*ends(a, b, points))) for _, a, b, points, _, _ in self.loops]
        for _ in range(50):
            value, c, _ = self.closure(q, u, *self.poses(q, u))
            if not len(value) or abs(value).max() < 1e-15:
                break
            q = q - np.linalg.lstsq(c, value, rcond=1e-9)[0]
        value, c, _ = self.closure(q, u, *self.poses(q, u))
        if len(value):
            assert abs(value).max() < 1e-14, (self.name, value)
            u = u - np.linalg.lstsq(c, c @ u, rcond=1e-9)[0]
            self.rank = np.linalg.matrix_rank(c, tol=1e-9)
        assert abs(u).max() > 0.1, self.name
        return q, u

    # --- Motion

    def acceleration(self, q, u):
        poses, still = self.poses(q, u)
        n = len(q)
        mass, force = np.zeros((n, n)), np.zeros(n)
        for (m, inertia, *_), pose in zip(self.bodies, poses):
            r = pose.v[:3, :3]
            jv, jw = pose.d[:, :3, 3], vee(np.swapaxes(pose.d[:, :3, :3], 1, 2) @ -r)    # vee of R^T dR
            w = u @ jw
            rate = vee(r.T @ pose.dd[:3, :3])
            mass += m * jv @ jv.T + jw @ inertia @ jw.T
            force += m * jv @ (self.gravity - pose.dd[:3, 3]) - jw @ (inertia @ rate + np.cross(w, inertia @ w))
        value, c, cc = self.closure(q, u, poses, still)
        k = len(value)
        if not k:
            return np.linalg.solve(mass, force)
        # On the null space of C, in the coordinates that it allows; its rank off the loops is that on them.
        left, s, right = np.linalg.svd(c)
        r = self.rank
        free, fixed = right[r:].T, right[:r].T @ ((left[:, :r].T @ -cc) / s[:r])
        return fixed + free @ np.linalg.solve(free.T @ mass @ free, free.T @ (force - mass @ fixed))

    def energy(self, q, u):
        total = 0
        for (m, inertia, *_), pose in zip(self.bodies, self.poses(q, u)[0]):
            v, w = u @ pose.d[:, :3, 3], u @ vee(np.swapaxes(pose.d[:, :3, :3], 1, 2) @ -pose.v[:3, :3])
            total += m * v @ v / 2 + w @ inertia @ w / 2 - m * self.gravity @ pose.v[:3, 3]
        return total

    def state(self, q, u):
        all = []
        for pose in self.poses(q, u)[0]:
            r = pose.v[:3, :3]
            all.append({"position": pose.v[:3, 3], "orientation": r, "velocity": u @ pose.d[:, :3, 3],
                        "angular_velocity": u @ vee(np.swapaxes(pose.d[:, :3, :3], 1, 2) @ -r)})
        return all

    def run(self, q, u, steps):
        y, n = np.concatenate([q, u]), len(q)
        f = lambda y: np.concatenate([y[n:], self.acceleration(y[:n], y[n:])])
        for _ in range(steps):
            y = extrapolated(f, y, TIME / steps)
        return y[:n], y[n:]


def extrapolated(f, y, h):
    """Gragg's method over h in so many steps each, to the step zero."""
    table, slope = [], f(y)
    for count in ORDER:
        d = h / count
        before, here = y, y + d * slope
        for _ in range(count - 1):
            before, here = here, before + 2 * d * f(here)
        row = [(before + here + d * f(here)) / 2]
        for k, last in enumerate(table[-1] if table else []):
            row.append(row[k] + (row[k] - last) / ((count / ORDER[len(table) - 1 - k]) ** 2 - 1))
        table.append(row)
    return table[-1][-1]


# --- Twenty-four of them ------------------------------------------------------------------------------------------------

BAR, BLOCK = (0.02, 0.09, 0.085), (0.03, 0.05, 0.04)     # along x
SKEW = ((0.06, 0.005, -0.003), (0.005, 0.05, 0.004), (-0.003, 0.004, 0.08))


def bar(m, length, **more):
    return m.body(m_of(length), (0.01 * length, 0.09 * length ** 2, 0.085 * length ** 2), **more)


def m_of(length):
    return 0.5 + length


def linkages():
    all, z = [], (0, 0, 1)

    def new(name, **more):
        all.append(Linkage(name, **more))
        return all[-1]

    m = new("heavy_top")
    m.body(1.2, SKEW, joint="ball", points=((0, 0, 0), (0.1, 0, -0.4)), turned=rot((1, 1, 0), 0.6), u=(0.4, -0.3, 6))

    m = new("spherical_double_pendulum")
    m.body(1.0, SKEW, joint="ball", points=((0, 0, 0), (0, 0.5, 0)), turned=rot((1, 2, 3), 0.5), u=(1, 0.5, -1))
    m.body(0.7, BLOCK, on=0, joint="ball", points=((0.1, -0.5, 0), (0, 0.4, 0.1)), turned=rot((3, -1, 1), 0.7), u=(-1, 1, 2))

    m = new("double_pendulum", gravity=(0, -9.81, 0))
    bar(m, 1.0, joint="revolute", axis=z, points=((0, 0, 0), (-0.5, 0, 0)), q=(-0.4,))
    bar(m, 0.8, on=0, joint="revolute", axis=z, points=((0.5, 0, 0), (-0.4, 0, 0)), q=(-0.8,), u=(1.0,))

    m = new("arm_of_skew_hinges")
    m.body(1.5, SKEW, joint="revolute", axis=(0, 1, 1), points=((0, 0, 0.2), (0.1, -0.3, 0)), turned=rot((1, 0, 2), 0.8), u=(1.5,))
    m.body(0.9, BLOCK, on=0, joint="revolute", axis=(1, -1, 2), points=((0.1, 0.3, 0), (-0.3, 0, 0.1)), turned=rot((1, 1, 1), 1.1), u=(-2,))
    m.body(0.4, SKEW, on=1, joint="revolute", axis=(2, 1, 0), points=((0.3, 0, 0), (0, 0.2, 0.2)), turned=rot((0, 1, 1), -0.5), u=(3,))

    m = new("universal_joints")
    m.body(1.1, SKEW, joint="universal", axis=(1, 0, 0), axis2=(0, 1, 1), points=((0, 0, 0), (0.1, 0.5, 0)), u=(0.8, -1))
    m.body(0.6, BLOCK, on=0, joint="universal", axis=(0, 1, 0), axis2=rot((1, 2, 3), -0.7) @ E[0], turned=rot((1, 2, 3), 0.7),
           points=((0, -0.5, 0.1), (0, 0.4, 0)), u=(1.5, 2))

    m = new("slider_on_a_pendulum")
    bar(m, 1.0, joint="revolute", axis=z, points=((0, 0, 0), (-0.5, 0, 0)), q=(-0.6,), u=(1.0,))
    m.body(0.5, BLOCK, on=0, joint="prismatic", axis=(1, 0.2, 0.3), points=((0.1, 0.05, 0), (0, 0.02, 0.1)), turned=rot((1, 1, 0), 0.4), u=(0.5,))

    m = new("sleeve_on_a_swing")
    m.body(1.3, SKEW, joint="ball", points=((0, 0, 0), (0, 0.6, 0.1)), u=(0.7, 0.5, -0.6))
    m.body(0.5, SKEW, on=0, joint="cylindrical", axis=(1, 0.5, 0), points=((0, -0.2, 0), (0.05, 0, 0.1)), turned=rot((0, 1, 1), 0.9), u=(3, 0.4))

    m = new("puck_on_a_turntable")
    m.body(2.0, (0.3, 0.3, 0.5), joint="revolute", axis=(0.2, 1, 0.1), points=((0, 0, 0), (0.1, -0.2, 0.1)), turned=rot((1, 0, 1), 0.2), u=(1.2,))
    m.body(0.6, SKEW, on=0, joint="planar", axis=(0.1, 1, 0.3), points=((0, 0.1, 0), (0.05, -0.1, 0)), turned=rot((1, 1, 0), 0.3), u=(0.4, -0.3, 4))

    m = new("welded_bodies")
    m.body(1.0, SKEW, joint="ball", points=((0, 0, 0), (0, 0.3, 0)), u=(1, 2, -1))
    m.body(0.5, BLOCK, on=0, joint="fixed", points=((0.2, -0.3, 0), (-0.2, 0, 0.1)), turned=rot((1, 2, -1), 0.9))
    m.body(0.3, SKEW, on=1, joint="fixed", points=((0.2, 0.1, 0), (0, 0.2, 0)), turned=rot((2, 0, 1), -0.6))

    m = new("dumbbell")
    m.body(1.0, SKEW, turned=rot((1, 1, 2), 0.4), q=(0.2, 0.1, 0), u=(0.5, 1, 0.2, 0.4, -0.3, 1))
    m.body(0.6, BLOCK, on=0, joint="distance", axis=(1, 0.5, 0), length=0.9, points=((0.1, 0.2, 0), (0, -0.1, 0.15)), turned=rot((1, 0, 1), 0.8), u=(0.6, -0.5, 0.3, 0.4, -1))

    m = new("body_on_a_rod")
    m.body(0.8, SKEW, joint="distance", axis=(0.6, -0.8, 0.1), length=1.1, points=((0, 0.2, 0), (0.1, 0.2, -0.1)), turned=rot((1, 2, 0), 0.5), u=(0.7, 0.6, 1, 0.3, -2))

    m = new("crank_and_slider")
    bar(m, 0.3, joint="revolute", axis=z, points=((0, 0, 0), (-0.15, 0, 0)), q=(1.1,), u=(5,))
    bar(m, 0.8, on=0, joint="revolute", axis=z, points=((0.15, 0, 0), (-0.4, 0, 0)), q=(-1.4,))
    m.body(1.0, BLOCK, on=1, joint="revolute", axis=z, points=((0.4, 0, 0), (0, 0, 0)), q=(0.3,))
    m.close("prismatic", -1, 2, ((0, 0, 0), (0, 0, 0)), axis=(1, 0, 0))

    m = new("four_bar")
    bar(m, 0.3, joint="revolute", axis=z, points=((0, 0, 0), (-0.15, 0, 0)), q=(0.8,), u=(6,))
    bar(m, 0.9, on=0, joint="revolute", axis=z, points=((0.15, 0, 0), (-0.45, 0, 0)), q=(-0.36,))
    bar(m, 0.6, joint="revolute", axis=z, points=((1, 0, 0), (-0.3, 0, 0)), q=(1.53,))
    m.close("revolute", 1, 2, ((0.45, 0, 0), (0.3, 0, 0)), axis=z)

    # Bennett's linkage: links of length a, b, a, b twisted by alpha, beta, sin(alpha)/a = sin(beta)/b. Link k from its first
    # axis z to its second, which is z turned by the twist about x.
    m = new("bennett")
    a, b, alpha = 0.5, 0.8, 0.5
    beta = math.asin(math.sin(alpha) * b / a)
    theta = 1.0
    phi = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(theta / 2))
    twist = lambda t: rot((1, 0, 0), t)
    centre = lambda l: (-l / 2, 0, 0)
    second = lambda l: (l / 2, 0, 0)
    # The frame is the fourth link; its hinge with the third rests at -b along x, twisted back by beta.
    bar(m, a, joint="revolute", axis=z, points=((0, 0, 0), centre(a)), q=(theta,), u=(2.5,))
    bar(m, b, on=0, joint="revolute", axis=twist(alpha) @ E[2], points=(second(a), centre(b)), turned=twist(alpha), q=(phi,))
    bar(m, a, on=1, joint="revolute", axis=twist(beta) @ E[2], points=(second(b), centre(a)), turned=twist(beta), q=(-theta,))
    m.close("revolute", -1, 2, ((-b, 0, 0), second(a)), axis=twist(-beta) @ E[2], turned=twist(-alpha - beta))

    m = new("rssr", gravity=(0.3, -2, -1))
    bar(m, 0.3, joint="revolute", axis=z, points=((0, 0, 0), (-0.15, 0, 0)), q=(0.7,), u=(4,))
    m.body(0.8, (0.01, 0.08, 0.08), on=0, joint="ball", points=((0.15, 0, 0), (-0.4, 0, 0)), q=(0, -0.58, -0.6), u=(2,))
    m.body(0.7, SKEW, joint="revolute", axis=(1, 0, 0.3), points=((1.0, -0.2, -0.1), (0, -0.35, 0)), q=(0.9,))
    m.close("ball", 1, 2, ((0.4, 0, 0), (0, 0.35, 0)))

    m = new("cardan_shaft")
    bend = rot((0, 1, 0), 0.5)
    m.body(0.8, SKEW, joint="revolute", axis=(1, 0, 0), points=((0, 0, 0), (-0.2, 0.02, 0)), u=(5,))
    m.body(0.8, SKEW, on=0, joint="universal", axis=(0, 1, 0), axis2=(0, 0, 1), points=((0.2, 0.02, 0), (-0.3, 0, 0.02)), turned=bend)
    m.close("revolute", -1, 1, ((0.4 + 0.6 * math.cos(0.5), 0, -0.6 * math.sin(0.5)), (0.3, 0, 0.02)), axis=bend @ E[0], turned=bend)

    m = new("six_bar", gravity=(0.3, -3, -2))
    bar(m, 0.3, joint="revolute", axis=z, points=((0, 0, 0), (-0.15, 0, 0)), q=(0.8,), u=(5,))
    bar(m, 0.9, on=0, joint="revolute", axis=z, points=((0.15, 0, 0), (-0.45, 0, 0)), q=(-0.36,))
    bar(m, 0.6, joint="revolute", axis=z, points=((1, 0, 0), (-0.3, 0, 0)), q=(1.53,))
    bar(m, 0.7, on=1, joint="revolute", axis=z, points=((0.1, 0.3, 0), (-0.35, 0, 0)), q=(0.0,))
    bar(m, 0.8, joint="revolute", axis=z, points=((1.5, 0.1, 0), (-0.4, 0, 0)), q=(2.0,))
    m.close("revolute", 1, 2, ((0.45, 0, 0), (0.3, 0, 0)), axis=z)
    m.close("revolute", 3, 4, ((0.35, 0, 0), (0.4, 0, 0)), axis=z)

    m = new("satellite_with_wheels", gravity=(0, 0, 0))
    m.body(5.0, ((0.5, 0.02, 0), (0.02, 0.7, 0.03), (0, 0.03, 0.4)), q=(0.1,), u=(0.1, 0, -0.2, 0.3, -0.2, 0.5))
    m.body(0.5, (0.01, 0.01, 0.02), on=0, joint="revolute", axis=z, points=((0, 0, 0.2), (0, 0, 0)), u=(8,))
    m.body(0.4, (0.012, 0.01, 0.01), on=0, joint="revolute", axis=(1, 0.3, 0), points=((0.2, 0, 0), (0.02, 0, 0)), turned=rot((0, 1, 1), 0.4), u=(-6,))

    m = new("floating_chain")
    m.body(1.0, SKEW, turned=rot((1, 2, 0), 0.6), u=(0.4, 2, 0.3, 1, -1, 0.5))
    m.body(0.7, BLOCK, on=0, joint="universal", axis=(1, 0, 0), axis2=(0, 1, 0), points=((0.3, 0, 0.1), (-0.3, 0.1, 0)), u=(1.5, 2))
    m.body(0.5, SKEW, on=1, joint="prismatic", axis=(1, 1, 0), points=((0.2, 0, 0), (0, 0, 0.1)), turned=rot((1, 0, 1), 0.7), u=(0.6,))
    m.body(0.4, BLOCK, on=2, joint="ball", points=((0.1, 0.2, 0), (-0.2, 0, 0)), turned=rot((1, 1, 1), 0.5), u=(1, -0.5, 2))

    m = new("platform_on_rods")
    m.body(2.0, (0.2, 0.35, 0.15), q=(0.1, -1.0, 0.05, 0.05, 0.3, 0.1), u=(0.5, 0, 0.3, 0.2, 0.8, -0.1))
    for k in range(3):
        t = 2 * math.pi * k / 3
        m.close("distance", -1, 0, ((0.7 * math.cos(t), 0, 0.7 * math.sin(t)), (0.4 * math.cos(t), 0.05, 0.4 * math.sin(t))))

    m = new("rccc")
    bar(m, 0.3, joint="revolute", axis=z, points=((0, 0, 0), (-0.15, 0, 0)), q=(0.6,), u=(3,))
    t1, t2, t3 = rot((1, 0, 0), 0.5), rot((1, 0, 0), -0.7), rot((1, 0, 0), 0.4)
    bar(m, 0.8, on=0, joint="cylindrical", axis=t1 @ E[2], points=((0.15, 0, 0), (-0.4, 0, 0)), turned=t1, q=(0.5, 0.1))
    bar(m, 0.7, on=1, joint="cylindrical", axis=t2 @ E[2], points=((0.4, 0, 0), (-0.35, 0, 0)), turned=t2, q=(1.2, -0.1))
    place = m.poses(np.array(m.q), np.array(m.u))[0][2]     # where the last axis is, there it stays
    r = place.v[:3, :3]
    m.close("cylindrical", -1, 2, (place.point((0.35, 0, 0)).v, (0.35, 0, 0)), axis=r @ t3 @ E[2], turned=r)

    m = new("scotch_yoke")
    bar(m, 0.4, joint="revolute", axis=z, points=((0, 0, 0), (-0.2, 0, 0)), q=(0.6,), u=(4,))
    m.body(0.3, BLOCK, on=0, joint="revolute", axis=z, points=((0.2, 0, 0), (0, 0, 0)), q=(-0.6,))
    m.body(1.2, SKEW, joint="prismatic", axis=(1, 0, 0), points=((0, 0, 0), (-0.3, 0.1, 0)), q=(0.33,))
    m.close("prismatic", 2, 1, ((-0.3, 0.1, 0), (0, 0, 0)), axis=(0, 1, 0))

    m = new("trammel")
    m.body(0.6, BLOCK, joint="prismatic", axis=(1, 0, 0), points=((0, 0, 0), (0, 0, 0)), q=(0.6,), u=(0.5,))
    bar(m, 1.0, on=0, joint="revolute", axis=z, points=((0, 0, 0), (-0.5, 0, 0)), q=(2.2,), u=(1,))
    m.body(0.4, BLOCK, joint="prismatic", axis=(0, 1, 0), points=((0, 0, 0), (0, 0, 0)), q=(0.8,))
    m.close("revolute", 1, 2, ((0.5, 0, 0), (0, 0, 0)), axis=z)

    m = new("three_legs", gravity=(0.3, -1.5, -2))     # 3-RRR
    base = [(0, 0, 0), (1.4, 0, 0), (0.7, 1.2, 0)]
    bar(m, 0.6, joint="revolute", axis=z, points=(base[0], (-0.3, 0, 0)), q=(1.0,), u=(2,))
    bar(m, 0.6, on=0, joint="revolute", axis=z, points=((0.3, 0, 0), (-0.3, 0, 0)), q=(-1.0,))
    corner = [(0.2 * math.cos(t), 0.2 * math.sin(t), 0) for t in (-5 * math.pi / 6, -math.pi / 6, math.pi / 2)]
    m.body(0.8, (0.02, 0.02, 0.04), on=1, joint="revolute", axis=z, points=((0.3, 0, 0), corner[0]), q=(0.1,), u=(1,))
    bar(m, 0.6, joint="revolute", axis=z, points=(base[1], (-0.3, 0, 0)), q=(1.3,), u=(-1,))
    bar(m, 0.6, on=3, joint="revolute", axis=z, points=((0.3, 0, 0), (-0.3, 0, 0)), q=(1.4,))
    bar(m, 0.6, joint="revolute", axis=z, points=(base[2], (-0.3, 0, 0)), q=(-2.6,))
    bar(m, 0.6, on=5, joint="revolute", axis=z, points=((0.3, 0, 0), (-0.3, 0, 0)), q=(1.6,))
    m.close("revolute", 4, 2, ((0.3, 0, 0), corner[1]), axis=z)
    m.close("revolute", 6, 2, ((0.3, 0, 0), corner[2]), axis=z)
    return {m.name: m for m in all}


def text(x):
    return [text(t) for t in x] if np.ndim(x) else repr(float(x))


def quaternion(r):
    """Of a rotation matrix: the eigenvector of the largest eigenvalue of Davenport's matrix."""
    k = np.zeros((4, 4))
    k[0, 0] = r.trace()
    k[0, 1:] = k[1:, 0] = -2 * vee(r.T)
    k[1:, 1:] = r + r.T - r.trace() * np.eye(3)
    q = np.linalg.eigh(k)[1][:, -1]
    return q if q[0] > 0 else -q


def described(m, q, u):
    name = lambda k: "world" if k < 0 else f"body{k + 1}"
    bodies = [{"name": name(k), "mass": text(b[0]), "inertia": text(b[1]), "position": text(s["position"]),
               "orientation": text(quaternion(s["orientation"])), "velocity": text(s["velocity"]), "angular_velocity": text(s["angular_velocity"])}
              for k, (b, s) in enumerate(zip(m.bodies, m.state(q, u)))]
    joints = [{"type": joint, "bodies": [name(a), name(b)], "points": text(points),
               **({"axis": text(axis)} if axis is not None and joint != "distance" else {}), **({"axis2": text(axis2)} if axis2 is not None else {})}
              for joint, a, b, points, axis, axis2 in m.joints]
    return {"gravity": text(m.gravity), "bodies": bodies, "joints": joints}


def minimal_runs(only, path, write):
    data = {"about": {"method": __doc__, "time": repr(TIME)}, "mechanisms": {}, "records": []}
    if only and os.path.exists(path):
        old = json.load(open(path))
        data["mechanisms"] = {k: v for k, v in old["mechanisms"].items() if k not in only}
        data["records"] = [r for r in old["records"] if r["mechanism"] not in only]
    for name, m in linkages().items():
        if only and name not in only:
            continue
        began = time.time()
        q, u = m.assemble()
        coarse, fine = m.run(q, u, 25), m.run(q, u, 40)
        error = max(abs(a[key] - b[key]).max() for a, b in zip(m.state(*coarse), m.state(*fine)) for key in a)
        energy = abs(m.energy(*fine) - m.energy(q, u))
        value = m.closure(*fine, *m.poses(*fine))[0]
        gap = abs(value).max() if len(value) else 0.0
        data["mechanisms"][name] = described(m, q, u)
        data["records"].append({"mechanism": name, "bodies": [{k: text(v) for k, v in b.items()} for b in m.state(*fine)]})
        print(f"{name}: {len(q)} coordinates, 25 and 40 steps differ by {error:.1e}, energy {energy:.1e}, loops open by {gap:.1e}, {time.time() - began:.1f} s", flush=True)
        assert error < 1e-9 and max(energy, gap) < 1e-11, name     # the error is that of 25 steps; 40 have less than a thousandth of it
        write(data, path)
