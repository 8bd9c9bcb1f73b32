"""Expressions: a hash-consed graph with symbolic derivatives, compiled to functions of mpmath numbers."""

import re
from fractions import Fraction

from mpmath import mp, mpf


class Ex:
    table = {}
    __slots__ = ("op", "args", "id", "memo")

    def __new__(cls, op, *args):
        key = (op,) + tuple(a.id if isinstance(a, Ex) else ("#", a) for a in args)
        node = cls.table.get(key)
        if node is None:
            node = object.__new__(cls)
            node.op, node.args, node.id, node.memo = op, args, len(cls.table), {}
            cls.table[key] = node
        return node

    def __add__(self, o): return add(self, lift(o))
    def __radd__(self, o): return add(lift(o), self)
    def __sub__(self, o): return add(self, mul(const(-1), lift(o)))
    def __rsub__(self, o): return add(lift(o), mul(const(-1), self))
    def __mul__(self, o): return mul(self, lift(o))
    def __rmul__(self, o): return mul(lift(o), self)
    def __truediv__(self, o): return mul(self, power(lift(o), -1))
    def __rtruediv__(self, o): return mul(lift(o), power(self, -1))
    def __neg__(self): return mul(const(-1), self)
    def __pos__(self): return self

    def __pow__(self, k):
        if isinstance(k, Ex):
            k = k.args[0]
        assert k == int(k)
        return power(self, int(k))


def const(x): return Ex("const", Fraction(x))
def var(name): return Ex("var", name)
def lift(x): return x if isinstance(x, Ex) else const(x)
def is_const(e, value=None): return e.op == "const" and (value is None or e.args[0] == value)


def add(a, b):
    if is_const(a) and is_const(b):
        return const(a.args[0] + b.args[0])
    if is_const(a, 0):
        return b
    if is_const(b, 0):
        return a
    return Ex("add", a, b)


def mul(a, b):
    if is_const(b):
        a, b = b, a
    if is_const(a):
        if is_const(b):
            return const(a.args[0] * b.args[0])
        if a.args[0] == 0:
            return a
        if a.args[0] == 1:
            return b
        if b.op == "mul" and is_const(b.args[0]):
            return mul(const(a.args[0] * b.args[0].args[0]), b.args[1])
    elif b.op == "mul" and is_const(b.args[0]):
        return mul(b.args[0], mul(a, b.args[1]))
    elif a.op == "mul" and is_const(a.args[0]):
        return mul(a.args[0], mul(a.args[1], b))
    return Ex("mul", a, b)


def power(a, k):
    if k == 0:
        return const(1)
    if k == 1:
        return a
    if is_const(a):
        return const(a.args[0] ** k)
    if k > 0:
        half = power(a, k // 2)
        sq = mul(half, half)
        return mul(sq, a) if k % 2 else sq
    return Ex("inv", power(a, -k))


def sin(a): return Ex("sin", a)
def cos(a): return Ex("cos", a)


def diff(e, name):
    d = e.memo.get(name)
    if d is not None:
        return d
    if e.op == "const":
        d = const(0)
    elif e.op == "var":
        d = const(1 if e.args[0] == name else 0)
    elif e.op == "add":
        d = diff(e.args[0], name) + diff(e.args[1], name)
    elif e.op == "mul":
        d = diff(e.args[0], name) * e.args[1] + e.args[0] * diff(e.args[1], name)
    elif e.op == "inv":
        d = -(diff(e.args[0], name) * (e * e))
    elif e.op == "sin":
        d = diff(e.args[0], name) * cos(e.args[0])
    elif e.op == "cos":
        d = -(diff(e.args[0], name) * sin(e.args[0]))
    e.memo[name] = d
    return d


def parse(text, names):
    """Infix text with ^ for powers; decimal numbers are exact rationals."""
    env = {v: var(v) for v in names}
    env.update(C=const, sin=sin, cos=cos)
    src = re.sub(r"(?<![A-Za-z0-9_.])(\d+\.\d+|\d+)", r"C('\1')", text).replace("^", "**")
    return lift(eval(src, {"__builtins__": {}}, env))


def schedule(roots):
    order, seen = [], set()
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        e, done = stack.pop()
        if done:
            order.append(e)
            continue
        if e.id in seen:
            continue
        seen.add(e.id)
        stack.append((e, True))
        for a in e.args:
            if isinstance(a, Ex) and a.id not in seen:
                stack.append((a, False))
    # a node may be pushed twice before it is expanded: keep first occurrence in dependency order
    out, have = [], set()
    for e in order:
        if e.id not in have:
            have.add(e.id)
            out.append(e)
    return out


def number(fr): return mpf(fr.numerator) / mpf(fr.denominator)


def compiled(exprs, names):
    """Function of one sequence (values of `names`) that returns the list of values of `exprs`."""
    lines, env, ref = [], {"mpsin": mp.sin, "mpcos": mp.cos, "one": mpf(1)}, {}
    for i, v in enumerate(names):
        ref[var(v).id] = f"z[{i}]"
    for e in schedule(exprs):
        if e.op == "const":
            ref[e.id] = f"c{e.id}"
            env[f"c{e.id}"] = number(e.args[0])
            continue
        if e.op == "var":
            continue
        a = [ref[x.id] for x in e.args]
        body = {"add": lambda: f"{a[0]}+{a[1]}", "mul": lambda: f"{a[0]}*{a[1]}", "inv": lambda: f"one/{a[0]}",
                "sin": lambda: f"mpsin({a[0]})", "cos": lambda: f"mpcos({a[0]})"}[e.op]()
        ref[e.id] = f"t{e.id}"
        lines.append(f" t{e.id}={body}")
    src = "def f(z):\n" + "\n".join(lines) + "\n return [" + ",".join(ref[e.id] for e in exprs) + "]\n"
    exec(src, env)
    return env["f"]
