// Callers and callees of the selected function: who called it is above, what it called below. The figures are those of
// undertrace callgraph, also where the call tree has merged small ways.

// { number (NO_NAME: not known), calls, branches, ticks } of each, those with the most of a unit first.
function neighboursOf(trace, number, unit) {
  const { caller, callee, calls, calleeBranches, calleeTicks, callerBranches, callerTicks } = trace.pairs;
  const callers = [], callees = [];
  for (let i = 0; i < caller.length; i++) {
    if (callee[i] === number) callers.push({ number: caller[i], calls: calls[i], branches: calleeBranches[i], ticks: calleeTicks[i] });
    else if (caller[i] === number) callees.push({ number: callee[i], calls: calls[i], branches: callerBranches[i], ticks: callerTicks[i] });
  }
  for (const list of [callers, callees]) list.sort((a, b) => b[unit] - a[unit] || b.calls - a.calls);
  return { callers, callees };
}

class Sandwich {
  constructor(trace, section, hooks) {
    Object.assign(this, { trace, section, hooks }); // chosenName(number), shown(number)
    this.unit = 'branches';
    section.innerHTML = `<div class="tools"><button data-unit="branches">by branches</button><button data-unit="ticks">by time</button>
      <span class="space"></span><span class="note">↑ ↓ and Enter, or a click, go to a caller or callee; the browser's Back returns</span></div>
      <div class="slices"><div class="callers"></div><div class="filling"></div><div class="callees"></div></div>`;
    section.querySelector('.tools').addEventListener('click', (event) => {
      this.unit = event.target.dataset.unit || this.unit;
      this.draw();
    });
    section.querySelector('.slices').addEventListener('click', (event) => this.take(event.target.closest('tr[data-name]')));
  }

  // At first the function with the most branches itself is selected.
  open() {
    this.number ??= this.trace.names.reduce((best, name) => (name.branches > best.branches ? name : best)).number;
    this.draw();
  }

  select(number) {
    this.number = number;
    if (!this.section.hidden) this.draw();
  }

  draw() {
    const { trace, unit } = this, name = trace.names[this.number];
    const { callers, callees } = neighboursOf(trace, this.number, unit);
    for (const button of this.section.querySelectorAll('[data-unit]')) button.setAttribute('aria-pressed', button.dataset.unit === unit);
    const total = { calls: name.calls, branches: name.allBranches, ticks: name.allTicks }, own = { branches: name.branches, ticks: name.ticks };
    const all = trace.names.reduce((sum, each) => sum + each[unit], 0);
    this.fill('.callers', this.head('Called by', callers.length) + callers.map((each) => this.neighbour(each, total)).join(''));
    this.fill('.filling', this.line(`<b>${escapeText(trace.label(this.number))}</b>`, name.object, total, all, '', ' of all') +
      this.line('<span class="note">itself</span>', null, own, total[unit]));
    this.fill('.callees', this.head('Calls', callees.length) + callees.map((each) => this.neighbour(each, total)).join(''));
    this.hooks.shown(this.number);
  }

  fill(part, rows) {
    const element = this.section.querySelector(part);
    element.innerHTML = `<table><colgroup><col><col class="object"><col class="figure"><col class="figure"><col class="bar"><col class="figure"></colgroup>${rows}</table>`;
    element.scrollTop = 0;
  }

  head(title, count) {
    const functions = count === 0 ? 'nothing' : count === 1 ? '1 function' : `${countText(count)} functions`;
    return `<tr><th class="text">${title} <span class="note">${functions}</span></th><th class="text">Of</th><th>Calls</th><th>Branches</th><th>Share</th><th>Time</th></tr>`;
  }

  neighbour(each, total) {
    const known = each.number !== NO_NAME;
    return this.line(known ? escapeText(this.trace.label(each.number)) : '<span class="note">the caller is not known</span>', known && this.trace.names[each.number].object,
      each, total[this.unit], known ? `class="row" data-name="${each.number}"` : '');
  }

  // A line of the table, with its share of the total: of the function's, or of what the last argument names.
  line(label, object, sums, all, attributes = '', of = '') {
    const part = all > 0 ? Math.min(1, sums[this.unit] / all) : 0;
    return `<tr ${attributes}><td class="name">${label}</td><td class="text note">${escapeText(object || '')}</td><td>${sums.calls === undefined ? '' : countText(sums.calls)}</td>
      <td>${countText(sums.branches)}</td><td><span class="share" style="width:${Math.round(80 * part)}px"></span>${percentText(sums[this.unit], all)}${of}</td><td>${this.trace.ticksText(sums.ticks)}</td></tr>`;
  }

  key(event) {
    const rows = [...this.section.querySelectorAll('tr[data-name]')], at = rows.findIndex((row) => row.classList.contains('chosen'));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') this.take(rows[at]);
    if (!step || !rows.length) return event.key === 'Enter';
    const next = at < 0 ? this.first(rows, step) : Math.min(Math.max(0, at + step), rows.length - 1);
    rows[at]?.classList.remove('chosen');
    rows[next].classList.add('chosen');
    rows[next].scrollIntoView({ block: 'nearest' });
    return true;
  }

  // From the function in the middle: down to the first callee, up to the last caller.
  first(rows, step) {
    const callees = rows.findIndex((row) => row.closest('.callees'));
    if (callees < 0) return rows.length - 1;
    return step > 0 ? callees : Math.max(0, callees - 1);
  }

  take(row) {
    if (row) this.hooks.chosenName(Number(row.dataset.name));
  }
}
