// Each node has a shade, a number of a palette, or -1: it is hidden. WebGL draws discs; where there is none, or no
// GPU, a plain canvas gets them as pixels; #webgl or #canvas behind the address decides otherwise.

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
        const shades = Int32Array.from(palette, (_, g) => column.hidden.has(g) ? -1 : g);
        for (let i = 0; i < N; i++)
            shade[i] = shades[column.group[i]];
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

// A browser without a GPU draws WebGL by software, ten times slower than the pixels below.
const gl = location.hash === "#canvas" ? null : canvas.getContext("webgl", {
    antialias: false, alpha: true, failIfMajorPerformanceCaveat: location.hash !== "#webgl",
});
const plain = gl ? null : canvas.getContext("2d");
const pen = over.getContext("2d");
const COVER = gl ? 200 : 255;          // how much of what is below a dot it covers, of 255
const colours = new Uint32Array(N);    // of each node, as the four bytes of a pixel; 0: hidden
let uniforms, placeBuffer, colourBuffer, attributes, image;

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
    const program = gl.createProgram();
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
    uniforms = {};
    for (const name of ["centre", "scale", "size"])
        uniforms[name] = gl.getUniformLocation(program, name);
    attributes = ["place", "colour"].map(name => gl.getAttribLocation(program, name));
    attributes.forEach(at => gl.enableVertexAttribArray(at));
    placeBuffer = gl.createBuffer();
    colourBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, placeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, place, gl.STATIC_DRAW);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
}

// Gives each node the colour of its shade, in bytes as the machine orders them.
function upload() {
    const inks = Uint32Array.from(palette, rgb => new Uint32Array(Uint8Array.of(...rgb, COVER).buffer)[0]);
    for (let i = 0; i < N; i++)
        colours[i] = shade[i] < 0 ? 0 : inks[shade[i]];
    if (!gl)
        return;
    gl.bindBuffer(gl.ARRAY_BUFFER, colourBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, colours, gl.DYNAMIC_DRAW);
}

let drawn = 1;                         // in the last frame: every node, or every second ...

function draw(every = 1) {
    drawn = every;
    if (gl)
        drawByGl(every);
    else
        drawPixels(every);
}

function drawByGl(every) {
    const aim = (buffer, at, count, type, bytes) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.vertexAttribPointer(at, count, type, type !== gl.FLOAT, bytes * every, 0);
    };
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    aim(placeBuffer, attributes[0], 2, gl.FLOAT, 8);
    aim(colourBuffer, attributes[1], 4, gl.UNSIGNED_BYTE, 4);
    gl.uniform2f(uniforms.centre, view.x, view.y);
    gl.uniform2f(uniforms.scale, 2 * view.scale / view.width, 2 * view.scale / view.height);
    gl.uniform1f(uniforms.size, dotSize() * view.ratio + 1);
    gl.drawArrays(gl.POINTS, 0, Math.ceil(N / every));
}

// How far the disc reaches from its middle column in each of its rows.
function discRows(across) {
    return Int32Array.from({length: across}, (_, row) => {
        const up = row + 0.5 - across / 2;
        return Math.round(Math.sqrt(across * across / 4 - up * up) - across % 2 / 2);
    });
}

function drawPixels(every) {
    const {width, height} = canvas, scale = view.scale * view.ratio;
    const across = Math.round(dotSize() * view.ratio), half = across >> 1, odd = across % 2, reach = discRows(across);
    const left = width / 2 - view.x * scale, top = height / 2 + view.y * scale;
    if (!width || !height)
        return;
    if (!image || image.width !== width || image.height !== height)
        image = plain.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(0);
    for (let i = 0; i < N; i += every) {
        const x = Math.round(place[2 * i] * scale + left), y = Math.round(top - place[2 * i + 1] * scale) - half;
        const ink = colours[i];
        if (!ink || x < half || x >= width - half - 1 || y < 0 || y > height - across)
            continue;
        for (let row = 0, middle = y * width + x; row < across; row++, middle += width)
            for (let at = middle - reach[row], end = middle + reach[row] + odd; at < end; at++)
                pixels[at] = ink;
    }
    plain.putImageData(image, 0, 0);
}

const MARKED_MOST = 5000;              // nodes of a lasso with a square around each

// What lies over the nodes: the lasso, a ring around the node of the card and lines to its neighbours.
function drawOver() {
    const marked = chosen.length <= MARKED_MOST ? chosen : [], size = dotSize() + 3;
    pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    if (!marked.length && shown < 0 && !loop)
        return;
    pen.strokeStyle = pen.fillStyle = getComputedStyle(document.body).color;
    pen.lineWidth = 1;
    for (const i of marked) {
        const [x, y] = toScreen(i);
        pen.strokeRect(x - size / 2, y - size / 2, size, size);
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
