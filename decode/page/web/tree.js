// The call tree as a table whose lines expand.

class TreeView {
  constructor(trace, section, hooks) {
    this.trace = trace;
    this.hooks = hooks; // chosenName(number)
    this.section = section;
    section.innerHTML = `<div class="tools"><button data-do="hot">Open the hottest way</button><button data-do="close">Close all</button>
      <span class="space"></span><span class="note">with all that it called · itself</span></div>
      <div class="scroll"><table><thead><tr><th class="text">Function</th><th>Branches</th><th>Share</th><th>Itself</th><th>Calls</th><th class="text">Entered by</th></tr></thead>
      <tbody></tbody></table></div>`;
    this.body = section.querySelector('tbody');
    section.querySelector('.tools').addEventListener('click', (event) => {
      if (event.target.dataset.do === 'hot') this.openHottest();
      if (event.target.dataset.do === 'close') this.fill();
    });
    this.body.addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (!row) return;
      this.toggle(row);
      if (row.node.name !== NO_NAME) this.hooks.chosenName(row.node.name);
    });
  }

  open() {
    if (!this.root) this.fill();
  }

  fill() {
    this.root = wholeTree(this.trace, 'branches');
    this.body.textContent = '';
    this.root.children.forEach((node) => this.body.append(this.row(node)));
    this.showMarked();
  }

  row(node) {
    const row = document.createElement('tr');
    const share = node.total / this.root.total;
    row.className = 'row';
    row.node = node;
    row.innerHTML = `<td class="name" style="padding-left:${8 + 14 * (node.depth - 1)}px;max-width:640px"><span class="twist">${node.children.length ? '▸' : ''}</span>${escapeText(nodeLabel(this.trace, node))}</td>
      <td>${countText(node.total)}</td><td><span class="share" style="width:${Math.round(90 * share)}px"></span>${percentText(node.total, this.root.total)}</td>
      <td>${countText(node.own)}</td><td>${countText(node.calls)}</td><td class="text note">${node.name === NO_NAME ? '' : ENTRIES[node.entry]}</td>`;
    row.classList.toggle('chosen', Boolean(this.marked && this.marked.has(node.name)));
    return row;
  }

  toggle(row) {
    const open = row.classList.toggle('open');
    row.querySelector('.twist').textContent = row.node.children.length ? (open ? '▾' : '▸') : '';
    if (open) {
      row.after(...row.node.children.slice(0, 500).map((node) => this.row(node)));
      return;
    }
    while (row.nextElementSibling && row.nextElementSibling.node.depth > row.node.depth) row.nextElementSibling.remove();
  }

  openWay(node) {
    const way = [];
    for (let at = node; at.parent; at = at.parent) way.unshift(at);
    this.fill();
    let row = null;
    for (const step of way) {
      row = [...this.body.rows].find((each) => each.node === step || (each.node.name === step.name && each.node.depth === step.depth && each.node.total === step.total));
      if (!row) return;
      if (step !== node) this.toggle(row);
    }
    if (row) row.scrollIntoView({ block: 'center' });
  }

  openHottest() {
    this.root = this.root || wholeTree(this.trace, 'branches');
    let node = this.root;
    while (node.children.length) node = node.children[0];
    this.openWay(node);
  }

  // Expand the path to the most expensive call of a function.
  openName(number) {
    if (!this.root) this.fill();
    let best = null;
    const open = [this.root];
    while (open.length) {
      const node = open.pop();
      if (node.name === number && (!best || node.total > best.total)) best = node;
      open.push(...node.children);
    }
    if (best) this.openWay(best);
  }

  mark(numbers) {
    this.marked = numbers;
    if (this.root) this.showMarked();
  }

  showMarked() {
    for (const row of this.body.rows) row.classList.toggle('chosen', Boolean(this.marked && this.marked.has(row.node.name)));
  }
}
