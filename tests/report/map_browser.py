#!/usr/bin/env python3
"""Uses a map's page as a reader does, in Chromium: map_browser.py PAGE EXPECTED [FOLDER].

EXPECTED is JSON with the names and the classes of all nodes, and what the classes are called. Pointer, fingers and
keys are real events of the browser. The page must show the right node under the pointer, find nodes by name, hide a
group, save the names within a lasso, keep the numbers of its legend whole, print nothing on the console and ask nobody
for anything, drawn by WebGL and by a plain canvas. With a FOLDER, pictures are left there. Exit code 77: no Chromium.
"""
import json
import pathlib
import sys
import tempfile
import time

import browser
from browser import WIDTHS

TOO_WIDE = """(() => [...document.querySelectorAll('body *')].filter(e => {
    const box = e.getBoundingClientRect();
    return e.checkVisibility() && !e.closest('.unseen, #card *, #legend *, #found *') && box.width > 0 &&
        (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1);
}).map(e => e.tagName + '#' + e.id))()"""

OVERLAPS = """(() => {
    const seen = [...document.querySelectorAll('header > *, #legend, #card')].filter(e => e.checkVisibility());
    const wrong = [];
    seen.forEach((a, i) => seen.slice(i + 1).forEach(b => {
        const p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
        if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1)
            wrong.push(a.tagName + a.id + ' over ' + b.tagName + b.id);
    }));
    return wrong;
})()"""

# Numbers of the legend that are broken into lines, or lie outside of it.
BROKEN = """(() => [...document.querySelectorAll('#legend .count')].filter(e => {
    const words = document.createRange(), legend = document.getElementById('legend').getBoundingClientRect();
    words.selectNodeContents(e);
    return words.getClientRects().length !== 1 || e.getBoundingClientRect().right > legend.right;
}).map(e => e.parentNode.textContent))()"""


class Page(browser.Page):
    def open(self, width, scheme, touch=False):
        self.show(width, 800, scheme)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Page.navigate", url="about:blank")  # another end of the same address would not load it anew
        self.call("Page.navigate", url=self.address)
        self.until("document.readyState === 'complete' && !!window.gracoMap")
        self.settle()

    def until(self, expression):
        for _ in range(300):
            if self.ask(expression):
                return
            time.sleep(0.1)
        raise RuntimeError(f"never came true: {expression}")

    def middle(self, selector):
        return self.ask(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                        "return [b.x + b.width / 2, b.y + b.height / 2]; })()")

    def click(self, selector):
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def where(self, node):
        """Where a node is in the window."""
        return self.ask(f"(() => {{ const b = document.getElementById('map').getBoundingClientRect(),"
                        f"p = gracoMap.where({node}); return [p[0] + b.x, p[1] + b.y]; }})()")

    def card(self):
        self.settle()
        return self.ask("document.getElementById('card').hidden ? '' : document.querySelector('#card h2').textContent")


def find(page, words):
    page.click("#find")
    page.ask("document.getElementById('find').select()")
    page.call("Input.insertText", text=words)
    page.press("Enter", 13)
    page.settle()


# Pans in eight frames, each of which keeps the machine busy for a while; which nodes were drawn in the end, and at rest.
HURRY = """new Promise(done => {
    const map = document.getElementById('map');
    let frames = 0;
    const tick = () => {
        const until = performance.now() + 100;
        while (performance.now() < until);
        if (++frames < 8) {
            map.dispatchEvent(new KeyboardEvent('keydown', {key: frames % 2 ? 'ArrowLeft' : 'ArrowRight'}));
            requestAnimationFrame(tick);
            return;
        }
        const moving = gracoMap.drawnEvery();
        setTimeout(() => done([moving, gracoMap.drawnEvery()]), 1500);
    };
    tick();
})"""


def hurry(page):
    moving, resting = page.ask(HURRY)
    page.check(moving > 1, f"a slow machine draws every {moving}th node while the map moves")
    page.check(resting == 1, f"at rest it draws every {resting}th node")


def shown(name):
    return name if len(name) <= 300 else name[:300] + "…"


def use(page, names, classes, called, downloads):
    page.open(1440, "light")
    page.press("Tab")
    # Search: plain names, and those that would be markup, quotes, right to left, and very long ones.
    for node in (17, 0, 1, 2, 3):
        find(page, names[node][:60])
        page.check(page.card() == shown(names[node]), f"searching node {node} shows {page.card()!r}")
        x, y = page.where(node)
        page.check(abs(x - 720) < 2, f"node {node} is not in the middle after the search, but at {x}, {y}")
    page.check(page.ask("window.hacked === undefined"), "a name became a script")
    page.check(page.ask("document.querySelectorAll('#card script, #found script').length") == 0, "a script in the card")
    # The pointer: the node under it, and what the card says of it.
    page.press("Escape")
    page.press("0")
    for node in (5, 20, 33, 77):
        x, y = page.where(node)
        page.mouse("mouseMoved", x, y)
        page.check(page.card() == names[node], f"over node {node} the card shows {page.card()!r}")
        words = page.ask("document.getElementById('card').textContent")
        page.check(called[classes[node]] in words, f"the card of node {node} has no class: {words[:200]}")
        page.check(page.ask("document.querySelectorAll('#card li').length") == 5, "five neighbours are named")
    page.mouse("mouseMoved", 2, 795)
    page.check(page.card() == "", "the card stays when the pointer leaves")
    # A click keeps it; a neighbour's button goes there.
    x, y = page.where(20)
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", 2, 795)
    page.check(page.card() == names[20], "a click keeps the card")
    neighbour = page.ask("document.querySelector('#card li button').textContent")
    page.click("#card li button")
    page.check(page.card() == neighbour, "a neighbour's button shows it")
    keys(page)
    legend(page, classes, called)
    lasso(page, names, classes, downloads)


def keys(page):
    page.click("#map")
    page.press("Escape")
    page.press("0")
    before = page.ask("({...gracoMap.view})")
    page.press("ArrowRight")
    page.press("+")
    after = page.ask("({...gracoMap.view})")
    page.check(after["x"] > before["x"], "the right arrow moves the view to the right")
    page.check(after["scale"] > 1.2 * before["scale"], "+ zooms")
    page.press("0")
    page.check(abs(page.ask("gracoMap.view.scale") - before["scale"]) < 1e-9, "0 shows the whole map")
    x, y = page.middle("#map")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    page.settle()
    page.until(f"gracoMap.view.scale > {1.2 * before['scale']}")
    page.press("0")
    page.press("/")
    page.check(page.ask("document.activeElement.id") == "find", "/ goes to the search")
    page.press("Escape")


def legend(page, classes, called):
    page.check(page.ask("document.querySelectorAll('#legend .group').length") == len(set(classes)), "a button a class")
    hidden = next(i for i in range(30, len(classes)) if classes[i] == 0)
    page.click("#legend .group")
    x, y = page.where(hidden)
    page.mouse("mouseMoved", x, y)
    page.check(called[0] not in page.ask("document.getElementById('card').textContent"),
               "a hidden class is under the pointer")
    page.click("#legend .group")
    page.ask("(() => { const s = document.getElementById('colour'); s.value = 2; s.onchange({target: s}); })()")
    page.check(page.ask("document.querySelectorAll('#legend input').length") == 2, "numbers have a range")
    page.ask("(() => { const s = document.getElementById('colour'); s.value = 0; s.onchange({target: s}); })()")


def lasso(page, names, classes, downloads):
    page.click("#map")
    page.press("Escape")
    page.press("0")
    page.settle()
    places = [page.where(i) for i in range(len(names))] if len(names) < 100 else page.ask(
        "(() => { const b = document.getElementById('map').getBoundingClientRect();"
        f"return Array.from({{length: {len(names)}}}, (_, i) => {{ const p = gracoMap.where(i);"
        "return [p[0] + b.x, p[1] + b.y]; }); })()")
    left, right = sorted(p[0] for p in places)[len(places) // 4], sorted(p[0] for p in places)[len(places) * 3 // 4]
    low, high = sorted(p[1] for p in places)[len(places) // 5], sorted(p[1] for p in places)[len(places) * 4 // 5]
    left, right, low, high = left + 0.5, right + 0.5, low + 0.5, high + 0.5
    page.click("#lasso")
    corners = [(left, low), (right, low), (right, high), (left, high)]
    page.mouse("mousePressed", *corners[0], button="left", clickCount=1)
    for x, y in corners[1:]:
        page.mouse("mouseMoved", x, y, button="left", buttons=1)
    page.mouse("mouseReleased", *corners[-1], button="left", clickCount=1)
    page.settle()
    expected = {names[i] for i, (x, y) in enumerate(places) if left < x < right and low < y < high}
    count = page.ask("gracoMap.chosen().length")
    page.check(count == len(expected) > 0, f"the lasso chose {count} nodes, expected {len(expected)}")
    for old in downloads.iterdir():
        old.unlink()
    page.click("#save")
    for _ in range(100):
        files = [f for f in downloads.iterdir() if f.name.endswith(".txt")]
        if files:
            break
        time.sleep(0.1)
    saved = set(files[0].read_text(encoding="utf-8").split("\n")[:-1]) if files else set()
    page.check(saved == expected, f"the lasso's file has {len(saved)} names, {len(saved ^ expected)} wrong")


def touch(page):
    page.open(360, "light", touch=True)
    x, y = page.middle("#map")
    before = page.ask("gracoMap.view.scale")
    for kind, apart in (("touchStart", 40), ("touchMove", 60), ("touchMove", 100), ("touchEnd", None)):
        points = [] if apart is None else [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    page.settle()
    page.check(page.ask("gracoMap.view.scale") > 1.5 * before, "two fingers zoom")


def look(page, names, pictures):
    backgrounds = set()
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page.open(width, scheme)
            find(page, names[17])
            page.check(not page.ask(TOO_WIDE), f"{width} {scheme}: outside of the page: {page.ask(TOO_WIDE)}")
            page.check(not page.ask(OVERLAPS), f"{width} {scheme}: {page.ask(OVERLAPS)}")
            page.check(page.ask(BROKEN) == [], f"{width} {scheme}: numbers in pieces: {page.ask(BROKEN)}")
            page.click("#all")
            backgrounds.add(page.ask("getComputedStyle(document.body).backgroundColor"))
            if pictures:
                page.picture(pictures / f"map-{width}-{scheme}.png")
    page.check(len(backgrounds) == 2, "light and dark look the same")


def main():
    address = pathlib.Path(sys.argv[1]).resolve().as_uri()
    expected = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as downloads, browser.opened(address, Page) as page:
        page.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
        for end in ("#webgl", "#canvas"):
            page.browser.events.clear()
            page.address = address + end
            use(page, expected["names"], expected["classes"], expected["called"], pathlib.Path(downloads))
            page.check(page.ask("gracoMap.drawnBy") == end[1:], f"{end} is drawn by another")
            hurry(page)
            if end == "#webgl":
                touch(page)
                look(page, expected["names"], pictures)
            frame = page.ask("(() => { const t = performance.now(); for (let n = 0; n < 20; n++) gracoMap.frame();"
                             "return (performance.now() - t) / 20; })()")
            page.messages()
            print(f"{page.ask('gracoMap.drawnBy')}: {frame:.2f} ms a frame, {len(page.wrong)} faults")
    print("\n".join(page.wrong))
    return len(page.wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
