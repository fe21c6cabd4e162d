// What the lanes of a page do: one cursor, and one window of time for all that share an axis.

extension PageScript {
  static let lanes = #"""
    // The points of a plot: where on the axis, and the number. All numbers where the page has them,
    // else what is drawn at first.
    const pointsOf = (plot, from, to) => {
      if (plot.points) return plot.points;
      const [low, high] = [Number(plot.dataset.low), Number(plot.dataset.high)];
      const data = plot.nextElementSibling;
      plot.points = [];
      if (data !== null && data.matches('script')) {
        const raw = JSON.parse(data.textContent);
        let time = 0;
        raw.at.forEach((step, index) => {
          time += step;
          plot.points.push([(time / 1e6 - from) / (to - from), raw.values[index]]);
        });
        // A clock may have been set back.
        if (raw.at.some((step, index) => index > 0 && 0 > step)) plot.points.sort((a, b) => a[0] - b[0]);
      } else {
        const path = plot.querySelector('.line').getAttribute('d');
        for (const each of path.matchAll(/(\d+) (\d+)/g)) {
          const part = (940 - each[2]) / 880;
          plot.points.push([each[1] / 4000, low * (1 - part) + high * part]);
        }
      }
      plot.gaps = Array.from(plot.querySelectorAll('.gap'), gap => {
        const [x, width] = ['x', 'width'].map(name => Number(gap.getAttribute(name)) / 4000);
        return { gap, from: x, to: x + width };
      });
      return plot.points;
    };
    // The index of the last point at or before a place; 0 where there is none.
    const indexAt = (points, share) => {
      let [low, high] = [0, points.length - 1];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (points[middle][0] > share) high = middle; else low = middle;
      }
      return points[high][0] > share ? low : high;
    };
    const svg = (name, parent, attributes) => {
      const element = document.createElementNS(parent.namespaceURI, name);
      for (const key in attributes) element.setAttribute(key, attributes[key]);
      parent.append(element);
      return element;
    };

    // Every point of the window, or the lowest and the highest of each column.
    const drawnPoints = (points, [first, last], [a, b]) => {
      if (2000 > last - first) return points.slice(first, last + 1);
      const drawn = [];
      let [column, lowest, highest] = [null, null, null];
      const put = () => {
        if (lowest === null) return;
        drawn.push(...(lowest[0] > highest[0] ? [highest, lowest] : [lowest, highest]));
      };
      for (let index = first; last >= index; index += 1) {
        const point = points[index];
        const own = Math.floor((point[0] - a) / (b - a) * 1000);
        if (own !== column) {
          put();
          [column, lowest, highest] = [own, point, point];
        }
        if (lowest[1] > point[1]) lowest = point;
        if (point[1] > highest[1]) highest = point;
      }
      put();
      return drawn;
    };
    const drawPlot = (plot, points, [a, b]) => {
      const [low, high] = [Number(plot.dataset.low), Number(plot.dataset.high)];
      const x = share => Math.round((share - a) / (b - a) * 4000);
      // Half of each: the difference of two numbers may be more than there is.
      const part = value => (value / 2 - low / 2) / (high / 2 - low / 2);
      const y = value => high > low ? Math.round(940 - part(value) * 880) : 500;
      const last = Math.min(points.length - 1, indexAt(points, b) + 1);
      const drawn = drawnPoints(points, [indexAt(points, a), last], [a, b]);
      const middles = plot.gaps.map(each => (each.from + each.to) / 2);
      let [path, before, gap] = ['', -Infinity, 0];
      for (const [share, value] of drawn) {
        while (middles.length > gap && before > middles[gap]) gap += 1;
        const isBroken = middles.length > gap && share >= middles[gap];
        path += (path === '' || isBroken ? 'M' : 'L') + x(share) + ' ' + y(value);
        before = share;
      }
      plot.querySelector('.line').setAttribute('d', path);
      const dots = plot.querySelector('.dots') ?? svg('path', plot, { class: 'dots' });
      const shown = drawn.length > 60 ? [] : drawn;
      dots.setAttribute('d', shown.map(each => 'M' + x(each[0]) + ' ' + y(each[1]) + 'h0').join(''));
      for (const each of plot.gaps) {
        each.gap.setAttribute('x', x(each.from));
        each.gap.setAttribute('width', Math.max(8, x(each.to) - x(each.from)));
      }
    };
    // The bars of a lane that has more than are drawn at first; null where that has all.
    const barsOf = (lane, from, to) => {
      const data = lane.nextElementSibling;
      if (lane.all !== undefined || !data?.matches('script')) return lane.all ?? null;
      const raw = JSON.parse(data.textContent);
      let [time, row] = [0, 0];
      lane.noun = raw.noun;
      lane.all = raw.from.map((step, index) => {
        time += step;
        row += raw.rows[index];
        const start = (time / 1e6 - from) / (to - from);
        const kind = Number(raw.kinds[index]);
        return {
          start, end: start + raw.took[index] / 1e6 / (to - from), order: kind, kind: raw.names[kind],
          row: raw.stem + row, count: 1,
        };
      });
      return lane.all;
    };
    // Those of a window. Short ones of one kind that could not be distinguished are one.
    const joinedBars = (bars, [a, b]) => {
      const column = (b - a) / 1000;
      const last = {};
      const drawn = [];
      for (const bar of bars) {
        if (a > bar.end || bar.start > b) continue;
        const isShort = column > bar.end - bar.start;
        const before = last[bar.kind];
        if (isShort && before?.isShort && column > bar.start - before.end) {
          before.end = Math.max(before.end, bar.end);
          before.count += 1;
        } else {
          last[bar.kind] = { ...bar, isShort };
          drawn.push(last[bar.kind]);
        }
      }
      return drawn.sort((x, y) => x.order - y.order);
    };
    // What a bar is, as its row states it.
    const titleOf = (bar, noun) => {
      const row = find(bar.row);
      const title = row?.querySelector('th').textContent ?? '';
      const position = row?.closest('.steps') ? row.cells[0].textContent + '  ' : '';
      const several = bar.count === 1 ? '' : bar.count + ' ' + noun + 's, the first: ';
      return several + position + title;
    };
    const drawBars = (lane, bars, [a, b]) => {
      const isWhole = a === 0 && b === 1;
      lane.whole ??= Array.from(lane.children);
      lane.drawn = isWhole ? null : joinedBars(bars, [a, b]);
      lane.replaceChildren(...(isWhole ? lane.whole : []));
      for (const bar of lane.drawn ?? []) {
        const [left, right] = [Math.max(0, (bar.start - a) / (b - a)), Math.min(1, (bar.end - a) / (b - a))];
        const x = left * 100 + '%', width = Math.max(0.15, (right - left) * 100) + '%';
        const link = svg('a', lane, { href: '#' + bar.row, tabindex: -1 });
        svg('rect', link, { class: bar.kind, x, width, y: 2, height: 18 });
        const text = right - left >= 0.08 && bar.count === 1 ? titleOf(bar, lane.noun)
          : { failed: '✕', cancelled: '■' }[bar.kind];
        if (text === undefined) continue;
        const isSign = text.length === 1;
        const frame = isSign ? link : svg('svg', link, { x, width });
        const mark = left > 0.97 ? { class: 'mark last', x: '100%', y: 15 } : { class: 'mark', x, y: 15 };
        svg('text', frame, isSign ? mark : { x: 5, y: 15 }).textContent = text;
      }
    };
    // Where a bar is on the whole axis: its start and its width.
    const placeOf = each => each.place ??= ['x', 'width'].map(name => {
      return parseFloat(each.getAttribute(name) ?? '0') / 100;
    });
    const moveBars = (figure, [a, b], from, to) => {
      const moved = [];
      for (const lane of figure.querySelectorAll('svg.bars')) {
        const bars = barsOf(lane, from, to);
        if (bars === null) moved.push(...lane.querySelectorAll('[x$="%"]')); else drawBars(lane, bars, [a, b]);
      }
      for (const each of moved) {
        const [start, width] = placeOf(each).map((part, index) => (part - (index ? 0 : a)) / (b - a));
        each.style.display = 0 > start + width || start > 1 ? 'none' : '';
        if (each.style.display === 'none') continue;
        const [left, right] = [Math.max(start, -1), Math.min(start + width, 2)];
        each.setAttribute('x', left * 100 + '%');
        if (each.hasAttribute('width')) each.setAttribute('width', (right - left) * 100 + '%');
      }
    };
    const drawTicks = (axis, from, to, isWhole) => {
      axis.whole ??= Array.from(axis.children);
      axis.replaceChildren(...(isWhole ? axis.whole : []));
      if (isWhole) return;
      const decade = 10 ** Math.floor(Math.log10(to - from));
      const step = [0.1, 0.2, 0.5, 1].map(part => part * decade)
        .find(each => 6 >= (to - from) / each) ?? decade;
      const digits = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
      for (let number = Math.ceil(from / step); to >= number * step; number += 1) {
        const x = (number * step - from) / (to - from) * 100 + '%';
        const tick = svg('g', axis, {});
        svg('line', tick, { x1: x, x2: x, y1: 12, y2: 16 });
        const text = svg('text', tick, { x, y: 10 });
        if (parseFloat(x) > 90) text.setAttribute('class', 'last');
        text.textContent = (number * step).toFixed(digits) + ' s';
      }
    };

    // One cursor for all lanes over an axis. In a figure also one window, which a drag, the buttons
    // and the keys change.
    const follow = lanes => {
      const from = Number(lanes.dataset.from), to = Number(lanes.dataset.to);
      const plots = Array.from(lanes.querySelectorAll('svg.plot'));
      const cursor = make('div', lanes, { className: 'cursor', hidden: true });
      const readout = make('output', lanes, { className: 'readout' });
      let shown = [0, 1];
      let place = null;
      const drawing = () => lanes.querySelector('svg').getBoundingClientRect();
      const timeAt = share => from + share * (to - from);
      const under = (bars, share) => {
        if (bars.drawn) {
          const bar = bars.drawn.findLast(each => share >= each.start && each.end >= share);
          return bar === undefined ? [] : [titleOf(bar, bars.noun)];
        }
        const rects = Array.from(bars.querySelectorAll('rect')).filter(rect => {
          const [start, width] = placeOf(rect);
          return share >= start && start + width >= share;
        });
        const title = rects.at(-1)?.querySelector('title')?.textContent;
        return title === undefined ? [] : [title];
      };
      const point = share => {
        place = share;
        cursor.hidden = share === null;
        readout.textContent = '';
        if (share === null) return;
        const [area, frame] = [drawing(), lanes.getBoundingClientRect()];
        cursor.style.left = (area.left - frame.left + share * area.width) + 'px';
        cursor.style.top = (area.top - frame.top) + 'px';
        cursor.style.height = (readout.offsetTop - area.top + frame.top) + 'px';
        const whole = shown[0] + share * (shown[1] - shown[0]);
        const parts = [timeAt(whole).toFixed(3) + ' s'];
        if (lanes.tagName === 'FIGURE') {
          for (const bars of lanes.querySelectorAll('svg.bars')) parts.push(...under(bars, whole));
        }
        for (const plot of plots) {
          const points = pointsOf(plot, from, to);
          const index = indexAt(points, whole);
          const next = points[Math.min(index + 1, points.length - 1)];
          const near = whole - points[index][0] > next[0] - whole ? next : points[index];
          const name = plot.getAttribute('aria-label').split(':')[0];
          parts.push(name + ' ≈ ' + Number(near[1].toPrecision(4)));
        }
        readout.textContent = parts.join(' · ');
      };
      const shareOf = event => (event.clientX - drawing().left) / drawing().width;
      lanes.addEventListener('pointermove', event => {
        const share = shareOf(event);
        point(share >= 0 && 1 >= share ? share : null);
      });
      lanes.addEventListener('pointerleave', () => point(null));
      if (lanes.tagName !== 'FIGURE') return;

      // No window is shorter than ten microseconds.
      const zoom = (a, b) => {
        const width = Math.min(1, Math.max(b - a, 1e-5 / (to - from)));
        const start = Math.min(Math.max(0, a), 1 - width);
        shown = [start, start + width];
        const isWhole = width === 1;
        lanes.dataset.window = timeAt(shown[0]).toFixed(6) + ' ' + timeAt(shown[1]).toFixed(6);
        drawTicks(lanes.querySelector('svg.axis'), timeAt(shown[0]), timeAt(shown[1]), isWhole);
        for (const plot of plots) drawPlot(plot, pointsOf(plot, from, to), shown);
        moveBars(lanes, shown, from, to);
        point(place);
      };
      const zoomAround = factor => {
        const width = (shown[1] - shown[0]) * factor;
        const share = place ?? 0.5;
        const middle = shown[0] + share * (shown[1] - shown[0]);
        zoom(middle - share * width, middle - share * width + width);
      };
      const tools = document.createElement('div');
      tools.className = 'tools';
      lanes.before(tools);
      const actions = [
        ['Zoom in', () => zoomAround(0.5)], ['Zoom out', () => zoomAround(2)],
        ['Earlier', () => zoom(shown[0] - (shown[1] - shown[0]) / 2, (shown[0] + shown[1]) / 2)],
        ['Later', () => zoom((shown[0] + shown[1]) / 2, shown[1] + (shown[1] - shown[0]) / 2)],
        ['All', () => zoom(0, 1)],
      ];
      for (const [title, act] of actions) {
        const button = make('button', tools, { type: 'button', textContent: title });
        button.addEventListener('click', act);
      }

      // A drag selects a window; what is below the pointer is not followed then.
      const selection = make('div', lanes, { className: 'selection', hidden: true });
      let pressed = null;
      lanes.addEventListener('dragstart', event => event.preventDefault());
      lanes.addEventListener('pointerdown', event => {
        const share = shareOf(event);
        pressed = event.button === 0 && share >= 0 && 1 >= share ? share : null;
      });
      const selected = event => [pressed, Math.min(1, Math.max(0, shareOf(event)))].sort((a, b) => a - b);
      const isDrag = event => pressed !== null
        && Math.abs(shareOf(event) - pressed) * drawing().width > 6;
      lanes.addEventListener('pointermove', event => {
        selection.hidden = !isDrag(event);
        if (selection.hidden) return;
        const [area, frame] = [drawing(), lanes.getBoundingClientRect()];
        const [a, b] = selected(event);
        selection.style.left = (area.left - frame.left + a * area.width) + 'px';
        selection.style.width = ((b - a) * area.width) + 'px';
        selection.style.top = cursor.style.top;
        selection.style.height = cursor.style.height;
      });
      addEventListener('pointerup', event => {
        if (isDrag(event)) {
          const [a, b] = selected(event).map(share => shown[0] + share * (shown[1] - shown[0]));
          zoom(a, b);
          const stop = click => { click.preventDefault(); click.stopPropagation(); };
          lanes.addEventListener('click', stop, { capture: true, once: true });
          setTimeout(() => lanes.removeEventListener('click', stop, { capture: true }), 0);
        }
        pressed = null;
        selection.hidden = true;
      });
      addEventListener('pointercancel', () => {
        pressed = null;
        selection.hidden = true;
      });

      lanes.tabIndex = 0;
      const keys = { '+': actions[0][1], '-': actions[1][1], '0': actions[4][1] };
      lanes.addEventListener('keydown', event => {
        const step = { ArrowLeft: -0.01, ArrowRight: 0.01, Home: -1, End: 1 }[event.key];
        if (event.key === 'Escape') point(null);
        if (keys[event.key]) keys[event.key]();
        if (step === undefined) return;
        event.preventDefault();
        point(Math.min(1, Math.max(0, (place ?? 0) + step * (event.shiftKey ? 10 : 1))));
      });
      lanes.addEventListener('blur', () => point(null));
      const asked = ['from', 'to'].map(name => parseFloat(wanted.get(name)));
      if (asked[1] > asked[0]) zoom(...asked.map(time => (time - from) / (to - from)));
    };
    """#
}
