// One node of many: the one under the pointer, its card, and those that a search finds.

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

// A card that comes and goes with the pointer must not catch it where it lies over the node.
function letThrough() {
    get("card").style.pointerEvents = kept === shown ? "" : "none";
}

function show(node) {
    if (node === shown)
        return;
    shown = node;
    letThrough();
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
    letThrough();
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
