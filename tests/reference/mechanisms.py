"""Bodies and joints on Lie groups [Barbero24 Sec. 6.2], [Hante, Arnold 2021], from discrete Lagrangians alone.

A body is a rotation matrix and a place. A method is a function L_d(g0, g1) of two of them, with y = tau^-1(g0^-1 g1):

    L_d = y^T J y / (2 h) - h (a V(g0) + (1 - a) V(g1))        a = 1 Euler A, 0 Euler B, 1/2 RATTLie

    alpha0 = -d0 L_d + G0^T mu        phi(g1) = 0        alpha1 = d1 L_d + (anything along G1^T)

Euler B after A, each over h/2, is (6.4)-(6.7) where the joints hold in the middle too, and (6.8)-(6.10) where the middle is free.
d0, d1 and G are difference quotients along left translations; tau^-1 is the logarithm or twice the Cayley quotient of a
matrix (3x3, or 4x4 on SE(3)). `rigid-rattle` is L_d = tr((R1 - R0) I' (R1 - R0)^T) / (2 h) + ..., I' = tr(I)/2 - I, on
R^(3x3) x R^3 [Barbero24 Example 5.3], differentiated along rotations: the null space of R^T R = 1. No tangent of a retraction, no quaternion and no closed form of a rotation is used, and
the joints are other functions than those of the library, with the same zeros. check() puts the solutions into the
equations as they are printed.
"""
import time
from decimal import Decimal, getcontext
from math import isqrt

getcontext().prec = 60      # decimal.Decimal: ten times as fast as mpmath, and nothing but sums, products and quotients is needed

GROUPS, RETRACTIONS = ("SO3xR3", "SE3"), ("exp", "cayley")
METHODS = ("rattlie", "lie-rattle", "lie-composition", "lie-euler-a", "lie-euler-b")
STEP, SMALL = "0.046875", Decimal("1e-20")
GRAVITY = [Decimal("0.25"), Decimal("-0.5"), Decimal("-9.75")]


# --- Matrices as lists --------------------------------------------------------------------------------------------------

def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def apply(a, v):
    return [sum(x * y for x, y in zip(row, v)) for row in a]


def transposed(a):
    return [list(row) for row in zip(*a)]


def unit(n):
    return [[Decimal(int(i == j)) for j in range(n)] for i in range(n)]


def plus(a, b, c=1):
    return [[x + c * y for x, y in zip(p, q)] for p, q in zip(a, b)]


def inverse(a):
    n = len(a)
    rows = [list(row) + e for row, e in zip(a, unit(n))]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


def text(x):
    return f"{x:.35e}" if x else "0"


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def hat(v):
    return [[Decimal(0), -v[2], v[1]], [v[2], Decimal(0), -v[0]], [-v[1], v[0], Decimal(0)]]


# --- Groups -------------------------------------------------------------------------------------------------------------

def quotient(w):
    """(w - 1)(w + 1)^-1"""
    one = unit(len(w))
    return product(plus(w, one, -1), inverse(plus(w, one)))


def logarithm(w):
    """2 artanh of the quotient, by its series, in which Z^5 = -t Z^3, t the square of its turn."""
    z = quotient(w)
    t = z[2][1] ** 2 + z[0][2] ** 2 + z[1][0] ** 2
    total, power, n = Decimal(0), Decimal(1), 3
    while abs(power) > Decimal("1e-62"):
        total, power, n = total + power / n, -power * t, n + 2
    cube = product(z, product(z, z))
    return [[2 * (x + total * y) for x, y in zip(p, q)] for p, q in zip(z, cube)]


def turned(x):
    """A rotation with the tangent x at zero: which one does not matter, as only its zeros and slopes are used."""
    half = hat([t / 2 for t in x])
    return product(inverse(plus(unit(3), half, -1)), plus(unit(3), half))


def moved(group, g, x):
    r, p = g
    shift = apply(r, x[3:]) if group == "SE3" else x[3:]
    return product(r, turned(x[:3])), [a + b for a, b in zip(p, shift)]


def displacement(group, retraction, g0, g1):
    """tau^-1(g0^-1 g1)"""
    back = transposed(g0[0])
    w, far = product(back, g1[0]), [a - b for a, b in zip(g1[1], g0[1])]
    if group == "SE3":
        w = [row + [t] for row, t in zip(w, apply(back, far))] + [[Decimal(0)] * 3 + [Decimal(1)]]
    y = logarithm(w) if retraction == "exp" else [[2 * t for t in row] for row in quotient(w)]
    return [y[2][1], y[0][2], y[1][0]] + ([row[3] for row in y[:3]] if group == "SE3" else far)


def slopes(f, group, g):
    """Along the six left translations."""
    all = []
    for k in range(6):
        x = [SMALL * (i == k) for i in range(6)]
        ahead, behind = f(moved(group, g, x)), f(moved(group, g, [-t for t in x]))
        all.append([(a - b) / (2 * SMALL) for a, b in zip(ahead, behind)])
    return transposed(all)      # row by row of f


# --- Joints -------------------------------------------------------------------------------------------------------------

WORLD = (unit(3), [Decimal(0)] * 3)


class Joint:
    def __init__(self, type, bodies, points, axis=None, axis2=None):
        self.type, self.bodies, self.points, self.axis, self.axis2 = type, bodies, points, axis, axis2

    def keep(self, poses):
        """The direction of the axis in the second body is that at the start."""
        if self.type == "revolute":
            a, b = (self.pose(poses, k) for k in (0, 1))
            self.axis2 = apply(transposed(b[0]), apply(a[0], self.axis))

    def pose(self, poses, k):
        return WORLD if self.bodies[k] < 0 else poses[self.bodies[k]]

    def __call__(self, poses):
        (ra, xa), (rb, xb) = self.pose(poses, 0), self.pose(poses, 1)
        ends = [[x + y for x, y in zip(p, apply(r, point))] for r, p, point in ((ra, xa, self.points[0]), (rb, xb, self.points[1]))]
        values = apply(transposed(rb), [b - a for a, b in zip(*ends)])   # the gap, in the second body
        if self.axis:
            a, b = apply(ra, self.axis), apply(rb, self.axis2)
            # Two components of a x b in a slanted frame, or the cosine.
            values += [dot(a, b)] if self.type == "universal" else [dot(cross(a, b), apply(ra, e)) for e in self.across()]
        return values

    def across(self):
        other = [Decimal(1), Decimal(2), Decimal(-1)]
        return cross(self.axis, other), [x + 3 * y for x, y in zip(cross(self.axis, cross(self.axis, other)), cross(self.axis, other))]


# --- Mechanisms ---------------------------------------------------------------------------------------------------------

def rotation(w, x, y, z):
    """Of a quaternion of whole numbers whose length is one, too."""
    n = w * w + x * x + y * y + z * z
    length = isqrt(n)
    assert length * length == n
    v = [Decimal(t) / length for t in (x, y, z)]
    k = hat(v)
    return plus(plus(unit(3), k, 2 * Decimal(w) / length), product(k, k), 2), [Decimal(w) / length] + v


class Mechanism:
    def __init__(self, name, steps, gravity=GRAVITY):
        self.name, self.steps, self.gravity = name, steps, gravity
        self.mass, self.inertia, self.poses, self.quaternions, self.omega, self.velocity, self.joints = [], [], [], [], [], [], []

    def hang(self, on, mass, inertia, quaternion, joint, points, rates, axis=None, axis2=None):
        """A body at a joint with an earlier one; `rates` turn it against that one, along the axes of the joint, or in space."""
        r, q = rotation(*quaternion)
        ra, xa = WORLD if on < 0 else self.poses[on]
        points = [[Decimal(t) for t in p] for p in points]
        here = [x + y for x, y in zip(xa, apply(ra, points[0]))]
        place = [x - y for x, y in zip(here, apply(r, points[1]))]
        spin = [Decimal(0)] * 3 if on < 0 else apply(ra, self.omega[on])          # in space
        speed = [Decimal(0)] * 3 if on < 0 else [v + w for v, w in zip(self.velocity[on], cross(spin, apply(ra, points[0])))]
        if joint == "ball":
            turn = [Decimal(t) for t in rates]
        else:
            axis = [Decimal(t) for t in axis]
            turn = [Decimal(rates[0]) * t for t in apply(ra, axis)]
        if joint == "universal":
            second = cross(apply(ra, axis), [Decimal(t) for t in axis2])         # across the first, in space
            turn = [t + Decimal(rates[1]) * s for t, s in zip(turn, second)]
            axis2 = apply(transposed(r), second)
        spin = [a + b for a, b in zip(spin, turn)]
        self.add(mass, inertia, (r, place), q, apply(transposed(r), spin), [v - w for v, w in zip(speed, cross(spin, apply(r, points[1])))])
        self.joints.append(Joint(joint, (on, len(self.mass) - 1), points, axis, axis2))
        self.joints[-1].keep(self.poses)

    def add(self, mass, inertia, pose, quaternion, omega, velocity):
        self.mass.append(Decimal(mass))
        self.inertia.append([[Decimal(x) for x in row] for row in inertia])
        self.poses.append(pose), self.quaternions.append(quaternion), self.omega.append(omega), self.velocity.append(velocity)

    def constraint(self, poses):
        return [x for joint in self.joints for x in joint(poses)]

    def rows(self, group, poses):
        """G, over six numbers of each body."""
        count = len(self.constraint(poses))
        all = [[Decimal(0)] * (6 * len(poses)) for _ in range(count)]
        first = 0
        for joint in self.joints:
            size = len(joint(poses))
            for body in joint.bodies:
                if body < 0:
                    continue
                part = slopes(lambda g: joint(poses[:body] + [g] + poses[body + 1:]), group, poses[body])
                for i in range(size):
                    all[first + i][6 * body:6 * body + 6] = part[i]
            first += size
        return all

    def full_inertia(self, i):
        return [list(row) + [Decimal(0)] * 3 for row in self.inertia[i]] + [[self.mass[i] * (j == k) for j in range(6)] for k in range(3, 6)]

    def text(self):
        joints = [{"type": j.type, "bodies": ["world" if b < 0 else f"body{b + 1}" for b in j.bodies],
                   "points": [[text(x) for x in p] for p in j.points],
                   **({"axis": [text(x) for x in j.axis]} if j.axis else {}),
                   **({"axis2": [text(x) for x in j.axis2]} if j.type == "universal" else {})} for j in self.joints]
        bodies = [{"name": f"body{i + 1}", "mass": text(self.mass[i]), "inertia": [[text(x) for x in row] for row in self.inertia[i]],
                   "position": [text(x) for x in self.poses[i][1]], "orientation": [text(x) for x in self.quaternions[i]],
                   "velocity": [text(x) for x in self.velocity[i]], "angular_velocity": [text(x) for x in self.omega[i]]}
                  for i in range(len(self.mass))]
        return {"gravity": [text(x) for x in self.gravity], "bodies": bodies, "joints": joints}


def mechanisms():
    long, wide = [["0.3", "0.02", "0"], ["0.02", "0.35", "-0.03"], ["0", "-0.03", "0.1"]], [["0.2", "0", "0.01"], ["0", "0.15", "0"], ["0.01", "0", "0.28"]]
    free = Mechanism("free_body", 4, [Decimal(0)] * 3)
    r, q = rotation(4, 1, 2, 2)
    free.add("1.5", long, (r, [Decimal(1) / 2, Decimal(-1) / 4, Decimal(1)]), q, [Decimal(1), Decimal(-2), Decimal(3)], [Decimal(1) / 4, Decimal(1) / 8, Decimal(-1) / 2])
    spun = Mechanism("symmetric_top", 4)
    spun.hang(-1, "0.75", [["0.02", "0", "0"], ["0", "0.02", "0"], ["0", "0", "0.03"]], (8, 1, 4, 0), "ball", [[0, 0, 0], [0, 0, "-0.3"]], ["0.5", "1", "3"])
    top = Mechanism("top", 4)
    top.hang(-1, "1.25", long, (2, 4, 5, 6), "ball", [["0.1", "0.2", "0"], ["0.2", "-0.1", "-0.4"]], ["1", "-2", "2.5"])
    two = Mechanism("chain2", 3)
    two.hang(-1, "1.25", long, (4, 1, 2, 2), "ball", [[0, 0, 0], ["0.1", 0, "0.5"]], ["1", "-0.5", "2"])
    two.hang(0, "0.75", wide, (1, 2, 2, 4), "ball", [["0.1", "-0.2", "-0.5"], ["0", "0.3", "0.4"]], ["-2", "1", "0.5"])
    five = Mechanism("chain5", 2)
    five.hang(-1, "1.25", long, (4, 1, 2, 2), "ball", [[0, 0, 0], ["0.1", 0, "0.5"]], ["1", "-0.5", "1"])
    five.hang(0, "0.75", wide, (1, 2, 2, 4), "revolute", [["0.1", "-0.2", "-0.5"], ["0", "0.3", "0.4"]], ["1.5"], axis=[2, 1, -1])
    five.hang(1, "1", long, (8, 1, 4, 0), "ball", [["0", "0", "-0.5"], ["0.2", "0.1", "0.3"]], ["-1", "2", "0.5"])
    five.hang(2, "0.5", wide, (2, 4, 5, 6), "universal", [["0.1", "0.1", "-0.3"], ["0", "0", "0.4"]], ["1", "-0.5"], axis=[0, 1, 1], axis2=[1, 0, 2])
    five.hang(3, "0.625", wide, (2, 2, 1, 4), "ball", [["0", "-0.1", "-0.4"], ["0.1", "0", "0.5"]], ["0", "1", "-2"])
    return {m.name: m for m in (free, spun, top, two, five)}


# --- Steps --------------------------------------------------------------------------------------------------------------

class Steps:
    def __init__(self, mechanism, group, retraction):
        self.m, self.group, self.retraction = mechanism, group, retraction

    def motion_term(self, i, h, g0, g1):
        if self.retraction == "none":
            turn, far = plus(g1[0], g0[0], -1), [b - a for a, b in zip(g0[1], g1[1])]
            inertia = self.m.inertia[i]
            second = plus([[sum(inertia[k][k] for k in range(3)) / 2 * t for t in row] for row in unit(3)], inertia, -1)
            return (sum(dot(a, b) for a, b in zip(product(turn, second), turn)) + self.m.mass[i] * dot(far, far)) / (2 * h)
        y = displacement(self.group, self.retraction, g0, g1)
        return dot(y[:3], apply(self.m.inertia[i], y[:3])) / (2 * h) + self.m.mass[i] * dot(y[3:], y[3:]) / (2 * h)

    def potential(self, i, g):
        return -self.m.mass[i] * dot(self.m.gravity, g[1])

    def left_end(self, i, h, a, g0, g1):
        """-d0 L_d"""
        return [-x for x in slopes(lambda g: [self.motion_term(i, h, g, g1) - h * a * self.potential(i, g)], self.group, g0)[0]]

    def right_end(self, i, h, a, g0, g1):
        return slopes(lambda g: [self.motion_term(i, h, g0, g) - h * (1 - a) * self.potential(i, g)], self.group, g1)[0]

    def own_equations(self, i, h, kind, g0, alpha0, x):
        """Of one body, in its unknowns x: the start, and for lie-rattle the free middle; and where it ends."""
        if kind is not None:
            g1 = moved(self.group, g0, x)
            return [a - b for a, b in zip(self.left_end(i, h, kind, g0, g1), alpha0)], g1
        middle = moved(self.group, g0, x[:6])
        g1 = moved(self.group, middle, x[6:])
        first = [a - b for a, b in zip(self.left_end(i, h / 2, 1, g0, middle), alpha0)]
        return first + [a - b for a, b in zip(self.right_end(i, h / 2, 1, g0, middle), self.left_end(i, h / 2, 0, middle, g1))], g1

    def step(self, h, kind, poses, alpha, guess):
        """kind: a of L_d, or None for two of them with a free middle. Returns poses, momenta and the unknowns."""
        m, size = self.m, 6 if kind is not None else 12
        n, rows0 = len(poses), self.m.rows(self.group, poses)
        count = len(rows0)
        x, mu, frozen = [list(t) for t in guess], [Decimal(0)] * count, None
        for iteration in range(40):
            parts = [self.own_equations(i, h, kind, poses[i], alpha[i], x[i]) for i in range(n)]
            ends = [p[1] for p in parts]
            residual = []
            for i in range(n):
                pushed = [sum(rows0[k][6 * i + j] * mu[k] for k in range(count)) for j in range(6)] + [Decimal(0)] * (size - 6)
                residual += [a + b for a, b in zip(parts[i][0], pushed)]
            residual += m.constraint(ends)
            if iteration < 2:
                frozen = self.jacobian(h, kind, poses, alpha, x, parts, rows0, size)
            change = apply(frozen, residual)
            for i in range(n):
                x[i] = [a - b for a, b in zip(x[i], change[size * i:size * (i + 1)])]
            mu = [a - b for a, b in zip(mu, change[size * n:])]
            if max(abs(t) for t in change) < Decimal("1e-37"):
                break
        else:
            raise RuntimeError("no convergence")
        ends = [self.own_equations(i, h, kind, poses[i], alpha[i], x[i])[1] for i in range(n)]
        if kind is not None:
            return ends, [self.right_end(i, h, kind, poses[i], ends[i]) for i in range(n)], x
        middles = [moved(self.group, poses[i], x[i][:6]) for i in range(n)]
        return ends, [self.right_end(i, h / 2, 0, middles[i], ends[i]) for i in range(n)], x

    def jacobian(self, h, kind, poses, alpha, x, parts, rows0, size):
        """Its inverse, by difference quotients."""
        n, count, d = len(poses), len(rows0), Decimal("1e-18")
        total = size * n + count
        all = [[Decimal(0)] * total for _ in range(total)]
        ends = [p[1] for p in parts]
        here = self.m.constraint(ends)
        for i in range(n):
            for k in range(size):
                y = list(x[i])
                y[k] += d
                values, end = self.own_equations(i, h, kind, poses[i], alpha[i], y)
                for j in range(size):
                    all[size * i + j][size * i + k] = (values[j] - parts[i][0][j]) / d
                there = self.m.constraint(ends[:i] + [end] + ends[i + 1:])
                for j in range(count):
                    all[size * n + j][size * i + k] = (there[j] - here[j]) / d
            for j in range(6):
                for k in range(count):
                    all[size * i + j][size * n + k] = rows0[k][6 * i + j]
        return inverse(all)

    def start(self):
        m = self.m
        return list(m.poses), [apply(m.inertia[i], m.omega[i]) + [m.mass[i] * v for v in (
            apply(transposed(m.poses[i][0]), m.velocity[i]) if self.group == "SE3" else m.velocity[i])] for i in range(len(m.mass))]

    def projected(self, poses, alpha):
        """G J^-1 alpha = 0"""
        m, rows = self.m, self.m.rows(self.group, poses)
        flat, n = [t for a in alpha for t in a], len(poses)
        back = [inverse(m.full_inertia(i)) for i in range(n)]
        lifted = [[t for i in range(n) for t in apply(back[i], row[6 * i:6 * i + 6])] for row in rows]
        if rows:
            nu = apply(inverse([[dot(a, b) for b in rows] for a in lifted]), [dot(a, flat) for a in lifted])
            flat = [t - sum(nu[k] * rows[k][j] for k in range(len(rows))) for j, t in enumerate(flat)]
        return [flat[6 * i:6 * i + 6] for i in range(n)]

    def run(self, method, count, log=None):
        h = Decimal(STEP)
        plan = {"rattlie": [(h, Decimal(1) / 2)], "lie-rattle": [(h, None)], "lie-composition": [(h / 2, Decimal(1)), (h / 2, Decimal(0))],
                "lie-euler-a": [(h, Decimal(1))], "lie-euler-b": [(h, Decimal(0))], "rigid-rattle": [(h, Decimal(1) / 2)]}[method]
        poses, alpha = self.start()
        guess = [[h * t for t in a.copy()] for a in self.rates(alpha)]
        guesses = [[[t * (part / h) for t in g] if kind is not None else [t / 2 for t in g] * 2 for g in guess] for part, kind in plan]
        for _ in range(count):
            for k, (part, kind) in enumerate(plan):
                before = poses, alpha
                poses, alpha, guesses[k] = self.step(part, kind, poses, alpha, guesses[k])
                if log is not None:
                    log.append((part, kind, before, (poses, alpha), guesses[k]))
        return poses, self.projected(poses, alpha)

    def rates(self, alpha):
        return [apply(inverse(self.m.full_inertia(i)), a) for i, a in enumerate(alpha)]

    def bodies(self, poses, alpha):
        all = []
        for i, speed in enumerate(self.rates(alpha)):
            v = apply(poses[i][0], speed[3:]) if self.group == "SE3" else speed[3:]
            all.append({"position": [text(x) for x in poses[i][1]], "orientation": [[text(x) for x in row] for row in poses[i][0]],
                        "velocity": [text(x) for x in v], "angular_velocity": [text(x) for x in speed[:3]]})
        return all


ABOUT = {"method": __doc__, "numbers": "60 digits inside, 36 printed; orientations as quaternions (w, x, y, z) at the start, matrices at the end",
         "final": "momenta projected to the velocities that the joints allow", "step": STEP}


def mechanism_runs(only, path, write):
    data = {"about": ABOUT, "mechanisms": {}, "records": []}
    for name, m in mechanisms().items():
        if only and name not in only:
            continue
        data["mechanisms"][name] = m.text()
        began = time.time()
        settings = [(method, group, retraction) for group in GROUPS for retraction in RETRACTIONS for method in METHODS]
        for method, group, retraction in settings + [("rigid-rattle", "SO3xR3", "none")]:
            steps = Steps(m, group, retraction)
            poses, alpha = steps.run(method, m.steps)
            gap = max([abs(x) for x in m.constraint(poses)] + [Decimal(0)])
            assert gap < Decimal("1e-34"), gap
            data["records"].append({"mechanism": name, "method": method, "group": group, "retraction": retraction,
                                    "steps": m.steps, "bodies": steps.bodies(poses, alpha)})
        print(f"{name}: {time.time() - began:.1f} s", flush=True)
        write(data, path)


def tangent_inverse(group, retraction, g0, g1, left):
    """d^L tau_x^-1 or d^R tau_x^-1 at tau(x) = g0^-1 g1, by (A.5), (A.6): tau^-1 along curves in the group."""
    if left:
        return slopes(lambda g: displacement(group, retraction, g0, g), group, g1)
    return slopes(lambda g: [-t for t in displacement(group, retraction, g, g1)], group, g0)


def printed_residual(steps, h, kind, g0, alpha0, g1, alpha1, middle=None):
    """The equations of Sec. 6.2 for one free body, as they are printed."""
    group, retraction = steps.group, steps.retraction
    star = lambda a, v: apply(transposed(a), v)      # every star is a transpose
    weight = lambda g: [-t for t in slopes(lambda x: [steps.potential(0, x)], group, g)[0]]     # L^*_g dL/dg
    momentum = lambda a, b, part: apply(steps.m.full_inertia(0), [t / part for t in displacement(group, retraction, a, b)])
    if kind is not None:
        a, b = kind, 1 - kind
        dl = momentum(g0, g1, h)
        start = [x - h * a * f for x, f in zip(star(tangent_inverse(group, retraction, g0, g1, False), dl), weight(g0))]
        end = [x + h * b * f for x, f in zip(star(tangent_inverse(group, retraction, g0, g1, True), dl), weight(g1))]
        return max(abs(x - y) for x, y in zip(start + end, alpha0 + alpha1))
    first, second = momentum(g0, middle, h / 2), momentum(middle, g1, h / 2)
    start = [x - h / 2 * f for x, f in zip(star(tangent_inverse(group, retraction, g0, middle, False), first), weight(g0))]
    end = [x + h / 2 * f for x, f in zip(star(tangent_inverse(group, retraction, middle, g1, True), second), weight(g1))]
    meet = [x - y for x, y in zip(star(tangent_inverse(group, retraction, g0, middle, True), first),
                                  star(tangent_inverse(group, retraction, middle, g1, False), second))]
    return max(max(abs(x - y) for x, y in zip(start + end, alpha0 + alpha1)), max(abs(x) for x in meet))


def check_mechanisms():
    """Printed equations of a free body in gravity, and the energy that the compared steps keep to the order of the method."""
    for group in GROUPS:
        for retraction in RETRACTIONS:
            for method in METHODS:
                free = mechanisms()["free_body"]
                free.gravity = GRAVITY
                steps, log = Steps(free, group, retraction), []
                steps.run(method, 2, log)
                worst = max(printed_residual(steps, h, kind, z0[0][0], z0[1][0], z1[0][0], z1[1][0],
                                             moved(group, z0[0][0], x[0][:6]) if kind is None else None) for h, kind, z0, z1, x in log)
                print(f"{method} {group} {retraction}: residual of the printed equations {worst:.1e}", flush=True)
                assert worst < Decimal("1e-34")
