#!/usr/bin/env python3
"""How fast a map's page is: bench_page.py GRACO [POINTS ...], by default 100000 and 1000000.

Makes the page of a small map, puts so many points into it, opens it in Chromium without a window, and pans and
zooms: an event before every frame, as a reader's hand makes them. Prints, for WebGL and for a plain canvas, the
frames of a second; the processor's time in all of the browser's processes for a frame with all nodes; and that of the
page's own thread: for a frame while the map moves, to open the page, to colour all nodes anew, for the node under the
pointer, for a lasso around all nodes. The processor's times mean something on a busy machine too; frames do not.
Without a GPU the browser draws WebGL by software, in another process.
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "report"))
from browser import opened  # noqa: E402

SMALL, GROUPS, SECONDS, HOVERS, WHOLE = 300, 10, 4, 100, 4
DATA = re.compile(r'(<script[^>]*id="data"[^>]*>)(.*?)(</script>)', re.S)

# Pans, then zooms in and out, for so many seconds; an event before each frame.
DRIVE = """new Promise(done => {
    const map = document.getElementById('map'), box = map.getBoundingClientRect(), begun = performance.now();
    const send = (kind, x, y, more) => map.dispatchEvent(kind === 'wheel'
        ? new WheelEvent(kind, {clientX: x, clientY: y, deltaY: more, cancelable: true, bubbles: true})
        : new PointerEvent(kind, {clientX: x, clientY: y, pointerId: 1, bubbles: true, isPrimary: true}));
    let frames = 0;
    map.setPointerCapture = () => {};
    send('pointerdown', box.x + 300, box.y + 300);
    const tick = () => {
        const t = (performance.now() - begun) / 1000;
        if (t > %d) {
            send('pointerup', box.x + 300, box.y + 300);
            done(frames / t);
            return;
        }
        frames++;
        if (Math.floor(t * 2) %% 2)
            send('wheel', box.x + 500, box.y + 300, 120 * Math.sin(6 * t));
        else
            send('pointermove', box.x + 300 + 100 * Math.sin(9 * t), box.y + 300 + 60 * Math.cos(7 * t));
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
})""" % SECONDS

# A pixel is read because finish() does not wait for the browser's other processes.
FRAMES = """(() => {
    const gl = document.getElementById('map').getContext('webgl'), pixel = new Uint8Array(4);
    for (let i = 0; i < %d; i++) {
        gracoMap.frame();
        if (gl)
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    }
})()"""
COLOUR = "document.getElementById('colour').onchange({target: {value: 0}})"
HOVER = """for (let i = 0; i < %d; i++)
    document.getElementById('map').dispatchEvent(new PointerEvent('pointermove',
        {clientX: 200 + 1000 * i / %d, clientY: 450, pointerId: 7}))""" % (HOVERS, HOVERS)
PRESS = "document.getElementById('map').onkeydown(new KeyboardEvent('keydown', {key: '%s'}))"


def pack(array):
    return base64.b64encode(array.tobytes()).decode()


def make_page(graco, folder, points):
    """The page of a small map with other points in it: twenty round heaps."""
    draw = np.random.default_rng(1)
    np.save(folder / "Z.npy", draw.normal(size=(SMALL, 8)).astype(np.float32))
    subprocess.run([graco, "map", folder / "Z.npy", "-o", folder / "small.html", "--epochs", "5"], check=True,
                   stderr=subprocess.DEVNULL)
    page = (folder / "small.html").read_text(encoding="utf-8")
    data = json.loads(DATA.search(page).group(2))
    heap = draw.integers(20, size=points)
    centre = draw.normal(size=(20, 2)) * 12
    place = (centre[heap] + draw.normal(size=(points, 2))).astype(np.float32)
    data.update(nodes=points, names=None, place=pack(place),
                neighbours=pack(draw.integers(points, size=(points, data["near"])).astype(np.int32)),
                columns=[{"name": "cluster", "words": [str(g) for g in range(GROUPS)],
                          "group": pack((heap % GROUPS).astype(np.int32))}])
    text = json.dumps(data)
    path = folder / f"{points}.html"
    path.write_text(DATA.sub(lambda found: found.group(1) + text + found.group(3), page, count=1), encoding="utf-8")
    return path


def seconds(page):
    """Of the processor, that the page's thread has used."""
    return {m["name"]: m["value"] for m in page.call("Performance.getMetrics")["metrics"]}["TaskDuration"]


def cost(page, expression):
    before = seconds(page)
    page.ask(expression)
    return seconds(page) - before


def browser_seconds(process):
    """Of the processor, that the browser and all processes below it have used."""
    parents, used = {}, {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        number = int(entry.parent.name)
        parents[number], used[number] = int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    mine = {process}
    for _ in range(8):
        mine |= {number for number, parent in parents.items() if parent in mine}
    return sum(used.get(number, 0) for number in mine)


def measure(page):
    page.call("Performance.enable", timeDomain="threadTicks")
    page.show(1440, 900, "light")
    page.call("Page.navigate", url=page.address)
    while not page.ask("document.readyState === 'complete' && !!window.gracoMap"):
        pass
    opening, by = seconds(page), page.ask("gracoMap.drawnBy")
    page.ask(FRAMES % 1)
    process = page.browser.process.pid
    whole = browser_seconds(process)
    page.ask(FRAMES % WHOLE)
    whole = 1000 * (browser_seconds(process) - whole) / WHOLE
    before = seconds(page)
    rate = page.ask(DRIVE)
    script = 1000 * (seconds(page) - before) / (rate * SECONDS)
    page.ask(PRESS % "0")
    return by, rate, whole, script, opening, cost(page, COLOUR), 1000 * cost(page, HOVER) / HOVERS, cost(page, PRESS % "v")


def main():
    print("| points | drawn by | frames/s | all nodes, ms | frame, ms | open, s | colour, s | hover, ms | lasso, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        for points in map(int, sys.argv[2:] or ("100000", "1000000")):
            path = make_page(sys.argv[1], folder, points)
            for end in ("#webgl", "#canvas"):
                with opened(path.as_uri() + end) as page:
                    by, rate, whole, script, opening, colour, hover, lasso = measure(page)
                print(f"| {points:,} | {by} | {rate:.1f} | {whole:.0f} | {script:.1f} | {opening:.1f} | {colour:.3f} | {hover:.2f} "
                      f"| {lasso:.3f} |", flush=True)
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Chromium without a window"
          f"{'' if os.path.exists('/dev/nvidia0') else ', WebGL by software'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
