// Drawing of lanes: slices narrower than a pixel are drawn with their neighbours, so that the number of steps depends on the
// pixels and not on the number of slices.

// Two of facts.mark_kinds, which have colours of their own.
const EXIT = 0, BLACKOUT = 4;

class Painter {
  constructor(trace) {
    this.trace = trace;
    this.colours = new Map();
  }

  // The page's current colours and fonts.
  prepare(canvas) {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue('--' + name).trim();
    const dark = document.documentElement.dataset.theme === 'dark';
    if (this.dark !== dark) this.colours.clear();
    this.dark = dark;
    this.theme = { page: value('page'), text: value('text'), faint: value('faint'), line: value('line'), gap: value('gap'),
      exit: value('exit'), mark: value('mark'), accent: value('accent'), panel: value('panel'), strong: value('strong') };
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.theme.page;
    context.fillRect(0, 0, width, height);
    context.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
    context.textBaseline = 'middle';
    this.dots = this.dotted(context);
    return context;
  }

  // For slices that have merged calls.
  dotted(context) {
    const tile = document.createElement('canvas');
    tile.width = 5;
    tile.height = 1;
    const inner = tile.getContext('2d');
    inner.fillStyle = this.theme.strong;
    inner.fillRect(0, 0, 2, 1);
    return context.createPattern(tile, 'repeat');
  }

  colour(kind, text) {
    const key = kind + text;
    let colour = this.colours.get(key);
    if (!colour) this.colours.set(key, colour = colourOf(kind, text, this.dark));
    return colour;
  }

  sliceColour(slice) {
    const { name, entry } = this.trace.slices;
    if (entry[slice] === ENTRY_TASK) return this.colour(KIND.TASK, this.trace.processLabel(this.trace.facts.tasks[name[slice]][1]));
    return this.colour(this.trace.kind(name[slice], entry[slice]), this.trace.label(name[slice]));
  }

  sliceLabel(slice) {
    const { name, entry } = this.trace.slices;
    return entry[slice] === ENTRY_TASK ? this.trace.taskLabel(name[slice]) : this.trace.label(name[slice]);
  }

  text(context, text, x, width, y) {
    if (width < 18) return;
    const room = Math.floor((width - 6) / 6.7);
    if (room < 2) return;
    context.fillText(text.length > room ? text.slice(0, room - 1) + '…' : text, x + 3, y);
  }

  // Slices of a row, by begin, that do not overlap.
  row(context, order, view, y, height, marked) {
    const { begin, length, name, entry, merged } = this.trace.slices;
    const scale = view.width / (view.to - view.from);
    let index = Math.max(0, lowerBound(begin, order, view.from) - 1);
    while (index < order.length && begin[order[index]] < view.to) {
      const slice = order[index];
      const x = (begin[slice] - view.from) * scale, width = length[slice] * scale;
      const left = Math.max(0, x), right = Math.min(view.width, x + width);
      const isMarked = marked && entry[slice] !== ENTRY_TASK && marked.has(name[slice]);
      if (right <= 0) {
        index++;
        continue;
      }
      context.fillStyle = isMarked ? this.theme.accent : this.sliceColour(slice);
      if (width < 1) {
        context.globalAlpha = isMarked ? 1 : 0.75;
        context.fillRect(Math.floor(left), y, 1, height - 1);
        context.globalAlpha = 1;
        const next = lowerBound(begin, order, view.from + (Math.floor(left) + 1) / scale);
        index = Math.max(next - 1, index + 1); // the last slice that begins in this pixel may be long
        continue;
      }
      context.fillRect(left, y, Math.max(right - left - (width > 3 ? 0.6 : 0), 0.6), height - 1);
      if (merged[slice] && height >= 12 && width >= 4) {
        context.fillStyle = this.dots;
        context.fillRect(left, Math.round(y + height - 3), right - left, 1.5);
      }
      context.fillStyle = isMarked ? this.theme.page : this.theme.strong;
      if (height >= 12) this.text(context, this.sliceLabel(slice), left, right - left, y + height / 2);
      index++;
    }
  }

  // The hypervisor's activity.
  marks(context, lane, view, y) {
    const { time, kind } = this.trace.marks;
    const scale = view.width / (view.to - view.from);
    let index = lowerBound(time, lane.marks, view.from), last = -1;
    for (; index < lane.marks.length && time[lane.marks[index]] < view.to; index++) {
      const x = Math.floor((time[lane.marks[index]] - view.from) * scale);
      const what = kind[lane.marks[index]];
      if (x === last && what !== BLACKOUT) continue;
      context.fillStyle = what === EXIT ? this.theme.exit : what === BLACKOUT ? this.theme.gap : this.theme.accent;
      context.fillRect(x, y + 1, 1, MARKS - 3);
      last = x;
    }
  }

  gaps(context, lane, view, y, height) {
    const scale = view.width / (view.to - view.from);
    for (const gap of this.trace.facts.gaps) {
      if (gap.cpu !== lane.cpu || gap.to < view.from || gap.from > view.to) continue;
      const x = (gap.from - view.from) * scale;
      context.fillStyle = this.theme.gap;
      context.globalAlpha = 0.35;
      context.fillRect(x, y, Math.max(2, (gap.to - gap.from) * scale), height);
      context.globalAlpha = 1;
      context.fillRect(x, y, 2, height);
    }
  }

  // The selected part, with its length.
  selection(context, view, selection, height, text) {
    const scale = view.width / (view.to - view.from);
    const [left, right] = [selection.from, selection.to].map((time) => (time - view.from) * scale);
    if (right < 0 || left > view.width) return;
    context.fillStyle = this.theme.accent;
    context.globalAlpha = 0.18;
    context.fillRect(left, 0, right - left, height);
    context.globalAlpha = 1;
    for (const x of [left, right]) context.fillRect(Math.round(x), 0, 1, height);
    const width = context.measureText(text).width + 8, x = Math.min(Math.max(2, (left + right - width) / 2), view.width - width - 2);
    context.fillRect(x, 1, width, 15);
    context.fillStyle = this.theme.page;
    context.fillText(text, x + 4, 9);
  }

  // The scale above the lanes.
  axis(context, view, y, height) {
    const step = niceStep((view.to - view.from) * 110 / view.width * this.trace.facts.unit) / this.trace.facts.unit;
    const scale = view.width / (view.to - view.from);
    context.fillStyle = this.theme.faint;
    const origin = this.trace.facts.origin / this.trace.facts.unit;
    for (let time = Math.ceil((view.from + origin) / step) * step - origin; time < view.to; time += step) {
      const x = (time - view.from) * scale;
      context.fillRect(Math.round(x), y + height - 5, 1, 5);
      context.fillText(this.trace.momentText(time, this.trace.amount(step)), x + 4, y + height / 2);
    }
  }
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}
