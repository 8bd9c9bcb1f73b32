"""The problems."""

from mpmath import mp

from constrained import System


def chain(links, dim):
    """Constraints of a chain hung at the origin with unit rods, coordinates interleaved."""
    out = []
    for k in range(links):
        terms = []
        for a in range(dim):
            i = k * dim + a
            terms.append(f"q{i}^2" if k == 0 else f"(q{i} - q{i - dim})^2")
        out.append("(" + " + ".join(terms) + " - 1)/2")
    return out


def systems(only=None):
    table = {}

    def define(name, *args, **kw):
        if not only or name in only:
            table[name] = System(name, *args, **kw)

    unit2, unit3 = ["1", "1"], ["1", "1", "1"]
    sphere = ["(q0^2 + q1^2 + q2^2 - 1)/2"]
    define("planar_pendulum", 2, ["(q0^2 + q1^2 - 1)/2"], ["0.8", "-0.6"], ["0.45", "0.6"], mass=unit2, potential="q1")
    define("spherical_pendulum", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"], mass=unit3,
           potential="q2 + 0.3*q0^2")
    define("double_pendulum", 4, ["(q0^2 + q1^2 - 1)/2", "((q2 - q0)^2 + (q3 - q1)^2 - 0.49)/2"],
           ["0.6", "-0.8", "1.2", "-0.45"], ["0.5", "0.3", "-0.7", "0.9"], mass=["1", "1", "2", "2"], potential="q1 + 2*q3",
           note="coordinates x1 y1 x2 y2; rods 1 and 0.7")
    define("chain_2d", 6, chain(3, 2), ["0.6", "-0.8", "1.5", "-0.4", "1.8", "-1.3"], ["0.4", "0.3", "-0.5", "0.6", "0.7", "-0.2"],
           mass=["1"] * 6, potential="q1 + q3 + q5", note="coordinates x1 y1 x2 y2 x3 y3")
    define("chain_3d", 9, chain(3, 3), ["0.5", "0.3", "-0.8", "1.2", "-0.1", "-1.4", "1.5", "0.7", "-1.9"],
           ["0.4", "0.3", "-0.1", "-0.5", "0.6", "0.2", "0.7", "-0.2", "0.5"], mass=["1"] * 9, potential="q2 + q5 + q8",
           note="coordinates x1 y1 z1 x2 y2 z2 x3 y3 z3")
    define("quartic", 2, ["q0^4 + q1^2 - 1"], ["0.8", "0.75"], ["0.7", "-0.5"], mass=unit2, potential="q1 + 0.3*q0^2")
    define("magnetic", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"],
           hamiltonian="((p0 + 0.65*q1)^2 + (p1 - 0.65*q0)^2 + p2^2)/2 + q2 + 0.2*q0*q1", note="b = 1.3, 0.65 = b/2")
    unit = ["q0^2 + q1^2 + p0^2 + p1^2 - 1"]
    define("hopf_free", 2, unit, ["0.75", "0.35"], ["-0.2", "0.45"], hamiltonian="(p0^2 + p1^2)/2")
    define("hopf_gravity", 2, unit, ["0.55", "-0.7"], ["0.4", "0.15"], hamiltonian="(p0^2 + p1^2)/2 + q1")
    define("hopf_shifted", 2, ["q0^2 + q1^2 + p0^2 + p1^2 + 0.3*q0 - 0.2*p1 - 1"], ["0.5", "-0.75"], ["0.4", "0.15"],
           hamiltonian="(p0^2 + p1^2)/2 + q1 + 0.3*q0^2", note="linear terms: the field of the fibres is affine, not linear")
    define("hopf_quartic", 2, unit, ["0.55", "-0.7"], ["0.4", "0.15"],
           hamiltonian="(p0^2 + p1^2)/2 + q1 + 0.25*(q0^2 + 2*q1^2)*(1 + p0^2)")
    define("two_harmonic", 4, ["(q0^2 + p0^2 + q1^2 + p1^2 - 1)/2", "(q2^2 + p2^2 + q3^2 + p3^2 - 2)/2"],
           ["0.5", "-0.75", "1.1", "0.7"], ["0.3", "0.1", "-0.3", "0.4"],
           hamiltonian="(p0^2 + p1^2 + p2^2 + p3^2)/2 + 0.5*q0*q2 + q1 + 0.3*q3^2 + 0.1*q0^4")
    define("harmonic_angular", 3, ["(q0^2 + q1^2 + q2^2 + p0^2 + p1^2 + p2^2 - 1)/2", "q0*p1 - q1*p0 - 0.2"],
           ["0.14", "1.01", "-0.69"], ["-0.2", "0.09", "0.81"],
           hamiltonian="(p0^2 + p1^2 + 2*p2^2)/2 + q2 + 0.4*q0^2 + 0.2*q0*q1")
    define("zero_angular_momentum", 6,
           ["q1*p2 - q2*p1 + q4*p5 - q5*p4", "q2*p0 - q0*p2 + q5*p3 - q3*p5", "q0*p1 - q1*p0 + q3*p4 - q4*p3"],
           ["0.49", "0.31", "1.05", "-1.19", "-0.79", "1.14"], ["-0.31", "0.49", "0.22", "-0.24", "-0.15", "0.15"],
           hamiltonian="(p0^2 + p1^2 + p2^2 + p3^2 + p4^2 + p5^2)/2 + 0.5*(q0^2 + 1.5*q1^2 + 2.2*q2^2)"
                       " + 0.5*(1.3*q3^2 + 0.7*q4^2 + 1.9*q5^2) + 0.2*q0*q4",
           note="a = (q0,q1,q2), b = (q3,q4,q5); constraints are the components of a x p_a + b x p_b")
    define("index1", 2, ["q1"], ["0.7", "0"], ["0.6", "-0.5"],
           hamiltonian="p0^2/2 + p1^2/2*(1 + 0.5*q0^2) + p1*sin(q0) + q0^2/2 + 0.1*p1^4",
           note="q0 = q, q1 = alpha, p0 = p, p1 = beta")
    define("variable_mass_sphere", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"],
           mass=[["1 + 0.3*q1^2", "0", "0.1"], ["0", "1.5 + 0.2*sin(q2)", "0"], ["0.1", "0", "2 + 0.1*q0*q1"]],
           potential="q2 + 0.3*q0^2")
    define("four_bar", 4, ["(q0^2 + q1^2 - 1)/2", "((q2 - 2)^2 + q3^2 - 1)/2", "((q2 - q0)^2 + (q3 - q1)^2 - 4)/2"],
           ["0.5", "-0.866", "2.5", "-0.866"], ["0.6", "0.35", "0.6", "0.35"], mass=["1"] * 4, potential="q1 + q3",
           note="coordinates x1 y1 x2 y2; ground pivots (0,0), (2,0); the parallelogram branch")
    define("ellipsoid", 3, ["(q0^2 + q1^2/4 + q2^2/16 - 1)/2"], ["0.6", "1.0", "-2.4"], ["0.5", "-0.8", "0.6"],
           hamiltonian="(p0^2 + p1^2 + p2^2)/2", note="axes 1, 2, 4; mass 1, no potential")
    define("polar_line", 2, ["q0*cos(q1) - 1"], ["1.2", "0.6"], ["0.5", "1.0"],
           hamiltonian="p0^2/2 + p1^2/(2*q0^2) + q0*sin(q1)", note="q0 = r, q1 = theta; mass diag(1, r^2)")
    define("full_mass_sphere", 3, sphere, ["0.6", "0.37", "-0.7"], ["0.5", "-0.8", "0.1"],
           mass=[["2", "0.3", "-0.2"], ["0.3", "1.5", "0.1"], ["-0.2", "0.1", "1"]], potential="q2 + 0.3*q0^2 + 0.2*q0*q1*q2",
           note="constant full mass matrix")
    define("mixed_quartic", 2, ["(p0^2 + p1^2)/2 + q0^4/4 + q1^2/2 + 0.2*q0*p1 - 0.6"], ["1.1", "-0.6"], ["0.3", "0.2"],
           hamiltonian="(p0^2 + 0.5*p1^2)/2 + q1 + 0.3*q0^2*(1 + 0.5*p1^2)", note="mixed constraint whose fibres have no elementary closed form")
    return table


def describe(S):
    z, m = S.start, S.m
    N = mp.matrix(m, m)
    flat = S.f_N(z)
    for i in range(m):
        for j in range(m):
            N[i, j] = flat[i * m + j]
    sv = mp.svd_r(N, compute_uv=False)
    return {"g": max(abs(x) for x in S.f_g(z)), "rho": max(abs(x) for x in S.f_rho(z)),
            "gg": max(abs(x) for x in S.f_gg(z)), "N": sv, "lambda": S.multiplier(S.f_eliminated(z))}
