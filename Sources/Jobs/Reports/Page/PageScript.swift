// What a page does: it sorts, filters and searches its tables, and opens what is linked to; the lanes
// are in PageScript+Lanes.swift.
//
// The page is complete without it. It reads the page's own tables and drawings, and never makes
// markup of text: names and values stay text.

/// The script of a page, as text for its end.
enum PageScript {
  static let text = "//<![CDATA[\n\(tables)\n\(lanes)\n//]]>"

  private static let tables = #"""
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
    const reveal = target => {
      if (target === null) return;
      const inside = target.querySelector('details');
      if (inside !== null) inside.open = true;
      for (let each = target.closest('details'); each; each = each.parentElement.closest('details')) {
        each.open = true;
      }
      for (const row of [target.closest('[hidden]'), target]) if (row) row.hidden = false;
      const body = target.closest('.rest');
      if (body) body.parentElement.previousElementSibling.querySelector('input').checked = true;
      target.scrollIntoView();
    };
    const revealLinked = () => reveal(document.getElementById(location.hash.slice(1)));
    addEventListener('hashchange', revealLinked);
    // A link to where the page is already has no such event.
    addEventListener('click', event => {
      const link = event.target.closest('a');
      const target = link?.href?.baseVal ?? link?.getAttribute('href');
      if (target && target === location.hash) revealLinked();
    });
    revealLinked();

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

    // All tables of the page, row by row.
    const finder = make('div', document.querySelector('header'), { className: 'tools' });
    const find = make('input', make('label', finder, { textContent: 'Search the page' }), {
      type: 'search',
      placeholder: 'Enter: next',
    });
    const places = make('output', finder);
    let searched = { text: '', rows: [], at: -1 };
    const search = isBack => {
      const text = find.value.toLowerCase();
      if (text !== searched.text) {
        const rows = Array.from(document.querySelectorAll('tbody tr'));
        const fits = row => row.textContent.toLowerCase().includes(text);
        searched = { text, rows: text === '' ? [] : rows.filter(fits), at: -1 };
      }
      const count = searched.rows.length;
      for (const row of document.querySelectorAll('.found')) row.classList.remove('found');
      places.textContent = count === 0 ? 'nothing found' : '';
      if (count === 0) return;
      searched.at = (searched.at + (isBack ? count - 1 : 1) + count) % count;
      const row = searched.rows[searched.at];
      row.classList.add('found');
      reveal(row);
      places.textContent = (searched.at + 1) + ' of ' + count;
    };
    find.addEventListener('keydown', event => {
      if (event.key === 'Enter') search(event.shiftKey);
    });
    if (wanted.has('search')) {
      find.value = wanted.get('search');
      search(false);
    }
    """#
}
