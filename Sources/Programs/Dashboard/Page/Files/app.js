// The page of `blerun serve`: applies the changes that the server sends, and shows the result.
//
// Text from devices and files is never inserted as markup.

import { draw, drawn, extent, spark } from "/chart.js";

const byId = (id) => document.getElementById(id);
/** The limits of kept values; as in SeriesHistory.swift. */
const pointSpan = 900000, mostPoints = 6000, mostMinutes = 1440, mostMarks = 500;

const known = { facts: null, scan: null, journal: null, devices: new Map(), watches: new Map(), series: new Map(),
  marks: [], runs: new Map() };
const view = { paused: null, cursor: null, offset: 0 };
let dirty = new Set();
let ordinal = -1, isLoading = true;

/** Invisible characters, and those that reorder text. Shown by their codes, as in all other output. */
const hidden = /(?![\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{NChar}\p{DI}]/gu;
const printable = (text) => String(text)
  .replace(hidden, (found) => `\\u{${found.codePointAt(0).toString(16)}}`);

/** Creates an element with text and attributes. */
function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = printable(text);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value; else made.setAttribute(key, value);
  }
  return made;
}

function setText(node, text) {
  const shown = printable(text);
  if (node.textContent !== shown) node.textContent = shown;
}
const now = () => view.paused ?? Date.now() + view.offset;
const clock = (t) => new Date(t).toLocaleTimeString([], { hour12: false });

const unsaid = [];

/** Announces a text to screen readers; no other change is announced. Texts that come together are combined,
 * and changes while the page is loading are not announced. */
function announce(text) {
  if (isLoading) return;
  if (!unsaid.length) setTimeout(say, 1000);
  unsaid.push(text.trim());
}

function say() {
  const more = unsaid.length > 3 ? `; and ${unsaid.length - 3} more` : "";
  setText(byId("announcement"), unsaid.slice(0, 3).join("; ") + more);
  unsaid.length = 0;
}

function complain(text, link) {
  const box = byId("problem");
  box.hidden = !text;
  box.textContent = (text || "").split("\n").map(printable).join("\n");
  if (link) box.append(" ", Object.assign(element("a", "Log in"), { href: "/login" }));
}

// MARK: Changes from the server

const learn = {
  facts(change) { known.facts = change; touch("facts"); touch("runs"); },
  scan(change) { known.scan = change.why; touch("devices"); },
  journal(change) {
    known.journal = change.why;
    if (known.journal) announce(`The journal cannot be read: ${known.journal}`);
    touch("runs");
  },
  device(change) {
    const before = known.devices.get(change.address);
    known.devices.set(change.address, { ...change, points: before ? before.points : [] });
    touch("devices");
  },
  gone(change) { known.devices.delete(change.address); touch("devices"); },
  rssi(change) {
    const device = known.devices.get(change.address);
    if (device) device.points = device.points.concat(change.points).slice(-300);
    touch("devices");
  },
  watch(change) {
    const before = known.watches.get(change.id);
    if (before && before.active && !change.active) {
      announce(`Watch of ${title(change)} ${change.state}. ${change.text}`);
    } else if (change.state === "connecting" && change.text && change.text !== before?.text) {
      announce(`Watch of ${title(change)}: ${change.text}`);
    }
    known.watches.set(change.id, change);
    touch("watches");
  },
  series(change) {
    const before = known.series.get(change.id) || { points: [], minutes: [] };
    known.series.set(change.id, { ...before, ...change });
    touch("values");
  },
  points(change) {
    const series = known.series.get(change.series);
    if (!series) return;
    for (const point of change.points) series.points.push(point);
    const last = series.points.length ? series.points[series.points.length - 1][0] : 0;
    if (series.points.length > mostPoints || series.points[0][0] < last - 1.2 * pointSpan) {
      series.points = series.points.filter((p) => p[0] > last - pointSpan).slice(-mostPoints);
    }
    touch("values");
  },
  minutes(change) {
    const series = known.series.get(change.series);
    if (!series || !change.minutes.length) return;
    const first = change.minutes[0][0];
    series.minutes = series.minutes.filter((m) => m[0] < first).concat(change.minutes)
      .slice(-mostMinutes);
    touch("values");
  },
  mark(change) {
    known.marks = known.marks.concat([change]).slice(-mostMarks);
    if (change.mark === "disconnected" || change.mark === "reconnected" || change.mark === "fault") {
      announce(`${change.device || ""} ${change.mark}: ${change.text}`);
    }
    touch("values"); touch("marks");
  },
  run(change) {
    const before = known.runs.get(change.key);
    known.runs.set(change.key, { ...change, lines: before ? before.lines : new Map() });
    touch("runs");
  },
  step(change) {
    const run = known.runs.get(change.run);
    if (!run) return;
    run.lines.set(change.id, change);
    while (run.lines.size > 100) {
      const lines = [...run.lines.values()];
      run.lines.delete((lines.find((line) => line.status !== "running") || lines[0]).id);
    }
    touch("runs");
  },
};

function apply(update) {
  if (update.ordinal <= ordinal) return;
  ordinal = update.ordinal;
  for (const change of update.changes) if (learn[change.kind]) learn[change.kind](change);
}

function forget() {
  for (const part of ["devices", "watches", "series", "runs"]) known[part].clear();
  known.marks = [];
  ordinal = -1;
  byId("charts").replaceChildren();
  charts.clear();
}

function touch(part) {
  if (!dirty.size) requestAnimationFrame(show);
  dirty.add(part);
}

// MARK: Display

function show() {
  const parts = dirty;
  dirty = new Set();
  for (const part of parts) shown[part]();
}

const shown = {
  facts() {
    const facts = known.facts;
    if (!facts) return;
    const parts = [`version ${facts.version}`];
    if (facts.simulated) parts.push("simulated devices");
    if (!facts.journal) parts.push("no journal");
    setText(byId("facts"), parts.join(" · "));
  },
  values: showValues,
  marks: showMarks,
  watches: showWatches,
  devices: showDevices,
  runs: showRuns,
};

const charts = new Map();

function chartOf(series) {
  let chart = charts.get(series.id);
  if (chart) return chart;
  const box = element("figure", null, { class: "chart" });
  const caption = element("figcaption");
  const name = element("span", series.device, { class: "name" });
  name.append(" ", element("span", [series.attribute, series.field].filter((t) => t).join(" · "),
    { class: "attribute" }));
  const value = element("span", "–", { class: "now" });
  caption.append(name, value);
  // The changing text is the description, not the name: screen readers announce a name each time it changes.
  const canvas = element("canvas", null, { role: "img", tabindex: "0",
    "aria-label": `Chart of ${series.device} ${series.attribute} ${series.field}`.trim(),
    "aria-describedby": `range-${series.id}` });
  const range = element("p", "", { class: "range", id: `range-${series.id}` });
  const details = element("details");
  const table = element("table");
  const head = element("tr");
  const unit = element("th", series.unit || "Value", { scope: "col", class: "number" });
  head.append(element("th", "Time", { scope: "col" }), unit);
  const body = element("tbody");
  table.append(element("caption", `Last values of ${series.device} ${series.field}`,
    { class: "unseen" }), element("thead"), body);
  table.tHead.append(head);
  details.append(element("summary", "Last values as a table"), table);
  details.addEventListener("toggle", () => touch("values"));
  box.append(caption, canvas, range, details);
  byId("charts").append(box);
  chart = { box, value, canvas, range, details, unit, body, plot: null };
  charts.set(series.id, chart);
  const point = (event) => {
    const plot = chart.plot;
    if (!plot) return;
    const x = event.clientX - canvas.getBoundingClientRect().left;
    view.cursor = plot.from + (x - plot.left) / (plot.right - plot.left) * (plot.to - plot.from);
    touch("values");
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  for (const leave of ["pointerleave", "blur"]) {
    canvas.addEventListener(leave, () => { view.cursor = null; touch("values"); });
  }
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: (t, at) => t.filter((p) => p < at).pop(),
      ArrowRight: (t, at) => t.find((p) => p > at), Home: (t) => t[0], End: (t) => t[t.length - 1],
    }[event.key];
    if (!move) { if (event.key === "Escape") { view.cursor = null; touch("values"); } return; }
    const [from, to] = timeShown();
    const points = drawn(seriesOf(series.id), from, to).filter((p) => p[1] !== null && p[0] >= from);
    if (!points.length) return;
    const next = move(points.map((p) => p[0]), view.cursor ?? points[points.length - 1][0]);
    if (next !== undefined) view.cursor = next;
    const [at, , , value] = points.find((p) => p[0] === view.cursor) ?? [];
    if (at) announce(`${clock(at)}: ${value.toFixed(seriesOf(series.id).decimals)} ${series.unit || ""}`);
    event.preventDefault();
    touch("values");
  });
  return chart;
}

const seriesOf = (id) => known.series.get(id);
/** Returns the shown range of time. */
const timeShown = () => { const to = now(); return [to - Number(byId("span").value), to]; };

/** Returns the last point before the cursor, unless it is in a gap. */
function atCursor(points, cursor) {
  let found = null;
  for (const point of points) { if (point[0] > cursor) break; found = point; }
  return found && found[1] !== null ? found : null;
}

function showValues() {
  const [from, to] = timeShown();
  byId("no-values").hidden = known.series.size > 0;
  for (const series of known.series.values()) {
    const chart = chartOf(series);
    const number = (v) => v.toFixed(series.decimals);
    const unit = series.unit ? ` ${series.unit}` : "";
    const points = drawn(series, from, to);
    const { low, high, count } = extent(points, from, to);
    const marks = known.marks.filter((m) => !m.device || m.device === series.device);
    chart.plot = draw(chart.canvas, series, marks, from, to, view.cursor);
    const at = view.cursor === null ? null : atCursor(points, view.cursor);
    const latest = series.points[series.points.length - 1];
    const value = latest && latest[1] !== null ? latest[1]
      : series.points.length > 1 ? series.points[series.points.length - 2][1] : null;
    chart.box.classList.toggle("stale", !latest || latest[1] === null);
    const text = at ? number(at[3]) : value === null ? "–" : number(value);
    if (chart.shown !== text + unit) {
      chart.value.replaceChildren(text, element("small", unit));
      chart.shown = text + unit;
    }
    setText(chart.range, at ? `at ${clock(at[0])}` : !count ? "no values in this time"
      : `minimum ${number(low)}, maximum ${number(high)}`);
    // Values from the journal may arrive before the first live value, which has the unit.
    setText(chart.unit, series.unit || "Value");
    if (chart.details.open) {
      const rows = series.points.filter((p) => p[1] !== null).slice(-20).reverse().map((p) => {
        const row = element("tr");
        row.append(element("td", clock(p[0])), element("td", number(p[1]), { class: "number" }));
        return row;
      });
      chart.body.replaceChildren(...rows);
    }
  }
}

function showMarks() {
  byId("no-marks").hidden = known.marks.length > 0;
  byId("marks").replaceChildren(...known.marks.slice(-100).reverse().map((mark) => {
    const item = element("li");
    const time = element("time", clock(mark.at));
    time.dateTime = new Date(mark.at).toISOString();
    item.append(time, element("span", mark.mark, { class: `kind ${mark.mark}` }),
      element("span", [mark.device, mark.text].filter((t) => t).join(": "), { class: "text" }));
    return item;
  }));
}

const title = (watch) => watch.targets
  .map((t) => `${t.device} ${t.characteristics.join(", ")}`).join("; ");

/** Updates the items of a list. Only changed items are created again, so that the focus is kept. */
function fill(list, entries, make) {
  const present = new Map([...list.children].map((item) => [item.dataset.key, item]));
  let place = list.firstElementChild;
  for (const [key, content] of entries) {
    const text = JSON.stringify(content);
    let item = present.get(key);
    present.delete(key);
    if (!item) { item = element("li"); item.dataset.key = key; }
    if (item.dataset.text !== text) { remake(item, () => make(item, content)); item.dataset.text = text; }
    if (item !== place) list.insertBefore(item, place); else place = place.nextElementSibling;
  }
  for (const item of present.values()) item.remove();
}

/** Replaces an item. The focus moves to the control of the same name, or else to the item. */
function remake(item, make) {
  const nameOf = (node) => node.getAttribute("aria-label") || node.textContent;
  const focused = item.contains(document.activeElement) ? document.activeElement : null;
  make();
  if (!focused) return;
  const same = [...item.querySelectorAll("button, a, summary")]
    .find((node) => nameOf(node) === nameOf(focused));
  if (!same) item.tabIndex = -1;
  (same || item).focus();
}

function button(text, label, action) {
  const made = element("button", text, { type: "button", "aria-label": label });
  made.addEventListener("click", async () => {
    // Not `disabled`: a disabled button loses the focus.
    if (made.ariaDisabled === "true") return;
    made.ariaDisabled = "true";
    await action();
    made.ariaDisabled = "false";
  });
  return made;
}

function showWatches() {
  const watches = [...known.watches.values()].reverse();
  const cards = watches.map((w) => [String(w.id), { ...w, count: 0, latest: [] }]);
  fill(byId("watch-list"), cards, (item, watch) => {
    const head = element("div", null, { class: "card-head" });
    head.append(element("span", title(watch), { class: "title" }),
      element("span", watch.state, { class: `status ${watch.state}` }));
    if (watch.active) {
      head.append(button("Stop", `Stop the watch of ${title(watch)}`,
        () => ask("DELETE", `/api/watches/${watch.id}`)));
    }
    const about = watch.source + (watch.view === "values" ? "" : `, ${watch.view}`);
    item.replaceChildren(head, element("div", about, { class: "dim" }), element("div", "", { class: "latest" }));
    if (watch.text && watch.state !== "watching") item.append(element("div", watch.text));
  });
  // The last values change often, and are no part of what creates an item again.
  for (const item of byId("watch-list").children) {
    const { latest } = known.watches.get(Number(item.dataset.key)) || { latest: [] };
    const lines = latest.map((one) => latest.length > 1 ? `${one.characteristic}: ${one.value}` : one.value);
    setText(item.querySelector(".latest"), lines.join(" · "));
  }
}

function showDevices() {
  const devices = [...known.devices.values()];
  byId("no-devices").hidden = devices.length > 0;
  byId("device-table").hidden = !devices.length;
  byId("scan").hidden = !known.scan;
  setText(byId("scan"), known.scan ? `No scan: ${known.scan}` : "");
  const body = byId("device-table").tBodies[0];
  const rows = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  // The time axis grows in whole minutes from the first point, so that the first points are not squeezed.
  const first = Math.min(now(), ...devices.map((device) => device.points[0]?.[0] ?? Infinity));
  const minutes = Math.min(pointSpan / 60000, Math.max(1, Math.ceil((now() - first) / 60000)));
  setText(byId("rssi-time"), minutes === 1 ? "Last minute" : `Last ${minutes} minutes`);
  for (const device of devices) {
    let row = rows.get(device.address);
    rows.delete(device.address);
    if (!row) { row = deviceRow(device); body.append(row); }
    const [name, rssi, line, seen, services] = row.cells;
    setText(name.firstChild, device.name || "(no name)");
    setText(rssi, device.connected ? "connected" : device.rssi === null ? "–" : `${device.rssi} dBm`);
    spark(line.firstChild, device.points, now() - minutes * 60000, now());
    setText(seen, clock(device.seen));
    setText(services, device.services.join(", "));
  }
  for (const row of rows.values()) row.remove();
  const list = byId("known-devices");
  const names = [...new Set(devices.map((d) => d.name).filter((n) => n))];
  if (list.dataset.text !== names.join("\n")) {
    list.replaceChildren(...names.map((name) => element("option", null, { value: name })));
    list.dataset.text = names.join("\n");
  }
}

function deviceRow(device) {
  const row = element("tr");
  row.dataset.key = device.address;
  const name = element("td");
  name.append(element("span"), element("span", device.address, { class: "address" }));
  const line = element("td");
  line.append(element("canvas", null, { "aria-hidden": "true" }));
  const action = element("td");
  action.append(button("Watch…", `Watch ${device.name || device.address}`, () => {
    const form = byId("watch-form");
    form.elements.device.value = device.name || device.address;
    const first = device.services.includes("heart-rate") ? "heart-rate-measurement" : "";
    if (!form.elements.characteristics.value) form.elements.characteristics.value = first;
    form.elements.characteristics.focus();
  }));
  row.append(name, element("td", "", { class: "number" }), line, element("td"), element("td"), action);
  return row;
}

function showRuns() {
  offer("run-form", "chain", known.facts ? known.facts.chains : []);
  offer("batch-form", "batch", known.facts ? known.facts.batches : []);
  byId("journal").hidden = !known.journal;
  setText(byId("journal"), known.journal ? `Recorded values and runs are missing: ${known.journal}` : "");
  byId("no-runs").hidden = known.runs.size > 0;
  const runs = [...known.runs.values()].sort((a, b) => (a.started < b.started ? 1 : -1));
  const entries = runs.map((run) => [run.key, { ...run, lines: [...run.lines.values()] }]);
  fill(byId("run-list"), entries, showRun);
}

/** Shows a form with the files that it can run, or hides it if there are none. */
function offer(id, field, files) {
  const form = byId(id);
  form.hidden = !files.length;
  if (form.elements[field].length !== files.length) {
    form.elements[field].replaceChildren(...files.map((name) => element("option", name)));
  }
}

function showRun(item, run) {
  const wasOpen = item.querySelector("details")?.open;
  const head = element("div", null, { class: "card-head" });
  const name = `${run.command} ${run.name || ""}`.trim();
  head.append(element("span", name, { class: "title" }),
    element("span", run.status, { class: `status ${run.status.split(" ")[0]}` }));
  if (run.page) {
    const link = element("a", `Page of run ${run.key}`);
    link.href = `/runs/${run.key}`;
    head.append(link);
  }
  if (run.own && run.status === "under way") {
    head.append(button("End", `End ${name}`, () => ask("DELETE", `/api/runs/${run.key}`)));
  }
  const devices = run.deviceCount > 3 ? `${run.deviceCount} devices` : run.devices.join(", ");
  const about = `${devices || "no device"} · began ${new Date(run.started).toLocaleString([], { hour12: false })}`
    + ` · ${run.steps} ${run.steps === 1 ? "step" : "steps"}`;
  item.replaceChildren(head, element("div", about, { class: "dim" }));
  if (run.progress && run.status !== "ok") item.append(progressOf(run.progress, name));
  if (run.why) item.append(element("div", run.why));
  if (!run.lines.length) return;
  const details = element("details");
  details.open = wasOpen ?? run.status === "under way";
  const steps = element("ol", null, { class: "steps" });
  for (const line of run.lines) {
    const step = element("li");
    // Connecting and disconnecting have no number in the chain.
    step.append(element("span", /^\d/.test(line.position) ? line.position : "–", { class: "dim" }),
      element("span", line.status, { class: `status ${line.status}` }),
      element("span", run.deviceCount > 1 ? `${line.device}: ${line.title}` : line.title, { class: "title" }));
    if (line.text) step.append(element("span", line.text, { class: "why" }));
    steps.append(step);
  }
  details.append(element("summary", "Steps"), steps);
  item.append(details);
}

/** Creates the progress of a run, as a bar and as text. */
function progressOf({ unit, ended, failed, total }, name) {
  const row = element("div", null, { class: "progress" });
  const bar = element("progress", null, { max: total, value: ended, "aria-label": `Progress of ${name}` });
  const units = total === 1 ? unit.slice(0, -1) : unit;
  row.append(bar, element("span", `${ended} of ${total} ${units}${failed ? `, ${failed} failed` : ""}`));
  return row;
}

// MARK: Requests to the server

async function ask(method, path, body) {
  try {
    const answer = await fetch(path, { method, credentials: "same-origin",
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body ? JSON.stringify(body) : undefined });
    if (answer.ok) { complain(""); return true; }
    const needsLogin = answer.status === 401;
    const text = needsLogin ? "Changing something needs the token." : await answer.text();
    complain(text || `blerun answered ${answer.status}.`, needsLogin);
  } catch (error) {
    complain("blerun does not answer.");
  }
  return false;
}

function onSubmit(id, action) {
  byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    await action(event.target, event.target.elements);
  });
}

onSubmit("watch-form", async (form, field) => {
  const body = { device: field.device.value.trim(),
    characteristics: field.characteristics.value.split(/[\s,]+/).filter((word) => word) };
  if (field.source.value) body.poll = field.source.value;
  if (field.rate.value) body.rate = field.rate.value;
  if (await ask("POST", "/api/watches", body)) {
    announce(`Watch of ${body.device} begins`);
    byId("values").scrollIntoView();
  }
});
onSubmit("note-form", async (form, field) => {
  if (await ask("POST", "/api/notes", { text: field.text.value })) form.reset();
});
onSubmit("run-form", (form, field) => ask("POST", "/api/runs",
  { chain: field.chain.value, device: field.device.value.trim() || null }));
onSubmit("batch-form", (form, field) => ask("POST", "/api/batches", { batch: field.batch.value }));
byId("span").addEventListener("change", () => touch("values"));
byId("pause").addEventListener("click", (event) => {
  view.paused = view.paused === null ? now() : null;
  event.target.setAttribute("aria-pressed", String(view.paused !== null));
  touch("values");
});
for (const what of ["(prefers-color-scheme: dark)"]) {
  matchMedia(what).addEventListener("change", () => { touch("values"); touch("devices"); });
}
addEventListener("resize", () => { touch("values"); touch("devices"); });
setInterval(() => { if (!document.hidden) touch("values"); }, 1000);

// MARK: The connection

function state(text, kind) {
  setText(byId("state"), text);
  byId("state").className = `state ${kind}`;
  document.documentElement.dataset.state = kind;
}

/** The updates that arrived while a snapshot is being fetched; null at other times. */
let waiting = null;
/** The status to show after the next snapshot; null when no snapshot is due. */
let due = null;
/** The limit of a snapshot, and the pause before another attempt, in ms. */
const patience = 60000, pause = 2000;
const isLost = () => document.documentElement.dataset.state === "lost";
const isOpen = () => events.readyState === EventSource.OPEN;

/** Fetches a snapshot, and then applies the updates that arrived meanwhile. */
async function fetchAll() {
  const answer = await fetch("/api/snapshot", { credentials: "same-origin", cache: "no-store",
    signal: AbortSignal.timeout(patience) });
  if (answer.status === 401) location.href = "/login";
  if (!answer.ok) throw new Error(String(answer.status));
  view.offset = (Date.parse(answer.headers.get("Date")) || Date.now()) - Date.now();
  if (Math.abs(view.offset) < 2000) view.offset = 0;
  const snapshot = await answer.json();
  isLoading = true;
  forget();
  apply(snapshot);
  for (const update of waiting) apply(update);
  isLoading = false;
  for (const part of Object.keys(shown)) touch(part);
}

/** Loads a snapshot. Repeats that until it succeeds and no event was missed meanwhile. */
async function load(text) {
  due = text;
  if (waiting) return;
  try {
    while (due) {
      [waiting, text, due] = [[], due, null];
      await fetchAll();
    }
    if (isOpen()) {
      if (isLost()) announce("Connected to blerun again");
      state(text, "live");
    }
  } catch (error) {
    state(`cannot load, tries again: ${error.message}`, "lost");
    setTimeout(() => { if (isOpen()) load("live"); }, pause);
  }
  waiting = null;
}

let events;

function listen() {
  events = new EventSource("/api/events");
  events.addEventListener("open", () => load("live"));
  events.addEventListener("update", (event) => {
    const update = JSON.parse(event.data);
    if (waiting) waiting.push(update); else apply(update);
  });
  events.addEventListener("missed", (event) => {
    load(`live; ${JSON.parse(event.data).events} updates were missed, and loaded again`);
  });
  events.addEventListener("error", () => {
    if (!isLost()) announce("Not connected to blerun");
    state("not connected to blerun", "lost");
    // The browser reconnects by itself, unless the server refused, for example because of too many streams.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, pause);
  });
}

listen();
