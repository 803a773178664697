// The page of a map, in four files that follow each other in one function: this one has the data and what is seen of
// them, map_draw.js colours and draws nodes, map_nodes.js finds one and shows its card, map_hand.js answers pointer,
// fingers and keys. The page needs nothing else.
//
// Places are in the units of the layout, y up. The view is a centre and a scale in pixels per unit. Words of the data
// reach the page as text alone, never as markup.

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

// While the map moves, every node is drawn or every second, third ... one, as many as the machine manages; when
// it rests, all of them.
const FAST = 25, SLOW = 60, REST = 200;    // milliseconds
const EVERY_MOST = 16;
let every = 1, moved = false, askedAt = -1e9, framedAt = -1e9, resting = 0;

function frame() {
    const now = performance.now(), taken = now - framedAt;
    if (moved && askedAt - framedAt < REST)        // else it stood still in between
        every = taken > SLOW ? Math.min(Math.ceil(every * taken / SLOW), EVERY_MOST)
            : taken < FAST ? Math.max(every >> 1, 1) : every;
    draw(moved ? every : 1);
    drawOver();
    clearTimeout(resting);
    if (moved && every > 1)
        resting = setTimeout(redraw, REST);
    framedAt = now;
    drawWanted = moved = false;
}

function redraw() {
    if (drawWanted)
        return;
    drawWanted = true;
    askedAt = performance.now();
    requestAnimationFrame(frame);
}

function move() {
    moved = true;
    redraw();
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
    move();
}

function pan(dx, dy) {
    view.x -= dx / view.scale;
    view.y += dy / view.scale;
    move();
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
