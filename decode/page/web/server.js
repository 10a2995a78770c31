// Where the page comes from undertrace serve, the server has the calls that the page merged, and lists. A page from a file
// has no server.

const DETAIL_CALLS = 200000; // of a window at most
const DETAIL_PIXELS = 4;     // a window is requested if calls of so many pixels or fewer are merged

class Server {
  constructor(trace) {
    this.trace = trace;
    this.there = trace.facts.served;
  }

  // A moment of the page in ticks since the first TSC, or in branches; and back.
  exactTicks(time) { return Math.max(0, this.trace.facts.begin_ticks + time * this.trace.facts.unit_ticks); }
  ticks(time) { return Math.round(this.exactTicks(time)); }
  time(ticks) { return (ticks - this.trace.facts.begin_ticks) / this.trace.facts.unit_ticks; }

  // A part as --time takes it.
  range(from, to) {
    return `${Math.floor(this.exactTicks(from))}t-${Math.ceil(this.exactTicks(to)) + 1}t`;
  }

  async ask(what, words) {
    const answer = await fetch(`${what}?${new URLSearchParams(words)}`).catch(() => null);
    if (!answer) throw new Error('the server does not answer: undertrace serve has ended');
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.trim());
    return text;
  }

  async window(from, to) {
    const { facts, columns } = JSON.parse(await this.ask('window', { time: this.range(from, to), most: DETAIL_CALLS }));
    const window = new Trace(facts, (name, Type) => columnOf(columns[name], Type));
    window.placeIn(this.trace);
    return window;
  }
}

// Has the time line draw a window where the whole has merged calls that could be seen.
class Details {
  constructor(server, timeline) {
    Object.assign(this, { server, timeline, whole: timeline.whole, window: null, asking: false });
    this.note = document.getElementById('detail');
    this.showNote();
  }

  covers(trace) {
    const { from, to } = this.timeline.view;
    return trace && from >= trace.from - 1 && to <= trace.to + 1;
  }

  // Could merged calls be seen? Calls shorter than least were merged; those of no tick have no width.
  lacks(trace) {
    const { from, to, width } = this.timeline.view, { merged, least } = trace.facts;
    return merged > 0 && least * this.whole.facts.unit_ticks > 1.5 && (to - from) / Math.max(width, 100) < DETAIL_PIXELS * least;
  }

  // Would a window around the view be shorter than the one that is drawn?
  gains() {
    const { from, to } = this.timeline.view, { trace } = this.timeline;
    return trace === this.whole || trace.to - trace.from > 3 * (to - from);
  }

  // The time line shows another part.
  moved() {
    this.timeline.use(this.covers(this.window) ? this.window : this.whole);
    this.showNote();
    clearTimeout(this.waiting);
    if (this.server.there) this.waiting = setTimeout(() => this.check(), 200);
  }

  check() {
    if (!this.asking && this.lacks(this.timeline.trace) && this.gains()) this.load();
  }

  // So much of the time line is drawn from a window.
  widest() {
    return DETAIL_PIXELS * this.whole.facts.least * Math.max(this.timeline.view.width, 100) / 2;
  }

  // Request the window around the view, and draw it.
  async load() {
    const { from, to } = this.timeline.view, around = (to - from) / 2;
    this.asking = true;
    this.error = null;
    this.showNote();
    try {
      this.window = await this.server.window(Math.max(0, from - around), Math.min(this.whole.duration, to + around));
    } catch (error) {
      this.error = error.message;
    }
    this.asking = false;
    if (this.error) this.showNote();
    else this.moved();
  }

  showNote() {
    const { facts } = this.timeline.trace;
    const merged = facts.merged ? `calls ≥ ${this.timeline.trace.timeText(facts.least)}` : 'every call';
    this.note.textContent = this.error || (this.asking ? 'asking the server…' : merged);
  }
}
