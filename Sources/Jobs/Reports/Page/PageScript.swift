// What a page does: it sorts, filters and searches its tables, opens what is linked to, and unfolds what
// is needed; the lanes are in PageScript+Lanes.swift.
//
// The page is complete without it. It reads the page's own tables and drawings. The only markup that
// it parses is that of the page's folds, in which names and values are escaped; it makes none.

/// The script of a page, as text for its end.
enum PageScript {
  static let text = "//<![CDATA[\n\(tables)\n\(lanes)\n\(beginning)\n//]]>"

  private static let tables = #"""
    'use strict';
    const make = (name, parent, properties) => {
      const element = Object.assign(document.createElement(name), properties);
      parent.append(element);
      return element;
    };
    const wanted = new URLSearchParams(location.search);

    // What is not shown at first is folded: text, of which elements are made when they are needed.
    // A browser without scripts shows the same.
    const unfold = fold => {
      const page = new DOMParser().parseFromString(fold.textContent, 'text/html');
      const nodes = fold.firstElementChild ? fold.childNodes : page.body.childNodes;
      const parts = Array.from(nodes).filter(node => node.nodeType === 1);
      fold.replaceWith(...parts);
      for (const part of parts) setUp(part);
    };
    // A long table has its first rows in one body, and the others in a second, shown on demand: they
    // are folded in a table of their own, which is the next element.
    const complete = table => {
      const next = table.nextElementSibling;
      if (next?.matches('noscript')) unfold(next);
      const rest = table.nextElementSibling;
      if (!rest?.matches('table.rest')) return;
      rest.tBodies[0].className = 'rest';
      table.append(rest.tBodies[0]);
      rest.remove();
    };
    const unfoldAny = fold => {
      const before = fold.previousElementSibling;
      if (before?.matches('table')) complete(before); else unfold(fold);
    };
    const show = details => {
      const fold = details.querySelector(':scope > noscript');
      if (fold !== null) unfold(fold);
      details.open = true;
    };
    addEventListener('toggle', event => {
      if (event.target.open) show(event.target);
    }, true);
    // The element with an identifier of the page, also where it is folded.
    const find = id => {
      const found = document.getElementById(id);
      if (found !== null || !/^[a-z0-9]+$/.test(id)) return found;
      const fold = Array.from(document.querySelectorAll('noscript'))
        .find(each => each.textContent.includes('id="' + id + '"'));
      if (fold === undefined) return null;
      unfoldAny(fold);
      return document.getElementById(id);
    };

    const shortLength = \#(PageMarkup.rowLimit);
    const rowsOf = table => {
      complete(table);
      return Array.from(table.tBodies).flatMap(body => Array.from(body.rows));
    };
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
      const field = make('input', label, { type: 'search' });
      field.setAttribute('aria-label', 'Filter: ' + table.caption.textContent);
      const words = Array.from(table.querySelectorAll('td.s'), cell => cell.textContent);
      const fold = table.nextElementSibling;
      if (fold?.matches('noscript')) {
        for (const cell of fold.textContent.matchAll(/<td class="s [a-z]+">([^<]*)/g)) words.push(cell[1]);
      }
      const states = [...new Set(words)];
      let pick = { value: '' };
      const output = document.createElement('output');
      const apply = () => {
        const text = field.value.toLowerCase();
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
      field.addEventListener('input', apply);
      return text => { field.value = text; apply(); };
    };

    // The address is about the first table of the page.
    let isFirst = true;
    const setUpTable = table => {
      const count = table.tBodies[0].rows.length;
      const more = table.previousElementSibling?.matches('.more') ? table.previousElementSibling : null;
      more?.addEventListener('change', () => complete(table));
      if (count > 1) sortable(table);
      let filter = null;
      if (count > 7) {
        const tools = document.createElement('div');
        tools.className = 'tools';
        (more ?? table).before(tools);
        filter = filterable(table, tools);
      }
      if (!isFirst) return;
      isFirst = false;
      if (wanted.has('filter')) filter?.(wanted.get('filter'));
      const by = Math.trunc(Number(wanted.get('sort')));
      if (by !== 0 && Math.abs(by) <= table.tHead.rows[0].cells.length) {
        sort(table, Math.abs(by) - 1, Math.sign(by));
      }
    };

    // What is linked to may be inside something closed.
    const reveal = target => {
      if (target === null) return;
      const inside = target.querySelector('details');
      if (inside !== null) show(inside);
      for (let each = target.closest('details'); each; each = each.parentElement.closest('details')) {
        show(each);
      }
      for (const row of [target.closest('[hidden]'), target]) if (row) row.hidden = false;
      const body = target.closest('.rest');
      const more = body?.parentElement.previousElementSibling;
      if (more?.matches('.more')) more.querySelector('input').checked = true;
      target.scrollIntoView();
    };
    const revealLinked = () => reveal(find(location.hash.slice(1)));
    addEventListener('hashchange', revealLinked);
    // A link to where the page is already has no such event.
    addEventListener('click', event => {
      const link = event.target.closest('a');
      const target = link?.href?.baseVal ?? link?.getAttribute('href');
      if (target && target === location.hash) revealLinked();
    });

    const sections = document.querySelectorAll('.run > details');
    if (sections.length > 1) {
      const tools = document.createElement('div');
      tools.className = 'tools';
      sections[0].parentElement.before(tools);
      for (const [title, open] of [['Open all', true], ['Close all', false]]) {
        const button = make('button', tools, { type: 'button', textContent: title });
        button.addEventListener('click', () => {
          for (const section of sections) {
            if (open) show(section); else section.open = false;
          }
        });
      }
    }

    // On paper everything is open, except the sections of very many runs.
    const mostPrinted = 50;
    let opened = [];
    addEventListener('beforeprint', () => {
      const selector = sections.length > mostPrinted
        ? '.run > details[open] details:not([open])' : 'details:not([open])';
      for (let closed; (closed = document.querySelectorAll(selector)).length > 0;) {
        closed.forEach(show);
        opened.push(...closed);
      }
    });
    addEventListener('afterprint', () => {
      for (const each of opened) each.open = false;
      opened = [];
    });

    // All tables of the page, row by row.
    const finder = make('div', document.querySelector('header'), { className: 'tools' });
    const sought = make('input', make('label', finder, { textContent: 'Search the page' }), {
      type: 'search',
      placeholder: 'Enter: next',
    });
    const places = make('output', finder);
    let searched = { text: '', rows: [], at: -1 };
    const search = isBack => {
      const text = sought.value.toLowerCase();
      if (text !== searched.text) {
        document.querySelectorAll('noscript').forEach(unfoldAny);
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
    sought.addEventListener('keydown', event => {
      if (event.key === 'Enter') search(event.shiftKey);
    });
    """#

  /// What is done once, when the page is there.
  private static let beginning = #"""
    // Also for what is unfolded later.
    const setUp = part => {
      const all = (selector) => [
        ...(part.matches?.(selector) ? [part] : []), ...part.querySelectorAll(selector),
      ];
      for (const table of all('table:not(.rest)')) setUpTable(table);
      for (const table of all('table.rest')) {
        const first = table.previousElementSibling;
        if (first?.matches('table')) complete(first);
      }
      for (const lanes of all('.lanes')) follow(lanes);
    };
    setUp(document.body);
    revealLinked();
    if (wanted.has('search')) {
      sought.value = wanted.get('search');
      search(false);
    }
    document.documentElement.dataset.ready = 'true';
    """#
}
