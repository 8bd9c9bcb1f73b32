"""Underlying equations of a constrained system, each from its definition and not from its formula: trajectories off the manifold too.

dirac      {z,H} - {z,chi_a} (C^-1)_ab {chi_b,H}, chi = (g, {g,H}), C = {chi,chi}, the whole matrix solved
classical  X_H + sum lambda_i X_gi, {rho, H} + {rho, g} lambda = 0
total      canonical equations of H + sum lambda_i(q,p) g_i, lambda symbolic by Cramer's rule, every derivative symbolic
impetus    canonical equations of H*(q,p*) = H(q, p* - G^T lambda(q,p*)), lambda symbolic, its derivatives too
"""
from itertools import permutations

from mpmath import mp, mpf

from constrained import text
from numerics import gauss_step, solve
from problems import systems
from symbolic import Ex, compiled, const, diff, var

PROBLEMS = ("planar_pendulum", "double_pendulum", "quartic", "magnetic")
ABOUT = {
    "numbers": "strings of 36 digits; step is exact in binary",
    "start": "on: the start of trajectories.json; off: every coordinate and momentum moved by up to 0.05",
    "rk4": "the classical tableau", "gauss2": "Gauss collocation with 2 stages",
    "flow": "the exact flow, by Gauss collocation with 14 stages in every step (checked against 12 stages)",
    "impetus": "p is the impetus p*"}


def determinant(a):
    n, total = len(a), const(0)
    for order in permutations(range(n)):
        sign = 1
        for i in range(n):
            for j in range(i):
                sign = -sign if order[j] > order[i] else sign
        term = const(sign)
        for i in range(n):
            term = term * a[i][order[i]]
        total = total + term
    return total


def cramer(a, b):
    d = determinant(a)
    return [determinant([[b[i] if j == k else a[i][j] for j in range(len(b))] for i in range(len(b))]) / d
            for k in range(len(b))]


def substitute(e, values, memo):
    """The expression with variables replaced."""
    if e.id not in memo:
        if e.op == "var":
            memo[e.id] = values.get(e.args[0], e)
        elif e.op == "const":
            memo[e.id] = e
        else:
            args = [substitute(a, values, memo) if isinstance(a, Ex) else a for a in e.args]
            if e.op == "add":
                memo[e.id] = args[0] + args[1]
            elif e.op == "mul":
                memo[e.id] = args[0] * args[1]
            elif e.op == "inv":
                memo[e.id] = const(1) / args[0]
            else:
                memo[e.id] = Ex(e.op, *args)
    return memo[e.id]


def dirac(S):
    chi = S.g + S.rho
    k, d = len(chi), 2 * S.n
    fields = [S.field(c) for c in chi]                       # {z_l, chi_a} = (X_chi_a)_l
    f = compiled(S.XH + [x for X in fields for x in X] + [S.bracket(a, b) for a in chi for b in chi]
                 + [S.bracket(a, S.H) for a in chi], S.names)

    def field(z):
        v = f(z)
        X = [v[d * (a + 1):d * (a + 2)] for a in range(k)]
        C = [v[d * (k + 1) + k * a:d * (k + 1) + k * (a + 1)] for a in range(k)]
        y = solve(C, v[d * (k + 1) + k * k:])
        return [v[l] - mp.fdot((X[a][l], y[a]) for a in range(k)) for l in range(d)]
    return field


def total(S):
    N = [[S.bracket(r, g) for g in S.g] for r in S.rho]
    lam = cramer(N, [-S.bracket(r, S.H) for r in S.rho])
    H = S.H
    for l, g in zip(lam, S.g):
        H = H + l * g
    return compiled(S.field(H), S.names)


def impetus(S):
    G = [[diff(g, v) for v in S.q] for g in S.g]
    Hpp = [[diff(diff(S.H, a), b) for a in S.p] for b in S.p]
    assert all(diff(x, v).op == "const" and diff(x, v).args[0] == 0 for row in Hpp for x in row for v in S.p)
    R = [[sum((a[i] * Hpp[i][j] * b[j] for i in range(S.n) for j in range(S.n)), const(0)) for b in G] for a in G]
    lam = cramer(R, S.rho)
    p = {v: var(v) - sum((lam[k] * G[k][i] for k in range(S.m)), const(0)) for i, v in enumerate(S.p)}
    return compiled(S.field(substitute(S.H, p, {})), S.names)


FORMULATIONS = {"dirac": dirac, "classical": lambda S: S.eliminated, "total": total, "impetus": impetus}


def rk4(f, h, z):
    k1 = f(z)
    k2 = f([a + h / 2 * b for a, b in zip(z, k1)])
    k3 = f([a + h / 2 * b for a, b in zip(z, k2)])
    k4 = f([a + h * b for a, b in zip(z, k3)])
    return [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, k1, k2, k3, k4)]


STEPS = {"rk4": rk4, "gauss2": lambda f, h, z: gauss_step(f, h, z, 2), "flow": lambda f, h, z: gauss_step(f, h, z, 14)}


def underlying(path, write):
    data = {"about": ABOUT, "records": []}
    for name, S in systems(PROBLEMS).items():
        off = [mpf(text(x + mpf((7 * i + 3) % 11 - 5) / 100)) for i, x in enumerate(S.start)]
        h = mpf(S.step)
        for formulation, make in FORMULATIONS.items():
            f = make(S)
            for start, z0 in (("on", S.start), ("off", off)):
                for method, step in STEPS.items():
                    z = z0
                    for _ in range(S.steps):
                        z = step(f, h, z)
                    data["records"].append({
                        "problem": name, "formulation": formulation, "start": start, "method": method, "step": S.step,
                        "steps": S.steps, "q0": [text(x) for x in z0[:S.n]], "p0": [text(x) for x in z0[S.n:]],
                        "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]]})
                    if method == "flow":
                        check = z0
                        for _ in range(S.steps):
                            check = gauss_step(f, h, check, 12)
                        gap = max(abs(a - b) for a, b in zip(z, check))
                        print(name, formulation, start, "14 against 12 stages", mp.nstr(gap, 3), flush=True)
                        assert gap < mpf(10) ** -24
        write(data, path)
