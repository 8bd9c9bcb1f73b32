"""Checks that no method is forgotten: check_registry.py [ROOT]

src/integrators/families.inc is the list from which the command line, the docs and the law suite are
made. Every header in include/rattleback/integrators/ that speaks of MethodInfo defines a method and
must be named there (discretization_method.hpp makes methods of users' maps, which have no name), and
so must every family that a source in src/integrators/families/ defines.
"""

import os
import re
import sys

NOT_METHODS = {"method_info.hpp", "family.hpp", "composition.hpp", "registry.hpp",
               "discretization_method.hpp"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(folder, ending):
    if os.path.isdir(folder):
        yield from (name for name in sorted(os.listdir(folder)) if name.endswith(ending))


def forgotten(root):
    headers = os.path.join(root, "include", "rattleback", "integrators")
    sources = os.path.join(root, "src", "integrators")
    list_path = os.path.join(sources, "families.inc")
    if not os.path.exists(list_path):
        return
    listed = read(list_path)
    for name in files(headers, ".hpp"):
        if name in NOT_METHODS or not re.search(r"\bMethodInfo\b", read(os.path.join(headers, name))):
            continue
        if not re.search(rf"\b{re.escape(name)}\b", listed):
            yield f"include/rattleback/integrators/{name}: not in families.inc"
    families = os.path.join(sources, "families")
    for name in files(families, ".cpp"):
        text = read(os.path.join(families, name))
        for family in re.findall(r"^Family (\w+)_family\(FamilyScalars\) \{", text, re.M):
            if not re.search(rf"\bFAMILY\({family}\)", listed):
                yield f"src/integrators/families/{name}: family '{family}' is not in families.inc"


def main(root="."):
    found = list(forgotten(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
