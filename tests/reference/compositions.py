"""The coefficients of src/integrators/composition_coefficients.cpp, to 36 digits.

Starting values are those of the papers. They are refined by Newton's method on the order conditions
of symmetric compositions of a symmetric method, with the shortest correction where there are fewer
conditions than coefficients. python3 tests/reference/compositions.py prints the table.

The map of step c h is exp(c h X1 + c^3 h^3 X3 + c^5 h^5 X5 + ...) with free X1, X3, ...; the
composition must be exp(h X1) up to h^p. Both are group-like, so the coefficients of the Lyndon words
decide, and by symmetry those of odd weight.
"""
from mpmath import mp, mpf, matrix, factorial, lu_solve, nstr

mp.dps = 60


def words(weight):
    """All words in the letters 1, 3, 5, ... of this weight."""
    if weight == 0:
        return [()]
    return [(k,) + rest for k in range(1, weight + 1, 2) for rest in words(weight - k)]


def is_lyndon(word):
    return all(word < word[k:] for k in range(1, len(word)))


def conditions(order):
    return [w for n in range(1, order, 2) for w in words(n) if is_lyndon(w)]


def product(c, order):
    """The composition as the coefficients of all words up to this weight."""
    every = [w for n in range(order + 1) for w in words(n)]
    total = {w: mpf(not w) for w in every}
    for x in c:
        factor = {w: x ** sum(w) / factorial(len(w)) for w in every}
        total = {w: sum(total[w[:k]] * factor[w[k:]] for k in range(len(w) + 1)) for w in every}
    return total


def mirrored(half):
    return half + half[-2::-1]


def residual(half, order):
    have = product(mirrored(half), order - 1)
    return matrix([have[w] - (w == (1,)) for w in conditions(order)])


def refined(half, order):
    for _ in range(6):
        r = residual(half, order)
        slope = matrix(len(r), len(half))
        for k in range(len(half)):
            moved = list(half)
            moved[k] += mpf(10) ** -25
            difference = (residual(moved, order) - r) * mpf(10) ** 25
            for i in range(len(r)):
                slope[i, k] = difference[i]
        step = slope.T * lu_solve(slope * slope.T, r)
        half = [x - step[k] for k, x in enumerate(half)]
    assert max(abs(x) for x in residual(half, order)) < mpf(10) ** -48
    return half


SCHEMES = {
    "yoshida6": (6, """0.784513610477557263819497633866351 0.235573213359358133684793182978535
        -1.17767998417887100694641568096432 1.315186320683911169737712043570355"""),
    "kahanli6": (6, """0.39216144400731413927925056 0.33259913678935943859974864
        -0.70624617255763935980996482 0.08221359629355080023149045 0.79854399093482996339895035"""),
    "sofroniou6": (6, """0.13861930854051695245808013042625 0.13346562851074760407046858832209
        0.13070531011449225190542755785015 0.12961893756907034772505366537091
        -0.35000324893920896516170830911323 0.11805530653002387170273438954049
        0.39907751534871587459988795520665"""),
    "yoshida8": (8, """0.914844246229740 0.253693336566229 -1.44485223686048 -0.158240635368243
        1.93813913762276 -1.96061023297549 0.102799849391985"""),
    "mclachlan8": (8, """0.74167036435061295344822780 -0.40910082580003159399730010
        0.19075471029623837995387626 -0.57386247111608226665638773 0.29906418130365592384446354
        0.33462491824529818378495798 0.31529309239676659663205666 -0.79688793935291635401978884"""),
    "kahanli8": (8, """0.13020248308889008087881763 0.56116298177510838456196441
        -0.38947496264484728640807860 0.15884190655515560089621075 -0.39590389413323757733623154
        0.18453964097831570709183254 0.25837438768632204729397911 0.29501172360931029887096624
        -0.60550853383003451169892108"""),
    "sofroniou8": (8, """0.10647728984550031823931967854896 0.10837408645835726397433410591546
        0.35337821052654342419534541324080 -0.23341414023165082198780281128319
        -0.24445266791528841269462171413216 0.11317848435755633314700952515599
        0.11892905625000350062692972283951 0.12603912321825988140305670268365
        0.12581718736176041804392391641587 0.11699135019217642180722881433533
        -0.38263596012643665350944670744040"""),
    "kahanli10": (10, """0.09040619368607278492161150 0.53591815953030120213784983
        0.35123257547493978187517736 -0.31116802097815835426086544 -0.52556314194263510431065549
        0.14447909410225247647345695 0.02983588609748235818064083 0.17786179923739805133592238
        0.09826906939341637652532377 0.46179986210411860873242126 -0.33377845599881851314531820
        0.07095684836524793621031152 0.23666960070126868771909819 -0.49725977950660985445028388
        -0.30399616617237257346546356 0.05246957188100069574521612 0.44373380805019087955111365"""),
    "sofroniou10": (10, """0.078795722521686419263907679337684 0.31309610341510852776481247192647
        0.027918383235078066109520273275299 -0.22959284159390709415121339679655
        0.13096206107716486317465685927961 -0.26973340565451071434460973222411
        0.074973343155891435666137105641410 0.11199342399981020488957508073640
        0.36613344954622675119314812353150 -0.39910563013603589787862981058340
        0.10308739852747107731580277001372 0.41143087395589023782070411897608
        -0.0048663605831352617621956593099771 -0.39203335370863990644808193642610
        0.051942502962449647037182904015976 0.050665090759924496335874344156866
        0.049674370639729879054568800279461 0.049317735759594537917680008339338"""),
}


def error(half, order):
    """Of the first conditions that do not hold, by the Lyndon words."""
    have = product(mirrored(half), order + 1)
    return sum(have[w] ** 2 for w in words(order + 1) if is_lyndon(w)) ** mpf("0.5")


if __name__ == "__main__":
    for name, (order, text) in SCHEMES.items():
        start = [mpf(x) for x in text.split()]
        if name == "yoshida8":  # printed without the middle one, which makes the sum 1
            start.append(1 - 2 * sum(start))
        half = refined(start, order)
        moved = max(abs(a - b) for a, b in zip(start, half))
        stages, size = 2 * len(half) - 1, error(half, order)
        print(f"// {name}: {stages} stages, moved by {nstr(moved, 2)}, error {nstr(size, 3)},",
              f"stages error^(1/order) = {nstr(stages * size ** (mpf(1) / order), 3)}")
        for x in half[:-1]:
            print(f'    "{nstr(x, 36, strip_zeros=False)}",')
