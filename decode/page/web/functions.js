// The functions: a table that sorts by any column and draws only the visible lines.

const LINE = 24;

class Functions {
  constructor(trace, section, hooks) {
    this.trace = trace;
    this.hooks = hooks; // chosenName(number)
    this.section = section;
    this.sort = 'branches';
    this.all = trace.names.filter((name) => name.calls + name.branches > 0);
    this.sum = trace.names.reduce((sum, name) => sum + name.branches, 0);
    this.columns = [['label', 'Function', true], ['object', 'Of', true], ['branches', 'Itself'], ['share', 'Share'], ['allBranches', 'With callees'],
      ['calls', 'Calls'], ['ticks', 'Time itself'], ['allTicks', 'With callees'], ['first', 'First ran']];
    section.innerHTML = `<div class="tools"><input type="search" placeholder="Filter" aria-label="Filter"><span class="space"></span><span class="note"></span></div>
      <div class="scroll"><table><thead><tr>${this.columns.map(([key, title, text]) => `<th class="${text ? 'text' : ''}" data-key="${key}">${title}</th>`).join('')}</tr></thead>
      <tbody></tbody></table></div>`;
    this.scroll = section.querySelector('.scroll');
    this.body = section.querySelector('tbody');
    section.querySelector('thead').addEventListener('click', (event) => {
      this.sort = event.target.dataset.key || this.sort;
      this.open();
    });
    section.querySelector('input').addEventListener('input', () => this.open());
    this.scroll.addEventListener('scroll', () => this.draw());
    this.body.addEventListener('click', (event) => {
      const row = event.target.closest('tr[data-name]');
      if (row) this.hooks.chosenName(Number(row.dataset.name));
    });
  }

  open() {
    const words = this.section.querySelector('input').value.toLowerCase();
    const key = this.sort === 'share' ? 'branches' : this.sort;
    const value = (name) => (key === 'label' ? this.trace.label(name.number) : key === 'object' ? name.object || '~' : name[key] ?? Infinity);
    const up = ['label', 'object', 'first'].includes(key);
    this.shown = this.all.filter((name) => !words || this.trace.label(name.number).toLowerCase().includes(words));
    this.shown.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (up ? 1 : -1));
    for (const head of this.section.querySelectorAll('th')) {
      if (head.dataset.key === this.sort) head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    }
    this.section.querySelector('.note').textContent = `${countText(this.shown.length)} functions`;
    this.draw();
  }

  draw() {
    if (!this.shown || this.section.hidden) return;
    const from = Math.max(0, Math.floor(this.scroll.scrollTop / LINE) - 10);
    const to = Math.min(this.shown.length, from + Math.ceil(this.scroll.clientHeight / LINE) + 30);
    const filler = (lines) => `<tr style="height:${lines * LINE}px"></tr>`;
    this.body.innerHTML = filler(from) + this.shown.slice(from, to).map((name) => this.line(name)).join('') + filler(this.shown.length - to);
  }

  line(name) {
    const share = name.branches / this.sum;
    return `<tr class="row" data-name="${name.number}"><td class="name">${escapeText(this.trace.label(name.number))}</td><td class="text note">${escapeText(name.object || '')}</td>
      <td>${countText(name.branches)}</td><td><span class="share" style="width:${Math.round(80 * share)}px"></span>${percentText(name.branches, this.sum)}</td><td>${countText(name.allBranches)}</td>
      <td>${countText(name.calls)}</td><td>${this.trace.ticksText(name.ticks)}</td><td>${this.trace.ticksText(name.allTicks)}</td>
      <td>${name.first === null ? '' : this.trace.momentText(name.first, 1e6)}</td></tr>`;
  }
}
