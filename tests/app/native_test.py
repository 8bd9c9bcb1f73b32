"""RATTLEBACK_NO_NATIVE=1: the whole program on byte code, the reference for native code."""

import os

import program
from program import PENDULUM, ProgramTest

BYTE_CODE = {**os.environ, "RATTLEBACK_NO_NATIVE": "1"}
# Diagonal, full and position-dependent masses, families, sines, constraints on momenta.
EXAMPLES = ("bead_on_wire", "double_pendulum", "magnetic_torus", "rotating_hoop", "triatomic",
            "witness/chain_3d", "witness/full_mass_sphere", "witness/hopf_gravity",
            "witness/variable_mass_sphere")
METHODS = ("rattle", "shake:base=midpoint", "rattle:base=gauss2", "baseline:kind=rk4")


class ByteCode(ProgramTest):
    def setUp(self):
        super().setUp()
        if "native code" not in self.run_program("run", PENDULUM, "--steps", 1).stdout:
            self.skipTest("no native code on this machine")

    def assert_same(self, verb, example, *options):
        """To the last bit: both do the same operations in the same order."""
        file = os.path.join(program.ROOT, "examples", example + ".toml")
        native = self.json_of(verb, file, *options)
        byte_code = self.json_of(verb, file, *options, env=BYTE_CODE)
        self.assertEqual(byte_code.pop("path"), native.pop("path").replace("native", "byte"))
        for value in (native, byte_code):
            value.pop("seconds", None)
        self.assertEqual(native, byte_code)

    def test_runs(self):
        for example in EXAMPLES:
            for method in METHODS:
                with self.subTest(example=example, method=method):
                    self.assert_same("run", example, "--method", method, "--step", 0.01,
                                     "--steps", 50)

    def test_checks(self):
        for example in EXAMPLES:
            with self.subTest(example=example):
                self.assert_same("check", example)

    def test_the_summary_says_which(self):
        asked = ("run", PENDULUM, "--steps", 10)
        self.assertRegex(self.run_program(*asked).stdout, ", native code\n")
        self.assertRegex(self.run_program(*asked, env=BYTE_CODE).stdout, ", byte code\n")


if __name__ == "__main__":
    program.main()
