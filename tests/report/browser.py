#!/usr/bin/env python3
"""Opens a page in Chromium, without a window, and says what is wrong with it: browser.py PAGE [FOLDER].

For widths of 360 and 1440 pixels, light and dark: nothing may be wider than the page, no label of a plot may cover
another or be cut, no words may be too small to read, no short words of a table may be broken into lines, large
numbers that stand side by side share a line. No message of the console, no request but for the page itself, and
every box that scrolls must take the keyboard's focus.
With a FOLDER, pictures of the page are left there, and the page as it prints. Exit code 77: no Chromium.

The browser is driven over two pipes (the DevTools protocol, a message of JSON ends with a NUL), so
neither a port nor a library is needed.
"""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (360, 1440)
NO_GPU = ("GPU stall", "software WebGL")  # what the browser itself says of a machine without a GPU

MEASURE = """(() => {
    const root = document.documentElement, wide = [];
    for (const e of document.querySelectorAll('body *')) {
        if (e.closest('.scroll, .unseen, .skip, svg')) continue;
        const box = e.getBoundingClientRect();
        if (box.right > root.clientWidth + 1 || box.left < -1)
            wide.push(e.tagName + '.' + e.className + ' ' + Math.round(box.left) + '..' + Math.round(box.right));
    }
    const boxes = [...document.querySelectorAll('.scroll')];
    const deaf = boxes.filter(e => { e.focus(); return e.checkVisibility() && document.activeElement !== e; });
    document.activeElement.blur();
    const plots = [...document.querySelectorAll('svg.plot')].filter(e => e.getBoundingClientRect().width < 200);
    return JSON.stringify({scroll: root.scrollWidth, client: root.clientWidth, wide, deaf: deaf.length,
                           boxes: boxes.length, plots: plots.length,
                           background: getComputedStyle(document.body).backgroundColor});
})()"""

# Words of a plot that cover each other, or are cut by its edge.
COVERED = """(() => {
    const wrong = [];
    for (const plot of document.querySelectorAll('svg.plot')) {
        const frame = plot.getBoundingClientRect();
        const words = [...plot.querySelectorAll('text')].filter(e => e.textContent && e.checkVisibility());
        const boxes = words.map(e => e.getBoundingClientRect());
        boxes.forEach((p, i) => {
            if (p.left < frame.left - 1 || p.right > frame.right + 1 || p.bottom > frame.bottom + 1)
                wrong.push(words[i].textContent + ' is cut');
            boxes.slice(i + 1).forEach((q, k) => {
                if (p.left < q.right - 1.5 && q.left < p.right - 1.5 && p.top < q.bottom - 2.5 && q.top < p.bottom - 2.5)
                    wrong.push(words[i].textContent + ' over ' + words[i + 1 + k].textContent);
            });
        });
    }
    return wrong;
})()"""

# Words of less than 8 pixels.
SMALL = """(() => [...document.querySelectorAll('body *')].filter(e =>
    e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && !e.closest('.unseen') &&
    e.getBoundingClientRect().height > 0 &&
    parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement ? Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : 1) < 8)
    .map(e => e.textContent.slice(0, 40)))()"""

# Cells of a table with at most 11 characters in two lines, what stands behind their words aside.
BROKEN = """(() => [...document.querySelectorAll('th, td')].filter(e => {
    const words = e.firstChild && document.createRange(), text = e.firstChild && e.firstChild.textContent;
    if (!words || !e.checkVisibility() || text.length > 11)
        return false;
    words.selectNodeContents(e.firstChild);
    const lines = [...words.getClientRects()].filter(r => r.width > 1).map(r => Math.round(r.top));
    return Math.max(...lines) - Math.min(...lines) > 8;
}).map(e => e.textContent))()"""

# Large numbers whose boxes begin at one height, but not the numbers themselves.
CROOKED = """(() => {
    const rows = new Map(), wrong = [];
    for (const box of document.querySelectorAll('.figures > div')) {
        const top = Math.round(box.getBoundingClientRect().top);
        const number = Math.round(box.querySelector('dd').getBoundingClientRect().top);
        if (rows.has(top) && Math.abs(rows.get(top) - number) > 1)
            wrong.push(box.textContent);
        rows.set(top, number);
    }
    return wrong;
})()"""
RULES = {"labels covered or cut": COVERED, "too small to read": SMALL, "short words in two lines": BROKEN,
         "numbers not in one line": CROOKED}


class Browser:
    def __init__(self, program, folder):
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        for end in (to_read, back_write):
            os.set_inheritable(end, True)
        # The browser reads from 3 and writes to 4; a shell puts the pipes there.
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                   f"--user-data-dir={folder}", "--remote-debugging-pipe"]
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{back_write}'
        self.process = subprocess.Popen(["bash", "-c", shell, program, *options], close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        self.number, self.rest, self.events = 0, b"", []

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 16)
            if not piece:
                raise RuntimeError("the browser went away")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def close(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Page:
    """A page as a test uses it, with real events of the browser; `wrong` gathers what does not hold."""

    def __init__(self, browser, address):
        self.browser, self.address, self.wrong = browser, address, []
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def ask(self, expression, session=None, **more):
        answer = self.browser.call("Runtime.evaluate", session or self.session, expression=expression,
                                   returnByValue=True, awaitPromise=True, **more)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def check(self, holds, words):
        if not holds:
            self.wrong.append(words)

    def settle(self):
        self.ask("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def press(self, key, code=0):
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def show(self, width, height, scheme):
        """The size of the window and the colour scheme, for what is opened next."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def messages(self):
        """What the console said, and whom the page asked for something: both should be nothing."""
        for event in self.browser.events:
            if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                words = json.dumps(event["params"])
                self.check(any(known in words for known in NO_GPU), "console: " + words[:300])
            elif event.get("method") == "Network.requestWillBeSent":
                asked = event["params"]["request"]["url"].split("#")[0]
                self.check(asked == self.address.split("#")[0] or asked.split(":")[0] in ("data", "blob", "about"),
                           f"the page asks for {asked}")


@contextlib.contextmanager
def opened(address, kind=Page):
    """A page, of the class `kind`, in a browser of its own; without Chromium the program ends here."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        print("skipped: no Chromium is installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            yield kind(browser, address)
        finally:
            browser.close()


def look(page, width, scheme):
    """Opens the page at this width and in this scheme; its background. Prints a line about it."""
    before = len(page.wrong)
    page.browser.events.clear()
    page.show(width, 900, scheme)
    page.call("Page.navigate", url=page.address)
    page.browser.wait("Page.loadEventFired")
    found = json.loads(page.ask(MEASURE))
    page.check(found["scroll"] <= width, f"the page is {found['scroll']} pixels wide")
    page.check(not found["wide"], f"too wide: {found['wide']}")
    page.check(not found["deaf"], f"{found['deaf']} boxes that scroll take no focus")
    page.check(found["boxes"] and not found["plots"],
               f"{found['boxes']} tables, {found['plots']} pictures under 200 pixels")
    for rule, expression in RULES.items():
        against = page.ask(expression)
        page.check(not against, f"{rule}: {against[:5]}")
    page.messages()
    page.wrong[before:] = [f"{width} pixels, {scheme}: {what}" for what in page.wrong[before:]]
    print(f"{width} pixels, {scheme}: background {found['background']}, {len(page.wrong) - before} faults")
    return found["background"]


def main():
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    backgrounds = set()
    with opened(pathlib.Path(sys.argv[1]).resolve().as_uri()) as page:
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                backgrounds.add(look(page, width, scheme))
                if pictures:
                    page.picture(pictures / f"{width}-{scheme}.png", whole=True)
        printed = base64.b64decode(page.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"])
        if pictures:
            (pictures / "printed.pdf").write_bytes(printed)
    page.check(len(backgrounds) == 2, "light and dark look the same")
    page.check(printed.startswith(b"%PDF"), "it does not print")
    print("\n".join(page.wrong))
    return len(page.wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
