"""The structs and functions that Python mirrors are those of the public headers, by the word of the C compiler."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from graco import _library as c
from support import main

INCLUDE = os.path.join(os.environ["GRACO_SOURCE"], "include")


def declarations():
    """The public headers without their comments."""
    text = ""
    for name in ("graco.h", "graco_more.h"):
        with open(os.path.join(INCLUDE, name)) as file:
            text += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return text


class Layout(unittest.TestCase):
    def compiled(self, lines):
        """What a C program that prints these numbers says."""
        cc = shutil.which(os.environ.get("CC", "cc"))
        if not cc:
            self.skipTest("no C compiler")
        body = "".join(f'printf("%lld\\n", (long long)({line}));\n' for line in lines)
        source = f'#include <graco_more.h>\n#include <stdio.h>\nint main(void) {{\n{body}return 0;\n}}\n'
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layout")
            with open(path + ".c", "w") as file:
                file.write(source)
            subprocess.run([cc, "-std=c17", "-I", INCLUDE, path + ".c", "-o", path], check=True)
            return [int(line) for line in subprocess.check_output([path]).split()]

    def test_structs(self):
        lines, wanted = [], []
        for struct in c.Struct.__subclasses__():
            lines.append(f"sizeof({struct.c_name})")
            wanted.append((struct.c_name, c.ctypes.sizeof(struct)))
            for field, *_ in struct._fields_:
                lines.append(f"offsetof({struct.c_name}, {field})")
                lines.append(f"sizeof((({struct.c_name} *)0)->{field})")
                wanted.append((f"{struct.c_name}.{field}", getattr(struct, field).offset))
                wanted.append((f"size of {struct.c_name}.{field}", getattr(struct, field).size))
        found = self.compiled(lines)
        self.assertGreater(len(found), 200)
        self.assertEqual([(name, n) for (name, _), n in zip(wanted, found)], wanted)

    def test_every_field_is_there(self):
        """A field that fits into padding changes no size, so the fields are counted too."""
        text = declarations()
        for struct in c.Struct.__subclasses__():
            body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct.c_name, struct.c_name), text, re.S).group(1)
            body = re.sub(r"struct \{[^}]*\}", "inner", body)  # a struct within, whose field is one
            names = []
            for declaration in filter(None, (d.strip() for d in body.split(";"))):
                names += [re.search(r"(\w+)(\[\w+\])?$", part.strip()).group(1) for part in declaration.split(",")]
            self.assertEqual([field for field, *_ in struct._fields_], names, struct.c_name)

    def test_constants(self):
        status = ["GRACO_OK", "GRACO_STOPPED"] + [
            f"GRACO_ERROR_{word}" for word in ("MEMORY", "IO", "FORMAT", "ARGUMENT", "NUMBER", "DEVICE")]
        types = ["BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "FLOAT16",
                 "FLOAT32", "FLOAT64", "STRING"]
        found = self.compiled(status + [f"GRACO_{word}" for word in types])
        self.assertEqual(found[:2], [c.OK, c.STOPPED])
        self.assertEqual(found[2:8], sorted(c.ERRORS))
        self.assertEqual(found[8:], list(range(len(c.TYPES))) + [c.STRING])

    def test_functions(self):
        text = declarations()
        for name, (_, arguments) in c._FUNCTIONS.items():
            listed = re.search(r"\b%s\(([^)]*)\);" % name, text)
            self.assertIsNotNone(listed, name)
            inner = listed.group(1).strip()
            count = 0 if inner == "void" else inner.count(",") + 1
            self.assertEqual(count, len(arguments), name)


main()
