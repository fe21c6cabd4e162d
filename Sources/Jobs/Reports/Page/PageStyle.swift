// How a page looks: on a screen of any width, in light and dark, and on paper.
//
// Colours repeat what words and forms show: a failed bar is hatched, a cancelled one is outlined.

/// The style of a page, as text for its head.
enum PageStyle {
  /// Forms that bars are filled with.
  static let patterns = """
    <svg class="patterns" width="0" height="0" aria-hidden="true"><defs>\
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)">\
    <rect class="base" width="6" height="6"/><rect class="stripe" width="2" height="6"/></pattern>\
    </defs></svg>
    """

  static let text = """

    :root { color-scheme: light dark; --page: #fff; --card: #f6f7f9; --text: #1b1f24;
      --dim: #57606a;
      --line: #d8dde3; --link: #0b57d0; --ok: #0b7a4b; --ok-bar: #2b7f5c; --bad: #b3261e;
      --bad-bar: #c5352c; --stop: #7a5200; --stop-bar: #c48a00; --skip: #57606a; --plot: #2f63c9; }
    @media screen and (prefers-color-scheme: dark) { :root { --page: #14171b; --card: #1d2127; --text: #e4e8ec;
      --dim: #a0a9b3; --line: #343b44; --link: #8ab4f8; --ok: #62cf9b; --ok-bar: #26795a;
      --bad: #ff9a90; --bad-bar: #c9433a; --stop: #f0c060; --stop-bar: #b98510; --skip: #a0a9b3;
      --plot: #7fabff; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1.25rem 4rem; background: var(--page);
      color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
    h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; }
    h2 { font-size: 1.2rem; line-height: 1.3; margin: 0; }
    h3 { font-size: 1rem; margin: 0; }
    p { margin: .25rem 0; }
    a { color: var(--link); }
    code, .hex { font: .9em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
    header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; padding-bottom: 1rem; }
    main > section { margin: 0 0 2rem; }
    main > section > h2 { margin-bottom: .6rem; }
    .verdict { font-size: 1.15rem; font-weight: 600; }
    .verdict::before, .s::before { display: inline-block; width: 1.3em; }
    .ok { color: var(--ok); } .failed, .unfinished { color: var(--bad); }
    .cancelled { color: var(--stop); } .skipped { color: var(--skip); }
    .ok::before { content: "\\2713" / ""; } .failed::before { content: "\\2715" / ""; }
    .unfinished::before { content: "\\2026" / ""; } .cancelled::before { content: "\\25A0" / ""; }
    .skipped::before { content: "\\25CB" / ""; }
    .facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0 0;
      color: var(--dim); }
    .facts div { display: flex; gap: .4rem; }
    dt { color: var(--dim); } dd { margin: 0; } .facts dd { color: var(--text); }
    .failure { border: 1px solid var(--line); border-left: 4px solid var(--bad-bar);
      border-radius: 6px;
      background: var(--card); padding: .75rem 1rem; margin: 0 0 .75rem; }
    .count, .label { color: var(--dim); font-weight: 400; }
    .places { display: flex; flex-wrap: wrap; gap: .1rem .9rem; list-style: none; margin: .15rem 0;
      padding: 0; }
    .why { font-weight: 600; color: var(--bad); }
    .explanation { margin: .4rem 0 0; display: grid; gap: .15rem; }
    .explanation div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); }
    .more:not(:has(:checked)) + table > .rest,
    .more:not(:has(:checked)) + table + noscript > .rest { display: none; }
    .left-out, .took, small { color: var(--dim); }
    small { display: block; font-size: .85em; }

    table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
    caption { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); }
    th, td { text-align: left; vertical-align: top; padding: .3rem .6rem;
      border-bottom: 1px solid var(--line); }
    tbody th { font-weight: 400; min-width: 8rem; }
    thead th { color: var(--dim); font-weight: 600; font-size: .87em; white-space: nowrap;
      vertical-align: bottom; }
    .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    td.s { white-space: nowrap; }
    .steps td:last-child { width: 46%; } td.lane { width: 34%; } .runs thead th:nth-child(3) { width: 34%; }
    .steps tr:has(> .failed, > .unfinished) { background: color-mix(in srgb, var(--bad) 7%, transparent); }
    tr:target { background: color-mix(in srgb, var(--link) 14%, transparent); }
    th button { all: unset; cursor: pointer; border-radius: 3px; }
    th button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    th button::after { content: "\\2195" / ""; display: inline-block; width: 1.1em;
      text-align: center;
      opacity: .45; }
    [aria-sort=ascending] button::after { content: "\\2191" / ""; opacity: 1; }
    [aria-sort=descending] button::after { content: "\\2193" / ""; opacity: 1; }
    .tools { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .75rem;
      margin: .5rem 0; }
    .tools label { display: flex; align-items: center; gap: .4rem; color: var(--dim); }
    input, select, .tools button { font: inherit; color: inherit; background: var(--page);
      border: 1px solid var(--line); border-radius: 5px; padding: .2rem .5rem; }
    output { color: var(--dim); font-variant-numeric: tabular-nums; }

    .run { border: 1px solid var(--line); border-radius: 8px; scroll-margin-top: 1rem; }
    main > .run { margin-bottom: .75rem; }
    .run > details { padding: 0 1rem; }
    .run > details[open] { padding-bottom: 1rem; }
    .run > details > summary { margin: 0 -1rem; padding: .6rem 1rem; }
    summary { cursor: pointer; }
    .run > details > summary { display: flex; flex-wrap: wrap; align-items: baseline;
      gap: .2rem 1rem; }
    .run > details > summary::before { content: "\\25B8" / ""; color: var(--dim);
      margin-right: -.4rem; }
    .run > details[open] > summary::before { content: "\\25BE" / ""; }
    .run > details > summary > h2 { max-width: calc(100% - 2rem); }
    .run summary::-webkit-details-marker { display: none; }
    .values { margin-top: .75rem; } .values > summary { color: var(--link); width: fit-content; }
    .attempt { margin: .25rem 0; } .attempt > summary { color: var(--bad); }
    .gaps { margin: .4rem 0; padding-left: 1.2rem; color: var(--stop); }

    .lanes { position: relative; } figure { touch-action: pan-y; margin: .5rem 0 1rem; }
    figcaption { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); }
    div.lane { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 0 1rem;
      padding: .3rem 0; border-bottom: 1px solid var(--line); align-items: center; }
    .name { color: var(--dim); line-height: 1.3; } .name bdi { color: var(--text); }
    svg { display: block; width: 100%; overflow: hidden; } svg.patterns { position: absolute; }
    svg.axis { overflow: visible; } .axis line { stroke: var(--dim); }
    .axis text { fill: var(--dim); font-size: 11px; font-weight: 400; } .axis .last, .bars .last {
      text-anchor: end; }
    svg.bars { background: var(--card); border-radius: 3px; } .bars text { fill: #fff;
      font-size: 12px;
      pointer-events: none; }
    .bars .ok { fill: var(--ok-bar); } .bars .note { fill: var(--plot); } .bars .failed { fill: url(#hatch); stroke: var(--bad-bar); }
    .base { fill: var(--bad-bar); } .stripe { fill: var(--page); opacity: .28; }
    .failed + svg text { paint-order: stroke; stroke: #8e2018; stroke-width: 3px; }
    .bars .cancelled { fill: none; stroke: var(--stop-bar); stroke-width: 2; }
    .bars .skipped { fill: none; stroke: var(--skip); stroke-dasharray: 2 2; }
    .bars .mark { fill: var(--text); font-weight: 700; paint-order: stroke; stroke: var(--page);
      stroke-width: 3; }
    svg.plot { height: 5.5rem; background: var(--card); border-radius: 3px; }
    .plot path { fill: none; stroke: var(--plot); vector-effect: non-scaling-stroke;
      stroke-width: 1.3;
      stroke-linejoin: round; }
    .plot .dots { stroke-width: 5; stroke-linecap: round; }
    .gap { fill: var(--dim); opacity: .3; }
    .before { margin-top: .5rem; } .before > summary { color: var(--link); width: fit-content; }
    .before ol { list-style: none; margin: .3rem 0; padding: 0; display: grid; gap: .15rem; }
    .before li { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 .6rem; }
    .selection { position: absolute; background: var(--link); opacity: .2; pointer-events: none; }
    .found { outline: 2px solid var(--link); outline-offset: -2px; }
    .cursor { position: absolute; width: 1px; background: var(--text); pointer-events: none; }
    .readout { min-height: 1.5em; display: block; } #runs .readout { margin-bottom: -1.5rem; }

    @media screen and (max-width: 46rem) {
      body { padding: 1rem .75rem 3rem; font-size: 16px; }
      h1 { font-size: 1.4rem; }
      div.lane { grid-template-columns: minmax(0, 1fr); gap: .2rem; }
      .name small { display: inline; margin-left: .6rem; }
      .explanation div { grid-template-columns: 5.4rem minmax(0, 1fr); }
      .run > details { padding: 0 .75rem; }
      .run > details > summary { margin: 0 -.75rem; padding: .6rem .75rem; }
      .axis g:nth-of-type(even) text { display: none; }
      table, tbody { display: grid; grid-template-columns: minmax(0, 1fr); }
      thead { display: grid; }
      thead tr { display: flex; flex-wrap: wrap; gap: .3rem .9rem; padding: .3rem 0; }
      thead th { border: 0; padding: 0; } .runs thead th:nth-child(3) { width: 100%; order: 9; }
      thead th:not(:has(button)):not(:has(svg)) { display: none; }
      tbody tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem .75rem;
        padding: .5rem 0; border-bottom: 1px solid var(--line); }
      tbody tr[hidden] { display: none; }
      tbody th, tbody td { border: 0; padding: 0; }
      tbody td:empty { display: none; }
      td.lane { width: auto; grid-column: 1 / -1; padding: .15rem 0; }
      .steps tbody tr { grid-template-columns: auto auto minmax(0, 1fr) auto; }
      .steps tbody th { order: -1; grid-column: 1 / span 3; font-weight: 600; }
      .steps tbody .s { order: -1; }
      .steps td:last-child, .runs td:last-child { grid-column: 1 / -1; }
      .steps td:nth-child(1)::before { content: "step "; } .steps td:nth-child(4)::before {
        content: "at "; }
      .steps td:nth-child(5)::before, .runs td:nth-child(5)::before { content: "took "; }
      .steps td:nth-child(4)::after, .steps td:nth-child(5)::after, .runs td:nth-child(5)::after {
        content: " s"; }
      .runs td:nth-child(4)::after { content: " steps"; }
      tbody .n { color: var(--dim); text-align: left; } .runs .n:nth-child(5) { text-align: right; }
      .values tr { grid-template-columns: 6.5rem minmax(0, 1fr); } .values .hex { grid-column: 2; }
    }
    @media print {
      :root { color-scheme: light; }
      body { max-width: none; padding: 0; font-size: 9.5pt; }
      .tools, .cursor, .selection, .readout, th button::after, .more input { display: none; }
      .more:has(:checked) { display: none; }
      .more { display: block; font-size: 0; } .more::after { content: attr(data-printed);
        font-size: 9.5pt; color: var(--dim); }
      details::details-content { content-visibility: visible; block-size: auto; }
      summary { list-style: none; } summary::marker { content: ""; }
      .run > details > summary::before { display: none !important; }
      .run { border: 0; border-top: 2px solid var(--line); border-radius: 0; }
      .run > details, .run > details > summary { padding: 0; margin: 0; }
      .failure, tr, div.lane, summary, .before li { break-inside: avoid; }
      tr:has(.explanation) { break-inside: auto; }
      /* The list of failures has them with more room. */
      .steps .before { display: none; }
      h2, h3, summary, .more, thead { break-after: avoid; }
      th, td { padding: .15rem .4rem; } tbody th { min-width: 5rem; }
      div.lane { grid-template-columns: 9rem minmax(0, 1fr); }
      svg, .failure, tr { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      a { color: inherit; text-decoration: none; }
    }
    @media (forced-colors: active) { svg { forced-color-adjust: none; } }

    """
}
