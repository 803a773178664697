"""Structs and constants that Python takes from the public headers are those of the C compiler."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from graco import _library, _structs
from support import main

SOURCE = os.environ["GRACO_SOURCE"]
INCLUDE = os.path.join(SOURCE, "include")
HEADERS = [os.path.join(INCLUDE, name) for name in ("graco.h", "graco_more.h", "graco_command.h")]
SCRIPT = os.path.join(SOURCE, "scripts", "python_structs.py")


def c_name(struct):
    """graco_load_options of LoadOptions."""
    return "graco" + "".join("_" + letter.lower() if letter.isupper() else letter for letter in struct.__name__)


class Layout(unittest.TestCase):
    def compiled(self, lines):
        """What a C program that prints these numbers says."""
        cc = shutil.which(os.environ.get("CC", "cc"))
        if not cc:
            self.skipTest("no C compiler")
        body = "".join(f'printf("%lld\\n", (long long)({line}));\n' for line in lines)
        source = f'#include <graco_command.h>\n#include <stdio.h>\nint main(void) {{\n{body}return 0;\n}}\n'
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layout")
            with open(path + ".c", "w") as file:
                file.write(source)
            subprocess.run([cc, "-std=c17", "-I", INCLUDE, path + ".c", "-o", path], check=True)
            return [int(line) for line in subprocess.check_output([path]).split()]

    def test_structs(self):
        wanted = {}
        for struct in ctypes.Structure.__subclasses__():
            name = c_name(struct)
            if struct.__module__ != _structs.__name__ or struct is _structs.LinkResultScore:  # C has no name for it
                continue
            wanted[f"sizeof({name})"] = ctypes.sizeof(struct)
            for field, *_ in struct._fields_:
                wanted[f"offsetof({name}, {field})"] = getattr(struct, field).offset
                wanted[f"sizeof((({name} *)0)->{field})"] = getattr(struct, field).size
        self.assertGreater(len(wanted), 400)
        self.assertEqual(dict(zip(wanted, self.compiled(wanted))), wanted)

    def test_constants(self):
        constants = {f"GRACO_{name}": value for name, value in vars(_structs).items() if isinstance(value, int)}
        self.assertGreater(len(constants), 20)
        self.assertEqual(dict(zip(constants, self.compiled(constants))), constants)
        self.assertEqual(_structs.STRING, len(_library.TYPES))
        self.assertEqual(sorted(_library.ERRORS), list(range(_structs.OK + 1, _structs.STOPPED)))

    def test_made_from_these_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "structs.py")
            subprocess.run([sys.executable, SCRIPT, out, *HEADERS], check=True)
            with open(out) as made, open(_structs.__file__) as there:
                self.assertEqual(there.read(), made.read())

    def test_what_it_does_not_know_it_refuses(self):
        for text in ("typedef union graco_two {\n    int a;\n} graco_two;\n", "int64_t graco_one(wchar_t one);\n",
                     "typedef struct graco_bits {\n    int a : 3;\n} graco_bits;\n"):
            with tempfile.TemporaryDirectory() as folder:
                header = os.path.join(folder, "odd.h")
                with open(header, "w") as file:
                    file.write(text)
                ran = subprocess.run([sys.executable, SCRIPT, os.path.join(folder, "out.py"), header],
                                     stderr=subprocess.PIPE, text=True)
                self.assertEqual(ran.returncode, 1)
                self.assertRegex(ran.stderr, "^python_structs.py: not understood: [^\n]+\n$")
                self.assertEqual(os.listdir(folder), ["odd.h"])


main()
