// What a part of the time line took: sums by function. And the hits of a search, one after the other.

// The functions of a part, by their own time, with the number of their calls and their time with callees.
function partSums(trace, from, to) {
  const sums = new Map();
  const take = (node, above) => {
    let within = above;
    if (node.name !== NO_NAME) {
      if (!sums.has(node.name)) sums.set(node.name, { number: node.name, calls: 0, own: 0, total: 0 });
      const sum = sums.get(node.name);
      sum.calls += node.calls;
      sum.own += node.own;
      if (!above.has(node.name)) sum.total += node.total; // a function that calls itself counts once
      within = new Set(above).add(node.name);
    }
    node.children.forEach((child) => take(child, within));
  };
  const root = partTree(trace, from, to);
  take(root, new Set());
  return { total: root.total, functions: [...sums.values()].sort((a, b) => b.own - a.own) };
}

function selectionText(trace, { from, to }) {
  const { total, functions } = partSums(trace, from, to);
  const rows = functions.slice(0, 30).map((sum) => `<tr><td class="name">${escapeText(trace.label(sum.number))}</td><td>${trace.timeText(sum.own)}</td>
    <td>${percentText(sum.own, total)}</td><td>${trace.timeText(sum.total)}</td><td>${countText(sum.calls)}</td></tr>`).join('');
  return `<b>${trace.timeText(to - from)}</b> · ${trace.momentText(from, trace.amount(to - from) / 1000)} to ${trace.momentText(to, trace.amount(to - from) / 1000)}` +
    ` · ${countText(functions.length)} functions ran for ${trace.timeText(total)} on ${trace.facts.tracks.length > 1 ? trace.facts.tracks.length + ' CPUs' : '1 CPU'}` +
    `${trace.facts.merged ? `; calls under ${trace.timeText(trace.facts.least)} count for their callers` : ''} <a data-do="unselect">end the selection</a>` +
    `<table class="sums"><tr><th class="text">Function</th><th>Itself</th><th>Share</th><th>With callees</th><th>Calls</th></tr>${rows}</table>`;
}

// The hits of a search on the time line, by time.
class Hits {
  constructor(timeline) {
    this.timeline = timeline;
    this.known = new Map(); // of each trace: marked names, and their slices
  }

  of(trace, marked) {
    const known = this.known.get(trace);
    if (known && known.marked === marked) return known.slices;
    const { begin, name, entry } = trace.slices, slices = [];
    for (let i = 0; i < name.length; i++) if (entry[i] !== ENTRY_TASK && marked.has(name[i])) slices.push(i);
    slices.sort((a, b) => begin[a] - begin[b] || a - b);
    this.known = new Map([[this.timeline.whole, this.known.get(this.timeline.whole)], [trace, { marked, slices }]]);
    return slices;
  }

  // Choose the next hit (direction 1) or the previous one (-1), and move it into view. Returns a line about it.
  step(direction) {
    const timeline = this.timeline;
    if (!timeline.marked) return 'Search a function first ( / ).';
    const { trace } = timeline, { begin } = trace.slices, slices = this.of(trace, timeline.marked);
    const at = timeline.chosen, now = at >= 0 ? begin[at] : direction > 0 ? timeline.view.from : timeline.view.to;
    const isAfter = (slice) => (begin[slice] - now || (at >= 0 ? slice - at : 0)) * direction > 0;
    const index = direction > 0 ? slices.findIndex(isAfter) : slices.findLastIndex(isAfter);
    if (index < 0 && trace !== timeline.whole) {
      timeline.use(timeline.whole);
      return this.step(direction);
    }
    if (index < 0) return slices.length ? `No ${direction > 0 ? 'later' : 'earlier'} hit on the time line.` : 'No hit on the time line: all of these calls are merged.';
    this.reveal(slices[index]);
    return `Hit ${countText(index + 1)} of ${countText(slices.length)}${trace === timeline.whole ? '' : ' in this part'}`;
  }

  reveal(slice) {
    const { begin } = this.timeline.trace.slices, { from, to } = this.timeline.view, at = begin[slice];
    this.timeline.choose(slice);
    this.timeline.reveal(slice);
    if (at < from || at > to) this.timeline.show(at - (to - from) / 2, at + (to - from) / 2);
  }
}
