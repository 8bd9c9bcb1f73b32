"""A constrained system: H, g, their derivatives, brackets, fibres, a consistent start."""

from fractions import Fraction

from mpmath import mp, mpf

from symbolic import compiled, const, diff, is_const, parse, schedule, var
from numerics import TaylorFlow, solve

DIGITS = 36                  # printed


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
