#!/usr/bin/env python3
"""Writes what the public headers declare for ctypes: structs, callbacks, constants and functions.

    python_structs.py OUT HEADER...

graco_load_options becomes LoadOptions, graco_epoch_fn EPOCH_FN, GRACO_STOPPED STOPPED; an object of which a
header has only the name is a plain address. A declaration of a shape that this does not know is an error.
"""
import os
import re
import sys

TYPES = {"void": "None", "bool": "c_bool", "char": "c_char", "int": "c_int", "float": "c_float", "double": "c_double",
         "size_t": "c_size_t", "int32_t": "c_int32", "int64_t": "c_int64", "uint64_t": "c_uint64"}
OUTSIDE = r"#ifndef __cplusplus\n.*?#endif\n|#ifdef __cplusplus\n.*?#endif\n|^#[^\n]*\n|/\*.*?\*/"
DECLARATION = re.compile(
    r"\s*(?:typedef enum (?P<enum>\w+) \{(?P<words>[^}]*)\} \w+"
    r"|enum \{(?P<constants>[^}]*)\}"
    r"|typedef struct (?P<struct>\w+) \{(?P<members>(?:[^{}]|\{[^{}]*\})*)\} \w+"
    r"|typedef struct (?P<object>\w+) \w+"
    r"|typedef (?P<result>[\w *]+?)(?P<callback>\w+_fn)\((?P<taken>[^)]*)\)"
    r"|(?P<returned>[\w *]+?)(?P<function>graco_\w+)\((?P<arguments>[^)]*)\));\s*")
lines, functions = [], []


def fail(what):
    sys.exit(f"python_structs.py: not understood: {' '.join(what.split())[:120]}")


def python_type(declared, sizes=""):
    """The ctypes type of a C one such as "const char *const *"; `sizes` is what stands in [] behind the name."""
    stars, base = declared.count("*"), re.sub(r"\bconst\b|\*", " ", declared).strip()
    if base not in TYPES:
        fail(declared)
    known = TYPES[base]
    if stars and base in ("char", "void"):
        stars, known = stars - 1, f"c_{base}_p"
    elif stars and (known == "c_void_p" or known.endswith("_FN")):
        stars -= 1
    return "POINTER(" * stars + known + ")" * stars + (f" * {sizes.replace('GRACO_', '')}" if sizes else "")


def declarations(text):
    """(name, C type, size of an array) of each declarator in "int64_t rows, cols"."""
    base = re.match(r"\s*((?:const )?\w+)\b", text)
    for part in text[base.end():].split(",") if base else [text]:
        found = re.fullmatch(r"([\s*]*(?:const)?[\s*]*?)(\w+)(?:\[(\w+)\])?\s*", part)
        if not base or not found:
            fail(text)
        yield found.group(2), base.group(1) + found.group(1), found.group(3) or ""


def add_struct(name, members):
    fields = []
    for inner, field, size, plain in re.findall(r"struct \{([^}]*)\} (\w+)\[(\w+)\];|([^;{}]+);", members):
        if inner:  # a struct within becomes a class of its own
            TYPES[f"struct {field}"] = f"{name}{field.capitalize()}"
            add_struct(f"{name}{field.capitalize()}", inner)
            fields.append((field, python_type(f"struct {field}", size)))
        elif plain.strip():
            fields += [(field, python_type(declared, size)) for field, declared, size in declarations(plain)]
    body = "".join(f'\n        ("{field}", {kind}),' for field, kind in fields)
    lines.append(f"\n\nclass {name}(Struct):\n    _fields_ = [{body}\n    ]\n")


def arguments(text):
    if text.strip() == "void":
        return ""
    kinds = []
    for parameter in text.split(","):
        (_, declared, size), = declarations(parameter)
        kinds.append(python_type(declared + ("*" if size else "")))
    return ", ".join(kinds)


def add_constants(text):
    value = -1
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, _, given = word.partition(" = ")
        value = int(given) if given else value + 1
        lines.append(f"{name.replace('GRACO_', '')} = {value}\n")


def add(found):
    name = next(filter(None, found.group("enum", "constants", "struct", "object", "callback", "function")))
    python = "".join(word.capitalize() for word in name.split("_")[1:])
    if found["enum"] or found["constants"]:
        TYPES[name] = "c_int"
        add_constants(found["words"] or found["constants"])
    elif found["struct"]:
        TYPES[name] = python
        add_struct(python, found["members"])
    elif found["object"]:
        TYPES[name] = "c_void_p"
    elif found["callback"]:
        TYPES[name] = name.replace("graco_", "").upper()
        lines.append(f"\n\n{TYPES[name]} = CFUNCTYPE({python_type(found['result'])}, {arguments(found['taken'])})\n")
    else:
        functions.append(f'    "{name}": ({python_type(found["returned"])}, [{arguments(found["arguments"])}]),\n')


def main(out, *headers):
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text, at = re.sub(OUTSIDE, "", file.read(), flags=re.S | re.M), 0
        for unknown in re.findall(r"^struct (\w+);$", text, flags=re.M):  # which Python never has
            text = re.sub(rf"\bstruct {unknown}\b", "void", text.replace(f"struct {unknown};", ""))
        while at < len(text.rstrip()):
            found = DECLARATION.match(text, at)
            if not found:
                fail(text[at:])
            add(found)
            at = found.end()
    written = ('"""What graco\'s public headers declare; made from them by scripts/python_structs.py."""\n\n'
               "from ctypes import (\n    CFUNCTYPE, POINTER, Structure as Struct, c_bool, c_char, c_char_p, c_double, c_float, "
               "c_int, c_int32, c_int64, c_size_t, c_uint64,\n    c_void_p,\n)\n\n" + "".join(lines) +
               "\n\n# What each function returns, and its arguments.\nFUNCTIONS = {\n" + "".join(functions) + "}\n")
    if os.path.exists(out):
        with open(out, encoding="utf-8") as file:
            if file.read() == written:
                return
    try:
        with open(f"{out}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(written)
        os.replace(file.name, out)
    except OSError as error:  # a source tree that may not be written builds all but the package
        print(f"python_structs.py: not written: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
