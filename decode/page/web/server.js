// Where the page comes from undertrace serve, the server has the calls that the page merged, and lists. A page from a file
// has no server.

const DETAIL_CALLS = 200000; // of a window at most
const DETAIL_PIXELS = 4;     // a window is requested if calls of so many pixels or fewer are merged

class Server {
  constructor(trace) {
    this.trace = trace;
    this.there = trace.facts.served;
  }

  // A part as --time takes it: in ticks, or branches.
  range(from, to) {
    const ticks = (time) => Math.max(0, this.trace.facts.begin_ticks + time * this.trace.facts.unit_ticks);
    return `${Math.floor(ticks(from))}t-${Math.ceil(ticks(to)) + 1}t`;
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
    this.timeline.use(this.covers(this.window) && this.lacks(this.whole) ? this.window : this.whole);
    this.showNote();
    clearTimeout(this.waiting);
    if (this.server.there) this.waiting = setTimeout(() => this.check(), 200);
  }

  check() {
    if (this.asking || !this.lacks(this.timeline.trace) || !this.gains()) return;
    const { from, to } = this.timeline.view, around = (to - from) / 2;
    this.asking = true;
    this.error = null;
    this.showNote();
    this.server.window(Math.max(0, from - around), Math.min(this.whole.duration, to + around)).then((window) => {
      this.window = window;
      this.asking = false;
      this.moved();
    }).catch((error) => {
      this.error = error.message;
      this.asking = false;
      this.showNote();
    });
  }

  showNote() {
    const { facts } = this.timeline.trace;
    const merged = facts.merged ? `calls ≥ ${this.timeline.trace.timeText(facts.least)}` : 'every call';
    this.note.textContent = this.error || (this.asking ? 'asking the server…' : merged);
  }
}
