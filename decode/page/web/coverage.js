// Coverage: which of the known functions ran; those of the kernel as a map by address.

const CELL = 7;

class Coverage {
  constructor(trace, section, hooks) {
    this.trace = trace;
    this.hooks = hooks; // tip(html or null, event), chosenName(number)
    this.section = section;
    this.painter = new Painter(trace);
    this.kernel = this.kernelFunctions();
    section.innerHTML = `<div class="tools"><span id="covered"></span><span class="space"></span><span class="note">each square is a function of the kernel, by address; the more it took, the stronger</span></div>
      <div class="scroll"><canvas style="width:100%"></canvas><div class="facts"><h2>By object</h2><table id="objects"></table></div></div>`;
    this.canvas = section.querySelector('canvas');
    this.canvas.addEventListener('mousemove', (event) => this.hover(event));
    this.canvas.addEventListener('mouseleave', () => hooks.tip(null));
    this.canvas.addEventListener('click', (event) => {
      const at = this.at(event);
      if (at && at.name) hooks.chosenName(at.name.number);
    });
    this.count();
  }

  // All functions of the kernel; those that ran with their names.
  kernelFunctions() {
    const ran = new Map(this.trace.names.filter((name) => name.object === 'vmlinux').map((name) => [name.begin, name]));
    const { symbols, sizes, begin } = this.trace.facts.kernel;
    let address = BigInt('0x' + (begin || '0'));
    return (symbols ? symbols.split('\n') : []).map((symbol, i) => {
      address += BigInt(sizes[2 * i]);
      const text = address.toString(16).padStart(16, '0');
      return { symbol, begin: text, size: sizes[2 * i + 1], name: ran.get(text) };
    });
  }

  count() {
    const ran = this.kernel.filter((each) => each.name);
    const bytes = (list) => list.reduce((sum, each) => sum + each.size, 0);
    this.section.querySelector('#covered').innerHTML = this.kernel.length
      ? `<span class="meter"><i style="width:${100 * ran.length / this.kernel.length}%"></i></span> &nbsp;<b>${countText(ran.length)}</b> of ${countText(this.kernel.length)} kernel functions ran
         (${percentText(ran.length, this.kernel.length)}); they are ${percentText(bytes(ran), bytes(this.kernel))} of its code`
      : 'The kernel’s symbols are unknown: name them with --kernel or --symbols.';
    const objects = new Map();
    for (const name of this.trace.names) {
      if (name.calls + name.branches === 0) continue;
      const of = objects.get(name.object) || { functions: 0, branches: 0 };
      of.functions++;
      of.branches += name.branches;
      objects.set(name.object, of);
    }
    this.section.querySelector('#objects').innerHTML = '<tr><th class="text">Object</th><th>Functions that ran</th><th>Branches</th></tr>' +
      [...objects].sort((a, b) => b[1].branches - a[1].branches).map(([object, of]) =>
        `<tr><td class="name">${escapeText(object || 'not known')}</td><td class="number">${countText(of.functions)}</td><td class="number">${countText(of.branches)}</td></tr>`).join('');
  }

  open() {
    this.wide = Math.max(1, Math.floor((this.section.clientWidth - 24) / CELL));
    const rows = Math.ceil(this.kernel.length / this.wide);
    this.canvas.style.height = rows * CELL + 16 + 'px';
    const context = this.painter.prepare(this.canvas);
    const most = Math.log(Math.max(2, ...this.kernel.slice(0, 100000).map((each) => (each.name ? each.name.branches : 0))));
    this.kernel.forEach((each, i) => {
      const x = 12 + i % this.wide * CELL, y = 8 + Math.floor(i / this.wide) * CELL;
      context.fillStyle = each.name ? `hsl(${this.marked && this.marked.has(each.name.number) ? 330 : 210} 80% ${this.heat(each.name.branches, most)}%)` : this.painter.theme.panel;
      context.fillRect(x, y, CELL - 1, CELL - 1);
    });
  }

  heat(branches, most) {
    const strength = Math.log(branches + 1) / most;
    return this.painter.dark ? 28 + 45 * strength : 82 - 52 * strength;
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - 12) / CELL), row = Math.floor((event.clientY - box.top - 8) / CELL);
    return column >= 0 && column < this.wide ? this.kernel[row * this.wide + column] : undefined;
  }

  hover(event) {
    const at = this.at(event);
    const what = at && (at.name ? `${countText(at.name.branches)} branches, ${countText(at.name.calls)} calls` : 'did not run');
    this.hooks.tip(at ? `<span class="name">${escapeText(at.symbol)}</span><br>${what} · ${countText(at.size)} bytes at 0x${at.begin}` : null, event);
  }

  mark(numbers) {
    this.marked = numbers;
    if (!this.section.hidden) this.open();
  }
}
