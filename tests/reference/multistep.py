"""The numbers of tests/integrators/multistep_test.cpp: symmetric multistep methods in 40 digits.

The recurrence as [Console13] prints it, sum alpha_j q = h^2 M^-1 sum beta_j (f - G^T lambda), with plain
sums and rational coefficients; the start by collocation, in divided differences. Nothing is shared with
the library.
python3 tests/reference/multistep.py prints the table.
"""
from fractions import Fraction
from math import comb, factorial, prod

from mpmath import lu_solve, matrix, mp, mpf

mp.dps = 40
ANGLES = {4: ["1/4"], 6: ["-5/16", "11/16"], 8: ["-3/4", "-7/16", "13/16"]}


def product(a, b):
    c = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            c[i + j] += x * y
    return c


def coefficients(order):
    """alpha and beta: rho/log^2 = sigma + O((z - 1)^order)."""
    gamma = [Fraction(1)]
    for a in ANGLES[order]:
        gamma = product(gamma, [Fraction(1), 2 * Fraction(a), Fraction(1)])
    log = [Fraction((-1) ** k, k + 1) for k in range(order)]
    square = product(log, log)[:order]
    inverse = [Fraction(1)]
    for k in range(1, order):
        inverse.append(-sum(square[j] * inverse[k - j] for j in range(1, k + 1)))
    at_one = [sum(gamma[i] * comb(i, k) for i in range(k, len(gamma))) for k in range(len(gamma))]
    series = product(at_one, inverse)[:order]
    sigma = [Fraction(0)] * (order + 1)
    for n, s in enumerate(series):
        for i in range(n + 1):
            sigma[i] += s * comb(n, i) * (-1) ** (n - i)
    rho = product([Fraction(1), Fraction(-2), Fraction(1)], gamma)
    return [[mpf(x.numerator) / x.denominator for x in p] for p in (rho, sigma)]


class Problem:
    def __init__(self, mass, slope, g, jacobian, curvature, q, p):
        self.mass, self.slope, self.g = [mpf(m) for m in mass], slope, g
        self.jacobian, self.curvature = jacobian, curvature
        self.start = [mpf(x.numerator) / x.denominator for x in q], [mpf(x.numerator) / x.denominator for x in p]

    def gram(self, a, b):
        return matrix([[sum(x * y / m for x, y, m in zip(r, s, self.mass)) for s in b] for r in a])

    def kick(self, jacobian, multiplier, p):
        return [x - sum(row[i] * l for row, l in zip(jacobian, multiplier)) for i, x in enumerate(p)]

    def hidden(self, jacobian, p):
        return matrix([sum(x * y / m for x, y, m in zip(row, p, self.mass)) for row in jacobian])

    def project(self, q, p):
        jacobian = self.jacobian(q)
        return self.kick(jacobian, lu_solve(self.gram(jacobian, jacobian), self.hidden(jacobian, p)), p)

    def multiplier(self, q, p):
        jacobian, v = self.jacobian(q), [x / m for x, m in zip(p, self.mass)]
        right = matrix(self.curvature(v)) - self.hidden(jacobian, self.slope(q))
        return lu_solve(self.gram(jacobian, jacobian), right)

    def land(self, q, base, strength):
        """q1 = base - strength M^-1 G(q)^T lambda with g(q1) = 0."""
        jacobian = self.jacobian(q)
        multiplier = matrix([mpf(0)] * len(jacobian))
        for _ in range(80):
            shift = self.kick(jacobian, multiplier, [mpf(0)] * len(q))
            q1 = [b + strength * s / m for b, s, m in zip(base, shift, self.mass)]
            step = lu_solve(strength * self.gram(self.jacobian(q1), jacobian), matrix(self.g(q1)))
            multiplier += step
            if max(abs(x) for x in step) * abs(strength) < mpf(10) ** -38:
                break
        shift = self.kick(jacobian, multiplier, [mpf(0)] * len(q))
        return [b + strength * s / m for b, s, m in zip(base, shift, self.mass)], multiplier

    def force(self, q, p):
        return self.kick(self.jacobian(q), self.multiplier(q, p), [-s for s in self.slope(q)])


def newton_basis(nodes):
    """Of the basis 1, (t - t_0), (t - t_0)(t - t_1), ...: integrals from 0, once and twice, at the nodes."""
    basis, once, twice = [Fraction(1)], [], []
    for t in nodes:
        rows = []
        for times in (1, 2):
            shifted = [c / prod(range(i + 1, i + 1 + times)) for i, c in enumerate(basis)]
            rows.append([sum(c * Fraction(x) ** (i + times) for i, c in enumerate(shifted)) for x in nodes])
        once.append(rows[0]), twice.append(rows[1])
        basis = product(basis, [Fraction(-t), Fraction(1)])
    return once, twice


def collocate(problem, order, h):
    """q'' a polynomial through its own values at order + 1 nodes about the start: q and p there, q'' M too."""
    half, (q0, p0) = order // 2, problem.start
    nodes = list(range(-half, half + 1))
    once, twice = newton_basis(nodes)
    value = lambda x: mpf(x.numerator) / x.denominator
    forces = [problem.force(q0, p0)] * len(nodes)
    for _ in range(200):
        table = [list(f) for f in forces]  # divided differences
        for level in range(1, len(nodes)):
            for k in range(len(nodes) - 1, level - 1, -1):
                table[k] = [(a - b) / level for a, b in zip(table[k], table[k - 1])]
        points = []
        for k, j in enumerate(nodes):
            p = [y + h * sum(value(row[k]) * d[i] for row, d in zip(once, table)) for i, y in enumerate(p0)]
            q = [x + (j * h * y + h * h * sum(value(row[k]) * d[i] for row, d in zip(twice, table))) / m
                 for i, (x, y, m) in enumerate(zip(q0, p0, problem.mass))]
            points.append((q, p))
        last, forces = forces, [problem.force(q, p) for q, p in points]
        if max(abs(a - b) for f, g in zip(forces, last) for a, b in zip(f, g)) < mpf(10) ** -37:
            break
    start = {}
    for j, (q, p) in zip(nodes, points):
        on, multiplier = problem.land(q, q, mpf(1))[0] if j else q0, problem.multiplier(q, p)
        start[j] = on, problem.kick(problem.jacobian(on), multiplier, [-s for s in problem.slope(on)])
    return start


def run(problem, order, h, steps):
    alpha, beta = coefficients(order)
    half = order // 2
    points = collocate(problem, order, h)
    where = range(-half + 1, half + 1)
    q = [points[j][0] for j in where]
    forces = [points[j][1] for j in where]

    def force(x, multiplier):
        return problem.kick(problem.jacobian(x), multiplier, [-s for s in problem.slope(x)])

    while len(q) < steps + order:
        forces[-1] = [-s for s in problem.slope(q[-1])]
        base = [-sum(a * x[i] for a, x in zip(alpha, q[-order:])) +
                h * h * sum(b * f[i] for b, f in zip(beta, forces[-order:])) / m
                for i, m in enumerate(problem.mass)]
        q1, multiplier = problem.land(q[-1], base, h * h * beta[order - 1])
        forces[-1] = force(q[-1], multiplier)
        q.append(q1)
        forces.append(None)
    n = steps + half - 1
    weight = [mpf((-1) ** (j + 1) * factorial(half) ** 2) / (j * factorial(half - j) * factorial(half + j))
              for j in range(1, half + 1)]
    p = [m / h * sum(w * (q[n + j][i] - q[n - j][i]) for j, w in enumerate(weight, 1))
         for i, m in enumerate(problem.mass)]
    return q[n], problem.project(q[n], p)


F = Fraction
PROBLEMS = {
    "pendulum": Problem([1, 1], lambda q: [mpf(0), mpf(1)], lambda q: [(q[0] ** 2 + q[1] ** 2 - 1) / 2],
                        lambda q: [list(q)], lambda v: [v[0] ** 2 + v[1] ** 2], [F(1), F(0)], [F(0), F(-2)]),
    "spherical": Problem([1, 1, 1],
                         lambda q: [mpf(3) / 5 * q[0] * q[1] ** 2, mpf(3) / 5 * q[1] * q[0] ** 2, mpf(1)],
                         lambda q: [(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 - 1) / 2], lambda q: [list(q)],
                         lambda v: [v[0] ** 2 + v[1] ** 2 + v[2] ** 2], [F(3, 5), F(0), F(-4, 5)],
                         [F(4, 5), F(9, 10), F(3, 5)]),
    "double": Problem([1, 1, 2, 2], lambda q: [mpf(0), mpf(1), mpf(0), mpf(2)],
                      lambda q: [(q[0] ** 2 + q[1] ** 2 - 1) / 2,
                                 ((q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - 1) / 2],
                      lambda q: [[q[0], q[1], 0, 0],
                                 [q[0] - q[2], q[1] - q[3], q[2] - q[0], q[3] - q[1]]],
                      lambda v: [v[0] ** 2 + v[1] ** 2, (v[2] - v[0]) ** 2 + (v[3] - v[1]) ** 2],
                      [F(3, 5), F(-4, 5), F(64, 65), F(-112, 65)],
                      [F(4, 5), F(3, 5), F(44, 65), F(53, 65)]),
}

if __name__ == "__main__":
    for name, problem in PROBLEMS.items():
        for order in (4, 6, 8):
            q, p = run(problem, order, mpf(1) / 64, 64)
            print(name, order, [mp.nstr(x, 32) for x in q], [mp.nstr(x, 32) for x in p], flush=True)
