"""Sixty digits: flows by Taylor series, small dense algebra, Newton, fixed points, Gauss collocation."""

from mpmath import mp, mpf

from symbolic import Ex, cos, number, schedule, sin, var

mp.dps = 60
TINY = mpf(10) ** -57        # fixed-point iterations stop here
FD = mpf(10) ** -28          # increment of difference quotients


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
