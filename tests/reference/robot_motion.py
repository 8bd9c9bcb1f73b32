"""Robots in joint coordinates, by Kane's equations.

A robot is a tree of frames, each moved in the one before by a hinge, a slide or a ball (a free body: three slides and a ball).
Going out from the root, with J the slopes of turns w and of places x in space axes over the joint rates u, and w', x'' at u' = 0:

    hinge    w += z u                         w' += w x z u                 z: its axis in space
    slide    x' += z u                        x'' += 2 w x z u
    ball     w += R u                         w' += w x R u                 R: its frame
    and along r, fixed in the frame           x'' += w' x r + w x (w x r)

    (sum m Jx^T Jx + Jw^T I Jw + armature) u' = sum m Jx^T (g - x'') - Jw^T (I w' + w x I w) - stiffness (q - rest) - C^T nu
    C u' + c = 0     the loops' and followers' equations; those that follow from others drop out in a least-squares solution

Integrated by extrapolation of Gragg's method with so many steps that twice as many change nothing that matters.

Needs numpy.
"""
import math

import numpy as np

from minimal import across, extrapolated, hat, rot


def cross(a, b):
    """Of single vectors many times faster than numpy's."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))


def quaternion(q):
    w, x, y, z = np.array(q, float) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion_of(r):
    """The largest of the four first, so that nothing cancels."""
    four = np.array([1 + r[0, 0] + r[1, 1] + r[2, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2],
                     1 - r[0, 0] + r[1, 1] - r[2, 2], 1 - r[0, 0] - r[1, 1] + r[2, 2]])
    k = int(np.argmax(four))
    s = math.sqrt(four[k])
    table = {0: (s * s, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
             1: (r[2, 1] - r[1, 2], s * s, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]),
             2: (r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], s * s, r[1, 2] + r[2, 1]),
             3: (r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], s * s)}
    q = np.array(table[k]) / (2 * s)
    return q if q[0] >= 0 else -q


class Frame:
    """x -> r x + p"""

    def __init__(self, r=None, p=(0, 0, 0)):
        self.r, self.p = np.eye(3) if r is None else r, np.array(p, float)

    def __matmul__(self, other):
        return Frame(self.r @ other.r, self.p + self.r @ other.p)

    def inverse(self):
        return Frame(self.r.T, -self.r.T @ self.p)


# --- A tree of frames ---------------------------------------------------------------------------------------------------

class Tree:
    def __init__(self):
        self.gravity = np.array((0, 0, -9.81))
        self.frames = []    # (parent, how: None, "hinge", "slide", "ball", axis or frame, first of q, first of u)
        self.solids = []    # (frame, mass, centre, inertia about it, in its axes)
        self.links = []     # (name, frame, centre)
        self.joints = {}    # name: (type, parent frame, frame, [first of q], [first of u])
        self.loops = []     # (kind, frame, point, frame, point, axis)
        self.follows = []   # (u, other u or None, q, other q, coefficients, q and other q as drawn)
        self.q0, self.springs, self.armature, self.rank = [], {}, [], None

    def fixed(self, parent, frame):
        self.frames.append((parent, None, frame, None, None))
        return len(self.frames) - 1

    def moved(self, parent, how, axis=None, drawn=0.0, stiffness=0.0, rest=0.0, armature=0.0):
        at, rate = len(self.q0), len(self.armature)
        self.q0 += [1.0, 0, 0, 0] if how == "ball" else [drawn]
        self.armature += [armature] * (3 if how == "ball" else 1)
        if stiffness:
            self.springs[rate] = (at, stiffness, rest)
        axis = None if how == "ball" else np.array(axis, float) / np.linalg.norm(axis)
        self.frames.append((parent, how, axis, at, rate))
        return len(self.frames) - 1

    def rests(self, frame):
        return frame < 0 or (self.frames[frame][1] is None and self.rests(self.frames[frame][0]))

    def joint(self, name, kind, parent, axis=None, **more):
        """Kinds as in a URDF. Returns its last frame."""
        here, moved, e = parent, [], np.eye(3)
        steps = {"revolute": [("hinge", axis)], "prismatic": [("slide", axis)], "ball": [("ball", None)],
                 "floating": [("slide", e[0]), ("slide", e[1]), ("slide", e[2]), ("ball", None)],
                 "planar": [("slide", e[0]), ("slide", e[1]), ("hinge", axis)]}[kind]
        if kind == "planar":
            a = np.array(axis, float) / np.linalg.norm(axis)
            turn = rot(cross(e[2], a), math.atan2(np.linalg.norm(cross(e[2], a)), a[2])) if abs(a[2]) < 1 else \
                np.diag((1, 1, 1.0)) if a[2] > 0 else np.diag((1, -1, -1.0))
            steps = [("slide", turn[:, 0]), ("slide", turn[:, 1]), ("hinge", axis)]
        for how, along in steps:
            here = self.moved(here, how, along, **(more if how != "ball" else {k: v for k, v in more.items() if k == "armature"}))
            moved.append(here)
        self.joints[name] = (kind, parent, here, [self.frames[k][3] for k in moved], [self.frames[k][4] for k in moved])
        return here

    # --- Kinematics

    def places(self, q):
        all = []
        for parent, how, what, at, _ in self.frames:
            base = Frame() if parent < 0 else all[parent]
            all.append(base @ (what if how is None else Frame(rot(what, q[at])) if how == "hinge" else
                               Frame(p=what * q[at]) if how == "slide" else Frame(quaternion(q[at:at + 4]))))
        return all

    def motions(self, q, u):
        """(Frame, Jw, Jx, w, w', x'', x') of all frames."""
        n, all = len(u), []
        for (parent, how, what, at, j), here in zip(self.frames, self.places(q)):
            base = (Frame(), np.zeros((3, n)), np.zeros((3, n)), *np.zeros((4, 3))) if parent < 0 else all[parent]
            f, jw, jx, w, dw, ddx, dx = base
            if how is None or how == "slide":
                r = here.p - f.p
                wr = cross(w, r)
                jx, dx, ddx = jx - hat(r) @ jw, dx + wr, ddx + cross(dw, r) + cross(w, wr)
            if how == "slide":
                z = f.r @ what
                jx = jx.copy()
                jx[:, j] += z
                dx, ddx = dx + z * u[j], ddx + 2 * cross(w, z) * u[j]
            elif how is not None:
                columns = (f.r @ what)[:, None] if how == "hinge" else here.r
                k = slice(j, j + columns.shape[1])
                jw = jw.copy()
                jw[:, k] += columns
                own = columns @ u[k]
                dw, w = dw + cross(w, own), w + own
            all.append((here, jw, jx, w, dw, ddx, dx))
        return all

    @staticmethod
    def at(motion, point):
        """Place, slopes and second derivative of a point that a frame carries."""
        f, jw, jx, w, dw, ddx, _ = motion
        r = f.r @ point
        return f.p + r, jx - hat(r) @ jw, ddx + cross(dw, r) + cross(w, cross(w, r))

    def closure(self, q, u, motions):
        """Gaps, C and c."""
        n = len(self.armature)
        values, rows, rates = [], [], []
        for kind, a, pa, b, pb, axis in self.loops:
            (xa, ja, aa), (xb, jb, ab) = self.at(motions[a], pa.p), self.at(motions[b], pb.p)
            fa, wa, dwa = motions[a][0].r @ pa.r, motions[a][3], motions[a][4]
            fb = motions[b][0].r @ pb.r
            turn, w, dw = motions[b][1] - motions[a][1], motions[b][3] - wa, motions[b][4] - dwa
            gap, jx, bias = xb - xa, jb - ja, ab - aa
            # In the axes of a: what moves both together changes nothing, also where there is a gap.
            values += list(fa.T @ gap)
            rows += list(fa.T @ (jx + hat(gap) @ motions[a][1]))
            rates += list(fa.T @ bias)
            if kind == "fixed":
                skew = (fa.T @ fb - fb.T @ fa) / 2
                values += [skew[2, 1], skew[0, 2], skew[1, 0]]
                rows += list(turn)
                rates += list(dw)
            for t in across(axis) if kind == "revolute" else ():
                z = fa @ t
                values.append(z @ (fb @ axis))
                rows.append(z @ turn)
                rates.append(z @ dw + cross(wa, z) @ w)
        for j, other, at, other_at, c, drawn in self.follows:
            x = q[other_at] - drawn[1] if other is not None else 0.0
            row, rate = np.zeros(n), u[other] if other is not None else 0.0
            row[j] = 1
            if other is not None:
                row[other] = -sum(k * c[k] * x ** (k - 1) for k in range(1, 5))
            values.append(q[at] - drawn[0] - sum(c[k] * x ** k for k in range(5)))
            rows.append(row)
            rates.append(-rate * rate * sum(k * (k - 1) * c[k] * x ** (k - 2) for k in range(2, 5)))
        return np.array(values), np.array(rows).reshape(-1, n), np.array(rates)

    # --- Motion

    def equations(self, q, u):
        """Mass, force, and the motions of all frames."""
        motions, n = self.motions(q, u), len(u)
        mass, force = np.diag(np.array(self.armature)), np.zeros(n)
        for frame, m, centre, inertia in self.solids:
            f, jw, _, w, dw, _, _ = motions[frame]
            _, jx, ddx = self.at(motions[frame], centre)
            i = f.r @ inertia @ f.r.T
            mass = mass + m * jx.T @ jx + jw.T @ i @ jw
            force += m * jx.T @ (self.gravity - ddx) - jw.T @ (i @ dw + cross(w, i @ w))
        for rate, (at, k, rest) in self.springs.items():
            force[rate] -= k * (q[at] - rest)
        return mass, force, motions

    def acceleration(self, q, u):
        mass, force, motions = self.equations(q, u)
        if not (self.loops or self.follows):
            return np.linalg.solve(mass, force)
        _, c, bias = self.closure(q, u, motions)
        low = np.linalg.cholesky(mass)
        z, y = np.linalg.solve(low, force), np.linalg.solve(low, c.T)
        return np.linalg.solve(low.T, z - self.least(y.T, y.T @ z + bias))

    def least(self, matrix, right):
        """The least solution, by as many directions as there are at the start: off the loops by an error there are more."""
        left, s, over = np.linalg.svd(matrix, full_matrices=False)
        if self.rank is None:
            self.rank = int(sum(s > 1e-8 * s[0]))
        r = self.rank
        return over[:r].T @ ((left[:, :r].T @ right) / s[:r])

    def rates_of_numbers(self, q, u):
        dq = np.zeros(len(q))
        for _, how, _, at, j in self.frames:
            if how == "ball":
                w, x, y, z = q[at:at + 4]
                dq[at:at + 4] = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) @ u[j:j + 3]
            elif how is not None:
                dq[at] = u[j]
        return dq

    def slope(self, y):
        q, u = y[:len(self.q0)], y[len(self.q0):]
        return np.concatenate([self.rates_of_numbers(q, u), self.acceleration(q, u)])

    def run(self, q, u, time, steps):
        y = np.concatenate([q, u])
        for _ in range(steps):
            y = extrapolated(self.slope, y, time / steps)
            for _, how, _, at, _ in self.frames:
                if how == "ball":
                    y[at:at + 4] /= np.linalg.norm(y[at:at + 4])
        return y[:len(q)], y[len(q):]

    def converged(self, q, u, time, wanted):
        """(q, u, the change by twice the steps); with too few of them there is no end."""
        before, steps = None, 8
        while True:
            try:
                with np.errstate(all="ignore"):
                    after = self.run(q, u, time, steps)
            except np.linalg.LinAlgError:
                after = None
            change = math.inf
            if before and after:
                change = max(abs(after[0] - before[0]).max(), abs(after[1] - before[1]).max() / (1 + abs(after[1]).max()))
            if change < wanted or steps >= 4096:
                return after[0], after[1], change
            before, steps = after, 2 * steps

    def listed(self, q):
        places, all = self.places(q), []
        for name, frame, centre in self.links:
            f = places[frame]
            all.append({"name": name, "center_of_mass": list(f.p + f.r @ centre), "position": list(f.p), "orientation": list(quaternion_of(f.r))})
        return all

    # --- A start in the file's words

    def start(self, joints, rates, project=False):
        """Joints that are not given close the loops; rates become the nearest that these allow, measured by their energy."""
        q, u = np.array(self.q0, float), np.zeros(len(self.armature))
        free = np.ones(len(u), bool)
        for name, value in joints.items():
            for k, (at, j, size) in enumerate(self.numbers_of(name)):
                q[at:at + size] = np.atleast_1d(value)[k:k + size]
                free[j:j + (3 if size == 4 else 1)] = False
        for j, other, at, other_at, c, drawn in self.follows:     # those that are not given follow
            if free[j] and other is not None:
                q[at] = drawn[0] + sum(c[k] * (q[other_at] - drawn[1]) ** k for k in range(5))
        if project and (self.loops or self.follows):
            q = self.closed(q, free)
        places = self.places(q)
        for name, value in rates.items():
            kind, parent = self.joints[name][:2]
            value = np.atleast_1d(np.array(value, float))
            if kind == "floating":     # given in space axes; the slides are along those of the parent
                value = np.concatenate([places[parent].r.T @ value[:3], value[3:]])
            for k, (_, j, size) in enumerate(self.numbers_of(name)):
                u[j:j + (3 if size == 4 else 1)] = value[k:k + (3 if size == 4 else 1)]
        given = {j for name in rates for _, j, _ in self.numbers_of(name)}
        for j, other, _, at, c, drawn in self.follows:
            if other is not None and j not in given:
                u[j] = u[other] * sum(k * c[k] * (q[at] - drawn[1]) ** (k - 1) for k in range(1, 5))
        if project and (self.loops or self.follows):
            c = self.closure(q, u, self.motions(q, u))[1]
            mass = self.equations(q, u)[0]
            low = np.linalg.cholesky(mass)
            y = np.linalg.solve(low, c.T)
            u = u - np.linalg.solve(low.T, self.least(y.T, c @ u))
        return q, u

    def numbers_of(self, name):
        """(place in q, place in u, size in q) of each that a joint is made of."""
        kind, _, _, at, us = self.joints[name]
        return [(a, u, 4 if kind == "ball" or (kind == "floating" and k == 3) else 1) for k, (a, u) in enumerate(zip(at, us))]

    def closed(self, q, free):
        still = np.zeros(len(free))
        for _ in range(60):
            gaps, c, _ = self.closure(q, still, self.motions(q, still))
            if abs(gaps).max() < 1e-15:
                break
            change = np.zeros(len(free))
            change[free] = np.linalg.lstsq(c[:, free], gaps, rcond=1e-8)[0]
            q = q - self.rates_of_numbers(q, change)
            for _, how, _, at, _ in self.frames:
                if how == "ball":
                    q[at:at + 4] /= np.linalg.norm(q[at:at + 4])
        assert abs(gaps).max() < 1e-12, gaps
        return q
