"""Checks that no method is forgotten: check_registry.py [ROOT]

Every header in include/rattleback/integrators/ that speaks of MethodInfo defines a method and must
be included by registry.hpp, from which the command line, the docs and the law suite are made.
"""

import os
import re
import sys

NOT_METHODS = {"method_info.hpp", "registry.hpp", "stepper.hpp"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def forgotten(root):
    folder = os.path.join(root, "include", "rattleback", "integrators")
    registry_path = os.path.join(folder, "registry.hpp")
    if not os.path.exists(registry_path):
        return
    registry = read(registry_path)
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".hpp") or name in NOT_METHODS:
            continue
        mention = re.search(r"\bMethodInfo\b", read(os.path.join(folder, name)))
        if mention and not re.search(rf"\b{re.escape(name)}\b", registry):
            yield f"include/rattleback/integrators/{name}: not in registry.hpp"


def main(root="."):
    found = list(forgotten(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
