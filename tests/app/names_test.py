"""Names of files and models are data, whatever they contain: nothing in them is run, and the picture
is under exactly the name that was given."""

import os
import random
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree
import zlib

import program
from program import ProgramTest

# What gnuplot, a shell or a format would take for its own; RUN is where a command may stand.
BY_HAND = [
    b"|RUN", b"|RUN; cat >x #", b"| RUN", b"||RUN", b"|/bin/sh -c 'RUN'", b"<RUN", b"< RUN", b"<cat RUN",
    b">RUN", b">>RUN", b"`RUN`", b"``", b"$(RUN)", b"${HOME}", b"$HOME", b"$0", b"@ARG1", b"@x",
    b"!RUN", b"; RUN", b"&& RUN", b"& RUN &", b"'", b"''", b"'''", b"'.`RUN`.'", b"' ; system('RUN') #",
    b"'; !RUN #", b'"', b'""', b'"; system("RUN") #', b'" . system("RUN") . "', b'\\"; !RUN #',
    b"\n", b"a\nb", b"\n!RUN\n", b"a\nsystem('RUN')\nb", b"\r", b"\r\n!RUN\r\n", b"'\n!RUN\n'",
    b"\"\nsystem 'RUN'\n\"", b"\nEOD\n!RUN\n", b"\nEND\n!RUN\n", b"EOD", b"\x1b[31m", b"\x01\x02",
    b"\t", b"\x7f", b"\x0b\x0c", b"\xff\xfe", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xed\xa0\x80",
    b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xc2\x80", b"caf\xe9",
    "grün".encode(), "日本語".encode(), "\u202egvs".encode(), "\U0001f980".encode(), b"{}",
    b"{a}_b^c", b"a_b", b"a^b", b"^{x", b"_{", b"}", b"&{space}", b"~a{.8-}", b"@{a}",
    b"\\", b"\\\\", b"a\\", b"\\n", b"\\101", b"\\047;!RUN;\\047", b"%", b"%s%s%s%n", b"%d", b"100%",
    b"#", b"# RUN", b"a#b", b"*", b"?", b"[a-z]", b"~", b"~root", b" ", b"  a  ", b"a b", b".", b"..",
    b"...", b"con", b"-", b"-d", b"--help", b"-e '!RUN'", b"=", b"+", b",", b":", b";", b"(", b")",
    b"<svg>", b"</svg>", b"<!--", b"-->", b"&amp;", b"&", b"]]>", b"<![CDATA[", b"x" * 200,
    b"set output '|RUN'", b"load 'RUN'", b"call '|RUN'", b"plot '<RUN'", b"print system('RUN')", b"$a << EOD",
    b"eval '!RUN'", b"\\\n!RUN", b"a \\", b"unset multiplot; !RUN", b"{/Times a}", b"nul\\0",
]
PIECES = [b"|", b"<", b">", b"`", b"'", b'"', b"\n", b"\r", b"\\", b"$", b"@", b"!", b"#", b";", b"&",
          b"{", b"}", b"(", b")", b"%", b"*", b"~", b"^", b"_", b" ", b"\t", b"\x07",
          b"\x1b", b"\x80", b"\xff", b"\xc3\xa9", b"EOD\n", b"system", b"set output ", b"RUN"]


def nasty_names(command, count, seed):
    """As bytes, all different."""
    names = [name.replace(b"RUN", command) for name in BY_HAND]
    random_pieces = random.Random(seed)
    while len(names) < count:
        pieces = random_pieces.choices(PIECES, k=random_pieces.randint(1, 12))
        name = b"".join(pieces).replace(b"RUN", command)
        if name not in names and len(name) < 200:
            names.append(name)
    assert len(set(names)) == len(names)
    return names


def toml_text(name):
    """The name as a TOML string; what is not UTF-8 cannot stand in one."""
    text = name.decode("utf-8", errors="replace")
    return '"' + "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in text) + '"'


MODEL = """
[model]
name = NAME
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
q = [1, 0]
[run]
step = 0.05
steps = 40
"""


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
class Names(ProgramTest):
    def setUp(self):
        super().setUp()
        self.inside = os.fsencode(self.path("inside"))
        os.mkdir(self.inside)
        # Without '/', which no name can hold: the program runs in the folder where this would be.
        self.names = nasty_names(b"touch CANARY", 230, seed=1)

    def draw(self, *arguments):
        """Runs in the folder `inside`."""
        result = subprocess.run([program.PROGRAM, *arguments], cwd=self.inside, timeout=60,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""), arguments)

    def take(self, name):
        """The picture, which is all there is in the folder; it goes away."""
        self.assertEqual(os.listdir(self.inside), [name])
        path = os.path.join(self.inside, name)
        with open(path, "rb") as file:
            picture = file.read()
        os.remove(path)
        return picture

    def require_picture(self, name, picture):
        if name.endswith(b".svg"):
            root = xml.etree.ElementTree.fromstring(picture)
            self.assertTrue(root.tag.endswith("svg"), name)
            self.assertGreater(len(list(root.iter())), 50, name)
            return "".join(root.itertext())
        # The signature, and chunks with right sums up to the last one, which is IEND.
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n", name)
        at, kind = 8, b""
        while at < len(picture):
            length, kind = struct.unpack(">I4s", picture[at:at + 8])
            body = picture[at + 4:at + 8 + length]
            self.assertEqual(struct.unpack(">I", picture[at + 8 + length:at + 12 + length])[0],
                             zlib.crc32(body), name)
            at += 12 + length
        self.assertEqual(kind, b"IEND", name)
        return None

    def write_model(self, name):
        return os.fsencode(self.write("model.toml", MODEL.replace("NAME", toml_text(name))))

    def test_no_name_is_more_than_a_name(self):
        self.assertGreaterEqual(len(self.names), 200)
        run = os.fsencode(self.path("run.h5"))
        for i, name in enumerate(self.names):
            # A model may have '/' in its name, a file not.
            picture = name.replace(b"/", b"") + (b".png" if i % 4 == 0 else b".svg")
            model = self.write_model(name)
            if i % 12 == 5:
                self.draw("compare", model, "--methods", "rattle", "--step-halvings", "1",
                          b"--plot=" + picture, "--quiet")
            elif i % 3 == 0:
                if os.path.exists(run):
                    os.remove(run)
                self.draw("run", model, "--out", run, "--quiet")
                self.draw("plot", run, "--", picture)
            else:
                self.draw("run", model, b"--plot=" + picture, "--quiet")
            text = self.require_picture(picture, self.take(picture))
            shown = "".join(c for c in name.decode("utf-8", errors="ignore") if c.isalnum())
            if text and name.isascii() and len(name) < 100:
                self.assertIn(shown, "".join(c for c in text if c.isalnum()), name)
        self.assertEqual(os.listdir(self.inside), [])

    def test_names_that_no_file_can_have_are_refused(self):
        for name in ("no/such/folder.svg", "a" * 300 + ".svg"):
            said = self.refused(2, "run", program.PENDULUM, "--steps", 10, "--quiet", "--plot",
                                self.path(name))
            self.assertIn("cannot be written", said)
        self.assertIn(".svg or .png", self.refused(2, "run", program.PENDULUM, "--plot", "a.pdf"))


if __name__ == "__main__":
    program.main()
