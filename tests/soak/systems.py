"""Random models whose properties are known from how they were made."""

import math


class Model:
    """The text of a model file, and what is true of it."""

    def __init__(self, name, text, constraints, rank, holonomic):
        self.name, self.text = name, text
        self.constraints, self.rank, self.holonomic = constraints, rank, holonomic


def toml(name, coordinates, energy, constraints, start):
    quoted = ", ".join(f'"{c}"' for c in coordinates)
    rows = ",\n  ".join(f'"{g}"' for g in constraints)
    q, p = start
    return (f'[model]\nname = "{name}"\ncoordinates = [{quoted}]\n{energy}'
            f"constraints = [\n  {rows}\n]\n\n[initial]\nq = {list(q)}\np = {list(p)}\n"
            "project = true\n")


def rods(random, name, points, pairs, extra=()):
    """Points in the plane or in space joined by rods; an index of -1 is the origin."""
    dimension = len(points[0])
    axes = "xyz"[:dimension]
    place = lambda i, a: f"{axes[a]}{i}" if i >= 0 else "0"
    coordinates = [place(i, a) for a in range(dimension) for i in range(len(points))]
    squared = lambda i, j: " + ".join(f"({place(i, a)} - {place(j, a)})^2" for a in range(dimension))
    at = lambda i: points[i] if i >= 0 else (0.0,) * dimension
    length = lambda i, j: sum((u - v) ** 2 for u, v in zip(at(i), at(j)))
    rows = [f"({squared(i, j)} - {length(i, j)!r})/2" for i, j in pairs] + list(extra)
    masses = [round(random.uniform(0.5, 2), 3) for _ in points]
    potential = " + ".join(f"{m}*{place(i, dimension - 1)}" for i, m in enumerate(masses))
    for _ in range(random.randrange(3)):
        i, j = random.randrange(len(points)), random.randrange(-1, len(points))
        if i != j:
            potential += f" + {random.uniform(0.1, 2):.3f}*({squared(i, j)})"
    energy = f"mass = {masses * dimension}\npotential = \"{potential}\"\n"
    q = [points[i][a] for a in range(dimension) for i in range(len(points))]
    p = [round(random.uniform(-0.5, 0.5), 3) for _ in q]
    return toml(name, coordinates, energy, rows, (q, p)), len(rows)


def turned(random, dimension):
    """A random direction."""
    v = [random.gauss(0, 1) for _ in range(dimension)]
    size = math.sqrt(sum(x * x for x in v))
    return [x / size for x in v]


def tree(random):
    """Every new point hangs on an earlier one: chains, stars and what is between."""
    dimension, straightness = random.choice((2, 3)), random.random()
    points, pairs = [], []
    for i in range(random.randint(1, 12)):
        parent = i - 1 if random.random() < straightness else random.randrange(-1, i)
        from_ = points[parent] if parent >= 0 else (0.0,) * dimension
        points.append(tuple(a + b for a, b in zip(from_, turned(random, dimension))))
        pairs.append((i, parent))
    text, m = rods(random, "tree", points, pairs)
    return Model("tree", text, m, m, True)


def ring(random):
    """A closed loop of rods, not all on a line."""
    k, dimension = random.randint(3, 10), random.choice((2, 3))
    points = [tuple([math.cos(2 * math.pi * i / k) + random.uniform(-0.1, 0.1),
                     math.sin(2 * math.pi * i / k) + random.uniform(-0.1, 0.1)]
                    + [random.uniform(-0.3, 0.3)] * (dimension - 2)) for i in range(k)]
    text, m = rods(random, "ring", points, [(i, (i + 1) % k) for i in range(k)])
    return Model("ring", text, m, m, True)


def redundant(random):
    """Some rows of a tree twice, scaled, or added to each other."""
    model = tree(random)
    lines = model.text.split("constraints = [\n  ")
    rows, rest = lines[1].split("\n]\n", 1)
    rows = [r.strip().rstrip(",").strip('"') for r in rows.split("\n")]
    for _ in range(random.randint(1, 3)):
        a, b = random.choice(rows), random.choice(rows)
        factor = random.choice((1, -1, 2, 0.5))
        # Never -1 times a row plus that row: a constraint that is 0 is refused.
        rows.append(f"{factor}*({a})" if random.random() < 0.5 else f"({a}) + {math.pi}*({b})")
    body = ",\n  ".join(f'"{r}"' for r in rows)
    text = f"{lines[0]}constraints = [\n  {body}\n]\n{rest}".replace('"tree"', '"redundant"')
    return Model("redundant", text, len(rows), model.rank, True)


def sphere(random):
    """One particle on a quadric or a quartic surface, in a field or with a mass that moves."""
    weights = [round(random.uniform(0.5, 3), 3) for _ in range(3)]
    power = random.choice((2, 4))
    q = turned(random, 3)
    level = sum(w * x ** power for w, x in zip(weights, q))
    surface = " + ".join(f"{w}*{a}^{power}" for w, a in zip(weights, "xyz")) + f" - {level!r}"
    b = round(random.uniform(0, 1), 3)
    kinetic = random.choice((
        "(p_x^2 + p_y^2 + p_z^2)/2",
        f"((p_x + {b}*y)^2 + (p_y - {b}*x)^2 + p_z^2)/2",
        f"(p_x^2 + p_y^2 + (1 + {b}*x^2)*p_z^2)/2"))
    energy = f'hamiltonian = "{kinetic} + z + {b}*x^2"\n'
    p = [round(random.uniform(-1, 1), 3) for _ in range(3)]
    text = toml("surface", "xyz", energy, [surface], (q, p))
    return Model("surface", text, 1, 1, True)


def mixed(random):
    """|q|^2 + |p|^2 = level and its like: the fibres are circles  [McLachlan12, Example 1.2]."""
    a, b = (round(random.uniform(0.7, 1.5), 3) for _ in range(2))
    shift = round(random.uniform(-0.2, 0.2), 3)
    constraint = lambda q, p: sum(a * x * x for x in q) + sum(b * x * x for x in p) + shift * q[0]
    q, p = ([round(random.uniform(-1, 1), 3) for _ in range(2)] for _ in range(2))
    level = constraint(q, p)
    row = f"{a}*(x^2 + y^2) + {b}*(p_x^2 + p_y^2) + {shift}*x - {level!r}"
    energy = f'hamiltonian = "(p_x^2 + p_y^2)/2 + {random.uniform(0.5, 1.5):.3f}*y"\n'
    text = toml("mixed", "xy", energy, [row], (q, p))
    return Model("mixed", text, 1, 1, False)


KINDS = (tree, ring, redundant, sphere, mixed)
