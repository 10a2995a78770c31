// The flame graph: a call tree with the outermost function on top; the width of a function is its total cost.

const FLAME_ROW = 18;

class Flame {
  constructor(trace, section, hooks) {
    this.whole = this.trace = trace;
    this.hooks = hooks; // tip(html or null, event), visible(): trace and view of the time line, said(html)
    this.painter = new Painter(trace);
    this.marked = null;
    this.unit = 'branches';
    section.innerHTML = `<div class="tools"><label>of</label><button data-unit="branches" aria-pressed="true">all, by branches</button>
      <button data-unit="ticks">all, by time</button><button data-unit="part">what the time line shows</button>
      <button data-do="up">Up</button><button data-do="all">Whole</button><span class="space"></span><span id="flame-note" class="note"></span></div>
      <div class="scroll"><canvas class="pinned" style="width:100%"></canvas><div class="filler"></div></div>`;
    this.section = section;
    this.scroll = section.querySelector('.scroll');
    this.canvas = section.querySelector('canvas');
    this.filler = section.querySelector('.filler');
    section.querySelector('.tools').addEventListener('click', (event) => {
      if (event.target.dataset.unit) this.load(event.target.dataset.unit);
      if (event.target.dataset.do === 'up') this.focus(this.top.parent || this.root);
      if (event.target.dataset.do === 'all') this.focus(this.root);
    });
    this.scroll.addEventListener('scroll', () => this.draw());
    this.canvas.addEventListener('mousemove', (event) => this.hover(event));
    this.canvas.addEventListener('mouseleave', () => hooks.tip(null));
    this.canvas.addEventListener('click', (event) => {
      const node = this.nodeAt(event);
      if (node) this.focus(node);
      if (node) this.hooks.said(this.describe(node));
    });
  }

  // The tree is built when it is first shown.
  open() {
    if (!this.root || this.unit === 'part') this.load(this.unit);
    else this.draw();
  }

  load(unit) {
    this.unit = unit;
    const { trace, view } = this.hooks.visible();
    this.trace = this.painter.trace = unit === 'part' ? trace : this.whole;
    this.root = unit === 'part' ? partTree(trace, view.from, view.to) : wholeTree(this.whole, unit);
    this.markThese();
    for (const button of this.section.querySelectorAll('[data-unit]')) button.setAttribute('aria-pressed', button.dataset.unit === unit);
    this.focus(this.root);
  }

  focus(node) {
    this.top = node;
    this.way = [];
    for (let above = node.parent; above; above = above.parent) this.way.unshift(above);
    this.depth = this.way.length + 1 + deepest(node, node.total / 4000);
    this.draw();
  }

  amountText(value) {
    if (this.unit === 'part') return this.trace.timeText(value);
    return this.unit === 'ticks' ? this.trace.ticksText(value) : countText(value) + ' branches';
  }

  mark(numbers) {
    this.wanted = numbers && numbers.size ? numbers : null;
    this.markThese();
    if (!this.section.hidden) this.draw();
  }

  markThese() {
    const number = (each) => this.trace.numberLike(this.whole.names[each]);
    this.marked = this.wanted && this.trace !== this.whole ? new Set([...this.wanted].map(number)) : this.wanted;
  }

  draw() {
    if (!this.root || this.section.hidden) return;
    this.canvas.style.height = this.scroll.clientHeight + 'px';
    this.filler.style.height = Math.max(0, this.depth * FLAME_ROW + 30 - this.scroll.clientHeight) + 'px';
    this.context = this.painter.prepare(this.canvas);
    this.boxes = [];
    this.bottom = this.canvas.clientHeight;
    this.markedTotal = 0;
    const width = this.canvas.clientWidth, offset = -this.scroll.scrollTop;
    this.way.forEach((node, depth) => this.box(node, 0, width, offset + depth * FLAME_ROW, 0.55));
    this.below(this.top, 0, width, offset + this.way.length * FLAME_ROW, false);
    this.section.querySelector('#flame-note').textContent = this.marked
      ? `found: ${percentText(this.markedTotal, this.top.total)} of ${this.amountText(this.top.total)}` : this.amountText(this.top.total);
  }

  below(node, x, width, y, inMarked) {
    const isMarked = this.marked && this.marked.has(node.name);
    if (isMarked && !inMarked) this.markedTotal += node.total;
    this.box(node, x, width, y, 1);
    let left = x, narrow = x;
    for (const child of node.children) {
      const size = node.total > 0 ? child.total / node.total * width : 0;
      if (size < 0.5) break; // the children are sorted: the rest are narrower
      this.below(child, left, size, y + FLAME_ROW, inMarked || isMarked);
      left += size;
      narrow = left;
    }
    const rest = node.children.reduce((sum, child, i) => sum + (child.total / node.total * width < 0.5 ? child.total : 0), 0) / node.total * width;
    if (rest >= 0.5) {
      this.context.fillStyle = this.painter.theme.line;
      this.context.fillRect(narrow, y + FLAME_ROW, rest, FLAME_ROW - 1);
    }
  }

  box(node, x, width, y, strength) {
    if (y + FLAME_ROW < 0 || y > this.bottom) return;
    const isMarked = this.marked && this.marked.has(node.name);
    const label = nodeLabel(this.trace, node);
    this.context.globalAlpha = strength;
    this.context.fillStyle = isMarked ? this.painter.theme.accent
      : this.painter.colour(node.name === NO_NAME ? KIND.TASK : this.trace.kind(node.name, node.entry), label);
    this.context.fillRect(x, y, Math.max(0.5, width - (width > 2 ? 0.7 : 0)), FLAME_ROW - 1);
    this.context.globalAlpha = 1;
    this.context.fillStyle = isMarked ? this.painter.theme.page : this.painter.theme.strong;
    this.painter.text(this.context, label, x, width, y + FLAME_ROW / 2);
    this.boxes.push({ node, x, width, y });
  }

  nodeAt(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const found = (this.boxes || []).find((place) => x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + FLAME_ROW);
    return found && found.node;
  }

  describe(node) {
    const own = node.own > 0 ? ` · itself ${this.amountText(node.own)}` : '';
    return `<b>${escapeText(nodeLabel(this.trace, node))}</b> · ${this.amountText(node.total)} (${percentText(node.total, this.root.total)})${own}` +
      ` · ${countText(node.calls)} calls`;
  }

  hover(event) {
    const node = this.nodeAt(event);
    this.hooks.tip(node ? this.describe(node) : null, event);
  }
}

// The number of levels below a node that are wide enough to be drawn.
function deepest(node, least) {
  let depth = 0, level = [node];
  while (level.length) {
    level = level.flatMap((each) => each.children.filter((child) => child.total >= least));
    depth += level.length ? 1 : 0;
  }
  return depth;
}
