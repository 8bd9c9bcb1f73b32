"""Runs a program and checks what it prints: check_output.py EXPECTED PROGRAM [ARGUMENT...]

Each line of EXPECTED that is not empty is a regular expression; each must be found in some line of
the output, in the order written. The program must exit with 0. Without the file EXPECTED only the
exit code counts.
"""

import os
import re
import subprocess
import sys


def missing_pattern(patterns, lines):
    """The first pattern that no line from the last match on satisfies, or None."""
    position = 0
    for pattern in patterns:
        while position < len(lines) and not re.search(pattern, lines[position]):
            position += 1
        if position == len(lines):
            return pattern
    return None


def main(expected, *command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(result.stdout, end="")
    if result.returncode != 0:
        sys.exit(f"{command[0]}: exit code {result.returncode}")
    if not os.path.exists(expected):
        return
    with open(expected, encoding="utf-8") as file:
        patterns = [line.rstrip("\n") for line in file if line.strip()]
    pattern = missing_pattern(patterns, result.stdout.splitlines())
    if pattern is not None:
        sys.exit(f"{expected}: no line of the output (after those before it) matches: {pattern}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
