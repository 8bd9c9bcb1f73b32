"""Checks of these files against themselves: orders, forms, known identities."""

from mpmath import mp, mpf

from symbolic import compiled, diff
from numerics import FD, gauss_step
from steps import index1_direct, methods, rattle, variational
from problems import systems


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


def order_and_form(S, method, options, step):
    h, z = mpf(S.step), S.start
    errors = []
    for k in (1, 2):
        y, exact = z, z
        for _ in range(2 * k):
            y, exact = step(h / 2 / k, y), gauss_step(S.eliminated, h / 2 / k, exact, 10)
        errors.append(distance(y, exact))
    order = mp.log(errors[0] / errors[1], 2) if errors[1] > mpf(10) ** -32 else mpf("inf")
    tag = ":".join([method] + list(options.values()))
    return f"{tag} order {mp.nstr(order, 3)} form {mp.nstr(form_defect(S, step, h), 1)}"


def check(only):
    for name, S in systems(only).items():
        h, z = mpf(S.step), S.start
        report = []
        for method, options, step in methods(S):
            if method in ("shake", "solution"):
                continue
            report.append(order_and_form(S, method, options, step))
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
