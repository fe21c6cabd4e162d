// What the page of a run does: it sorts and filters its tables, opens what is linked to, and moves a
// cursor over its timelines. The page is complete without it. It makes elements, never markup.
'use strict';

const make = (name, parent, properties) => {
  const element = Object.assign(document.createElement(name), properties);
  parent.append(element);
  return element;
};
const all = (selector, parent = document) => [...parent.querySelectorAll(selector)];
/** A row of controls before an element. */
const toolsBefore = element => {
  const tools = make('div', document.body, { className: 'tools' });
  element.before(tools);
  return tools;
};
const query = new URLSearchParams(location.search);

// MARK: Tables

/** Shows the rows that are not hidden: of a long table the first ones, and the others on demand. */
const place = (table, rows) => {
  const [body, rest] = table.tBodies;
  const shown = rows.filter(row => !row.hidden);
  const first = rest ? shown.slice(0, table.shortLength) : shown;
  body.replaceChildren(...first, ...rows.filter(row => row.hidden));
  rest?.replaceChildren(...shown.slice(table.shortLength));
};
const rowsOf = table => all('tbody tr', table);

// The numbers within a text count, too: "4[2].10" comes after "4[2].9".
const order = new Intl.Collator('en', { numeric: true });
const sort = (table, column, direction) => {
  const heads = table.tHead.rows[0].cells;
  const isNumeric = heads[column].classList.contains('n');
  const rows = rowsOf(table).map(row => {
    const text = row.cells[column].textContent;
    const number = isNumeric ? parseFloat(text) : 0;
    return { row, text, number: isNaN(number) ? -1 : number };
  });
  rows.sort((a, b) => direction * (a.number - b.number || order.compare(a.text, b.text)));
  place(table, rows.map(each => each.row));
  for (const head of heads) head.removeAttribute('aria-sort');
  heads[column].setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
};
const makeSortable = table => {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (head.querySelector('svg')) return;
    const button = make('button', head, { type: 'button', textContent: head.textContent });
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      sort(table, column, head.getAttribute('aria-sort') === 'ascending' ? -1 : 1);
    });
  });
};

/** Controls that choose rows by a text and by a status; returns what sets the text. */
const makeFilterable = (table, tools) => {
  const field = make('input', make('label', tools, { textContent: 'Filter' }), { type: 'search' });
  field.setAttribute('aria-label', 'Filter: ' + table.caption.textContent);
  const states = [...new Set(all('td.s', table).map(cell => cell.textContent))];
  let pick = { value: '' };
  if (states.length > 1) {
    pick = make('select', make('label', tools, { textContent: 'Status' }));
    make('option', pick, { value: '', textContent: 'all' });
    for (const state of states) make('option', pick, { value: state, textContent: state });
  }
  const output = make('output', tools);
  const apply = () => {
    const text = field.value.toLowerCase();
    const rows = rowsOf(table);
    for (const row of rows) {
      row.hidden = !(row.textContent.toLowerCase().includes(text)
        && (pick.value === '' || row.querySelector('td.s').textContent === pick.value));
      const section = row.dataset.section && document.getElementById(row.dataset.section);
      if (section) section.hidden = row.hidden;
    }
    place(table, rows);
    const shown = rows.filter(row => !row.hidden).length;
    output.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length;
  };
  field.addEventListener('input', apply);
  if (states.length > 1) pick.addEventListener('change', apply);
  return text => { field.value = text; apply(); };
};

all('table').forEach((table, index) => {
  const count = rowsOf(table).length;
  table.shortLength = table.tBodies[0].rows.length;
  if (count > 1) makeSortable(table);
  const before = table.previousElementSibling;
  const filter = count > 7
    ? makeFilterable(table, toolsBefore(before?.matches('.more') ? before : table)) : null;
  // The address is about the first table of the page.
  if (index > 0) return;
  if (query.has('filter')) filter?.(query.get('filter'));
  const by = Math.trunc(Number(query.get('sort')));
  if (by !== 0 && Math.abs(by) <= table.tHead.rows[0].cells.length) {
    sort(table, Math.abs(by) - 1, Math.sign(by));
  }
});

// MARK: What is opened

/** Shows what is linked to, also inside something closed or hidden. */
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target === null) return;
  const inside = target.querySelector('details');
  if (inside !== null) inside.open = true;
  for (let each = target; each; each = each.parentElement) {
    if (each.matches('details')) each.open = true;
    each.hidden = false;
  }
  const more = target.closest('.rest')?.parentElement.previousElementSibling;
  if (more) more.querySelector('input').checked = true;
  target.scrollIntoView();
};
addEventListener('hashchange', reveal);
// A link to where the page is already has no such event.
addEventListener('click', event => {
  const link = event.target.closest('a');
  const target = link?.href?.baseVal ?? link?.getAttribute('href');
  if (target && target === location.hash) reveal();
});

const sections = all('.run > details');
if (sections.length > 1) {
  const tools = toolsBefore(sections[0].parentElement);
  for (const [title, open] of [['Open all', true], ['Close all', false]]) {
    make('button', tools, { type: 'button', textContent: title }).addEventListener('click', () => {
      for (const section of sections) section.open = open;
    });
  }
}

// On paper everything is open, except the sections of very many runs.
let opened = [];
addEventListener('beforeprint', () => {
  opened = all(sections.length > 50 ? '.run > details[open] details:not([open])' : 'details:not([open])');
  for (const each of opened) each.open = true;
});
addEventListener('afterprint', () => {
  for (const each of opened) each.open = false;
});

// MARK: Timelines

/** The points of a plot, as they are drawn: where on the axis, and the number. */
const pointsOf = plot => {
  const [low, high] = [Number(plot.dataset.low), Number(plot.dataset.high)];
  plot.points ??= [...plot.querySelector('.line').getAttribute('d').matchAll(/(\d+) (\d+)/g)].map(each => {
    const part = (940 - each[2]) / 880;
    return [each[1] / 4000, low * (1 - part) + high * part];
  });
  return plot.points;
};
const textAt = (plot, share) => {
  const distance = point => Math.abs(point[0] - share);
  const near = pointsOf(plot).reduce((a, b) => distance(a) > distance(b) ? b : a);
  return plot.getAttribute('aria-label').split(':')[0] + ' ≈ ' + Number(near[1].toPrecision(4));
};
const titlesAt = (bars, share) => {
  const rows = {};
  for (const rect of all('rect', bars)) {
    const [start, width] = ['x', 'width'].map(name => parseFloat(rect.getAttribute(name)) / 100);
    if (share >= start && start + width >= share) rows[rect.getAttribute('y')] = rect.textContent;
  }
  return Object.values(rows);
};

// One cursor for all lanes over an axis, which the pointer and the keys move.
for (const lanes of all('.lanes')) {
  const length = Number(lanes.dataset.length);
  const cursor = make('div', lanes, { className: 'cursor', hidden: true });
  const readout = make('output', lanes, { className: 'readout' });
  const drawing = () => lanes.querySelector('svg').getBoundingClientRect();
  let place = null;
  const point = share => {
    place = share;
    cursor.hidden = share === null;
    readout.textContent = '';
    if (share === null) return;
    const [area, frame] = [drawing(), lanes.getBoundingClientRect()];
    cursor.style.left = (area.left - frame.left + share * area.width) + 'px';
    cursor.style.top = (area.top - frame.top) + 'px';
    cursor.style.height = (readout.offsetTop - area.top + frame.top) + 'px';
    const parts = [(share * length).toFixed(3) + ' s'];
    if (lanes.matches('figure')) {
      for (const bars of all('svg.bars', lanes)) parts.push(...titlesAt(bars, share));
    }
    for (const plot of all('svg.plot', lanes)) parts.push(textAt(plot, share));
    readout.textContent = parts.join(' · ');
  };
  lanes.addEventListener('pointermove', event => {
    const share = (event.clientX - drawing().left) / drawing().width;
    point(share >= 0 && 1 >= share ? share : null);
  });
  lanes.addEventListener('pointerleave', () => point(null));
  if (!lanes.matches('figure')) continue;
  lanes.tabIndex = 0;
  lanes.addEventListener('keydown', event => {
    const step = { ArrowLeft: -0.01, ArrowRight: 0.01, Home: -1, End: 1 }[event.key];
    if (event.key === 'Escape') point(null);
    if (step === undefined) return;
    event.preventDefault();
    point(Math.min(1, Math.max(0, (place ?? 0) + step * (event.shiftKey ? 10 : 1))));
  });
  lanes.addEventListener('blur', () => point(null));
}

reveal();
document.documentElement.dataset.ready = 'true';
