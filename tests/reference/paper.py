"""Table 1 of McLachlan, Modin, Verdier, Wilkins at its own level."""

import json
import time
from fractions import Fraction

from mpmath import mp, mpf

from numerics import gauss_step, newton
from constrained import System, text
from steps import project, rattle, shake
from checks import distance


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
