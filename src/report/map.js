// The page of a map: draws nodes, and answers pointer, fingers and keys. It needs nothing but this file.
//
// Places are in the units of the layout, y up. The view is a centre and a scale in pixels per unit. Each
// node has a shade, a number of a palette, or -1: it is hidden. WebGL draws discs; where there is none,
// or the address ends with #canvas, a plain canvas draws squares. Words of the data reach the page as
// text alone, never as markup.
(() => {
"use strict";
const get = id => document.getElementById(id);
const data = JSON.parse(get("data").textContent);
const N = data.nodes;

function decode(base64, type) {
    const words = atob(base64), bytes = new Uint8Array(words.length);
    for (let i = 0; i < words.length; i++)
        bytes[i] = words.charCodeAt(i);
    return new type(bytes.buffer);
}

const place = decode(data.place, Float32Array), near = decode(data.neighbours, Int32Array);
const columns = data.columns.map(c => ({
    name: c.name, words: c.words, group: c.group && decode(c.group, Int32Array),
    values: c.values && decode(c.values, Float32Array),
}));
const nameOf = i => data.names ? data.names[i] : String(i);
const shorten = (words, most) => words.length > most ? words.slice(0, most) + "…" : words;
const box = {low: [Infinity, Infinity], high: [-Infinity, -Infinity]};
for (let i = 0; i < 2 * N; i++) {
    box.low[i % 2] = Math.min(box.low[i % 2], place[i]);
    box.high[i % 2] = Math.max(box.high[i % 2], place[i]);
}
data.place = data.neighbours = null;

// ---- The view ------------------------------------------------------------------------------------

const canvas = get("map"), over = get("over");
const view = {x: 0, y: 0, scale: 1, width: 1, height: 1, ratio: 1};
let drawWanted = false;

function redraw() {
    if (!drawWanted)
        requestAnimationFrame(() => { drawWanted = false; draw(); drawOver(); });
    drawWanted = true;
}

const toScreen = i => [(place[2 * i] - view.x) * view.scale + view.width / 2,
                       (view.y - place[2 * i + 1]) * view.scale + view.height / 2];
const toPlane = (x, y) => [(x - view.width / 2) / view.scale + view.x,
                           view.y - (y - view.height / 2) / view.scale];

function fitScale() {
    const wide = Math.max(box.high[0] - box.low[0], 1e-6), high = Math.max(box.high[1] - box.low[1], 1e-6);
    return Math.min(0.92 * view.width / wide, 0.92 * view.height / high);
}

function showAll() {
    view.x = (box.low[0] + box.high[0]) / 2;
    view.y = (box.low[1] + box.high[1]) / 2;
    view.scale = fitScale();
    redraw();
}

// Zooms so that the point under x, y of the screen stays there.
function zoom(factor, x = view.width / 2, y = view.height / 2) {
    const fit = fitScale(), [px, py] = toPlane(x, y);
    view.scale = Math.min(Math.max(view.scale * factor, fit / 4), fit * 4000);
    view.x = px - (x - view.width / 2) / view.scale;
    view.y = py + (y - view.height / 2) / view.scale;
    redraw();
}

function pan(dx, dy) {
    view.x -= dx / view.scale;
    view.y += dy / view.scale;
    redraw();
}

function resize() {
    if (canvas.clientWidth === 0)      // in a part of another page that is folded away
        return;
    const first = view.width === 1, whole = Math.abs(view.scale / fitScale() - 1) < 1e-6;
    view.width = canvas.clientWidth;
    view.height = canvas.clientHeight;
    view.ratio = window.devicePixelRatio || 1;
    for (const c of [canvas, over]) {
        c.width = Math.round(view.width * view.ratio);
        c.height = Math.round(view.height * view.ratio);
    }
    if (first || whole)
        showAll();
    redraw();
}

// ---- Colours -------------------------------------------------------------------------------------

const RAMPS = {light: ["#e8a33d", "#d9604c", "#a3418c", "#4b2a91", "#1b1464"],
               dark: ["#5661c9", "#9d5fc4", "#e0679a", "#f79a6a", "#fbe38a"]};
const SHADES = 64;                     // of a ramp
const scheme = matchMedia("(prefers-color-scheme: dark)");
const shade = new Int32Array(N);       // of each node, -1: hidden
let palette = [], column = columns[0];

const toRgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

// Eight colours of the house, then others a golden angle apart.
function groupColour(number) {
    if (number < 8)
        return toRgb(getComputedStyle(document.documentElement).getPropertyValue("--c" + number).trim());
    const hue = number * 137.508 % 360, light = (scheme.matches ? 0.68 : 0.4) + 0.07 * (number % 3 - 1);
    const part = n => {
        const k = (n + hue / 30) % 12;
        return Math.round(255 * (light - 0.6 * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
    return [part(0), part(8), part(4)];
}

function rampColour(share) {
    const stops = RAMPS[scheme.matches ? "dark" : "light"].map(toRgb), at = share * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    return stops[low].map((c, i) => Math.round(c + (at - low) * (stops[low + 1][i] - c)));
}

const css = rgb => `rgb(${rgb.join(",")})`;

// What the legend of a column hides, and the range of its numbers, are kept while another is shown.
for (const c of columns) {
    c.hidden = new Set();
    c.low = Infinity;
    c.high = -Infinity;
    for (const v of c.values || [])
        if (isFinite(v)) {
            c.low = Math.min(c.low, v);
            c.high = Math.max(c.high, v);
        }
    c.from = c.low;
    c.to = c.high;
}

function recolour() {
    if (column.group) {
        palette = column.words.map((_, g) => groupColour(g));
        for (let i = 0; i < N; i++)
            shade[i] = column.hidden.has(column.group[i]) ? -1 : column.group[i];
    } else {
        const wide = column.high - column.low;
        palette = Array.from({length: SHADES}, (_, s) => rampColour(s / (SHADES - 1)));
        for (let i = 0; i < N; i++) {
            const v = column.values[i];
            shade[i] = !(v >= column.from && v <= column.to) ? -1
                : wide > 0 ? Math.min(Math.floor((v - column.low) / wide * SHADES), SHADES - 1) : 0;
        }
    }
    upload();
    redraw();
}

// ---- Drawing -------------------------------------------------------------------------------------

const gl = location.hash === "#canvas" ? null : canvas.getContext("webgl", {antialias: false, alpha: true});
const plain = gl ? null : canvas.getContext("2d");
const pen = over.getContext("2d");
let program, colourBuffer, order;
const MOVING_MOST = 200000;            // squares that a plain canvas draws while the map moves
let movedAt = -1e9;

// The more nodes, and the smaller the screen, the smaller a dot; it grows as the view comes closer.
function dotSize() {
    const base = (N < 5000 ? 4.7 : N < 50000 ? 3.2 : 2.2) * Math.min(1, 0.4 + view.width / 1400);
    return Math.min(Math.max(base + 0.9 * Math.log2(1 + view.scale / fitScale()), 2), 14);
}

function compile(kind, source) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    return shader;
}

function begin() {
    program = gl.createProgram();
    gl.attachShader(program, compile(gl.VERTEX_SHADER, `
        attribute vec2 place; attribute vec4 colour; varying vec4 ink;
        uniform vec2 centre, scale; uniform mediump float size;
        void main() {
            ink = colour;
            gl_PointSize = size;
            gl_Position = colour.a == 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4((place - centre) * scale, 0.0, 1.0);
        }`));
    gl.attachShader(program, compile(gl.FRAGMENT_SHADER, `
        precision mediump float; varying vec4 ink; uniform mediump float size;
        void main() {
            float far = length(gl_PointCoord - 0.5) * size;
            float cover = clamp(size * 0.5 - far, 0.0, 1.0) * ink.a;
            gl_FragColor = vec4(ink.rgb * cover, cover);
        }`));
    gl.linkProgram(program);
    gl.useProgram(program);
    const attribute = (name, count, type, normalised) => {
        const buffer = gl.createBuffer(), at = gl.getAttribLocation(program, name);
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, count, type, normalised, 0, 0);
        return buffer;
    };
    attribute("place", 2, gl.FLOAT, false);
    gl.bufferData(gl.ARRAY_BUFFER, place, gl.STATIC_DRAW);
    colourBuffer = attribute("colour", 4, gl.UNSIGNED_BYTE, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
}

// Gives the shades to whoever draws: colours for WebGL, nodes in the order of shades for a canvas.
function upload() {
    if (gl) {
        const bytes = new Uint8Array(4 * N);
        for (let i = 0; i < N; i++)
            if (shade[i] >= 0) {
                bytes.set(palette[shade[i]], 4 * i);
                bytes[4 * i + 3] = 200;
            }
        gl.bindBuffer(gl.ARRAY_BUFFER, colourBuffer);
        gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.DYNAMIC_DRAW);
        return;
    }
    const start = new Int32Array(palette.length + 2);
    for (let i = 0; i < N; i++)
        start[shade[i] + 2]++;
    for (let s = 1; s < start.length; s++)
        start[s] += start[s - 1];
    order = new Int32Array(N);
    for (let i = 0; i < N; i++)
        order[start[shade[i] + 1]++] = i;
}

function draw() {
    if (gl) {
        const uniform = name => gl.getUniformLocation(program, name);
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.uniform2f(uniform("centre"), view.x, view.y);
        gl.uniform2f(uniform("scale"), 2 * view.scale / view.width, 2 * view.scale / view.height);
        gl.uniform1f(uniform("size"), dotSize() * view.ratio + 1);
        gl.drawArrays(gl.POINTS, 0, N);
        return;
    }
    const moving = performance.now() - movedAt < 200, every = moving ? Math.ceil(N / MOVING_MOST) : 1;
    const size = dotSize(), [left, top] = toPlane(0, 0), [right, bottom] = toPlane(view.width, view.height);
    let last = -1;
    plain.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    plain.clearRect(0, 0, view.width, view.height);
    plain.globalAlpha = 0.8;
    for (let n = 0; n < N; n += every) {
        const i = order[n], x = place[2 * i], y = place[2 * i + 1];
        if (shade[i] < 0 || x < left || x > right || y < bottom || y > top)
            continue;
        if (shade[i] !== last)
            plain.fillStyle = css(palette[last = shade[i]]);
        plain.fillRect((x - view.x) * view.scale + (view.width - size) / 2,
                       (view.y - y) * view.scale + (view.height - size) / 2, size, size);
    }
    if (every > 1)
        setTimeout(redraw, 220);
}

// What lies over the nodes: the lasso, a ring around the node of the card and lines to its neighbours.
function drawOver() {
    const ink = getComputedStyle(document.body).color;
    pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    pen.strokeStyle = pen.fillStyle = ink;
    for (const i of chosen.size <= 5000 ? chosen : []) {
        const [x, y] = toScreen(i);
        pen.strokeRect(x - dotSize() / 2 - 1.5, y - dotSize() / 2 - 1.5, dotSize() + 3, dotSize() + 3);
    }
    if (shown >= 0) {
        const [x, y] = toScreen(shown);
        for (let n = 0; n < data.near; n++) {
            const [a, b] = toScreen(near[shown * data.near + n]);
            pen.lineWidth = 1;
            pen.beginPath();
            pen.moveTo(x, y);
            pen.lineTo(a, b);
            pen.stroke();
            pen.beginPath();
            pen.arc(a, b, 2, 0, 7);
            pen.fill();
        }
        pen.lineWidth = 2.5;
        pen.beginPath();
        pen.arc(x, y, dotSize() / 2 + 4, 0, 7);
        pen.stroke();
    }
    if (loop) {
        pen.lineWidth = 1.5;
        pen.setLineDash([5, 4]);
        pen.beginPath();
        loop.forEach(([x, y]) => pen.lineTo(x, y));
        pen.closePath();
        pen.stroke();
        pen.setLineDash([]);
    }
}

// ---- The node under the pointer ------------------------------------------------------------------

// Nodes by cells of a square grid: those of cell c are items[start[c] .. start[c + 1]).
const grid = (() => {
    const side = Math.max(1, Math.ceil(Math.sqrt(N / 2)));
    const size = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1], 1e-6) / side;
    const cut = v => Math.min(Math.max(Math.floor(v), 0), side - 1);
    const cell = i => cut((place[2 * i + 1] - box.low[1]) / size) * side + cut((place[2 * i] - box.low[0]) / size);
    const start = new Int32Array(side * side + 1), items = new Int32Array(N);
    for (let i = 0; i < N; i++)
        start[cell(i) + 1]++;
    for (let c = 0; c < side * side; c++)
        start[c + 1] += start[c];
    const next = start.slice();
    for (let i = 0; i < N; i++)
        items[next[cell(i)]++] = i;
    return {side, size, cut, start, items};
})();

const REACH = 14;                      // pixels from the pointer to a node

function pick(x, y) {
    const [px, py] = toPlane(x, y), reach = REACH / view.scale;
    const column0 = grid.cut((px - reach - box.low[0]) / grid.size), column1 = grid.cut((px + reach - box.low[0]) / grid.size);
    const row0 = grid.cut((py - reach - box.low[1]) / grid.size), row1 = grid.cut((py + reach - box.low[1]) / grid.size);
    let best = -1, least = reach * reach;
    for (let row = row0; row <= row1; row++)
        for (let n = grid.start[row * grid.side + column0]; n < grid.start[row * grid.side + column1 + 1]; n++) {
            const i = grid.items[n], dx = place[2 * i] - px, dy = place[2 * i + 1] - py;
            if (shade[i] >= 0 && dx * dx + dy * dy < least) {
                least = dx * dx + dy * dy;
                best = i;
            }
        }
    return best;
}

// ---- The card ------------------------------------------------------------------------------------

let shown = -1, kept = -1;             // the node on the card; the node that stays there

function element(name, words, parent, most = 200) {
    const e = document.createElement(name);
    e.textContent = shorten(words, most);
    e.dir = "auto";
    parent.append(e);
    return e;
}

function show(node) {
    if (node === shown)
        return;
    shown = node;
    const card = get("card");
    card.replaceChildren();
    card.hidden = node < 0;
    redraw();
    if (node < 0)
        return;
    element("h2", nameOf(node), card, 300);
    const list = card.appendChild(document.createElement("dl"));
    element("dt", "node", list);
    element("dd", String(node), list);
    for (const c of columns) {
        element("dt", c.name, list, 40);
        element("dd", c.group ? c.words[c.group[node]]
            : isFinite(c.values[node]) ? String(+c.values[node].toPrecision(6)) : "unknown", list, 80);
    }
    if (data.near > 0) {
        element("p", "Nearest nodes", card);
        const nearest = card.appendChild(document.createElement("ol"));
        for (let n = 0; n < data.near; n++) {
            const other = near[node * data.near + n];
            const button = element("button", nameOf(other), nearest.appendChild(document.createElement("li")), 80);
            button.type = "button";
            button.onclick = () => visit(other);
        }
    }
}

function keep(node) {
    kept = node;
    show(node);
}

// Shows a node in the middle, close enough to see its neighbours.
function visit(node) {
    view.x = place[2 * node];
    view.y = place[2 * node + 1];
    view.scale = Math.max(view.scale, 6 * fitScale());
    keep(node);
    redraw();
}

// ---- Search --------------------------------------------------------------------------------------

const FOUND_MOST = 20;
const find = get("find"), foundList = get("found");
let lower = null, found = [], foundAt = 0;

// Exact names first, then those that begin so, then those that hold the words.
function search(words) {
    const kinds = [[], [], []];
    words = words.toLowerCase();
    if (!words)
        return [];
    lower = lower || (data.names && data.names.map(name => name.toLowerCase()));
    for (let i = 0; i < N && kinds[0].length < FOUND_MOST; i++) {
        const name = lower ? lower[i] : String(i), at = name.indexOf(words);
        const kind = at < 0 ? -1 : name.length === words.length ? 0 : at === 0 ? 1 : 2;
        if (kind >= 0 && kinds[kind].length < FOUND_MOST)
            kinds[kind].push(i);
    }
    return kinds.flat().slice(0, FOUND_MOST);
}

function markFound(at) {
    foundAt = Math.min(Math.max(at, 0), found.length - 1);
    [...foundList.children].forEach((item, n) => item.setAttribute("aria-selected", n === foundAt));
    if (found.length) {
        find.setAttribute("aria-activedescendant", "found-" + foundAt);
        foundList.children[foundAt].scrollIntoView({block: "nearest"});
    }
}

function listFound() {
    found = search(find.value.trim());
    foundList.replaceChildren();
    found.forEach((node, n) => {
        const item = element("li", nameOf(node), foundList, 80);
        item.id = "found-" + n;
        item.role = "option";
        item.onpointerdown = event => { event.preventDefault(); take(n); };
    });
    if (find.value.trim() && !found.length)
        element("li", "No node is called so.", foundList);
    foundList.hidden = !find.value.trim();
    find.setAttribute("aria-expanded", !foundList.hidden);
    markFound(0);
}

function take(n) {
    foundList.hidden = true;
    find.setAttribute("aria-expanded", "false");
    if (found.length) {
        visit(found[n]);
        canvas.focus();
    }
}

find.oninput = listFound;
find.onblur = () => { foundList.hidden = true; };
find.onkeydown = event => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        markFound(foundAt + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
        take(foundAt);
    } else if (event.key === "Escape") {
        find.value = "";
        listFound();
        canvas.focus();
    }
};

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

let loop = null, lassoOn = false, chosen = new Set();

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

// Chooses the nodes for which `test` holds, of those that are not hidden.
function choose(test) {
    chosen = new Set();
    for (let i = 0; i < N; i++)
        if (shade[i] >= 0 && test(...toScreen(i)))
            chosen.add(i);
    get("save").hidden = chosen.size === 0;
    get("save").textContent = `Save ${chosen.size.toLocaleString("en")} ${chosen.size === 1 ? "name" : "names"}`;
    resize();
}

function endLoop() {
    if (loop && loop.length > 2)
        choose(within);
    loop = null;
    setLasso(false);
    redraw();
}

// One name a line; a line end within a name becomes a blank.
get("save").onclick = () => {
    const lines = [...chosen].map(i => nameOf(i).replace(/[\r\n]+/g, " ") + "\n");
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
    movedAt = performance.now();
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
    movedAt = performance.now();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...at(event));
}, {passive: false});

const KEYS = {
    ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
    "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: showAll,
    "/": () => find.focus(), l: () => setLasso(!lassoOn),
    // What a lasso around all that is seen would choose.
    v: () => choose((x, y) => x >= 0 && y >= 0 && x <= view.width && y <= view.height),
    Escape: () => { loop = null; setLasso(false); choose(() => false); keep(-1); },
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

// For scripts and tests: where a node is on the screen, what is seen of the map, what a lasso chose.
window.gracoMap = {
    where: node => toScreen(node), view, chosen: () => [...chosen], drawnBy: gl ? "webgl" : "canvas",
    frame: () => { draw(); drawOver(); if (gl) gl.finish(); },
};

if (gl)
    begin();
recolour();
showLegend();
resize();
})();
