// What a page does: it sorts and filters its tables, opens what is linked to, and moves a cursor.
//
// The page is complete without it. It reads the page's own tables and drawings, and never makes
// markup of text: names and values stay text.

/// The script of a page, as text for its end.
enum PageScript {
  static let text = #"""
    //<![CDATA[
    'use strict';
    const make = (name, parent, properties) => {
      const element = Object.assign(document.createElement(name), properties);
      parent.append(element);
      return element;
    };
    const wanted = new URLSearchParams(location.search);

    // A long table has its first rows in one body, and the others in a second, shown on demand.
    const shortLength = 500;
    const rowsOf = table => Array.from(table.tBodies).flatMap(body => Array.from(body.rows));
    const place = (table, rows) => {
      const [body, rest] = table.tBodies;
      const shown = rows.filter(row => !row.hidden);
      const hidden = rows.filter(row => row.hidden);
      const first = rest ? shown.slice(0, shortLength) : shown;
      body.replaceChildren(...first, ...hidden);
      if (rest) rest.replaceChildren(...shown.slice(shortLength));
    };

    const order = new Intl.Collator('en', { numeric: true });
    const sort = (table, column, direction) => {
      const heads = table.tHead.rows[0].cells;
      const isNumeric = heads[column].className === 'n';
      const rows = rowsOf(table).map((row, index) => {
        const text = row.cells[column].textContent;
        const number = isNumeric ? parseFloat(text) : 0;
        return { row, index, text, number: isNaN(number) ? -1 : number };
      });
      // The numbers within a text count, too: "4[2].10" comes after "4[2].9".
      const compare = (a, b) => a.number - b.number || order.compare(a.text, b.text);
      rows.sort((a, b) => direction * compare(a, b) || a.index - b.index);
      place(table, rows.map(each => each.row));
      for (const head of heads) head.removeAttribute('aria-sort');
      heads[column].setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
    };
    const sortable = table => {
      Array.from(table.tHead.rows[0].cells, (head, column) => {
        if (head.querySelector('svg')) return;
        const title = head.firstChild;
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = title.textContent;
        title.replaceWith(button);
        button.addEventListener('click', () => {
          sort(table, column, head.getAttribute('aria-sort') === 'ascending' ? -1 : 1);
        });
      });
    };

    const filterable = (table, tools) => {
      const label = make('label', tools, { textContent: 'Filter' });
      const find = make('input', label, { type: 'search' });
      find.setAttribute('aria-label', 'Filter: ' + table.caption.textContent);
      const words = Array.from(table.querySelectorAll('td.s'), cell => cell.textContent);
      const states = [...new Set(words)];
      let pick = { value: '' };
      const output = document.createElement('output');
      const apply = () => {
        const text = find.value.toLowerCase();
        const rows = rowsOf(table);
        let shown = 0;
        for (const row of rows) {
          const fits = (pick.value === '' || row.querySelector('td.s')?.textContent === pick.value)
            && row.textContent.toLowerCase().includes(text);
          row.hidden = !fits;
          shown += fits;
          const section = row.dataset.section && document.getElementById(row.dataset.section);
          if (section) section.hidden = !fits;
        }
        if (table.tBodies.length > 1) place(table, rows);
        output.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length;
      };
      if (states.length > 1) {
        pick = make('select', make('label', tools, { textContent: 'Status' }));
        make('option', pick, { value: '', textContent: 'all' });
        for (const state of states) make('option', pick, { value: state, textContent: state });
        pick.addEventListener('change', apply);
      }
      tools.append(output);
      find.addEventListener('input', apply);
      return text => { find.value = text; apply(); };
    };

    Array.from(document.querySelectorAll('table'), (table, index) => {
      const count = table.tBodies[0].rows.length;
      if (count > 1) sortable(table);
      if (count > 7) {
        const tools = document.createElement('div');
        tools.className = 'tools';
        (table.previousElementSibling?.className === 'more' ? table.previousElementSibling : table)
          .before(tools);
        const filter = filterable(table, tools);
        if (index === 0 && wanted.has('filter')) filter(wanted.get('filter'));
      }
      const by = Number(wanted.get('sort'));
      if (index === 0 && by !== 0 && Math.abs(by) <= table.tHead.rows[0].cells.length) {
        sort(table, Math.abs(by) - 1, Math.sign(by));
      }
    });

    // What is linked to may be inside something closed.
    const reveal = () => {
      const target = document.getElementById(location.hash.slice(1));
      if (target === null) return;
      const closed = target.closest('details') ?? target.querySelector('details');
      for (let each = closed; each; each = each.parentElement.closest('details')) each.open = true;
      for (const row of [target.closest('[hidden]'), target]) if (row) row.hidden = false;
      const body = target.closest('.rest');
      if (body) body.parentElement.previousElementSibling.querySelector('input').checked = true;
      target.scrollIntoView();
    };
    addEventListener('hashchange', reveal);
    reveal();

    const sections = document.querySelectorAll('.run > details');
    if (sections.length > 1) {
      const tools = document.createElement('div');
      tools.className = 'tools';
      sections[0].parentElement.before(tools);
      for (const [title, open] of [['Open all', true], ['Close all', false]]) {
        const button = make('button', tools, { type: 'button', textContent: title });
        button.addEventListener('click', () => {
          for (const section of sections) section.open = open;
        });
      }
    }

    // One cursor for all lanes over an axis.
    const valueAt = (plot, share) => {
      const path = plot.querySelector('.line').getAttribute('d');
      const pairs = path.matchAll(/(\d+) (\d+)/g);
      plot.points ??= Array.from(pairs, each => [each[1] / 4000, Number(each[2])]);
      let [low, high] = [0, plot.points.length - 1];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (plot.points[middle][0] > share) high = middle; else low = middle;
      }
      const near = share - plot.points[low][0] > plot.points[high][0] - share ? high : low;
      const [least, most] = [Number(plot.dataset.low), Number(plot.dataset.high)];
      return least + (940 - plot.points[near][1]) / 880 * (most - least);
    };
    for (const lanes of document.querySelectorAll('.lanes')) {
      const from = Number(lanes.dataset.from), to = Number(lanes.dataset.to);
      const cursor = make('div', lanes, { className: 'cursor', hidden: true });
      const readout = make('output', lanes, { className: 'readout' });
      let place = null;
      const show = share => {
        place = share;
        cursor.hidden = share === null;
        readout.textContent = '';
        if (share === null) return;
        const drawing = lanes.querySelector('svg').getBoundingClientRect();
        const frame = lanes.getBoundingClientRect();
        cursor.style.left = (drawing.left - frame.left + share * drawing.width) + 'px';
        cursor.style.top = (drawing.top - frame.top) + 'px';
        cursor.style.height = (readout.offsetTop - drawing.top + frame.top) + 'px';
        const parts = [(from + share * (to - from)).toFixed(3) + ' s'];
        for (const plot of lanes.querySelectorAll('svg.plot')) {
          const name = plot.getAttribute('aria-label').split(':')[0];
          parts.push(name + ' ≈ ' + Number(valueAt(plot, share).toPrecision(4)));
        }
        readout.textContent = parts.join(' · ');
      };
      lanes.addEventListener('pointermove', event => {
        const drawing = lanes.querySelector('svg').getBoundingClientRect();
        const share = (event.clientX - drawing.left) / drawing.width;
        show(share >= 0 && 1 >= share ? share : null);
      });
      lanes.addEventListener('pointerleave', () => show(null));
      if (lanes.tagName !== 'FIGURE') continue;
      lanes.tabIndex = 0;
      lanes.addEventListener('keydown', event => {
        const step = { ArrowLeft: -0.01, ArrowRight: 0.01, Home: -1, End: 1 }[event.key];
        if (event.key === 'Escape') show(null);
        if (step === undefined) return;
        event.preventDefault();
        show(Math.min(1, Math.max(0, (place ?? 0) + step * (event.shiftKey ? 10 : 1))));
      });
      lanes.addEventListener('blur', () => show(null));
    }
    document.documentElement.dataset.ready = 'true';
    //]]>
    """#
}
