#!/usr/bin/env python3
"""Checks the files of a report that was made from make_results.py's file: check_page.py FOLDER.

The page is XML, so its structure can be asked for: every reference leads somewhere, every picture and
table has words for who cannot see it, nothing comes from elsewhere, no word of the file became markup.
"""
import csv
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

SPACE = {"h": "http://www.w3.org/1999/xhtml", "s": "http://www.w3.org/2000/svg"}
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print("does not hold:", what)


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def check_page(root):
    everything = list(root.iter())
    ids = [e.get("id") for e in everything if e.get("id")]
    check("names in the page occur once", len(ids) == len(set(ids)))
    for e in everything:
        for attribute in ("aria-labelledby", "aria-describedby"):
            for name in (e.get(attribute) or "").split():
                check(f"{attribute} leads to {name}", name in ids)
        for attribute in e.attrib:
            check(f"{attribute} of {e.tag} is no handler", not attribute.startswith("on"))
        check(f"{e.tag} asks for nothing", not e.get("src") and not e.get("{http://www.w3.org/1999/xlink}href"))
    links = root.findall(".//h:a", SPACE)
    check("links stay in the page", all(a.get("href")[1:] in ids and a.get("href")[0] == "#" for a in links))
    check("there are no scripts", not root.findall(".//h:script", SPACE) and not root.findall(".//s:script", SPACE))
    check("no tag came from the file", not root.findall(".//h:b", SPACE) and not root.findall(".//h:em", SPACE))
    sections = root.findall(".//h:section", SPACE)
    contents = [a.get("href")[1:] for a in root.findall(".//h:nav//h:a", SPACE)]
    check("the contents list every section, in order", contents == [s.get("id") for s in sections])
    for name in ("summary", "claims", "datasets", "transductive", "inductive", "sensitivity", "robustness",
                 "theorems", "training", "embeddings", "explanations", "methods"):
        check(f"there is a section {name}", name in contents)
    levels = [int(e.tag[-1]) for e in everything if re.fullmatch(r"\{.*\}h[1-6]", e.tag)]
    check("one heading of the first level", levels.count(1) == 1 and levels[0] == 1)
    check("no level of headings is left out", all(b <= a + 1 for a, b in zip(levels, levels[1:])))


def check_tables(root):
    tables = root.findall(".//h:table", SPACE)
    check("there are tables", len(tables) > 10)
    for box in root.findall(".//h:div[@class='scroll']", SPACE):
        check("a box that scrolls has a role, a name and takes the focus",
              box.get("role") == "region" and box.get("aria-label") and box.get("tabindex") == "0")
    for table in tables:
        check("every th has a scope", all(th.get("scope") for th in table.findall(".//h:th", SPACE)))
        widths = {sum(int(c.get("colspan", 1)) for c in row) for row in table.findall(".//h:tr", SPACE)}
        check(f"rows are equally long: {widths}", len(widths) == 1)


def check_pictures(root):
    pictures = root.findall(".//s:svg", SPACE)
    check(f"{len(pictures)} pictures", len(pictures) == 1 + 4 + 8 + 2)
    for svg in pictures:
        named = svg.get("aria-labelledby").split()
        first = [e.get("id") for e in list(svg)[:2]]
        check("a picture begins with its title and description", svg.get("role") == "img" and first == named)
        check("they say something", all(text_of(e) for e in list(svg)[:2]))
        check("no number is broken", not re.search(r"\b(nan|inf)\b", tree.tostring(svg, encoding="unicode")))
    heat = root.find(".//h:section[@id='sensitivity']//s:svg", SPACE)
    hovers = [text_of(t) for t in heat.findall(".//s:rect/s:title", SPACE)]
    check("every cell of the heat map says its numbers", len(hovers) == 81)
    check("a cell that was run", any(re.fullmatch(r"p1 0.4, p2 0.4: 7\d\.\d\d ± 0\.\d\d \(\d\.\d\)", h) for h in hovers))
    check("a cell that is missing", "p1 0.1, p2 0.9: – , missing".replace(" ,", ",") in hovers)
    lines = root.findall(".//h:section[@id='robustness']//s:svg", SPACE)
    check("lines have bands", all(len(p.findall(".//s:path[@class='band']", SPACE)) >= 2 for p in lines))


def check_words(root):
    words = text_of(root.find(".//h:main", SPACE))
    awkward = '<script>alert("1")</script> | a, b & \'c\' µ-F₁ \\*'
    check("awkward names arrive as they are", words.count(awkward) >= 2)
    for part in ("≈", "▲", "▼", "missing", "look-alike", "standard error over", "spread",
                 "holds", "does not hold", "undecided", "Not tested here: GRACE scores above DeepWalk with features;",
                 "The regression is the probe's: C chosen on validation, rows of length one."):
        check(f"the page says {part!r}", part in words)


def check_folder(folder):
    for name in ("transductive", "inductive", "sensitivity", "robustness", "theorems", "datasets", "claims"):
        with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        check(f"{name}.csv has rows of one length", len(rows) > 1 and len({len(row) for row in rows}) == 1)
        check(f"{name}.csv holds no formula", not any(f[:1] in ("=", "@", "+") for row in rows for f in row))
    with open(folder / "transductive.csv", newline="", encoding="utf-8") as file:
        rows = {(row["row"], row["column"]): row for row in csv.DictReader(file)}
    grace = rows["GRACE", "Cora"]
    check("GRACE on Cora", grace["paper"] == "83.30" and grace["label"] == "run" and grace["agreement"] == "within")
    check("a missing cell has no number of ours", rows["GAE", "DBLP"]["ours"] == "" and
          rows["GAE", "DBLP"]["label"] == "missing")
    markdown = (folder / "tables.md").read_text(encoding="utf-8")
    check("Markdown holds no tag but its own comments", not re.search(r"<(?!!--)", markdown))
    check("every table of Markdown has rows of one length", all(
        len({len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}) == 1
        for block in re.findall(r"(?:^\|.*\n)+", markdown, flags=re.M)))
    for link in re.findall(r"\]\(([^)]*)\)", markdown):
        check(f"tables.md's {link} is there", (folder / link).exists())
    for picture in folder.glob("*.svg"):
        root = tree.parse(picture).getroot()
        check(f"{picture.name} carries its colours", "prefers-color-scheme:dark" in text_of(root))


def main():
    folder = pathlib.Path(sys.argv[1])
    page = (folder / "report.html").read_text(encoding="utf-8")
    check("it begins as HTML does", page.startswith("<!DOCTYPE html>\n<html lang=\"en\""))
    check("no address but the names of HTML and SVG",
          set(re.findall(r"https?://[^\"' ]*", page)) == {SPACE["h"], SPACE["s"]})
    root = tree.fromstring(page)
    check_page(root)
    check_tables(root)
    check_pictures(root)
    check_words(root)
    check_folder(folder)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
