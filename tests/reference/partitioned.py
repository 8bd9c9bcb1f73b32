"""Partitioned Runge-Kutta methods on the constrained equations, coefficients from their definitions:

    Q_i = q + h sum_j a_ij V_j,      P_i = p + h sum_j ahat_ij F_j - sum_k alpha_ik G(X_k)^T L_k
    X_k = q + h sum_j atilde_kj V_j, q1 = q + h sum_j b_j V_j, p1 = p + h sum_j b_j F_j - sum_k beta_k G(X_k)^T L_k
    V_j = H_p(Q_j,P_j), F_j = -H_q(Q_j,P_j), g(X_k) = 0 for k > 0, G(q1) H_p(q1,p1) = 0

All unknowns at once, the last multiplier too, by Newton with difference quotients. Nodes are roots of polynomials in
powers of t, integrals are of Lagrange polynomials in powers of t.
"""

from mpmath import mp, mpf

from numerics import newton
from steps import momentum_projection


def lagrange(nodes):
    """Coefficients in increasing powers."""
    polys = []
    for j, cj in enumerate(nodes):
        poly = [mpf(1)]
        for l, cl in enumerate(nodes):
            if l != j:
                poly = [((poly[k - 1] if k > 0 else 0) - (cl * poly[k] if k < len(poly) else 0)) / (cj - cl)
                        for k in range(len(poly) + 1)]
        polys.append(poly)
    return polys


def integrals(nodes, ends):
    """int_0^end of each Lagrange polynomial of the nodes."""
    return [[sum(a * e ** (k + 1) / (k + 1) for k, a in enumerate(p)) for p in lagrange(nodes)] for e in ends]


def derivative_roots(s, order, power):
    """Roots in (0,1) of the order-th derivative of (t^2 - t)^power."""
    poly = [mpf(1)]
    for _ in range(power):
        poly = [(poly[k - 2] if 2 <= k < len(poly) + 2 else 0) - (poly[k - 1] if 1 <= k < len(poly) + 1 else 0)
                for k in range(len(poly) + 2)]
    for _ in range(order):
        poly = [k * a for k, a in enumerate(poly)][1:]
    roots = [mp.re(x) for x in mp.polyroots(poly[::-1], maxsteps=500, extraprec=600)]
    inner = sorted(x for x in roots if mpf(10) ** -20 < x < 1 - mpf(10) ** -20)
    assert len(inner) == s
    return inner


def gauss_nodes(s): return derivative_roots(s, s, s)
def lobatto_nodes(s): return [mpf(0)] + (derivative_roots(s - 2, s - 2, s - 1) if s > 2 else []) + [mpf(1)]


def conjugate(b, beta, a):
    """alpha_ik = beta_k (1 - a_ki/b_i): what symplecticity asks for."""
    return [[beta[k] * (1 - a[k][i] / b[i]) for k in range(len(beta))] for i in range(len(b))]


def lobatto(s):
    c = lobatto_nodes(s)
    a = integrals(c, c)
    b = a[-1]
    return dict(a=a, ahat=conjugate(b, b, a), b=b, atilde=a, alpha=conjugate(b, b, a), beta=b)


def spark(s):
    c, d = gauss_nodes(s), lobatto_nodes(s + 1)
    a, atilde = integrals(c, c), integrals(c, d)
    b, beta = integrals(c, [mpf(1)])[0], integrals(d, [mpf(1)])[0]
    return dict(a=a, ahat=conjugate(b, b, a), b=b, atilde=atilde, alpha=conjugate(b, beta, atilde), beta=beta)


COEFFICIENTS = {}


def coefficients(kind, s):
    if (kind, s) not in COEFFICIENTS:
        digits = mp.dps
        mp.dps = 2 * digits
        COEFFICIENTS[kind, s] = {"lobatto": lobatto, "spark": spark}[kind](s)
        mp.dps = digits
    return COEFFICIENTS[kind, s]


def staged(S, kind, s, h, z):
    n, m, t = S.n, S.m, coefficients(kind, s)
    q, p = z[:n], z[n:]
    r = len(t["beta"])

    def unpack(x):
        V = [x[n * i:n * i + n] for i in range(s)]
        P = [x[n * (s + i):n * (s + i) + n] for i in range(s)]
        L = [x[2 * n * s + m * k:2 * n * s + m * k + m] for k in range(r)]
        return V, P, L

    def along(row, V): return [q[j] + h * mp.fdot((c, v[j]) for c, v in zip(row, V)) for j in range(n)]

    def ends(x):
        V, P, L = unpack(x)
        Q = [along(row, V) for row in t["a"]]
        X = [along(row, V) for row in t["atilde"]]
        F = [[-f for f in S.f_Hq(a + b)] for a, b in zip(Q, P)]
        force = []
        for k in range(r):
            G = S.f_G(X[k] + p)
            force.append([mp.fdot((G[i * n + j], L[k][i]) for i in range(m)) for j in range(n)])
        push = lambda row, col: [p[j] + h * mp.fdot((c, f[j]) for c, f in zip(row, F))
                                 - mp.fdot((c, f[j]) for c, f in zip(col, force)) for j in range(n)]
        return V, P, Q, X, push, along(t["b"], V), push(t["b"], t["beta"])

    def residual(x):
        V, P, Q, X, push, q1, p1 = ends(x)
        out = []
        for i in range(s):
            out += [a - b for a, b in zip(V[i], S.f_Hp(Q[i] + P[i]))]
        for i in range(s):
            out += [a - b for a, b in zip(P[i], push(t["ahat"][i], t["alpha"][i]))]
        for k in range(1, r):
            out += [g / h for g in S.f_g(X[k] + p)]
        G, v = S.f_G(q1 + p1), S.f_Hp(q1 + p1)
        return out + [mp.fdot((G[i * n + j], v[j]) for j in range(n)) for i in range(m)]

    v0 = S.f_Hp(z)
    x = newton(residual, v0 * s + p * s + [mpf(0)] * (m * r), f"{kind} {s} {S.name}")
    *_, q1, p1 = ends(x)
    return q1 + p1


def prk1(S, h, z):
    """[Reich93 (24)]"""
    n, m = S.n, S.m
    q, p = z[:n], z[n:]
    G = S.f_G(z)

    def q_next(pb): return [a + h * b for a, b in zip(q, S.f_Hp(q + pb))]

    def residual(x):
        pb, lam = x[:n], x[n:]
        f = S.f_Hq(q + pb)
        return [pb[j] - p[j] + h * f[j] + mp.fdot((G[i * n + j], lam[i]) for i in range(m)) for j in range(n)] \
            + [g / h for g in S.f_g(q_next(pb) + pb)]
    pb = newton(residual, p + [mpf(0)] * m, f"prk1 {S.name}")[:n]
    q1 = q_next(pb)
    return q1 + momentum_projection(S, q1, pb)


def prk1_adjoint(S, h, z):
    """The adjoint below [Reich93 (24)], with p1 = pbar_n - h{...}."""
    n, m = S.n, S.m
    q, p = z[:n], z[n:]
    G = S.f_G(z)

    def push(mu): return [p[j] - mp.fdot((G[i * n + j], mu[i]) for i in range(m)) for j in range(n)]

    def residual(x):
        q1, mu = x[:n], x[n:]
        pb = push(mu)
        return [(a - b) / h - v for a, b, v in zip(q1, q, S.f_Hp(q1 + pb))] + [g / h for g in S.f_g(q1 + pb)]
    x = newton(residual, [a + h * b for a, b in zip(q, S.f_Hp(z))] + [mpf(0)] * m, f"prk1-adjoint {S.name}")
    q1, pb = x[:n], push(x[n:])
    return q1 + momentum_projection(S, q1, [a - h * b for a, b in zip(pb, S.f_Hq(q1 + pb))])


def prk2(S, h, z): return prk1_adjoint(S, h / 2, prk1(S, h / 2, z))


def splitting(S, c, d, h, z):
    """[Reich93 (34)]; Lambda_i = 0 where c_i = 0."""
    n, m = S.n, S.m
    q, p = z[:n], z[n:]
    for ci, di in zip(c, d):
        V, G = S.f_Hq(q + p), S.f_G(q + p)

        def push(lam): return [p[j] - h * di * V[j] - mp.fdot((G[i * n + j], lam[i]) for i in range(m)) for j in range(n)]
        def drift(lam): return [a + h * ci * b for a, b in zip(q, S.f_Hp(q + push(lam)))]
        lam = [mpf(0)] * m
        if ci != 0:
            lam = newton(lambda l: [g / h for g in S.f_g(drift(l) + p)], lam, f"splitting {S.name}")
        q, p = drift(lam), push(lam)
    return q + momentum_projection(S, q, p)


def composition_of_verlet(gammas):
    """c, d of the symmetric composition with these substeps; d in the merged form of Corollary 11.2."""
    c = list(gammas) + [mpf(0)]
    d = [gammas[0] / 2] + [(a + b) / 2 for a, b in zip(gammas, gammas[1:])] + [gammas[-1] / 2]
    return c, d


def corollary_11_2():
    g = 1 / (2 - mp.cbrt(2))
    return composition_of_verlet([g, 1 - 2 * g, g])


def separable(S): return S.constant_mass or S.name == "ellipsoid"


def partitioned_methods(S):
    out = [("prk1", {}, lambda h, z: prk1(S, h, z)), ("prk1-adjoint", {}, lambda h, z: prk1_adjoint(S, h, z)),
           ("prk2", {}, lambda h, z: prk2(S, h, z))]
    for s in (2, 3, 4):
        out.append(("lobatto", {"stages": str(s)}, lambda h, z, s=s: staged(S, "lobatto", s, h, z)))
    for s in (1, 2, 3):
        out.append(("spark", {"stages": str(s)}, lambda h, z, s=s: staged(S, "spark", s, h, z)))
    if separable(S):
        c4, d4 = corollary_11_2()
        uneven = [mpf(x) for x in ("0.25", "0.5", "0.25")], [mpf(x) for x in ("0.375", "0.375", "0.25")]
        for options, (c, d) in (({"order": "1"}, ([mpf(1)], [mpf(1)])),
                                ({"order": "2"}, ([mpf(1), mpf(0)], [mpf("0.5")] * 2)),
                                ({"order": "4"}, (c4, d4)),
                                ({"c": "[0.25;0.5;0.25]", "d": "[0.375;0.375;0.25]"}, uneven)):
            out.append(("splitting", options, lambda h, z, c=c, d=d: splitting(S, c, d, h, z)))
    return out


PROBLEMS = ["planar_pendulum", "double_pendulum", "quartic", "magnetic"]
PARTITIONED = {
    "prk1, prk1-adjoint, prk2": "[Reich93 (24)], its adjoint with p1 = pbar_n - h{...}, (25)",
    "lobatto, spark": "partitioned.py says the equations; Lobatto IIIA-IIIB; Gauss stages with Lobatto multipliers",
    "splitting": "[Reich93 (34)], Lambda_i = 0 where c_i = 0; order 4 is Corollary 11.2",
}
