"""The dialect of src/ and cli/, checked. Prints one line per violation; exit code 1 if there is one.

Text is read without a compiler: comments and the content of strings are blanked first, so that what
remains can be matched by shape. Each rule is a function that yields (file, line, what is wrong).
"""
import glob
import os
import re
import sys

PARAMETERS_MAX = 7
REPEATED_MAX = 12   # lines that may stand twice
OPENING_FROM = 40   # lines of a file that must open with a comment
IDEA_FROM = 150     # lines of a file whose idea takes more than a line
FOLDER_MAX = 10     # source files of a room of a folder, such as io/zip, without a README.md of its own

SOURCE = (".c", ".h", ".cu", ".cuh")
CODE = (".c", ".cu")

# Words that were given up, and what to say instead: docs/glossary.md has the reasons. The
# command may pool runs and count seeds, so those words are watched in src/ alone.
RETIRED = {
    ("src", "cli"): [
        (r"spoiled", "not_finite"),
        (r"\bintra\b", "within"),
        (r"\binter\b|\bbool a?cross\b|\bacross (the )?views\b", "between"),
    ],
    ("src",): [
        (r"\bpool(ed|ing)\b|\bsparse_pool\b", "propagated, propagation"),
        (r"\bthe pool\b|\bstruct pool\b", "the context's cache, struct buffer_cache"),
    ],
    ("src", "-src/report", "-src/run", "-src/tune"): [  # they count seeds of random numbers, as the command does
        (r"\bseeds\b|_seeds\b", "roots"),
    ],
}


def files_of(folders, suffixes=SOURCE):
    """Files below the folders, but for those below a folder that is listed with a dash."""
    left_out = tuple(top[1:] for top in folders if top.startswith("-"))
    for top in folders:
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                if name.endswith(suffixes) and folder not in left_out:
                    yield os.path.join(folder, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blank(text, directives=True):
    """The text with comments and directives as spaces and strings empty; lines stay where they are."""
    def spaces(match):
        found = match.group(0)
        if found[0] in "\"'":
            return found[0] + " " * (len(found) - 2) + found[-1]
        return re.sub(r"[^\n]", " ", found)
    pattern = r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    text = re.sub(pattern, spaces, text, flags=re.S)
    if directives:
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)
    return text


def line_at(text, place):
    return text.count("\n", 0, place) + 1


def closing(text, place):
    """Where the bracket that opens at `place` closes."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    opening, depth = text[place], 0
    for i in range(place, len(text)):
        depth += (text[i] == opening) - (text[i] == pairs[opening])
        if depth == 0:
            return i
    return len(text) - 1


# ---- Expressions and declarations -------------------------------------------------------------------


def type_names(texts):
    """Names of types beyond those of C: typedefs and parameters of templates."""
    names = set("void bool char short int long float double signed unsigned size_t FILE __half".split())
    for text in texts:
        names |= set(re.findall(r"\btypedef\b[^;{}]*?(\w+)\s*(?:\[[^]]*\]|__attribute__[^;]*)?;", text))
        names |= set(re.findall(r"}\s*(\w+)\s*;", text))
        names |= set(re.findall(r"\b(?:typename|class)\s+(\w+)", text))
    return names


def sizes(texts):
    """sizeof takes parentheses for a type alone."""
    types = type_names(texts.values())
    for path, text in texts.items():
        for match in re.finditer(r"\bsizeof\s*\(", text):
            inside = text[match.end():closing(text, match.end() - 1)]
            words = re.findall(r"\w+", re.sub(r"<.*>", "", inside))
            is_type = re.match(r"\s*(const\s+)?(struct|union|enum)\b", inside) or all(
                word in types or word == "const" or word.endswith("_t") for word in words)
            if not is_type or re.search(r"[^\w\s*<>,]|^\s*\*", inside):
                yield path, line_at(text, match.start()), f"sizeof({inside}): write sizeof {inside}"


def null_comparisons(texts):
    for path, text in texts.items():
        for match in re.finditer(r"[!=]=\s*(NULL|nullptr)\b|\b(NULL|nullptr)\s*[!=]=", text):
            yield path, line_at(text, match.start()), "a comparison with NULL: write p or !p"


def without_structs(text):
    """The text with the fields of structs and unions as spaces."""
    for match in re.finditer(r"\b(struct|union)\b(\s+\w+)?\s*\{", text):
        start = match.end() - 1
        if text[start] != "{":  # within one that was blanked
            continue
        end = closing(text, start)
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end + 1]) + text[end + 1:]
    return text


def initialised(texts):
    for path, text in texts.items():
        for match in re.finditer(r"\bgraco_status\s+\w[\w\s,]*;", without_structs(text)):
            yield path, line_at(text, match.start()), "a graco_status that is not initialised"


def count_parameters(inside):
    depth = count = 0
    for i, letter in enumerate(inside):
        depth += (letter in "([{<") - (letter in ")]}" or (letter == ">" and inside[i - 1] != "-"))
        count += letter == "," and depth == 0
    return 0 if inside.strip() in ("", "void") else count + 1


def parameters(texts):
    """Functions and pointers to functions. What a .c file declares extern, or as a type, is
    not ours."""
    for path, text in texts.items():
        text = re.sub(r"extern\s*\"[^\"]*\"\s*\{|__launch_bounds__\s*\([^)]*\)",
                      lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
        depth = 0
        for match in re.finditer(r"[{}]|\b(\w+)\s*\((?!\s*\*)|\(\s*\*\s*(\w+)\s*\)\s*\(", text):
            if match.group(0) in "{}":
                depth = max(0, depth + (1 if match.group(0) == "{" else -1))
                continue
            place = match.end() - 1
            end = closing(text, place)
            before = text[max(text.rfind(mark, 0, match.start()) for mark in ";{}") + 1:match.start()]
            declares = re.search(r"[\w*&]\s*$", before) and not re.search(r"\b(return|else|case)\s*$", before)
            after = re.match(r"\s*(const\s*)?([;{]|EXT_|__attribute__)", text[end + 1:end + 80])
            if match.group(1) and (depth > 0 or not after) or not declares:
                continue
            if re.match(r"\s*(extern|typedef)\b", before) and path.endswith(CODE) and '"' not in before:
                continue
            found = count_parameters(text[place + 1:end])
            if found > PARAMETERS_MAX:
                name = match.group(1) or match.group(2)
                yield path, line_at(text, match.start()), f"{name} has {found} parameters"


def names_of_structs(texts):
    """No other file defines a struct of the name that a header has given to one."""
    places = {}
    for path, text in texts.items():
        for match in re.finditer(r"\bstruct\s+(\w+)\s*\{", text):
            places.setdefault(match.group(1), []).append((path, line_at(text, match.start())))
    for name, found in places.items():
        headers = [path for path, _ in found if not path.endswith(CODE)]
        for path, line in found:
            if headers and path != headers[0]:
                yield path, line, f"struct {name} is another one in {headers[0]}"


# ---- Files and folders ------------------------------------------------------------------------------


def openings(paths):
    for path in paths:
        text = read(path)
        comment = re.match(r"/\*.*?\*/", text, flags=re.S)
        lines, opening = text.count("\n"), comment.group(0) if comment else ""
        if lines > OPENING_FROM and not opening:
            yield path, 1, "opens without a comment that says its idea"
        elif lines > IDEA_FROM and "\n" not in opening:
            yield path, 1, "says its idea in one line; expected two at least"


def readmes(folders):
    """Every folder has a README.md that begins with its job and names each file, and none that is not there."""
    for top in folders:
        for folder, _, names in sorted(os.walk(top)):
            sources = sorted(name for name in names if name.endswith(SOURCE + (".def",)))
            page = os.path.join(folder, "README.md")
            if not os.path.exists(page):
                if len(sources) > (FOLDER_MAX if folder.count(os.sep) > 1 else 0):
                    yield folder, 0, f"{len(sources)} source files and no README.md"
                continue
            text = read(page)
            if not re.match(rf"# {re.escape(folder.replace('src' + os.sep, ''))}: \w", text):
                yield page, 1, "does not begin with the folder's name and its job"
            for name in sources:
                stem, _, suffix = name.partition(".")
                if not re.search(rf"(?<![\w.]){re.escape(stem)}\.({suffix}(?!\w)|\*)", text):
                    yield page, 0, f"does not name {name}"
            for name in re.findall(r"`([a-z0-9_*]+\.(?:[ch]|cuh?|def|\*))`", text):
                if not glob.glob(os.path.join(folder, "**", name), recursive=True):
                    yield page, 0, f"names {name}, which is not there"


def retired_words():
    for folders, words in RETIRED.items():
        for path in files_of(folders):
            for number, line in enumerate(read(path).splitlines(), 1):
                for pattern, instead in words:
                    found = re.search(pattern, line)
                    if found:
                        yield path, number, f"'{found.group(0)}' is retired: {instead}"


# ---- Passages that stand twice ----------------------------------------------------------------------

# Words that stay themselves. Types count as names: a passage for floats repeats one for doubles.
KEYWORDS = set("""break case const continue default do else enum for goto if return sizeof static struct switch
    typedef union while TRY PASS FAIL GRACO_OK NULL""".split())


def shape(line):
    """A line of code with its names, numbers and strings as N, 0 and S; '' if it says nothing.

    Tables are data, not passages: '' for a line that starts with a brace, a bracket, a dot or a string
    and ends with a comma or a brace, and for an item of a list or an enum.
    """
    if re.match(r"\s*#\s*include", line) or re.match(r"\s*[.{\[\"].*[,}]\s*$", line):
        return ""
    if re.match(r"[\w\s=.\-]*,\s*$", line):
        return ""
    tokens = []
    for token in re.findall(r"\"[^\"]*\"|'[^']*'|\w+|[^\w\s]", line):
        if token[0] in "\"'":
            tokens.append("S")
        elif token[0].isdigit():
            tokens.append("0")
        elif re.match(r"\w", token) and token not in KEYWORDS:
            tokens.append("N")
        else:
            tokens.append(token)
    return " ".join(tokens) if any(token not in "{}();,else" for token in tokens) else ""


def repeated(paths):
    """Runs of more than REPEATED_MAX lines that are equal but for names, numbers and strings."""
    size = REPEATED_MAX + 1
    lines = {}
    places = {}
    for path in paths:
        shapes = [(number, shape(line)) for number, line in
                  enumerate(blank(read(path), directives=False).splitlines(), 1)]
        lines[path] = [found for found in shapes if found[1]]
        for i in range(len(lines[path]) - size + 1):
            key = tuple(text for _, text in lines[path][i:i + size])
            places.setdefault(key, []).append((path, i))
    covered = set()
    for spots in places.values():
        path, i = spots[0]
        for other, j in spots[1:]:
            if (path == other and j - i < size) or (path, i, other, j) in covered:
                continue
            length = 0
            while (i + length < len(lines[path]) and j + length < len(lines[other]) and
                   lines[path][i + length][1] == lines[other][j + length][1]):
                covered.add((path, i + length, other, j + length))
                length += 1
            first, last = lines[path][i][0], lines[path][i + length - 1][0]
            where, end = lines[other][j][0], lines[other][j + length - 1][0]
            yield path, first, f"lines {first} to {last} stand again at {other}:{where} to {end}"


def main():
    paths = list(files_of(["src", "cli"]))
    blanked = {path: blank(read(path)) for path in paths}
    wide = dict(blanked, **{path: blank(read(path)) for path in files_of(["include", "examples"])})
    rules = [sizes(wide), null_comparisons(wide), initialised(wide), parameters(wide),
             names_of_structs(blanked), openings(files_of(["src", "cli"], CODE)),
             readmes(["src", "cli", "paper"]), retired_words(), repeated(paths)]
    count = 0
    for rule in rules:
        for path, line, what in rule:
            print(f"{path}:{line}: {what}")
            count += 1
    print(f"{len(wide)} files, {count} violations")
    return count > 0 or len(paths) == 0


if __name__ == "__main__":
    sys.exit(main())
