"""Gauss-Legendre methods on the formulations (6), (2), (17) and (8) of [Reich93], stage by stage.

The fields are those of symbolic Hamiltonians H + lambda.phi; the stages with their multipliers are one
system of equations for Newton with difference quotients. H_o of (8) is only ever evaluated: its gradient
is a central difference of order 6, exact to 1e-45 here.
"""

from mpmath import mp, mpf

from symbolic import compiled, const, diff, var
from numerics import TABLEAU, gauss_step, gauss_tableau, newton, solve

ABOUT = {
    "conventions": "X_F = (F_p,-F_q); {F,G} = F_q G_p - F_p G_q; rho = {g,H}",
    "numbers": "strings of 36 digits; starts are exact as printed (on g = 0, {g,H} = 0 to 1e-35); step is exact in binary",
    "index2": "z' = X_H + sum lambda_i X_gi + sum lambda'_i X_rhoi, g = rho = 0 at every stage",
    "index3": "z' = X_H + sum lambda_i X_gi, g = 0 at every stage",
    "index2-momentum": "z' = X_H + sum lambda_i X_gi, rho = 0 at every stage",
    "unconstrained": "z' = X_Ho, Ho = H - phi^T {phi,phi}^-1 {phi,H} with phi = (g, rho)",
    "projected": "each step ends with z1 = z~ + sum mu_i X_phii(z1), phi(z1) = 0",
    "reversible": "each step is two of half its length",
}


class Formulations:
    def __init__(self, S):
        self.S, m = S, S.m
        self.phi = S.g + S.rho
        self.f_phi = compiled(self.phi, S.names)
        self.f_dphi = compiled([diff(f, v) for f in self.phi for v in S.names], S.names)
        self.f_dH = compiled([diff(S.H, v) for v in S.names], S.names)
        self.fields = {}
        for name, driving, kept in (("index2", self.phi, self.phi), ("index3", S.g, S.g), ("index2-momentum", S.g, S.rho)):
            lam = [f"mult{i}" for i in range(len(driving))]
            K = S.H
            for l, f in zip(lam, driving):
                K = K + var(l) * f
            self.fields[name] = compiled(S.field(K), S.names + lam), compiled(kept, S.names), len(driving)
        lam = [f"mult{i}" for i in range(2 * m)]
        sum_phi = const(0)
        for l, f in zip(lam, self.phi):
            sum_phi = sum_phi + var(l) * f
        self.f_Xphi = compiled(S.field(sum_phi), S.names + lam)

    def stages(self, name, s, h, z):
        """Unknowns: stages Z_i and h times the multipliers (the equations are linear in them)."""
        f, kept, k = self.fields[name]
        d = len(z)
        if s not in TABLEAU:
            TABLEAU[s] = gauss_tableau(s)
        A, b = TABLEAU[s]

        def slopes(x):
            return [f(x[i * (d + k):i * (d + k) + d] + x[i * (d + k) + d:(i + 1) * (d + k)]) for i in range(s)]

        def residual(x):
            F, out = slopes(x), []
            for i in range(s):
                Z = x[i * (d + k):i * (d + k) + d]
                out += [Z[c] - z[c] - h * mp.fdot((A[i][j], F[j][c]) for j in range(s)) for c in range(d)]
                out += kept(Z)
            return out
        lam = self.S.multiplier(self.S.f_eliminated(z))
        guess = (list(z) + (lam + [mpf(0)] * self.S.m)[:k]) * s
        x = newton(residual, guess, f"gauss {name} {self.S.name}")
        F = slopes(x)
        return [z[c] + h * mp.fdot((b[j], F[j][c]) for j in range(s)) for c in range(d)]

    def H_o(self, z):
        n, k = self.S.n, 2 * self.S.m
        phi, flat, dH = self.f_phi(z), self.f_dphi(z), self.f_dH(z)
        rows = [flat[i * 2 * n:(i + 1) * 2 * n] for i in range(k)]

        def bracket(a, b): return mp.fdot(zip(a[:n], b[n:])) - mp.fdot(zip(a[n:], b[:n]))
        lam = solve([[bracket(a, b) for b in rows] for a in rows], [-bracket(a, dH) for a in rows])
        return self.S.f_H(z)[0] + mp.fdot(zip(phi, lam))

    def unconstrained_field(self, z):
        n, d, gradient = self.S.n, mpf(10) ** -9, []
        with mp.workdps(80):     # differences lose ten digits
            for i in range(2 * n):
                def at(t): return self.H_o([x + (t * d if j == i else 0) for j, x in enumerate(z)])
                gradient.append((45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + at(3) - at(-3)) / (60 * d))
        return gradient[n:] + [-x for x in gradient[:n]]

    def project(self, z):
        d = len(z)

        def residual(x):
            X = self.f_Xphi(x)
            return [x[i] - z[i] - X[i] for i in range(d)] + self.f_phi(x[:d])
        return newton(residual, list(z) + [mpf(0)] * (2 * self.S.m), f"projection {self.S.name}")[:d]

    def step(self, name, s, h, z, variant="plain"):
        if variant == "reversible":
            return self.step(name, s, h / 2, self.step(name, s, h / 2, z))
        if name == "unconstrained":
            z1 = gauss_step(self.unconstrained_field, h, z, s)
        else:
            z1 = self.stages(name, s, h, z)
        return self.project(z1) if variant == "projected" else z1


PROBLEMS = ("planar_pendulum", "double_pendulum", "quartic", "magnetic", "hopf_shifted")
STARTS = {"planar_pendulum": ["1", "0", "0", "-2"]}


def settings(S):
    """(formulation, stages, variant) of the records."""
    names = ["index2", "unconstrained"] + (["index3", "index2-momentum"] if S.holonomic else [])
    for name in names:
        for s in (1, 2, 3):
            yield name, s, "plain"
    yield "index2", 2, "projected"
    yield "index2", 1, "reversible"
