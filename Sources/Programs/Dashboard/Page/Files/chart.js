// Draws series over time: for each column of pixels the smallest and the largest value.

const steps = [1, 2, 5];

/** Returns round numbers between two values, at most `most` of them. */
function ticks(from, to, most) {
  const raw = (to - from) / most || 1;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = power * (steps.find((s) => s * power >= raw) || 10);
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to + step * 1e-9; k++) found.push(k * step);
  return { step, found };
}

const spans = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200]
  .map((s) => s * 1000);

/** Returns round local times between two times. */
function timeTicks(from, to, most) {
  const step = spans.find((s) => (to - from) / s <= most) || 86400000;
  const offset = new Date(to).getTimezoneOffset() * 60000;
  const found = [];
  for (let t = Math.ceil((from - offset) / step) * step + offset; t <= to; t += step) found.push(t);
  return { step, found };
}

function clock(t, step) {
  const form = { hour: "2-digit", minute: "2-digit", hour12: false };
  if (step < 60000) form.second = "2-digit";
  return new Date(t).toLocaleTimeString([], form);
}

/** Returns the columns of pixels with the values in them: {first, last, low, high, gap}. */
function columns(points, from, to, width) {
  const result = new Array(width);
  const scale = width / (to - from);
  let gap = true;
  for (const [t, low, high, middle] of points) {
    if (low === null) { gap = true; continue; }
    if (t < from || t > to) { if (t < from) gap = false; continue; }
    const x = Math.min(width - 1, Math.floor((t - from) * scale));
    const column = result[x];
    if (column && !gap) {
      column.low = Math.min(column.low, low);
      column.high = Math.max(column.high, high);
      column.last = middle;
    } else {
      result[x] = { first: middle, last: middle, low, high, gap };
    }
    gap = false;
  }
  return result;
}

/** Returns the points to draw, [time, low, high, mean]: single values, or minutes for longer times. */
export function drawn(series, from, to) {
  if (to - from <= 900000) return series.points.map(([t, v]) => [t, v, v, v]);
  const result = [];
  let before = null;
  for (const [t, low, high, mean] of series.minutes) {
    if (before !== null && t - before > 150000) result.push([before + 60000, null]);
    result.push([t + 30000, low, high, mean]);
    before = t;
  }
  return result;
}

/** Returns the smallest and the largest value in a range of time, and their number. */
export function extent(points, from, to) {
  let low = Infinity, high = -Infinity, count = 0;
  for (const point of points) {
    if (point[1] === null || point[0] < from || point[0] > to) continue;
    low = Math.min(low, point[1]);
    high = Math.max(high, point[2]);
    count++;
  }
  return { low, high, count };
}

function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  return { plot: of("plot"), band: of("band"), line: of("line"), dim: of("dim"), text: of("text"),
    connected: of("ok"), reconnected: of("ok"), disconnected: of("bad"), fault: of("bad"),
    gap: of("stop"), note: of("link") };
}

function path(context, cells, left, y) {
  context.beginPath();
  cells.forEach((cell, x) => {
    if (!cell) return;
    const at = left + x + 0.5;
    if (cell.gap) context.moveTo(at, y(cell.first)); else context.lineTo(at, y(cell.first));
    if (cell.low !== cell.high) {
      context.lineTo(at, y(cell.low));
      context.lineTo(at, y(cell.high));
      context.lineTo(at, y(cell.last));
    } else if (cell.gap) {
      context.lineTo(at + 0.5, y(cell.last));
    }
  });
  context.stroke();
  // A value without neighbours is a point: its line would be half a pixel long.
  const places = [...cells.keys()].filter((x) => cells[x]);
  context.fillStyle = context.strokeStyle;
  places.forEach((x, index) => {
    const next = places[index + 1];
    if (!cells[x].gap || (next !== undefined && !cells[next].gap)) return;
    context.beginPath();
    context.arc(left + x + 0.5, y(cells[x].last), 2.5, 0, 2 * Math.PI);
    context.fill();
  });
}

/** The letters of marks, so that they can be told apart without colours. */
const letters = { connected: "C", disconnected: "D", reconnected: "R", gap: "G", fault: "F", note: "N" };

/**
 * Draws a series with its axes and marks.
 * @returns the place of the plot on the canvas, for a cursor.
 */
export function draw(canvas, series, marks, from, to, cursor) {
  const { context, width, height } = prepare(canvas);
  const colour = colours();
  const points = drawn(series, from, to);
  let { low, high, count } = extent(points, from, to);
  context.font = "12px system-ui, sans-serif";
  if (!count) { [low, high] = [0, 1]; }
  if (low === high) { [low, high] = [low - 1, high + 1]; }
  const room = (high - low) * 0.08;
  [low, high] = [low - room, high + room];
  const top = 16, bottom = height - 20;
  const values = ticks(low, high, Math.max(2, Math.floor((bottom - top) / 34)));
  const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(values.step) + 1e-9)));
  const labels = values.found.map((v) => v.toFixed(decimals));
  const left = Math.ceil(Math.max(...labels.map((l) => context.measureText(l).width), 16)) + 8;
  const plot = { left, right: width - 4, top, bottom, from, to };
  const across = Math.max(1, Math.floor(plot.right - left));
  const x = (t) => left + (t - from) / (to - from) * across;
  const y = (v) => bottom - (v - low) / (high - low) * (bottom - top);

  context.strokeStyle = colour.line;
  context.fillStyle = colour.dim;
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  values.found.forEach((v, i) => {
    context.beginPath();
    context.moveTo(left, Math.round(y(v)) + 0.5);
    context.lineTo(plot.right, Math.round(y(v)) + 0.5);
    context.stroke();
    if (count) context.fillText(labels[i], left - 5, y(v));
  });
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const times = timeTicks(from, to, Math.max(2, Math.floor(across / 75)));
  let edge = left - 4;
  for (const t of times.found) {
    const label = clock(t, times.step);
    const half = context.measureText(label).width / 2;
    const middle = Math.min(x(t), plot.right - half);
    if (middle - half < edge) continue;
    context.fillText(label, middle, height - 5);
    edge = middle + half + 6;
  }

  context.save();
  context.beginPath();
  context.rect(left, 0, across, height);
  context.clip();
  for (const mark of marks) {
    if (mark.at < from || mark.at > to) continue;
    const at = Math.round(x(mark.at)) + 0.5;
    context.strokeStyle = context.fillStyle = colour[mark.mark];
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, bottom);
    context.stroke();
    context.setLineDash([]);
    context.fillText(letters[mark.mark], Math.min(Math.max(at, left + 6), plot.right - 6), 12);
  }
  const cells = columns(points, from, to, across);
  if (to - from > 900000) {
    context.fillStyle = colour.band;
    cells.forEach((cell, i) => {
      if (cell) context.fillRect(left + i, y(cell.high), 1, Math.max(1, y(cell.low) - y(cell.high)));
    });
    cells.forEach((cell) => { if (cell) cell.low = cell.high = cell.last; });
  }
  context.strokeStyle = colour.plot;
  context.lineWidth = 1.6;
  context.lineJoin = "round";
  path(context, cells, left, y);
  if (cursor !== null && cursor >= from && cursor <= to) {
    context.strokeStyle = colour.text;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(Math.round(x(cursor)) + 0.5, top);
    context.lineTo(Math.round(x(cursor)) + 0.5, bottom);
    context.stroke();
  }
  context.restore();
  return plot;
}

/** Draws a line without axes. */
export function spark(canvas, points, from, to) {
  const { context, width, height } = prepare(canvas);
  const all = points.map(([t, v]) => [t, v, v, v]);
  const { low, high, count } = extent(all, from, to);
  if (!count) return;
  const middle = (low + high) / 2, half = Math.max(6, (high - low) / 2);
  const y = (v) => height / 2 - (v - middle) / half * (height / 2 - 2);
  context.strokeStyle = colours().plot;
  context.lineWidth = 1.4;
  path(context, columns(all, from, to, Math.max(1, Math.floor(width))), 0, y);
}
