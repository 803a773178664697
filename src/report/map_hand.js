// What a reader does with the map: hides groups, draws a lasso, moves it by pointer, fingers and keys; then it begins.

// ---- The legend ----------------------------------------------------------------------------------

function legendOfGroups(legend) {
    const count = new Int32Array(column.words.length);
    for (const g of column.group)
        count[g]++;
    column.words.forEach((words, g) => {
        if (!count[g])
            return;
        const button = legend.appendChild(document.createElement("button"));
        button.type = "button";
        button.className = "group";
        button.setAttribute("aria-pressed", !column.hidden.has(g));
        const swatch = element("span", "", button);
        swatch.className = "swatch";
        swatch.style.background = css(palette[g]);
        element("span", words, button, 60);
        element("span", count[g].toLocaleString("en"), button).className = "count";
        button.onclick = () => {
            if (!column.hidden.delete(g))
                column.hidden.add(g);
            button.setAttribute("aria-pressed", !column.hidden.has(g));
            recolour();
        };
    });
}

function legendOfNumbers(legend) {
    const ramp = legend.appendChild(document.createElement("div"));
    ramp.className = "ramp";
    ramp.style.background = `linear-gradient(to right,${palette.map(css).join(",")})`;
    const ends = legend.appendChild(document.createElement("div"));
    ends.className = "ends";
    for (const end of ["from", "to"]) {
        const label = element("label", end + " ", ends), input = document.createElement("input");
        label.append(input);
        input.type = "number";
        input.step = "any";
        input.value = String(+column[end].toPrecision(7));
        input.onchange = () => {
            column[end] = input.value === "" ? (end === "from" ? column.low : column.high) : Number(input.value);
            recolour();
        };
    }
}

function showLegend() {
    const legend = get("legend");
    legend.replaceChildren();
    if (column.group)
        legendOfGroups(legend);
    else
        legendOfNumbers(legend);
}

columns.forEach((c, n) => { element("option", c.name, get("colour"), 40).value = n; });
get("colour").onchange = event => {
    column = columns[event.target.value];
    recolour();
    showLegend();
};

// ---- Lasso ---------------------------------------------------------------------------------------

let loop = null, lassoOn = false, chosen = [];

function setLasso(on) {
    lassoOn = on;
    get("lasso").setAttribute("aria-pressed", on);
    canvas.style.cursor = on ? "crosshair" : "";
}

function within(x, y) {
    let inside = false;
    for (let i = 0, j = loop.length - 1; i < loop.length; j = i++) {
        const [ax, ay] = loop[i], [bx, by] = loop[j];
        if (ay > y !== by > y && x < (bx - ax) * (y - ay) / (by - ay) + ax)
            inside = !inside;
    }
    return inside;
}

// Chooses the nodes within a box of the screen for which `test` holds, of those that are not hidden.
function choose(box, test) {
    const [left, top] = toPlane(box.left, box.top), [right, bottom] = toPlane(box.right, box.bottom);
    chosen = [];
    for (let i = 0; i < N; i++) {
        const x = place[2 * i], y = place[2 * i + 1];
        if (shade[i] >= 0 && x >= left && x <= right && y >= bottom && y <= top &&
            (!test || test((x - view.x) * view.scale + view.width / 2, (view.y - y) * view.scale + view.height / 2)))
            chosen.push(i);
    }
    get("save").hidden = chosen.length === 0;
    get("save").textContent = `Save ${chosen.length.toLocaleString("en")} ${chosen.length === 1 ? "name" : "names"}`;
    resize();
}

const NOWHERE = {left: 1, top: 1, right: 0, bottom: 0};

function endLoop() {
    if (loop && loop.length > 2) {
        const xs = loop.map(p => p[0]), ys = loop.map(p => p[1]);
        choose({left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys)}, within);
    }
    loop = null;
    setLasso(false);
    redraw();
}

// One name a line; a line end within a name becomes a blank.
get("save").onclick = () => {
    const lines = chosen.map(i => nameOf(i).replace(/[\r\n]+/g, " ") + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, {type: "text/plain"}));
    link.download = "names.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

// ---- Pointers and keys ---------------------------------------------------------------------------

const fingers = new Map();             // where each pointer that is down was last
let travelled = 0;                     // by the one pointer that is down: a click moves little

const at = event => [event.offsetX, event.offsetY];

// The help lies over the map until the map is used.
for (const kind of ["pointerdown", "wheel", "keydown"])
    addEventListener(kind, () => { get("help").hidden = true; }, {once: true, passive: true});

canvas.onpointerdown = event => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    travelled = 0;
    loop = fingers.size === 1 && (lassoOn || event.shiftKey) ? [at(event)] : null;
};

canvas.onpointermove = event => {
    const [x, y] = at(event), before = fingers.get(event.pointerId);
    if (!before) {
        const node = pick(x, y);
        show(node >= 0 ? node : kept);
        canvas.style.cursor = lassoOn ? "crosshair" : node >= 0 ? "pointer" : "";
        return;
    }
    travelled += Math.hypot(x - before[0], y - before[1]);
    if (loop) {
        loop.push([x, y]);
        redraw();
    } else if (fingers.size === 1) {
        pan(x - before[0], y - before[1]);
    } else {
        const [ox, oy] = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const apart = Math.hypot(before[0] - ox, before[1] - oy);
        pan((x - before[0]) / 2, (y - before[1]) / 2);
        if (apart > 0)
            zoom(Math.hypot(x - ox, y - oy) / apart, (x + ox) / 2, (y + oy) / 2);
    }
    fingers.set(event.pointerId, [x, y]);
};

canvas.onpointerup = event => {
    fingers.delete(event.pointerId);
    if (loop)
        endLoop();
    else if (travelled < 5 && fingers.size === 0)
        keep(pick(...at(event)));
};

canvas.onpointercancel = event => {
    fingers.delete(event.pointerId);
    loop = null;
};

canvas.onpointerleave = () => { if (!fingers.size) show(kept); };

canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...at(event));
}, {passive: false});

const KEYS = {
    ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
    "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: showAll,
    "/": () => find.focus(), l: () => setLasso(!lassoOn),
    // What a lasso around all that is seen would choose.
    v: () => choose({left: 0, top: 0, right: view.width, bottom: view.height}),
    Escape: () => { loop = null; setLasso(false); choose(NOWHERE); keep(-1); },
};

canvas.onkeydown = event => {
    const action = KEYS[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey)
        return;
    event.preventDefault();
    action();
};

get("lasso").onclick = () => setLasso(!lassoOn);
get("in").onclick = () => zoom(1.5);
get("out").onclick = () => zoom(1 / 1.5);
get("all").onclick = showAll;
scheme.onchange = () => { recolour(); showLegend(); };
canvas.addEventListener("webglcontextlost", event => event.preventDefault());
canvas.addEventListener("webglcontextrestored", () => { begin(); recolour(); });
new ResizeObserver(resize).observe(canvas);

// For scripts and tests: where a node is on the screen, what is seen of the map, what a lasso chose, how it is drawn.
window.gracoMap = {
    where: node => toScreen(node), view, chosen: () => [...chosen], drawnBy: gl ? "webgl" : "canvas",
    drawnEvery: () => drawn,
    frame: () => { draw(); drawOver(); if (gl) gl.finish(); },
};

if (gl)
    begin();
recolour();
showLegend();
resize();
