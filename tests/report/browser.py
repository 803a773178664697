#!/usr/bin/env python3
"""Opens a page in Chromium, without a window, and says what is wrong with it: browser.py PAGE [FOLDER].

For widths of 360 and 1440 pixels, light and dark: nothing may be wider than the page, no message of the
console, no request but for the page itself, and every box that scrolls must take the keyboard's focus.
With a FOLDER, pictures of the page are left there, and the page as it prints. Exit code 77: no Chromium.

The browser is driven over two pipes (the DevTools protocol, a message of JSON ends with a NUL), so
neither a port nor a library is needed.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (360, 1440)
PATIENCE = 120  # seconds for a whole run, on a busy machine

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


def look(browser, session, address, width, scheme):
    """What is wrong with the page at this width and in this scheme; prints a line about it."""
    browser.events.clear()
    browser.call("Emulation.setDeviceMetricsOverride", session, width=width, height=900, deviceScaleFactor=1,
                 mobile=False)
    browser.call("Emulation.setEmulatedMedia", session,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("Page.navigate", session, url=address)
    browser.wait("Page.loadEventFired")
    found = json.loads(browser.call("Runtime.evaluate", session, expression=MEASURE)["result"]["value"])
    wrong = []
    if found["scroll"] > width:
        wrong.append(f"the page is {found['scroll']} pixels wide")
    wrong += [f"{what} is too wide" for what in found["wide"]]
    if found["deaf"]:
        wrong.append(f"{found['deaf']} boxes that scroll take no focus")
    if found["boxes"] == 0 or found["plots"]:
        wrong.append(f"{found['boxes']} tables, {found['plots']} pictures under 200 pixels")
    for event in browser.events:
        if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            wrong.append("console: " + json.dumps(event["params"])[:300])
        elif event.get("method") == "Network.requestWillBeSent":
            asked = event["params"]["request"]["url"]
            if asked != address and not asked.startswith("data:"):
                wrong.append(f"the page asks for {asked}")
    print(f"{width} pixels, {scheme}: background {found['background']}, {len(wrong)} faults")
    return wrong, found["background"]


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    program = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if not program:
        print("skipped: no Chromium is installed")
        return 77
    wrong, backgrounds = [], set()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                browser.call(domain + ".enable", session)
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    found, background = look(browser, session, page.as_uri(), width, scheme)
                    wrong += [f"{width} pixels, {scheme}: {what}" for what in found]
                    backgrounds.add(background)
                    if pictures:
                        shot = browser.call("Page.captureScreenshot", session, format="png",
                                            captureBeyondViewport=True)
                        (pictures / f"{width}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))
            printed = base64.b64decode(browser.call("Page.printToPDF", session, printBackground=False,
                                                    preferCSSPageSize=True)["data"])
            if pictures:
                (pictures / "printed.pdf").write_bytes(printed)
        finally:
            browser.close()
    if len(backgrounds) != 2:
        wrong.append("light and dark look the same")
    if not printed.startswith(b"%PDF"):
        wrong.append("it does not print")
    print("\n".join(wrong))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
