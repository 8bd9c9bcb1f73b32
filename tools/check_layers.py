"""Checks that layers include downwards only: check_layers.py [ROOT]

Reads include/rattleback/<layer>/ and src/<layer>/ under ROOT. Prints one line per violation,
file:line: what, and exits with 1 if there is any.
"""

import os
import re
import sys

# Bottom to top. Layers in one row do not know each other.
ROWS = [
    ["problem"],
    ["expression"],
    ["solve"],
    ["geometry"],
    ["integrators"],
    ["lie"],
    ["multibody", "molecular"],
    ["text"],
    ["report"],
    ["study"],
    ["python"],
    ["app"],
]
RANK = {layer: rank for rank, row in enumerate(ROWS) for layer in row}
# The law checkers stand aside: they see the layers up to this one, and only tests see them.
TESTING, TESTING_SEES = "testing", "lie"

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SOURCE_ENDINGS = (".hpp", ".cpp", ".h", ".ipp")


def allowed(layer, target):
    if layer == target:
        return True
    if target == TESTING:
        return False
    if layer == TESTING:
        return RANK[target] <= RANK[TESTING_SEES]
    return RANK[target] < RANK[layer]


def included_layer(included, directory, root):
    """The layer an #include names, '' for a file directly in rattleback/, None for other files."""
    if included.startswith("."):
        path = os.path.relpath(os.path.normpath(os.path.join(directory, included)), root)
        parts = path.split(os.sep)
        parts = parts[2:] if parts[0] == "include" else parts[1:]
    elif included.startswith("rattleback/"):
        parts = included.split("/")[1:]
    else:
        return None
    return parts[0] if len(parts) > 1 else ""


def violations_of_file(path, layer, root):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            target = match and included_layer(match[1], os.path.dirname(path), root)
            if target is None:
                continue
            where = f"{os.path.relpath(path, root)}:{number}"
            if target == "":
                if layer != "":
                    yield f"{where}: a layer may not include the umbrella header {match[1]}"
            elif target != TESTING and target not in RANK:
                yield f"{where}: {match[1]} is in no known layer"
            elif target == TESTING and layer != TESTING:
                yield f"{where}: only tests may include {match[1]}"
            elif layer != "" and not allowed(layer, target):
                yield f"{where}: layer {layer} may not include {match[1]} (layer {target})"


def violations(root):
    for base in ("include/rattleback", "src"):
        top = os.path.join(root, base)
        for directory, folders, files in sorted(os.walk(top)):
            relative = os.path.relpath(directory, top)
            layer = "" if relative == "." else relative.split(os.sep)[0]
            sources = sorted(name for name in files if name.endswith(SOURCE_ENDINGS))
            if sources and layer not in RANK and layer not in ("", TESTING):
                yield f"{base}/{relative}: {layer} is not a known layer"
                continue
            for name in sources:
                yield from violations_of_file(os.path.join(directory, name), layer, root)


def main(root="."):
    found = list(violations(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
