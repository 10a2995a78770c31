// The hits of a search, one after the other, where a server knows all calls: also those that the time line has merged.

class ServedHits {
  constructor(timeline, server, details, words) {
    Object.assign(this, { timeline, server, details, words, busy: false }); // words(): what is searched
    this.call = null; // the last answer, and the slice of a trace that shows it
  }

  // Choose the next call (direction 1) or the previous one (-1), and move it into view. Returns a line about it.
  async step(direction) {
    if (!this.timeline.marked) return 'Search a function first ( / ).';
    if (this.busy) return 'Asking the server…';
    this.busy = true;
    try {
      const call = JSON.parse(await this.server.ask('call', { of: this.words(), ...this.from(direction) }));
      if (!call) return `No ${direction > 0 ? 'later' : 'earlier'} call.`;
      await this.reveal(call);
      if (this.call.slice < 0) return this.shortText(call);
      return direction > 0 ? 'Next call' : 'Previous call';
    } catch (error) {
      return error.message;
    } finally {
      this.busy = false;
    }
  }

  // After or before the last answer, if it is still chosen; otherwise the chosen call, or what is visible.
  from(direction) {
    const { chosen, trace, view } = this.timeline, { call } = this, side = direction > 0 ? 'after' : 'before';
    if (call && call.slice === chosen && call.trace === trace) return { [side]: call.ticks + 't', cpu: call.cpu, nth: call.nth };
    // A unit of the columns may be several ticks: the chosen call began at one of them.
    const whole = trace === this.timeline.whole ? trace.facts.unit_ticks - 1 : 0;
    if (chosen >= 0) return { [side]: this.server.ticks(trace.slices.begin[chosen]) + (direction > 0 ? whole : 0) + 't' };
    return { [side]: (direction > 0 ? Math.max(0, this.server.ticks(view.from) - 1) : this.server.ticks(view.to) + 1) + 't' };
  }

  // Zoom in until the call is one of the slices. Calls of no tick are none in any window.
  async reveal(call) {
    const { timeline } = this, at = this.server.time(call.ticks), { from, to } = timeline.view;
    const isAll = () => timeline.trace.facts.least * timeline.whole.facts.unit_ticks <= 1.5 && at >= timeline.trace.from && at <= timeline.trace.to;
    let slice = this.find(call);
    for (let size = Math.min(to - from, this.details.widest()); slice < 0 && size >= 4 && !isAll(); size /= 8) {
      timeline.show(at - size / 2, at + size / 2);
      await this.details.load();
      slice = this.find(call);
    }
    timeline.choose(slice);
    if (slice >= 0) timeline.reveal(slice);
    const view = { ...timeline.view };
    if (at < view.from || at > view.to) timeline.show(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2);
    this.call = { ...call, slice: timeline.chosen, trace: timeline.trace };
  }

  shortText(call) {
    const { trace } = this.timeline;
    return `${call.function} begins at ${trace.momentText(this.server.time(call.ticks), 1)} on CPU ${call.cpu}, and takes less than a tick: it is merged into its caller.`;
  }

  // The slice of a call in the trace that is drawn; -1: it is merged there.
  find(call) {
    const { trace } = this.timeline, { begin, name, entry } = trace.slices, at = this.server.time(call.ticks);
    const near = trace === this.timeline.whole ? (time) => time === Math.floor(at) : (time) => Math.abs(time - at) * trace.facts.unit_ticks < 0.5;
    const [, first, count] = trace.facts.tracks.find(([cpu]) => cpu === call.cpu) || [0, 0, 0], found = [];
    if (trace !== this.timeline.whole && (at < trace.from || at > trace.to)) return -1;
    for (let i = first; i < first + count; i++) if (entry[i] !== ENTRY_TASK && near(begin[i]) && trace.label(name[i]) === call.function) found.push(i);
    return found[call.nth] ?? found.at(-1) ?? -1;
  }
}
