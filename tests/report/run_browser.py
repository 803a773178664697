#!/usr/bin/env python3
"""Uses a report of runs as a reader does, in Chromium: run_browser.py PAGE [FOLDER].

Pointer and keys are real events of the browser: links of the contents, lines that fold and unfold, a table
that the keyboard scrolls, and a map that opens within the page and shows the node under the pointer. All rules of
browser.py hold, no name may become markup, and nobody is asked for anything. With a FOLDER, pictures are left there.
Exit code 77: no Chromium.
"""
import pathlib
import sys
import time

from browser import WIDTHS, Page, look, opened

# Of the first 100 nodes those that nothing covers, and where they are.
SEEN = """Array.from({length: 100}, (_, i) => i).map(i => {
    const b = document.getElementById('map').getBoundingClientRect(), p = gracoMap.where(i);
    return [i, p[0] + b.x, p[1] + b.y];
}).filter(([, x, y]) => (document.elementFromPoint(x, y) || {}).id === 'map')"""


class Reader(Page):
    def box(self, element):
        """Scrolls an element, an expression, into view; where it is then."""
        return self.ask(f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}});"
                        "const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")

    def click(self, element):
        x, y, width, height = self.box(element)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x + min(width / 2, 40), y + height / 2, button="left", clickCount=1)


def use(reader):
    # A link of the contents leads to its section.
    links = reader.ask("document.querySelectorAll('nav a').length")
    reader.click(f"document.querySelectorAll('nav a')[{links - 1}]")
    reader.settle()
    reader.check(reader.ask("location.hash") == "#methods", "the last link of the contents leads to #methods")
    # A folded table opens under the pointer, closes and opens again by the keyboard.
    folded = "[...document.querySelectorAll('summary')].find(e => e.textContent === 'All other settings')"
    reader.click(folded)
    reader.check(reader.ask(f"{folded}.parentNode.open"), "a click opens the other settings")
    reader.press("Enter", 13)
    reader.check(not reader.ask(f"{folded}.parentNode.open"), "Enter closes them")
    reader.press("Enter", 13)
    reader.check(reader.ask(f"{folded}.parentNode.open"), "Enter opens them again")
    # A wide table scrolls by the arrows once it has the focus.
    wide = "[...document.querySelectorAll('.scroll')].find(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 30)"
    if reader.ask(f"!!({wide})"):
        reader.box(wide)
        reader.ask(f"({wide}).focus()")
        for _ in range(5):
            reader.press("ArrowRight", 39)
        for _ in range(300):  # it scrolls smoothly
            if reader.ask(f"({wide}).scrollLeft") > 0:
                break
            time.sleep(0.1)
        else:
            reader.check(False, "the right arrow scrolls a wide table")
    reader.check(reader.ask("window.hacked === undefined && document.querySelectorAll('main script, main i').length === 0"),
                 "a name became markup")


def frame_session(reader):
    """Where the map's script can be asked: a target of its own, or a context of the page's."""
    for _ in range(200):
        reader.ask("1")
        for event in list(reader.browser.events):
            try:
                if event.get("method") == "Target.attachedToTarget":
                    session = event["params"]["sessionId"]
                    if reader.ask("!!window.gracoMap", session):
                        return {"session": session}
                elif event.get("method") == "Runtime.executionContextCreated":
                    context = event["params"]["context"]["id"]
                    if reader.ask("!!window.gracoMap", event.get("sessionId"), contextId=context):
                        return {"session": event.get("sessionId"), "contextId": context}
            except RuntimeError:
                continue
        time.sleep(0.1)
    raise RuntimeError("the map never began")


def explore(reader):
    reader.click("[...document.querySelectorAll('summary')].find(e => e.textContent.startsWith('Explore the map'))")
    reader.settle()
    frame = frame_session(reader)
    seen, place = [], []
    for _ in range(100):  # until the map has its place and its size
        before = (place, seen)
        place = reader.box("document.querySelector('iframe')")
        reader.ask("gracoMap.frame()", **frame)
        seen = reader.ask(SEEN, **frame)
        if before == (place, seen) and len(seen) > 50:
            break
        time.sleep(0.1)
    left, top, width, height = place
    reader.check(width > 300 and height > 300, f"the map is {width} x {height}")
    reader.check(len(seen) > 50, f"only {len(seen)} of the first 100 nodes can be pointed at")
    for node, x, y in seen[:3]:
        words = ""
        for _ in range(50):
            reader.mouse("mouseMoved", left + 2, top - 20)  # the card of another node goes
            reader.mouse("mouseMoved", left + x + 1, top + y)
            reader.mouse("mouseMoved", left + x, top + y)
            words = reader.ask("document.getElementById('card').hidden ? '' :"
                               "document.querySelector('#card h2').textContent", **frame)
            if words:
                break
            time.sleep(0.1)
        reader.check(words != "", f"nothing under the pointer at node {node}")
    reader.check(reader.ask("window.hacked === undefined", **frame), "a name became a script of the map")
    reader.check(reader.ask("(() => { try { return parent.document.title; } catch { return ''; } })()", **frame) == "",
                 "the map can read the page around it")


def main():
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with opened(pathlib.Path(sys.argv[1]).resolve().as_uri(), Reader) as reader:
        reader.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                look(reader, width, scheme)
                if pictures:
                    reader.picture(pictures / f"{width}-{scheme}.png", whole=True)
            use(reader)
            explore(reader)
            if pictures:
                reader.picture(pictures / f"{width}-map.png")
            reader.messages()
    print("\n".join(reader.wrong))
    return len(reader.wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
