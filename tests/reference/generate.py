#!/usr/bin/python3
"""High-precision reference trajectories, independent of the C++ library.

    /usr/bin/python3 tests/reference/generate.py trajectories [--only PROBLEM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py long         [--only PROBLEM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py gauss        [--only PROBLEM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py paper        [--out FILE]
    /usr/bin/python3 tests/reference/generate.py partitioned  [--only PROBLEM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py underlying   [--out FILE]
    /usr/bin/python3 tests/reference/generate.py mechanisms   [--only MECHANISM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py minimal      [--only MECHANISM ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py robots       [--only ROBOT ...] [--out FILE]
    /usr/bin/python3 tests/reference/generate.py check        [--only PROBLEM ...]
    /usr/bin/python3 tests/reference/generate.py check-partitioned [--only PROBLEM ...]
    /usr/bin/python3 tests/reference/generate.py check-mechanisms

Needs python3-mpmath only. Everything is computed with 60 decimal digits and printed with 36.

How it works, and why it shares nothing with the library:
  * H and g are expressions in q0,q1,..,p0,p1,..; derivatives are symbolic (a small hash-consed graph),
    compiled to Python functions of mpmath numbers.
  * The flow of X_H (base map `exact`) and of sum lambda_i X_gi (the fibre map, always, for every kind of
    constraint) are Taylor series of the graph, order by order, to 1e-58.
  * The implicit base maps are solved by fixed-point iteration to 1e-57.
  * The multipliers are found by Newton's method with a difference-quotient Jacobian (increment 1e-28).
No closed forms (rotations, kicks, rod formulas) and no structure of the problem are used.

Conventions: X_F = (F_p, -F_q), {F,G} = F_q G_p - F_p G_q, rho_i = {g_i,H}, N_ij = {rho_i,g_j}.
Fibre map Gamma_lambda = time-1 flow of sum_i lambda_i X_gi.
"""
import argparse
import json
import os
import time

from mpmath import mp, mpf

from constrained import text
from steps import ABOUT, BASES, methods, project, rattle
from problems import describe, systems
from checks import check, order_and_form
import gauss
from mechanisms import check_mechanisms, mechanism_runs
from paper import paper
from partitioned import PARTITIONED, PROBLEMS, partitioned_methods
from underlying import underlying


def trajectories(only, path):
    data = {"about": ABOUT, "problems": {}, "records": []}
    if only and os.path.exists(path):
        old = json.load(open(path))
        data["problems"], data["records"] = old["problems"], [r for r in old["records"] if r["problem"] not in only]
    for name, S in systems(only).items():
        data["problems"][name] = S.definition
        h, z0, began = mpf(S.step), S.start, time.time()
        finals = {}
        for method, options, step in methods(S):
            z = z0
            for _ in range(S.steps):
                log = []
                z = step(h, z, log)
            finals[method, options.get("base") or options.get("quadrature")] = z
            data["records"].append({
                "problem": name, "method": method, "options": options, "step": S.step, "steps": S.steps,
                "q0": [text(x) for x in z0[:S.n]], "p0": [text(x) for x in z0[S.n:]],
                "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]],
                **({"lambda": [text(x) for x in log[0]]} if log else {})})
        for base in BASES:     # the two are the same map on fibres [McLachlan12 (11)]
            a, b = project(S, finals["shake", base]), finals["rattle", base]
            gap = max(abs(x - y) for x, y in zip(a, b))
            if gap > mpf(10) ** -34:
                raise RuntimeError(f"{name} {base}: projected SHAKE and RATTLE differ by {mp.nstr(gap, 3)}")
        end = finals["solution", None]
        worst = max(max(abs(x) for x in S.f_g(end)), max(abs(x) for x in S.f_rho(end)))
        far = {k: mp.nstr(max(abs(a - b) for a, b in zip(z, end)), 2) for k, z in finals.items() if k[0] in ("rattle", "rk4")}
        print(f"{name}: {time.time() - began:.1f} s, residual of the solution {mp.nstr(worst, 2)}; errors "
              + " ".join(f"{k[1] or k[0]}={v}" for k, v in far.items()), flush=True)
        write(data, path)


LONG = {   # steps: exact in binary, and short enough that no motion is unstable over 1000 of them
    "planar_pendulum": "0.046875", "double_pendulum": "0.0078125", "hopf_shifted": "0.03125"}


def long_runs(only, path):
    data = {"about": {k: ABOUT[k] for k in ("conventions", "numbers", "rattle", "verlet", "midpoint", "lambda")}, "records": []}
    for name, S in systems(only or list(LONG)).items():
        for base in ("verlet", "midpoint"):
            h, z, began, states = mpf(LONG[name]), S.start, time.time(), []
            for k in range(1, 1001):
                log = []
                z = rattle(S, base, h, z, log)
                if k in (10, 100, 1000):
                    states.append({"steps": k, "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]],
                                   "lambda": [text(x) for x in log[0]]})
            data["records"].append({"problem": name, "method": "rattle", "options": {"base": base}, "step": LONG[name],
                                    "q0": [text(x) for x in S.start[:S.n]], "p0": [text(x) for x in S.start[S.n:]],
                                    "states": states})
            print(f"{name} {base}: {time.time() - began:.1f} s", flush=True)
            write(data, path)


def gauss_runs(only, path):
    data = {"about": gauss.ABOUT, "records": []}
    for name, S in systems(only or list(gauss.PROBLEMS)).items():
        began, methods = time.time(), gauss.Formulations(S)
        z0 = [mpf(x) for x in gauss.STARTS[name]] if name in gauss.STARTS else S.start
        for formulation, stages, variant in gauss.settings(S):
            z = z0
            for _ in range(4):
                z = methods.step(formulation, stages, mpf(S.step), z, variant)
            data["records"].append({
                "problem": name, "method": "gauss",
                "options": {"stages": str(stages), "formulation": formulation, "variant": variant}, "step": S.step, "steps": 4,
                "q0": [text(x) for x in z0[:S.n]], "p0": [text(x) for x in z0[S.n:]],
                "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]]})
        print(f"{name}: {time.time() - began:.1f} s", flush=True)
        write(data, path)


def partitioned_runs(only, path):
    data = {"about": {**{k: ABOUT[k] for k in ("conventions", "numbers")}, **PARTITIONED}, "records": []}
    for name, S in systems(only or PROBLEMS).items():
        for method, options, step in partitioned_methods(S):
            z, began = S.start, time.time()
            for _ in range(S.steps):
                z = step(mpf(S.step), z)
            data["records"].append({
                "problem": name, "method": method, "options": options, "step": S.step, "steps": S.steps,
                "q0": [text(x) for x in S.start[:S.n]], "p0": [text(x) for x in S.start[S.n:]],
                "q": [text(x) for x in z[:S.n]], "p": [text(x) for x in z[S.n:]]})
            print(f"{name} {method} {options}: {time.time() - began:.1f} s", flush=True)
            write(data, path)


def write(data, path):
    with open(path + ".part", "w") as f:
        records = data.pop("records")
        head = json.dumps(data, indent=1)
        data["records"] = records
        f.write(head[:-2] + ",\n \"records\": [\n")
        f.write(",\n".join("  " + json.dumps(r) for r in records))
        f.write("\n ]\n}\n")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["trajectories", "long", "gauss", "paper", "partitioned", "underlying", "mechanisms", "minimal", "robots",
                                         "check", "check-partitioned", "check-mechanisms", "describe"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--out")
    a = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    if a.what == "describe":
        for name, S in systems(a.only).items():
            d = describe(S)
            print(name, "start", [mp.nstr(x, 5) for x in S.start], "|g|", mp.nstr(d["g"], 2), "|rho|", mp.nstr(d["rho"], 2),
                  "|{g,g}|", mp.nstr(d["gg"], 2), "sv N", [mp.nstr(x, 4) for x in d["N"]],
                  "lambda", [mp.nstr(x, 4) for x in d["lambda"]])
    elif a.what == "check":
        check(a.only)
    elif a.what == "check-partitioned":
        for name, S in systems(a.only or PROBLEMS).items():
            for method, options, step in partitioned_methods(S):
                print(name, order_and_form(S, method, options, step), flush=True)
    elif a.what == "check-mechanisms":
        check_mechanisms()
    elif a.what == "mechanisms":
        mechanism_runs(a.only, a.out or os.path.join(here, "mechanisms.json"), write)
    elif a.what == "minimal":
        from minimal import minimal_runs     # needs numpy, too
        minimal_runs(a.only, a.out or os.path.join(here, "minimal.json"), write)
    elif a.what == "robots":
        from robots import robot_runs        # this, too
        robot_runs(a.only, a.out or os.path.join(here, "robots.json"), write)
    elif a.what == "partitioned":
        partitioned_runs(a.only, a.out or os.path.join(here, "partitioned.json"))
    elif a.what == "paper":
        paper(a.out or os.path.join(here, "paper.json"))
    elif a.what == "underlying":
        underlying(a.out or os.path.join(here, "underlying.json"), write)
    elif a.what == "long":
        long_runs(a.only, a.out or os.path.join(here, "long.json"))
    elif a.what == "gauss":
        gauss_runs(a.only, a.out or os.path.join(here, "gauss.json"))
    elif a.what == "trajectories":
        trajectories(a.only, a.out or os.path.join(here, "trajectories.json"))


if __name__ == "__main__":
    main()
