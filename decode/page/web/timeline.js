// The time line: lanes, zoom and pan.

class Timeline {
  constructor(trace, section, hooks) {
    this.trace = trace;
    this.whole = trace; // this.trace is what is drawn: it, or a window of it with more calls
    this.hooks = hooks; // chosen(slice), tip(html or null, event), moved(), selected()
    this.painter = new Painter(trace);
    this.lanes = this.wholeLanes = makeLanes(trace);
    this.selection = null;
    this.view = { from: 0, to: trace.duration, width: 1 };
    this.marked = null;
    this.chosen = -1;
    this.build(section);
    this.listen();
  }

  build(section) {
    const swatches = [KIND.KERNEL, KIND.MODULE, KIND.USER, KIND.INTERRUPT, KIND.SYSCALL, KIND.UNKNOWN]
      .map((kind) => `<span><i class="swatch" style="background:hsl(${kindHues[kind][0]} ${kind === KIND.UNKNOWN ? 8 : 62}% 58%)"></i>${kindTexts[kind]}</span>`).join('');
    section.innerHTML = `<div class="tools"><button data-do="in" title="w">+</button><button data-do="out" title="s">−</button>
      <button data-do="all" title="0">All</button><button data-do="processes">Processes</button><span id="range" class="number"></span>
      <input id="goto" placeholder="Go to time  ( g )" title="1.5   1.5+2ms   1.5-1.6   1000t" autocomplete="off" spellcheck="false" aria-label="Go to time">
      <span id="detail" class="note"></span><span class="space"></span>
      <span class="note">${swatches}<i class="swatch dotted"></i>merged<i class="swatch" style="background:var(--exit)"></i>VM exit<i class="swatch" style="background:var(--gap)"></i>gap</span></div>
      <canvas class="overview" style="width:100%;height:${OVERVIEW}px;flex:none"></canvas>
      <div class="scroll" tabindex="0"><canvas class="pinned" style="width:100%"></canvas><div class="filler"></div></div>`;
    this.section = section;
    this.overview = new Overview(this, section.querySelector('.overview'));
    this.scroll = section.querySelector('.scroll');
    this.canvas = this.scroll.querySelector('canvas');
    this.filler = section.querySelector('.filler');
    section.querySelector('.tools').addEventListener('click', (event) => {
      const what = event.target.dataset.do;
      if (what === 'in') this.zoom(0.5);
      if (what === 'out') this.zoom(2);
      if (what === 'all') this.show(0, this.trace.duration);
      if (what === 'processes') this.scroll.scrollTop = this.lanes.reduce((sum, lane) => sum + (lane.rows ? lane.height : 0), 0);
    });
  }

  listen() {
    this.scroll.addEventListener('scroll', () => this.later());
    this.scroll.addEventListener('wheel', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) {
        event.preventDefault();
        this.zoom(Math.exp(event.deltaY / 300), partAt(this.canvas, event.clientX));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.pan((event.deltaX || event.deltaY) / this.view.width);
      }
    }, { passive: false });
    dragged(this.canvas, {
      move: (event, start, last) => {
        if (start.shift) {
          this.select(this.timeAt(start.x), this.timeAt(event.clientX));
          return;
        }
        this.pan((last.x - event.clientX) / this.view.width);
        this.scroll.scrollTop += last.y - event.clientY;
      },
      click: (event) => this.click(event),
    });
    this.canvas.addEventListener('dblclick', (event) => this.zoomTo(this.sliceAt(event)));
    this.canvas.addEventListener('mousemove', (event) => {
      this.pointer = this.timeAt(event.clientX);
      this.hover(event);
    });
    this.canvas.addEventListener('mouseleave', () => this.hooks.tip(null));
  }

  timeAt(x) {
    return this.view.from + partAt(this.canvas, x) * (this.view.to - this.view.from);
  }

  // Select the part between two moments; null: none.
  select(a, b) {
    const within = (time) => Math.min(Math.max(0, time), this.whole.duration);
    this.selection = a === null ? null : { from: within(Math.min(a, b)), to: within(Math.max(a, b)) };
    this.later();
    this.hooks.selected();
  }

  // The first of two points to measure between, then the second.
  measure() {
    const at = this.pointer ?? (this.view.from + this.view.to) / 2;
    const open = this.selection && this.selection.from === this.selection.to;
    this.select(open ? this.selection.from : at, at);
  }

  // Draw another trace: the whole, or a window.
  use(trace) {
    if (trace === this.trace) return;
    const before = this.trace, chosen = this.chosen;
    this.trace = this.painter.trace = trace;
    this.lanes = trace === this.whole ? this.wholeLanes : makeLanesLike(trace, this.wholeLanes);
    this.chosen = this.same(before, chosen, trace);
    this.markThese();
    this.later();
  }

  // The slice of one trace in another, which is the whole or drawn; -1: it has none.
  same(from, slice, to) {
    return from === to ? slice : sameSlice(from, slice, to, to === this.whole ? this.wholeLanes : this.lanes);
  }

  // Where a slice of the drawn trace is: windows cut it at their ends.
  extent(slice) {
    const { begin, length } = this.trace.slices;
    const cut = this.trace !== this.whole && (begin[slice] <= this.trace.from + 1 || begin[slice] + length[slice] >= this.trace.to - 1);
    const full = cut ? this.same(this.trace, slice, this.whole) : -1;
    return full < 0 ? { begin: begin[slice], length: length[slice] } : { begin: this.whole.slices.begin[full], length: this.whole.slices.length[full] };
  }

  key(event) {
    const step = { m: () => this.measure(), Escape: () => this.select(null), w: () => this.zoom(0.7), s: () => this.zoom(1.4), a: () => this.pan(-0.2), d: () => this.pan(0.2), 0: () => this.show(0, this.trace.duration),
      ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), '+': () => this.zoom(0.7), '-': () => this.zoom(1.4) }[event.key];
    if (step) step();
    return Boolean(step);
  }

  zoom(factor, at = 0.5) {
    const { from, to } = this.view;
    const middle = from + (to - from) * at, size = Math.min(this.trace.duration, Math.max(4, (to - from) * factor));
    this.show(middle - size * at, middle + size * (1 - at));
  }

  pan(part) {
    const size = this.view.to - this.view.from;
    this.show(this.view.from + size * part, this.view.to + size * part);
  }

  // Nothing outside the trace is shown.
  show(from, to) {
    const size = Math.min(Math.max(4, to - from), this.trace.duration);
    this.view.from = Math.min(Math.max(0, from), this.trace.duration - size);
    this.view.to = this.view.from + size;
    this.later();
    this.hooks.moved();
  }

  zoomTo(slice) {
    if (slice < 0) return;
    const { begin, length } = this.extent(slice);
    const around = length * 0.1;
    this.choose(slice);
    this.reveal(slice);
    this.show(begin - around, begin + length + around);
  }

  // Scroll to a slice.
  reveal(slice) {
    let top = AXIS;
    for (const lane of this.lanes) {
      if (lane.rows && lane.rows[0].length && this.trackOf(lane, slice)) {
        const y = top + lane.top(slice);
        if (y < this.scroll.scrollTop + 40 || y > this.scroll.scrollTop + this.scroll.clientHeight - 40) this.scroll.scrollTop = y - 120;
        return;
      }
      top += lane.height;
    }
  }

  trackOf(lane, slice) {
    return this.trace.facts.tracks.some(([cpu, from, count]) => cpu === lane.cpu && slice >= from && slice < from + count);
  }

  choose(slice) {
    this.chosen = slice;
    this.hooks.chosen(slice);
    this.later();
  }

  // Functions of the whole trace, by number.
  mark(numbers) {
    this.wanted = numbers && numbers.size ? numbers : null;
    this.markThese();
    this.later();
  }

  markThese() {
    const number = (each) => this.trace.numberLike(this.whole.names[each]);
    this.marked = this.wanted && this.trace !== this.whole ? new Set([...this.wanted].map(number)) : this.wanted;
  }

  // The lane at a position on the screen, and the position in it.
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const time = this.view.from + (event.clientX - box.left) / box.width * (this.view.to - this.view.from);
    let y = event.clientY - box.top + this.scroll.scrollTop - AXIS;
    if (event.clientY - box.top < AXIS) return null;
    for (const lane of this.lanes) {
      if (y < lane.height) return { lane, time, y };
      y -= lane.height;
    }
    return null;
  }

  sliceAt(event) {
    const place = this.place(event);
    return place ? place.lane.at(place.time, place.y) : -1;
  }

  // A click on a CPU's title folds or unfolds its calls.
  click(event) {
    const place = this.place(event);
    if (place && place.lane.rows && place.y < TITLE) {
      place.lane.fold();
      this.later();
    } else {
      this.choose(this.sliceAt(event));
    }
  }

  hover(event) {
    const place = this.place(event);
    const slice = place ? place.lane.at(place.time, place.y) : -1;
    const nearMark = place && place.lane.rows && place.y >= TITLE && place.y < TITLE + MARKS;
    this.hooks.tip(slice >= 0 ? sliceTip(this.trace, this.painter, slice) : nearMark ? this.markTip(place) : null, event);
  }

  markTip({ lane, time }) {
    const reach = (this.view.to - this.view.from) / this.view.width * 3;
    const order = lane.marks, times = this.trace.marks.time;
    const counts = {};
    for (let i = lowerBound(times, order, time - reach); i < order.length && times[order[i]] <= time + reach; i++) {
      const text = this.trace.facts.mark_kinds[this.trace.marks.kind[order[i]]];
      counts[text] = (counts[text] || 0) + 1;
    }
    const lines = Object.entries(counts).map(([text, count]) => `${countText(count)} × ${escapeText(text)}`);
    return lines.length ? lines.join('<br>') : null;
  }

  later() {
    if (!this.waiting && !this.section.hidden) this.waiting = requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.waiting = 0;
    if (this.section.hidden) return;
    this.height = AXIS + this.lanes.reduce((sum, lane) => sum + lane.height, 0) + 20;
    this.canvas.style.height = this.scroll.clientHeight + 'px';
    this.filler.style.height = Math.max(0, this.height - this.scroll.clientHeight) + 'px';
    this.drawLanes();
    this.overview.draw();
    const size = this.view.to - this.view.from;
    this.section.querySelector('#range').textContent =
      `${this.trace.momentText(this.view.from, this.trace.amount(size / 100))} + ${this.trace.timeText(size)}`;
  }

  drawLanes() {
    const context = this.painter.prepare(this.canvas), view = this.view, bottom = this.canvas.clientHeight;
    view.width = this.canvas.clientWidth;
    let top = AXIS - this.scroll.scrollTop;
    for (const lane of this.lanes) {
      if (top + lane.height > 0 && top < bottom) lane.rows ? this.drawCpu(context, lane, top) : this.drawProcess(context, lane, top);
      top += lane.height;
    }
    context.fillStyle = this.painter.theme.panel;
    context.fillRect(0, 0, view.width, AXIS);
    this.painter.axis(context, view, 0, AXIS);
    if (this.selection) this.painter.selection(context, view, this.selection, bottom, this.trace.timeText(this.selection.to - this.selection.from));
  }

  drawTitle(context, lane, top) {
    context.fillStyle = this.painter.theme.text;
    context.fillText(lane.title(), 6, top + 11);
  }

  drawCpu(context, lane, top) {
    context.fillStyle = this.painter.theme.panel;
    context.fillRect(0, top, this.view.width, TITLE - 2);
    this.drawTitle(context, lane, top);
    this.painter.marks(context, lane, this.view, top + TITLE);
    lane.shown().forEach((order, depth) => {
      const y = top + TITLE + MARKS + depth * ROW;
      if (y + ROW > 0 && y < this.canvas.clientHeight) this.painter.row(context, order, this.view, y, ROW, this.marked);
    });
    this.painter.gaps(context, lane, this.view, top + TITLE, lane.height - TITLE - 6);
    if (this.chosen >= 0 && this.trackOf(lane, this.chosen)) this.drawChosen(context, top + lane.top(this.chosen));
  }

  drawProcess(context, lane, top) {
    context.fillStyle = this.painter.theme.line;
    context.fillRect(0, top + PROCESS_ROW - 1, this.view.width, 0.5);
    this.painter.row(context, lane.runs, this.view, top + 2, PROCESS_ROW - 4, null);
    const width = context.measureText(lane.title()).width + 8;
    context.globalAlpha = 0.8;
    context.fillStyle = this.painter.theme.page;
    context.fillRect(2, top + 2, width, PROCESS_ROW - 5);
    context.globalAlpha = 1;
    this.drawTitle(context, lane, top - 2);
  }

  drawChosen(context, y) {
    const { begin, length } = this.extent(this.chosen), scale = this.view.width / (this.view.to - this.view.from);
    context.strokeStyle = this.painter.theme.strong;
    context.lineWidth = 2;
    context.strokeRect((begin - this.view.from) * scale, y, Math.max(2, length * scale), ROW - 1);
  }
}
