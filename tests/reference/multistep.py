"""The numbers of tests/integrators/multistep_test.cpp: symmetric multistep methods in 40 digits.

The recurrence as [Console13] prints it, sum alpha_j q = h^2 M^-1 sum beta_j (f - G^T lambda), with plain
sums and rational coefficients; nothing is shared with the library but the compositions of the start.
python3 tests/reference/multistep.py prints the table.
"""
from fractions import Fraction
from math import comb, factorial

from mpmath import lu_solve, matrix, mp, mpf

mp.dps = 40
KAHAN_LI_6 = ["0.392161444007314139279250557422671404", "0.332599136789359438599748637500049647",
              "-0.706246172557639359809964819549256459", "0.0822135962935508002314904481020563311"]
KAHAN_LI_8 = ["0.130202483088890080878817632096700522", "0.561162981775108384561964407700150567",
              "-0.389474962644847286408078598235248389", "0.158841906555155600896210745707152481",
              "-0.395903894133237577336231539347938936", "0.184539640978315707091832541533375463",
              "0.258374387686322047293979109994939472", "0.295011723609310298870966240218228113"]
ANGLES = {4: ["1/4"], 6: ["-5/16", "11/16"], 8: ["-3/4", "-7/16", "13/16"]}


def mirrored(outer):
    outer = [mpf(c) for c in outer]
    return outer + [1 - 2 * sum(outer)] + outer[::-1]


SUZUKI = 1 / (4 - mpf(4) ** (mpf(1) / 3))
START = {4: mirrored([SUZUKI, SUZUKI]), 6: mirrored(KAHAN_LI_6), 8: mirrored(KAHAN_LI_8)}


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

    def rattle(self, q, p, h):
        half = [x - h / 2 * s for x, s in zip(p, self.slope(q))]
        base = [x + h * y / m for x, y, m in zip(q, half, self.mass)]
        q1, multiplier = self.land(q, base, h)
        half = self.kick(self.jacobian(q), multiplier, half)
        return q1, [x - h / 2 * s for x, s in zip(half, self.slope(q1))]


def run(problem, order, h, steps):
    alpha, beta = coefficients(order)
    half, (q0, p0) = order // 2, problem.start
    points = {0: (q0, p0)}
    for side in (1, -1):
        q, p = q0, p0
        for j in range(1, half + 1):
            for c in START[order]:
                q, p = problem.rattle(q, p, side * h * c)
            p = problem.project(q, p)
            points[side * j] = q, p
    where = range(-half + 1, half + 1)
    q = [points[j][0] for j in where]

    def force(x, multiplier):
        return problem.kick(problem.jacobian(x), multiplier, [-s for s in problem.slope(x)])

    forces = [force(points[j][0], problem.multiplier(*points[j])) for j in where]
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
