#!/usr/bin/python3
"""High-precision reference trajectories, independent of the C++ library.

    /usr/bin/python3 tests/reference/generate.py trajectories [--only PROBLEM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py long         [--only PROBLEM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py paper        [--out FILE]
    /usr/bin/python3 tests/reference/generate.py check        [--only PROBLEM ...]

Needs python3-mpmath only. Everything is computed with 60 decimal digits and printed with 36.

How it works, and why it shares nothing with the library:
  * H and g are expressions in q0,q1,..,p0,p1,..; derivatives are symbolic (a small hash-consed graph),
    compiled to Python functions of mpmath numbers.
  * The flow of X_H (base map `exact`) and of sum lambda_i X_gi (the fibre map, always, for every kind of
    constraint) are Taylor series of the graph, order by order, to 1e-58.
  * The implicit base maps are solved by fixed-point iteration to 1e-57.
  * The multipliers are found by Newton's method with a difference-quotient Jacobian (increment 1e-28).
No closed forms (rotations, kicks, rod formulas) and no structure of the problem are used.

Conventions: X_F = (F_p, -F_q), {F,G} = F_q G_p - F_p G_q, rho_i = {g_i,H}, N_ij = {rho_i,g_j}.
Fibre map Gamma_lambda = time-1 flow of sum_i lambda_i X_gi.
"""
import argparse
import json
import os
import re
import sys
import time
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 60
TINY = mpf(10) ** -57        # fixed-point iterations stop here
FD = mpf(10) ** -28          # increment of difference quotients
DIGITS = 36                  # printed

# --------------------------------------------------------------------------------------------------
# Expressions: a hash-consed graph with symbolic derivatives
# --------------------------------------------------------------------------------------------------


class Ex:
    table = {}
    __slots__ = ("op", "args", "id", "memo")

    def __new__(cls, op, *args):
        key = (op,) + tuple(a.id if isinstance(a, Ex) else ("#", a) for a in args)
        node = cls.table.get(key)
        if node is None:
            node = object.__new__(cls)
            node.op, node.args, node.id, node.memo = op, args, len(cls.table), {}
            cls.table[key] = node
        return node

    def __add__(self, o): return add(self, lift(o))
    def __radd__(self, o): return add(lift(o), self)
    def __sub__(self, o): return add(self, mul(const(-1), lift(o)))
    def __rsub__(self, o): return add(lift(o), mul(const(-1), self))
    def __mul__(self, o): return mul(self, lift(o))
    def __rmul__(self, o): return mul(lift(o), self)
    def __truediv__(self, o): return mul(self, power(lift(o), -1))
    def __rtruediv__(self, o): return mul(lift(o), power(self, -1))
    def __neg__(self): return mul(const(-1), self)
    def __pos__(self): return self

    def __pow__(self, k):
        if isinstance(k, Ex):
            k = k.args[0]
        assert k == int(k)
        return power(self, int(k))


def const(x): return Ex("const", Fraction(x))
def var(name): return Ex("var", name)
def lift(x): return x if isinstance(x, Ex) else const(x)
def is_const(e, value=None): return e.op == "const" and (value is None or e.args[0] == value)


def add(a, b):
    if is_const(a) and is_const(b):
        return const(a.args[0] + b.args[0])
    if is_const(a, 0):
        return b
    if is_const(b, 0):
        return a
    return Ex("add", a, b)


def mul(a, b):
    if is_const(b):
        a, b = b, a
    if is_const(a):
        if is_const(b):
            return const(a.args[0] * b.args[0])
        if a.args[0] == 0:
            return a
        if a.args[0] == 1:
            return b
        if b.op == "mul" and is_const(b.args[0]):
            return mul(const(a.args[0] * b.args[0].args[0]), b.args[1])
    elif b.op == "mul" and is_const(b.args[0]):
        return mul(b.args[0], mul(a, b.args[1]))
    elif a.op == "mul" and is_const(a.args[0]):
        return mul(a.args[0], mul(a.args[1], b))
    return Ex("mul", a, b)


def power(a, k):
    if k == 0:
        return const(1)
    if k == 1:
        return a
    if is_const(a):
        return const(a.args[0] ** k)
    if k > 0:
        half = power(a, k // 2)
        sq = mul(half, half)
        return mul(sq, a) if k % 2 else sq
    return Ex("inv", power(a, -k))


def sin(a): return Ex("sin", a)
def cos(a): return Ex("cos", a)


def diff(e, name):
    d = e.memo.get(name)
    if d is not None:
        return d
    if e.op == "const":
        d = const(0)
    elif e.op == "var":
        d = const(1 if e.args[0] == name else 0)
    elif e.op == "add":
        d = diff(e.args[0], name) + diff(e.args[1], name)
    elif e.op == "mul":
        d = diff(e.args[0], name) * e.args[1] + e.args[0] * diff(e.args[1], name)
    elif e.op == "inv":
        d = -(diff(e.args[0], name) * (e * e))
    elif e.op == "sin":
        d = diff(e.args[0], name) * cos(e.args[0])
    elif e.op == "cos":
        d = -(diff(e.args[0], name) * sin(e.args[0]))
    e.memo[name] = d
    return d


def parse(text, names):
    """Infix text with ^ for powers; decimal numbers are exact rationals."""
    env = {v: var(v) for v in names}
    env.update(C=const, sin=sin, cos=cos)
    src = re.sub(r"(?<![A-Za-z0-9_.])(\d+\.\d+|\d+)", r"C('\1')", text).replace("^", "**")
    return lift(eval(src, {"__builtins__": {}}, env))


def schedule(roots):
    order, seen = [], set()
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        e, done = stack.pop()
        if done:
            order.append(e)
            continue
        if e.id in seen:
            continue
        seen.add(e.id)
        stack.append((e, True))
        for a in e.args:
            if isinstance(a, Ex) and a.id not in seen:
                stack.append((a, False))
    # a node may be pushed twice before it is expanded: keep first occurrence in dependency order
    out, have = [], set()
    for e in order:
        if e.id not in have:
            have.add(e.id)
            out.append(e)
    return out


def number(fr): return mpf(fr.numerator) / mpf(fr.denominator)


def compiled(exprs, names):
    """Function of one sequence (values of `names`) that returns the list of values of `exprs`."""
    lines, env, ref = [], {"mpsin": mp.sin, "mpcos": mp.cos, "one": mpf(1)}, {}
    for i, v in enumerate(names):
        ref[var(v).id] = f"z[{i}]"
    for e in schedule(exprs):
        if e.op == "const":
            ref[e.id] = f"c{e.id}"
            env[f"c{e.id}"] = number(e.args[0])
            continue
        if e.op == "var":
            continue
        a = [ref[x.id] for x in e.args]
        body = {"add": lambda: f"{a[0]}+{a[1]}", "mul": lambda: f"{a[0]}*{a[1]}", "inv": lambda: f"one/{a[0]}",
                "sin": lambda: f"mpsin({a[0]})", "cos": lambda: f"mpcos({a[0]})"}[e.op]()
        ref[e.id] = f"t{e.id}"
        lines.append(f" t{e.id}={body}")
    src = "def f(z):\n" + "\n".join(lines) + "\n return [" + ",".join(ref[e.id] for e in exprs) + "]\n"
    exec(src, env)
    return env["f"]


# --------------------------------------------------------------------------------------------------
# Flows by Taylor series
# --------------------------------------------------------------------------------------------------


class TaylorFlow:
    """Flow of z' = f(z; parameters), f given as expressions: coefficients order by order."""

    def __init__(self, rhs, names, parameters=()):
        self.names, self.rhs = list(names), rhs
        self.nodes = schedule(rhs)
        moving = set()
        for e in self.nodes:
            if (e.op == "var" and e.args[0] in self.names) or any(isinstance(a, Ex) and a.id in moving for a in e.args):
                moving.add(e.id)
        self.moving = moving
        for e in list(self.nodes):     # sine and cosine need each other
            if e.op in ("sin", "cos"):
                other = (cos if e.op == "sin" else sin)(e.args[0])
                if other not in self.nodes:
                    self.nodes.append(other)
                if e.id in moving:
                    moving.add(other.id)
        self.parameters = list(parameters)

    def __call__(self, t, z, parameters=()):
        zero = mpf(0)
        c = {}
        values = dict(zip(self.parameters, parameters))
        for i, v in enumerate(self.names):
            c[var(v).id] = [z[i]]
        total = list(z)
        tk, small = mpf(1), 0
        scale = max(1, max(abs(x) for x in z))
        for k in range(400):
            for e in self.nodes:
                if e.op == "var" and e.args[0] in self.names:
                    continue
                if e.id not in self.moving:
                    if k == 0:
                        if e.op == "const":
                            v = number(e.args[0])
                        elif e.op == "var":
                            v = values[e.args[0]]
                        else:
                            a = [c[x.id][0] for x in e.args]
                            v = {"add": lambda: a[0] + a[1], "mul": lambda: a[0] * a[1], "inv": lambda: 1 / a[0],
                                 "sin": lambda: mp.sin(a[0]), "cos": lambda: mp.cos(a[0])}[e.op]()
                        c[e.id] = [v]
                    continue
                x = c[e.args[0].id]
                if e.op == "add":
                    y = c[e.args[1].id]
                    v = (x[k] if k < len(x) else zero) + (y[k] if k < len(y) else zero)
                elif e.op == "mul":
                    y = c[e.args[1].id]
                    if e.args[0].id not in self.moving:
                        v = x[0] * y[k]
                    elif e.args[1].id not in self.moving:
                        v = x[k] * y[0]
                    else:
                        v = mp.fdot(zip(x, reversed(y)))
                elif e.op == "inv":
                    if k == 0:
                        v = 1 / x[0]
                    else:
                        w = c[e.id]
                        v = -w[0] * mp.fdot(zip(x[1:], reversed(w)))
                elif k == 0:
                    v = mp.sin(x[0]) if e.op == "sin" else mp.cos(x[0])
                else:
                    w = c[(cos if e.op == "sin" else sin)(e.args[0]).id]
                    v = mp.fdot((j * x[j], w[k - j]) for j in range(1, k + 1)) / k
                    if e.op == "cos":
                        v = -v
                if k == 0:
                    c[e.id] = [v]
                else:
                    c[e.id].append(v)
            tk = tk * t
            largest = zero
            for i, v in enumerate(self.names):
                r = c[self.rhs[i].id]
                coefficient = (r[k] if k < len(r) else zero) / (k + 1)
                c[var(v).id].append(coefficient)
                term = coefficient * tk
                total[i] += term
                largest = max(largest, abs(term))
            small = small + 1 if largest < mpf(10) ** -59 * scale else 0
            if small >= 3:
                return total
        raise RuntimeError("Taylor series does not converge")


# --------------------------------------------------------------------------------------------------
# Small dense algebra and Newton
# --------------------------------------------------------------------------------------------------


def solve(A, b):
    n = len(b)
    A = [list(A[i]) + [b[i]] for i in range(n)]
    for k in range(n):
        piv = max(range(k, n), key=lambda i: abs(A[i][k]))
        if A[piv][k] == 0:
            raise ZeroDivisionError("singular matrix")
        A[k], A[piv] = A[piv], A[k]
        for i in range(k + 1, n):
            if A[i][k] == 0:
                continue
            f = A[i][k] / A[k][k]
            for j in range(k + 1, n + 1):
                A[i][j] -= f * A[k][j]
    x = [mpf(0)] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - sum((A[k][j] * x[j] for j in range(k + 1, n)), mpf(0))) / A[k][k]
    return x


def newton(F, x, name="", cap=25):
    x = list(x)
    for _ in range(cap):
        f = F(x)
        columns = []
        for j in range(len(x)):
            y = list(x)
            y[j] += FD
            columns.append([(b - a) / FD for a, b in zip(f, F(y))])
        J = [[columns[j][i] for j in range(len(x))] for i in range(len(f))]
        dx = solve(J, [-a for a in f])
        x = [a + b for a, b in zip(x, dx)]
        if max(abs(d) for d in dx) < mpf(10) ** -25:      # the error is now about its square, 1e-50
            return x
    raise RuntimeError(f"Newton does not converge {name}")


def fixed_point(F, x, cap=400):
    last = None
    for _ in range(cap):
        y = F(x)
        change = max(abs(a - b) for a, b in zip(x, y))
        x = y
        if change < TINY:
            return x
        if last is not None and change > 100 * max(last, TINY):
            raise RuntimeError("fixed point diverges")
        last = change
    raise RuntimeError("fixed point does not converge")


def gauss_tableau(s):
    """Gauss-Legendre collocation on [0,1]: roots of the shifted Legendre polynomial, A by exact integration."""
    old = mp.dps
    mp.dps = 2 * old + 2 * s
    roots = []
    for i in range(s):
        x = mp.cos(mp.pi * (mpf(4 * (s - i) - 1) / (4 * s + 2)))
        for _ in range(100):
            a, b = mpf(1), x                       # P_{k-1}, P_k by the recurrence
            for k in range(1, s):
                a, b = b, ((2 * k + 1) * x * b - k * a) / (k + 1)
            dx = b * (x * x - 1) / (s * (x * b - a))
            x -= dx
            if abs(dx) < mpf(10) ** (10 - mp.dps):
                break
        roots.append(x)
    nodes = [(1 + x) / 2 for x in sorted(roots)]
    A, b = [], []
    polys = []
    for j in range(s):
        poly = [mpf(1)]
        for l in range(s):
            if l != j:      # times (t - c_l)/(c_j - c_l); coefficients in increasing powers
                d = nodes[j] - nodes[l]
                poly = [((poly[k - 1] if k > 0 else 0) - (nodes[l] * poly[k] if k < len(poly) else 0)) / d
                        for k in range(len(poly) + 1)]
        polys.append(poly)

    def integral(poly, t): return sum(a * t ** (k + 1) / (k + 1) for k, a in enumerate(poly))
    A = [[integral(p, c) for p in polys] for c in nodes]
    b = [integral(p, mpf(1)) for p in polys]
    mp.dps = old
    return [[+a for a in row] for row in A], [+x for x in b]


TABLEAU = {}


def gauss_step(f, h, z, s):
    if s not in TABLEAU:
        TABLEAU[s] = gauss_tableau(s)
    A, b = TABLEAU[s]
    d = len(z)
    start = f(z)
    K = [list(start) for _ in range(s)]
    last = None
    for _ in range(400):
        new = [f([z[i] + h * mp.fdot((A[k][j], K[j][i]) for j in range(s)) for i in range(d)]) for k in range(s)]
        change = h * max(abs(new[k][i] - K[k][i]) for k in range(s) for i in range(d))
        K = new
        if change < TINY:
            break
        if last is not None and change > 100 * max(last, TINY):
            raise RuntimeError("Gauss iteration diverges")
        last = change
    else:
        raise RuntimeError("Gauss iteration does not converge")
    return [z[i] + h * mp.fdot((b[j], K[j][i]) for j in range(s)) for i in range(d)]


# --------------------------------------------------------------------------------------------------
# A constrained system
# --------------------------------------------------------------------------------------------------


class System:
    def __init__(self, name, n, constraints, guess_q, guess_p, hamiltonian=None, mass=None, potential=None,
                 note="", step="0.046875", steps=8):
        self.name, self.n, self.m, self.note = name, n, len(constraints), note
        self.step, self.steps = step, steps
        self.q = [f"q{i}" for i in range(n)]
        self.p = [f"p{i}" for i in range(n)]
        self.names = self.q + self.p
        self.lam = [f"lambda{i}" for i in range(self.m)]
        self.definition = {"n": n, "coordinates": " ".join(self.q), "momenta": " ".join(self.p)}
        if hamiltonian is not None:
            self.H = parse(hamiltonian, self.names)
            self.definition["hamiltonian"] = hamiltonian
        else:
            full = [[mass[i] if i == j else "0" for j in range(n)] for i in range(n)] if isinstance(mass[0], str) else mass
            self.definition.update(mass=full, potential=potential,
                                   hamiltonian="p^T mass^-1 p / 2 + potential")
            M = [[parse(x, self.names) for x in row] for row in full]
            self.H = quadratic_form_of_inverse(M, [var(v) for v in self.p]) * const(Fraction(1, 2)) + parse(potential, self.names)
        self.natural = mass is not None
        self.constant_mass = self.natural and all(not depends(parse(x, self.names)) for row in full for x in row)
        self.g = [parse(c, self.names) for c in constraints]
        self.definition["constraint"] = list(constraints)
        if note:
            self.definition["note"] = note
        self.holonomic = all(is_const(diff(g, v), 0) for g in self.g for v in self.p)
        self.XH = self.field(self.H)
        self.Xg = [self.field(g) for g in self.g]
        self.rho = [self.bracket(g, self.H) for g in self.g]
        sum_g = const(0)
        for l, g in zip(self.lam, self.g):
            sum_g = sum_g + var(l) * g
        self.fibre_flow = TaylorFlow(self.field(sum_g), self.names, self.lam)
        self.exact_flow = TaylorFlow(self.XH, self.names)
        self.f_XH = compiled(self.XH, self.names)
        self.f_Hq = compiled([diff(self.H, v) for v in self.q], self.names)
        self.f_Hp = compiled([diff(self.H, v) for v in self.p], self.names)
        self.f_H = compiled([self.H], self.names)
        self.f_g = compiled(self.g, self.names)
        self.f_rho = compiled(self.rho, self.names)
        self.f_G = compiled([diff(g, v) for g in self.g for v in self.q], self.names)
        self.f_N = compiled([self.bracket(r, g) for r in self.rho for g in self.g], self.names)
        self.f_gg = compiled([self.bracket(a, b) for a in self.g for b in self.g], self.names)
        self.f_eliminated = compiled(self.XH + [x for X in self.Xg for x in X]
                                     + [self.bracket(r, self.H) for r in self.rho]
                                     + [self.bracket(r, g) for r in self.rho for g in self.g], self.names)
        self.f_Hpp = compiled([diff(diff(self.H, a), b) for a in self.p for b in self.p], self.names)
        self.f_Hpq = compiled([diff(diff(self.H, a), b) for a in self.p for b in self.q], self.names)
        self.start = self.consistent([mpf(x) for x in guess_q + guess_p])

    def field(self, F): return [diff(F, v) for v in self.p] + [-diff(F, v) for v in self.q]

    def bracket(self, F, G):
        total = const(0)
        for a, b in zip(self.q, self.p):
            total = total + diff(F, a) * diff(G, b) - diff(F, b) * diff(G, a)
        return total

    def consistent(self, z):
        """Smallest-change Newton onto g = 0, {g,H} = 0; then rounded to the digits that are printed."""
        f = compiled(self.g + self.rho, self.names)
        df = compiled([diff(e, v) for e in self.g + self.rho for v in self.names], self.names)
        k, d = 2 * self.m, 2 * self.n
        for _ in range(60):
            r, flat = f(z), df(z)
            J = [flat[i * d:(i + 1) * d] for i in range(k)]
            y = solve([[mp.fdot(a, b) for b in J] for a in J], [-x for x in r])
            dz = [mp.fdot((J[i][j], y[i]) for i in range(k)) for j in range(d)]
            z = [a + b for a, b in zip(z, dz)]
            if max(abs(x) for x in dz) < mpf(10) ** -40:
                break
        else:
            raise RuntimeError("no consistent start")
        return [mpf(text(x)) for x in z]

    def eliminated(self, z):
        """z' = X_H + sum lambda_i X_gi with lambda from d/dt {g,H} = 0: N lambda = -{rho,H}."""
        n2, m = 2 * self.n, self.m
        v = self.f_eliminated(z)
        lam = self.multiplier(v)
        out = v[:n2]
        for i in range(m):
            X = v[n2 * (i + 1):n2 * (i + 2)]
            out = [a + lam[i] * b for a, b in zip(out, X)]
        return out

    def multiplier(self, v):
        n2, m = 2 * self.n, self.m
        r = v[n2 * (m + 1):n2 * (m + 1) + m]
        N = v[n2 * (m + 1) + m:]
        return solve([N[i * m:(i + 1) * m] for i in range(m)], [-x for x in r])

    def slide(self, lam, z): return self.fibre_flow(mpf(1), z, lam)


def depends(e): return any(x.op == "var" for x in schedule([e]))


def quadratic_form_of_inverse(M, p):
    """p^T M^-1 p by cofactors (a diagonal matrix directly)."""
    n = len(p)
    if all(is_const(M[i][j], 0) for i in range(n) for j in range(n) if i != j):
        total = const(0)
        for i in range(n):
            total = total + p[i] * p[i] / M[i][i]
        return total

    def det(rows, cols):
        if not rows:
            return const(1)
        total = const(0)
        for k, c in enumerate(cols):
            term = M[rows[0]][c] * det(rows[1:], cols[:k] + cols[k + 1:])
            total = total + term if k % 2 == 0 else total - term
        return total
    every = list(range(n))
    total = const(0)
    for i in range(n):
        for j in range(n):
            cof = det([r for r in every if r != i], [c for c in every if c != j])
            total = total + p[i] * p[j] * cof * (1 if (i + j) % 2 == 0 else -1)
    return total / det(every, every)


def text(x): return mp.nstr(x, DIGITS, strip_zeros=True, min_fixed=-5, max_fixed=40)


# --------------------------------------------------------------------------------------------------
# Base maps
# --------------------------------------------------------------------------------------------------


def euler_a(S, h, z):
    """p implicit: p1 = p0 - h H_q(q0,p1), q1 = q0 + h H_p(q0,p1)."""
    q, p = z[:S.n], z[S.n:]
    p1 = fixed_point(lambda x: [a - h * b for a, b in zip(p, S.f_Hq(q + x))], p)
    return [a + h * b for a, b in zip(q, S.f_Hp(q + p1))] + p1


def euler_b(S, h, z):
    """q implicit: q1 = q0 + h H_p(q1,p0), p1 = p0 - h H_q(q1,p0)."""
    q, p = z[:S.n], z[S.n:]
    q1 = fixed_point(lambda x: [a + h * b for a, b in zip(q, S.f_Hp(x + p))], q)
    return q1 + [a - h * b for a, b in zip(p, S.f_Hq(q1 + p))]


def verlet(S, h, z): return euler_b(S, h / 2, euler_a(S, h / 2, z))
def verlet_b(S, h, z): return euler_a(S, h / 2, euler_b(S, h / 2, z))


def midpoint(S, h, z):
    """z1 = z + h X_H((z+z1)/2)."""
    return fixed_point(lambda x: [a + h * b for a, b in zip(z, S.f_XH([(u + w) / 2 for u, w in zip(z, x)]))], z)


BASES = {"verlet": verlet, "verlet-b": verlet_b, "midpoint": midpoint, "euler-a": euler_a, "euler-b": euler_b,
         "gauss2": lambda S, h, z: gauss_step(S.f_XH, h, z, 2),
         "gauss3": lambda S, h, z: gauss_step(S.f_XH, h, z, 3),
         "exact": lambda S, h, z: S.exact_flow(h, z)}

# --------------------------------------------------------------------------------------------------
# SHAKE and RATTLE
# --------------------------------------------------------------------------------------------------


def shake(S, base, h, z, log=None):
    half = [h / 2 * x for x in S.multiplier(S.f_eliminated(z))]
    phi = BASES[base]
    lam = newton(lambda l: [x / h for x in S.f_g(phi(S, h, S.slide(l, z)))], half, f"shake {S.name} {base}")
    if log is not None:
        log.append(lam)
    return phi(S, h, S.slide(lam, z))


def project(S, z, log=None):
    """Slide along the fibre to {g,H} = 0, on the branch next to sigma = 0."""
    sigma = newton(lambda s: S.f_rho(S.slide(s, z)), [mpf(0)] * S.m, f"projection {S.name}")
    if log is not None:
        log.append(sigma)
    return S.slide(sigma, z)


def rattle(S, base, h, z, log=None): return project(S, shake(S, base, h, z, log), log)


# --------------------------------------------------------------------------------------------------
# Variational: constrained discrete Lagrangian
# --------------------------------------------------------------------------------------------------


def legendre(S, q, v):
    """p with H_p(q,p) = v."""
    n, p = S.n, list(v)
    for _ in range(60):
        r = S.f_Hp(q + p)
        flat = S.f_Hpp(q + p)
        dp = solve([flat[i * n:(i + 1) * n] for i in range(n)], [b - a for a, b in zip(r, v)])
        p = [a + b for a, b in zip(p, dp)]
        if max(abs(x) for x in dp) < mpf(10) ** -54:
            return p
    raise RuntimeError("Legendre transform")


def discrete_legendre(S, quadrature, h, q0, q1):
    """(-D1 L_d, D2 L_d). L_v(q,v) = P and L_q(q,v) = -H_q(q,P), with P the Legendre transform of (q,v)."""
    v = [(b - a) / h for a, b in zip(q0, q1)]

    def at(q):
        P = legendre(S, q, v)
        return [-x for x in S.f_Hq(q + P)], P
    if quadrature == "trapezoid":      # h/2 L(q0,v) + h/2 L(q1,v)
        (a, P0), (b, P1) = at(q0), at(q1)
        return ([(x + y) / 2 - h / 2 * f for x, y, f in zip(P0, P1, a)],
                [(x + y) / 2 + h / 2 * f for x, y, f in zip(P0, P1, b)])
    if quadrature == "midpoint":       # h L((q0+q1)/2, v)
        f, P = at([(a + b) / 2 for a, b in zip(q0, q1)])
        return [x - h / 2 * y for x, y in zip(P, f)], [x + h / 2 * y for x, y in zip(P, f)]
    if quadrature == "left":           # h L(q0, v)
        f, P = at(q0)
        return [x - h * y for x, y in zip(P, f)], P
    f, P = at(q1)                      # right: h L(q1, v)
    return P, [x + h * y for x, y in zip(P, f)]


def variational(S, quadrature, h, z, log=None):
    n, m = S.n, S.m
    q0, p0 = z[:n], z[n:]
    G0 = S.f_G(z)

    def residual(x):
        q1, lam = x[:n], x[n:]
        minus_d1, _ = discrete_legendre(S, quadrature, h, q0, q1)
        force = [minus_d1[j] - p0[j] + mp.fdot((G0[i * n + j], lam[i]) for i in range(m)) for j in range(n)]
        return force + [c / h for c in S.f_g(q1 + p0)]
    v0 = S.f_Hp(z)
    x = newton(residual, [a + h * b for a, b in zip(q0, v0)] + [mpf(0)] * m, f"variational {S.name}")
    q1 = x[:n]
    if log is not None:
        log.append(x[n:])
    _, p1 = discrete_legendre(S, quadrature, h, q0, q1)
    return q1 + momentum_projection(S, q1, p1)


def momentum_projection(S, q, p):
    """p - G^T mu with G H_p(q, p - G^T mu) = 0."""
    n, m = S.n, S.m
    G = S.f_G(q + p)

    def moved(mu): return [p[j] - mp.fdot((G[i * n + j], mu[i]) for i in range(m)) for j in range(n)]
    def residual(mu): return [mp.fdot(G[i * n:(i + 1) * n], S.f_Hp(q + moved(mu))) for i in range(m)]
    return moved(newton(residual, [mpf(0)] * m, "momentum projection"))


# --------------------------------------------------------------------------------------------------
# What not to use
# --------------------------------------------------------------------------------------------------


def rk4(S, h, z):
    f = S.eliminated
    k1 = f(z)
    k2 = f([a + h / 2 * b for a, b in zip(z, k1)])
    k3 = f([a + h / 2 * b for a, b in zip(z, k2)])
    k4 = f([a + h * b for a, b in zip(z, k3)])
    return [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, k1, k2, k3, k4)]


def acceleration(S, q, v):
    """q'' on the eliminated equations at (q, p = Legendre(q,v)); g(q) only."""
    n = S.n
    z = q + legendre(S, q, v)
    d = S.eliminated(z)
    A, B = S.f_Hpq(z), S.f_Hpp(z)
    return [mp.fdot(A[i * n:(i + 1) * n], d[:n]) + mp.fdot(B[i * n:(i + 1) * n], d[n:]) for i in range(n)]


def velocity_verlet(S, h, z):
    q = z[:S.n]
    v = S.f_Hp(z)
    a = acceleration(S, q, v)
    q1 = [x + h * y + h * h / 2 * w for x, y, w in zip(q, v, a)]
    a1 = acceleration(S, q1, [y + h * w for y, w in zip(v, a)])
    v1 = [y + h / 2 * (u + w) for y, u, w in zip(v, a, a1)]
    return q1 + legendre(S, q1, v1)


def naive_projection(S, h, z):
    n, m = S.n, S.m
    y = verlet(S, h, z)
    q, p = y[:n], y[n:]
    B = S.f_Hpp(y)                       # M^-1, constant

    def residual(x):
        q1, nu = x[:n], x[n:]
        G = S.f_G(q1 + p)
        f = [mp.fdot((G[i * n + j], nu[i]) for i in range(m)) for j in range(n)]
        return [q1[j] - q[j] + mp.fdot(B[j * n:(j + 1) * n], f) for j in range(n)] + S.f_g(q1 + p)
    q1 = newton(residual, q + [mpf(0)] * m, f"naive {S.name}")[:n]
    return q1 + momentum_projection(S, q1, p)


def index1_direct(S, h, z):
    """Midpoint rule applied directly to q' = H_p, p' = -H_q, 0 = H_beta, coordinates (q, alpha), momenta (p, beta).
    The stage value of beta solves H_beta = 0 at the midpoint; beta1 is then the root of H_beta(q1,p1,beta) = 0."""
    q, p = z[0], z[2]
    zero = mpf(0)

    def residual(x):
        q1, p1, b = x
        mid = [(q + q1) / 2, zero, (p + p1) / 2, b]
        Hq, Hp = S.f_Hq(mid), S.f_Hp(mid)
        return [(q1 - q) / h - Hp[0], (p1 - p) / h + Hq[0], Hp[1]]
    q1, p1, b = newton(residual, [q, p, z[3]])
    b = newton(lambda x: [S.f_Hp([q1, zero, p1, x[0]])[1]], [b])[0]
    return [q1, zero, p1, b]


def solution_step(S, h, z):
    """15 stages and two half steps: 1e-43 or better per step on every problem below."""
    return gauss_step(S.eliminated, h / 2, gauss_step(S.eliminated, h / 2, z, 15), 15)


# --------------------------------------------------------------------------------------------------
# The problems
# --------------------------------------------------------------------------------------------------


def chain(links, dim):
    """Constraints of a chain hung at the origin with unit rods, coordinates interleaved."""
    out = []
    for k in range(links):
        terms = []
        for a in range(dim):
            i = k * dim + a
            terms.append(f"q{i}^2" if k == 0 else f"(q{i} - q{i - dim})^2")
        out.append("(" + " + ".join(terms) + " - 1)/2")
    return out


def systems(only=None):
    table = {}

    def define(name, *args, **kw):
        if not only or name in only:
            table[name] = System(name, *args, **kw)

    unit2, unit3 = ["1", "1"], ["1", "1", "1"]
    sphere = ["(q0^2 + q1^2 + q2^2 - 1)/2"]
    define("planar_pendulum", 2, ["(q0^2 + q1^2 - 1)/2"], ["0.8", "-0.6"], ["0.45", "0.6"], mass=unit2, potential="q1")
    define("spherical_pendulum", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"], mass=unit3,
           potential="q2 + 0.3*q0^2")
    define("double_pendulum", 4, ["(q0^2 + q1^2 - 1)/2", "((q2 - q0)^2 + (q3 - q1)^2 - 0.49)/2"],
           ["0.6", "-0.8", "1.2", "-0.45"], ["0.5", "0.3", "-0.7", "0.9"], mass=["1", "1", "2", "2"], potential="q1 + 2*q3",
           note="coordinates x1 y1 x2 y2; rods 1 and 0.7")
    define("chain_2d", 6, chain(3, 2), ["0.6", "-0.8", "1.5", "-0.4", "1.8", "-1.3"], ["0.4", "0.3", "-0.5", "0.6", "0.7", "-0.2"],
           mass=["1"] * 6, potential="q1 + q3 + q5", note="coordinates x1 y1 x2 y2 x3 y3")
    define("chain_3d", 9, chain(3, 3), ["0.5", "0.3", "-0.8", "1.2", "-0.1", "-1.4", "1.5", "0.7", "-1.9"],
           ["0.4", "0.3", "-0.1", "-0.5", "0.6", "0.2", "0.7", "-0.2", "0.5"], mass=["1"] * 9, potential="q2 + q5 + q8",
           note="coordinates x1 y1 z1 x2 y2 z2 x3 y3 z3")
    define("quartic", 2, ["q0^4 + q1^2 - 1"], ["0.8", "0.75"], ["0.7", "-0.5"], mass=unit2, potential="q1 + 0.3*q0^2")
    define("magnetic", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"],
           hamiltonian="((p0 + 0.65*q1)^2 + (p1 - 0.65*q0)^2 + p2^2)/2 + q2 + 0.2*q0*q1", note="b = 1.3, 0.65 = b/2")
    unit = ["q0^2 + q1^2 + p0^2 + p1^2 - 1"]
    define("hopf_free", 2, unit, ["0.75", "0.35"], ["-0.2", "0.45"], hamiltonian="(p0^2 + p1^2)/2")
    define("hopf_gravity", 2, unit, ["0.55", "-0.7"], ["0.4", "0.15"], hamiltonian="(p0^2 + p1^2)/2 + q1")
    define("hopf_shifted", 2, ["q0^2 + q1^2 + p0^2 + p1^2 + 0.3*q0 - 0.2*p1 - 1"], ["0.5", "-0.75"], ["0.4", "0.15"],
           hamiltonian="(p0^2 + p1^2)/2 + q1 + 0.3*q0^2", note="linear terms: the field of the fibres is affine, not linear")
    define("hopf_quartic", 2, unit, ["0.55", "-0.7"], ["0.4", "0.15"],
           hamiltonian="(p0^2 + p1^2)/2 + q1 + 0.25*(q0^2 + 2*q1^2)*(1 + p0^2)")
    define("two_harmonic", 4, ["(q0^2 + p0^2 + q1^2 + p1^2 - 1)/2", "(q2^2 + p2^2 + q3^2 + p3^2 - 2)/2"],
           ["0.5", "-0.75", "1.1", "0.7"], ["0.3", "0.1", "-0.3", "0.4"],
           hamiltonian="(p0^2 + p1^2 + p2^2 + p3^2)/2 + 0.5*q0*q2 + q1 + 0.3*q3^2 + 0.1*q0^4")
    define("harmonic_angular", 3, ["(q0^2 + q1^2 + q2^2 + p0^2 + p1^2 + p2^2 - 1)/2", "q0*p1 - q1*p0 - 0.2"],
           ["0.14", "1.01", "-0.69"], ["-0.2", "0.09", "0.81"],
           hamiltonian="(p0^2 + p1^2 + 2*p2^2)/2 + q2 + 0.4*q0^2 + 0.2*q0*q1")
    define("zero_angular_momentum", 6,
           ["q1*p2 - q2*p1 + q4*p5 - q5*p4", "q2*p0 - q0*p2 + q5*p3 - q3*p5", "q0*p1 - q1*p0 + q3*p4 - q4*p3"],
           ["0.49", "0.31", "1.05", "-1.19", "-0.79", "1.14"], ["-0.31", "0.49", "0.22", "-0.24", "-0.15", "0.15"],
           hamiltonian="(p0^2 + p1^2 + p2^2 + p3^2 + p4^2 + p5^2)/2 + 0.5*(q0^2 + 1.5*q1^2 + 2.2*q2^2)"
                       " + 0.5*(1.3*q3^2 + 0.7*q4^2 + 1.9*q5^2) + 0.2*q0*q4",
           note="a = (q0,q1,q2), b = (q3,q4,q5); constraints are the components of a x p_a + b x p_b")
    define("index1", 2, ["q1"], ["0.7", "0"], ["0.6", "-0.5"],
           hamiltonian="p0^2/2 + p1^2/2*(1 + 0.5*q0^2) + p1*sin(q0) + q0^2/2 + 0.1*p1^4",
           note="q0 = q, q1 = alpha, p0 = p, p1 = beta")
    define("variable_mass_sphere", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"],
           mass=[["1 + 0.3*q1^2", "0", "0.1"], ["0", "1.5 + 0.2*sin(q2)", "0"], ["0.1", "0", "2 + 0.1*q0*q1"]],
           potential="q2 + 0.3*q0^2")
    define("four_bar", 4, ["(q0^2 + q1^2 - 1)/2", "((q2 - 2)^2 + q3^2 - 1)/2", "((q2 - q0)^2 + (q3 - q1)^2 - 4)/2"],
           ["0.5", "-0.866", "2.5", "-0.866"], ["0.6", "0.35", "0.6", "0.35"], mass=["1"] * 4, potential="q1 + q3",
           note="coordinates x1 y1 x2 y2; ground pivots (0,0), (2,0); the parallelogram branch")
    define("ellipsoid", 3, ["(q0^2 + q1^2/4 + q2^2/16 - 1)/2"], ["0.6", "1.0", "-2.4"], ["0.5", "-0.8", "0.6"],
           hamiltonian="(p0^2 + p1^2 + p2^2)/2", note="axes 1, 2, 4; mass 1, no potential")
    define("polar_line", 2, ["q0*cos(q1) - 1"], ["1.2", "0.6"], ["0.5", "1.0"],
           hamiltonian="p0^2/2 + p1^2/(2*q0^2) + q0*sin(q1)", note="q0 = r, q1 = theta; mass diag(1, r^2)")
    define("full_mass_sphere", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"],
           mass=[["2", "0.3", "-0.2"], ["0.3", "1.5", "0.1"], ["-0.2", "0.1", "1"]], potential="q2 + 0.3*q0^2 + 0.2*q0*q1*q2",
           note="constant full mass matrix")
    define("mixed_quartic", 2, ["(p0^2 + p1^2)/2 + q0^4/4 + q1^2/2 + 0.2*q0*p1 - 0.6"], ["1.1", "-0.6"], ["0.3", "0.2"],
           hamiltonian="(p0^2 + 0.5*p1^2)/2 + q1 + 0.3*q0^2*(1 + 0.5*p1^2)", note="mixed constraint whose fibres have no elementary closed form")
    return table


def describe(S):
    z, m = S.start, S.m
    N = mp.matrix(m, m)
    flat = S.f_N(z)
    for i in range(m):
        for j in range(m):
            N[i, j] = flat[i * m + j]
    sv = mp.svd_r(N, compute_uv=False)
    return {"g": max(abs(x) for x in S.f_g(z)), "rho": max(abs(x) for x in S.f_rho(z)),
            "gg": max(abs(x) for x in S.f_gg(z)), "N": sv, "lambda": S.multiplier(S.f_eliminated(z))}


# --------------------------------------------------------------------------------------------------
# Records
# --------------------------------------------------------------------------------------------------


def methods(S):
    """(method, options, step function) for all that apply; a step logs its multipliers, the position's first."""
    out = []
    for base in BASES:
        out.append(("shake", {"base": base}, lambda h, z, log=None, b=base: shake(S, b, h, z, log)))
        out.append(("rattle", {"base": base}, lambda h, z, log=None, b=base: rattle(S, b, h, z, log)))
    if S.name == "index1":
        out.append(("index1-direct", {"base": "midpoint"}, lambda h, z, log=None: index1_direct(S, h, z)))
    if S.holonomic:
        for quadrature in ("trapezoid", "midpoint", "left", "right"):
            out.append(("variational", {"quadrature": quadrature},
                        lambda h, z, log=None, k=quadrature: variational(S, k, h, z, log)))
        if S.name not in ("magnetic", "index1"):
            out.append(("velocity-verlet", {}, lambda h, z, log=None: velocity_verlet(S, h, z)))
        if S.constant_mass or S.name == "ellipsoid":
            out.append(("naive-projection", {"base": "verlet"}, lambda h, z, log=None: naive_projection(S, h, z)))
    out.append(("rk4", {}, lambda h, z, log=None: rk4(S, h, z)))
    out.append(("solution", {}, lambda h, z, log=None: solution_step(S, h, z)))
    return out


def trajectories(only, path):
    data = {"about": ABOUT, "problems": {}, "records": []}
    if only and os.path.exists(path):
        old = json.load(open(path))
        data["problems"], data["records"] = old["problems"], [r for r in old["records"] if r["problem"] not in only]
    for name, S in systems(only).items():
        data["problems"][name] = S.definition
        h, z0, began = mpf(S.step), S.start, time.time()
        finals = {}
        for method, options, step in methods(S):
            z = z0
            for _ in range(S.steps):
                log = []
                z = step(h, z, log)
            finals[method, options.get("base") or options.get("quadrature")] = z
            data["records"].append({
                "problem": name, "method": method, "options": options, "step": S.step, "steps": S.steps,
                "q0": [text(x) for x in z0[:S.n]], "p0": [text(x) for x in z0[S.n:]],
                "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]],
                **({"lambda": [text(x) for x in log[0]]} if log else {})})
        for base in BASES:     # the two are the same map on fibres [McLachlan12 (11)]
            a, b = project(S, finals["shake", base]), finals["rattle", base]
            gap = max(abs(x - y) for x, y in zip(a, b))
            if gap > mpf(10) ** -34:
                raise RuntimeError(f"{name} {base}: projected SHAKE and RATTLE differ by {mp.nstr(gap, 3)}")
        end = finals["solution", None]
        worst = max(max(abs(x) for x in S.f_g(end)), max(abs(x) for x in S.f_rho(end)))
        far = {k: mp.nstr(max(abs(a - b) for a, b in zip(z, end)), 2) for k, z in finals.items() if k[0] in ("rattle", "rk4")}
        print(f"{name}: {time.time() - began:.1f} s, residual of the solution {mp.nstr(worst, 2)}; errors "
              + " ".join(f"{k[1] or k[0]}={v}" for k, v in far.items()), flush=True)
        write(data, path)


LONG = {   # steps: exact in binary, and short enough that no motion is unstable over 1000 of them
    "planar_pendulum": "0.046875", "double_pendulum": "0.0078125", "hopf_shifted": "0.03125"}


def long_runs(only, path):
    data = {"about": {k: ABOUT[k] for k in ("conventions", "numbers", "rattle", "verlet", "midpoint", "lambda")}, "records": []}
    for name, S in systems(only or list(LONG)).items():
        for base in ("verlet", "midpoint"):
            h, z, began, states = mpf(LONG[name]), S.start, time.time(), []
            for k in range(1, 1001):
                log = []
                z = rattle(S, base, h, z, log)
                if k in (10, 100, 1000):
                    states.append({"steps": k, "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]],
                                   "lambda": [text(x) for x in log[0]]})
            data["records"].append({"problem": name, "method": "rattle", "options": {"base": base}, "step": LONG[name],
                                    "q0": [text(x) for x in S.start[:S.n]], "p0": [text(x) for x in S.start[S.n:]],
                                    "states": states})
            print(f"{name} {base}: {time.time() - began:.1f} s", flush=True)
            write(data, path)


def write(data, path):
    with open(path + ".part", "w") as f:
        records = data.pop("records")
        head = json.dumps(data, indent=1)
        data["records"] = records
        f.write(head[:-2] + ",\n \"records\": [\n")
        f.write(",\n".join("  " + json.dumps(r) for r in records))
        f.write("\n ]\n}\n")
    os.replace(path + ".part", path)


# --------------------------------------------------------------------------------------------------
# Checks of this file against itself: orders, forms, known identities
# --------------------------------------------------------------------------------------------------


def distance(a, b): return max(abs(x - y) for x, y in zip(a, b))


def tangent_basis(S, z):
    """Null space of d(g, rho) at z, by elimination."""
    d = 2 * S.n
    flat = compiled([diff(e, v) for e in S.g + S.rho for v in S.names], S.names)(z)
    A = [flat[i * d:(i + 1) * d] for i in range(2 * S.m)]
    pivots, row = [], 0
    for row in range(2 * S.m):
        r, c = max(((i, j) for i in range(row, 2 * S.m) for j in range(d) if j not in pivots), key=lambda t: abs(A[t[0]][t[1]]))
        A[row], A[r] = A[r], A[row]
        pivots.append(c)
        A[row] = [x / A[row][c] for x in A[row]]
        for i in range(2 * S.m):
            if i != row:
                f = A[i][c]
                A[i] = [x - f * y for x, y in zip(A[i], A[row])]
    basis = []
    for j in range(d):
        if j not in pivots:
            v = [mpf(0)] * d
            v[j] = mpf(1)
            for i, c in enumerate(pivots):
                v[c] = -A[i][j]
            basis.append(v)
    return basis


def form_defect(S, step, h):
    """Largest change of the symplectic form on the tangent space of the state manifold over one step."""
    z, n = S.start, S.n
    basis = tangent_basis(S, z)
    image = step(h, z)
    moved = [[(a - b) / FD for a, b in zip(step(h, [x + FD * y for x, y in zip(z, v)]), image)] for v in basis]

    def omega(v, w): return mp.fdot(v[:n], w[n:]) - mp.fdot(v[n:], w[:n])
    return max([abs(omega(moved[i], moved[j]) - omega(basis[i], basis[j])) for i in range(len(basis)) for j in range(i)] or [mpf(0)])


def check(only):
    for name, S in systems(only).items():
        h, z = mpf(S.step), S.start
        report = []
        for method, options, step in methods(S):
            if method in ("shake", "solution"):
                continue
            tag = ":".join([method] + list(options.values()))
            errors = []
            for k in (1, 2):
                y, exact = z, z
                for _ in range(2 * k):
                    y, exact = step(h / 2 / k, y), gauss_step(S.eliminated, h / 2 / k, exact, 10)
                errors.append(distance(y, exact))
            order = mp.log(errors[0] / errors[1], 2) if errors[1] > mpf(10) ** -32 else mpf("inf")
            report.append(f"{tag} order {mp.nstr(order, 3)} form {mp.nstr(form_defect(S, step, h), 1)}")
        print(name + ": " + "; ".join(report), flush=True)
        if S.holonomic:
            pairs = [("midpoint", "midpoint"), ("left", "euler-a"), ("right", "euler-b")] + ([("trapezoid", "verlet")] if S.constant_mass or name in ("ellipsoid",) else [])
            for quadrature, base in pairs:
                gap = distance(variational(S, quadrature, h, z), rattle(S, base, h, z))
                print(f"  variational:{quadrature} - rattle:{base} = {mp.nstr(gap, 2)}")
        if name == "index1":
            print("  direct - rattle:midpoint =", mp.nstr(distance(index1_direct(S, h, z), rattle(S, "midpoint", h, z)), 2))
        if name == "hopf_free":
            q, p = z[:2], z[2:]
            w = (q[0] * p[1] - q[1] * p[0]) / (q[0] ** 2 + q[1] ** 2 - p[0] ** 2 - p[1] ** 2)
            c, s = mp.sqrt(1 - (h * w) ** 2), h * w
            turned = [c * q[0] - s * q[1], s * q[0] + c * q[1], c * p[0] - s * p[1], s * p[0] + c * p[1]]
            print("  rattle:exact - rotation by arcsin(h w) =", mp.nstr(distance(turned, rattle(S, "exact", h, z)), 2))
        if name == "zero_angular_momentum":
            lam = [mpf("0.1"), mpf("-0.2"), mpf("0.15")]
            E = mp.expm(mp.matrix([[0, -lam[2], lam[1]], [lam[2], 0, -lam[0]], [-lam[1], lam[0], 0]]))
            turned = [mp.fdot((E[i, j], z[3 * k + j]) for j in range(3)) for k in range(4) for i in range(3)]
            print("  fibre - rotation by the vector lambda =", mp.nstr(distance(turned, S.slide(lam, z)), 2))
        ends = [distance(S.exact_flow(h, z), gauss_step(S.f_XH, h, z, 16))]
        print("  Taylor flow - 16 stage Gauss =", mp.nstr(ends[0], 2), flush=True)


# --------------------------------------------------------------------------------------------------
# Table 1 of McLachlan, Modin, Verdier, Wilkins at its own level
# --------------------------------------------------------------------------------------------------

TABLE = {
    "z_a": (["-0.7865261200000000", "-0.4043988000000000"], ["-0.3880746864163783", "0.2173391755798215"]),
    "z_b": (["-0.4963624948824013", "-0.7319740436366664"], ["-0.4275775933953260", "0.1225384882604160"]),
    "z_c": (["0.3477491188213400", "-0.8131619010029159"], ["-0.4368285559113795", "-0.0837800227934176"]),
}


def hopf(z):
    """(2 z0 conj(z1), |z0|^2 - |z1|^2) with z0 = q0 + i p0, z1 = q1 + i p1."""
    q0, q1, p0, p1 = z
    return [2 * (q0 * q1 + p0 * p1), 2 * (p0 * q1 - q0 * p1), q0 ** 2 + p0 ** 2 - q1 ** 2 - p1 ** 2]


def lagrange(xs, ys, x):
    total = [mpf(0)] * len(ys[0])
    for i in range(len(xs)):
        w = mpf(1)
        for j in range(len(xs)):
            if j != i:
                w *= (x - xs[j]) / (xs[i] - xs[j])
        total = [t + w * y for t, y in zip(total, ys[i])]
    return total


def minus(a, b): return [x - y for x, y in zip(a, b)]
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def unit(a): return [x / mp.sqrt(mp.fdot(a, a)) for x in a]


def closed_curve(points, neighbours=12):
    """Returns, rotation and closure of a sequence of points on a closed curve in R^3 (see PAPER_ABOUT)."""
    count = len(points)
    towards = minus(points[1], points[0])
    s = [mp.fdot(minus(x, points[0]), towards) for x in points]
    returns = [k + s[k] / (s[k] - s[k + 1]) for k in range(1, count - 1) if s[k] < 0 <= s[k + 1]]
    centre = [sum(x[i] for x in points) / count for i in range(3)]
    arms = [minus(x, centre) for x in points]
    normal = [mpf(0)] * 3
    for a, b in zip(arms, arms[1:]):
        normal = [x + y for x, y in zip(normal, cross(a, b))]
    normal = unit(normal)
    e1 = unit(minus(arms[0], [mp.fdot(arms[0], normal) * x for x in normal]))
    e2 = cross(normal, e1)
    angle = []
    for a in arms:
        t = mp.atan2(mp.fdot(a, e2), mp.fdot(a, e1))
        while angle and t < angle[-1]:
            t += 2 * mp.pi
        angle.append(t)

    def mean(size):
        weights = [mp.exp(-1 / (mpf(i) / size * (1 - mpf(i) / size))) for i in range(1, size)]
        return 2 * mp.pi * sum(weights) / mp.fdot(weights, [angle[i + 1] - angle[i] for i in range(1, size)])
    long, short = mean(count - 1), mean((count - 1) * 4 // 5)
    turn = 2 * mp.pi
    order = sorted(((t - turn * mp.floor(t / turn), x) for t, x in zip(angle, points)), key=lambda e: e[0])
    worst, half = mpf(0), neighbours // 2
    for i, (t, x) in enumerate(order):
        window = []
        for j in list(range(i - half, i)) + list(range(i + 1, i + half + 1)):
            u, y = order[j % count]
            window.append((u + turn * (j // count), y))
        worst = max(worst, distance(lagrange([u for u, _ in window], [y for _, y in window], t), x))
    return returns, long, abs(long - short), worst


def exact_return(S, start, h):
    """Period of the exact solution: return of the Hopf image to the plane through its start normal to its velocity."""
    origin = hopf(start)
    small = mpf(10) ** -25
    towards = [x / small for x in minus(hopf(gauss_step(S.eliminated, small, start, 3)), origin)]

    def side(z): return mp.fdot(minus(hopf(z), origin), towards)
    z, t, was = start, mpf(0), mpf(1)
    while True:
        y = gauss_step(S.eliminated, h, z, 18)
        if was < 0 <= side(y):
            break
        z, t, was = y, t + h, side(y)
    dt = newton(lambda x: [side(gauss_step(S.eliminated, x[0], z, 18))], [h / 2])[0]
    return t + dt, distance(hopf(gauss_step(S.eliminated, dt, z, 18)), origin)


PAPER_ABOUT = {
    "system": "H = |p|^2/2 + q1 (g = (0,-1)), constraint |q|^2 + |p|^2 - level, level = exact |z|^2 of the printed point",
    "start": "the printed point slid along its fibre to {g,H} = 0 (by less than 1e-15)",
    "method": "base midpoint, step 0.1, 1000 steps; final states are those of step 1000",
    "lambda1, sigma1": "multipliers of the first RATTLE step, fibre map = time-1 flow of lambda X_g",
    "energy": "min and max over the steps 1..1000 of H - H(start); hidden: the same of {g,H} = 2 q.p - 2 p1 (SHAKE)",
    "period_first_return": "step * K: with the Hopf images w_k and s_k = (w_k - w_0).(w_1 - w_0), K = k + s_k/(s_k - s_{k+1}) for the first"
                           " k >= 1 with s_k < 0 <= s_{k+1} (linear interpolation: crude, but exactly reproducible)",
    "period_returns": "the same for the last such k, divided by the number of returns so far (also given)",
    "period_mean": "2 pi step / (rotation per step): rotation of w_k about the centroid of all images, in the plane normal to the sum of the cross"
                   " products of consecutive arms, averaged with weights exp(-1/(t(1-t))), t = k/steps; period_mean_error: change from 0.8 of the steps",
    "period_solution": "period of the exact solution of the constrained equations (closure_solution: how well its Hopf image closes)",
    "closure": "all 1001 images sorted by that angle; largest coordinate difference of an image from the polynomial (in the angle) through its"
               " 6 + 6 neighbours: small only if all revolutions lie on one smooth closed curve",
    "hopf": "(2 Re z0 conj z1, 2 Im z0 conj z1, |z0|^2-|z1|^2), z0 = q0 + i p0, z1 = q1 + i p1",
}


def paper(path, steps=1000):
    data = {"about": PAPER_ABOUT, "step": "0.1", "steps": steps, "points": {}}
    h = mpf(1) / 10
    for name, (q, p) in TABLE.items():
        began = time.time()
        level = sum(Fraction(x) ** 2 for x in q + p)
        digits = 40
        level_text = f"{level.numerator * 10 ** digits // level.denominator:0{digits + 1}d}"
        level_text = (level_text[:-digits] + "." + level_text[-digits:]).rstrip("0")
        assert Fraction(level_text) == level
        S = System(name, 2, [f"q0^2 + q1^2 + p0^2 + p1^2 - {level_text}"], q, p, hamiltonian="(p0^2 + p1^2)/2 + q1")
        printed = [mpf(x) for x in q + p]
        start = project(S, printed)
        energy0 = S.f_H(start)[0]
        log = []
        rattle(S, "midpoint", h, start, log)
        def size(multiplier): return max(abs(x) for x in multiplier)
        zs, zr, shakes, rattles, biggest = start, start, [], [], []
        N0 = S.f_N(start)[0]
        for _ in range(steps):
            zs = shake(S, "midpoint", h, zs, biggest)
            zr = rattle(S, "midpoint", h, zr, biggest)
            assert S.f_N(zr)[0] * N0 > 0
            shakes.append(zs)
            rattles.append(zr)
        returns, mean, mean_error, closure = closed_curve([hopf(z) for z in [start] + rattles])
        exact_period, exact_closure = exact_return(S, start, h / 4)
        same = max(distance(hopf(a), hopf(b)) for a, b in zip(shakes, rattles))
        es, er = [S.f_H(z)[0] - energy0 for z in shakes], [S.f_H(z)[0] - energy0 for z in rattles]
        hidden = [S.f_rho(z)[0] for z in shakes]

        def state(z): return {"q": [text(x) for x in z[:2]], "p": [text(x) for x in z[2:]]}
        data["points"][name] = {
            "printed": {"q": q, "p": p}, "level": level_text, "start": state(start), "energy_start": text(energy0),
            "lambda1": text(size(log[0])), "sigma1": text(size(log[1])),
            "rattle": {"energy_min": text(min(er)), "energy_max": text(max(er)), "final": state(zr)},
            "shake": {"energy_min": text(min(es)), "energy_max": text(max(es)), "final": state(zs),
                      "hidden_min": text(min(hidden)), "hidden_max": text(max(hidden))},
            "period_first_return": text(h * returns[0]), "period_returns": text(h * returns[-1] / len(returns)),
            "returns": len(returns), "period_mean": mp.nstr(h * mean, 20), "period_mean_error": mp.nstr(h * mean_error, 2),
            "period_solution": text(exact_period), "closure_solution": mp.nstr(exact_closure, 3), "closure": mp.nstr(closure, 3),
            "hopf_difference_shake_rattle": mp.nstr(same, 3), "largest_multiplier": mp.nstr(max(map(size, biggest)), 8)}
        print(name, f"{time.time() - began:.0f} s", json.dumps(data["points"][name], indent=1), flush=True)
        with open(path, "w") as f:
            json.dump(data, f, indent=1)
            f.write("\n")


ABOUT = {
    "conventions": "X_F = (F_p,-F_q); {F,G} = F_q G_p - F_p G_q; fibre map = time-1 flow of sum lambda_i X_gi",
    "numbers": "strings of 36 digits; starts are exact as printed (on g = 0, {g,H} = 0 to 1e-35); step is exact in binary",
    "shake": "lambda with g(phi_h(Gamma_lambda z)) = 0, result phi_h(Gamma_lambda z); branch next to lambda = 0",
    "rattle": "shake, then slide along the fibre to {g,H} = 0, in every step",
    "euler-a": "p implicit: p1 = p0 - h H_q(q0,p1), q1 = q0 + h H_p(q0,p1)",
    "euler-b": "q implicit: q1 = q0 + h H_p(q1,p0), p1 = p0 - h H_q(q1,p0)",
    "verlet": "euler-b(h/2) after euler-a(h/2)",
    "verlet-b": "euler-a(h/2) after euler-b(h/2)",
    "midpoint": "z1 = z0 + h X_H((z0+z1)/2)",
    "gauss2, gauss3": "Gauss-Legendre collocation with 2, 3 stages on z' = X_H",
    "exact": "flow of X_H",
    "variational": "-D1 L_d(q0,q1) + G(q0)^T lambda = p0, g(q1) = 0; p1 = D2 L_d(q0,q1) - G(q1)^T mu with G(q1) H_p(q1,p1) = 0;"
                   " v = (q1-q0)/h; trapezoid h/2 (L(q0,v)+L(q1,v)), midpoint h L((q0+q1)/2,v), left h L(q0,v), right h L(q1,v)",
    "rk4": "classical tableau on z' = X_H + sum lambda_i X_gi in the variables (q,p), lambda from d/dt {g,H} = 0",
    "velocity-verlet": "a(q,v) = q'' of the same equations, v = H_p; q1 = q + h v + h^2/2 a(q,v);"
                       " v1 = v + h/2 (a(q,v) + a(q1, v + h a(q,v))); p1 with H_p(q1,p1) = v1",
    "naive-projection": "unconstrained base step to (q~,p~); q1 = q~ - M^-1 G(q1)^T nu with g(q1) = 0;"
                        " p1 = p~ - G(q1)^T mu with G(q1) M^-1 p1 = 0",
    "index1-direct": "midpoint rule on q' = H_p, p' = -H_q, 0 = H_beta (stage value of beta); beta1 from H_beta(q1,p1,beta1) = 0",
    "lambda": "position multipliers of the last step",
    "solution": "the exact solution of the constrained equations at time step*steps",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["trajectories", "long", "paper", "check", "describe"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--out")
    a = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    if a.what == "describe":
        for name, S in systems(a.only).items():
            d = describe(S)
            print(name, "start", [mp.nstr(x, 5) for x in S.start], "|g|", mp.nstr(d["g"], 2), "|rho|", mp.nstr(d["rho"], 2),
                  "|{g,g}|", mp.nstr(d["gg"], 2), "sv N", [mp.nstr(x, 4) for x in d["N"]],
                  "lambda", [mp.nstr(x, 4) for x in d["lambda"]])
    elif a.what == "check":
        check(a.only)
    elif a.what == "paper":
        paper(a.out or os.path.join(here, "paper.json"))
    elif a.what == "long":
        long_runs(a.only, a.out or os.path.join(here, "long.json"))
    elif a.what == "trajectories":
        trajectories(a.only, a.out or os.path.join(here, "trajectories.json"))


if __name__ == "__main__":
    main()
