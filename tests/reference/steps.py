"""The methods, by their formulas: base maps, SHAKE and RATTLE, variational, and what not to use."""

from mpmath import mp, mpf

from numerics import fixed_point, gauss_step, newton, solve


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
