// The list: what undertrace trace prints of the part that the time line shows. Only a server has it.

const LIST_LINES = 5000;

class ListView {
  constructor(trace, server, section, hooks) {
    Object.assign(this, { trace, server, section, hooks }); // visible(): trace and view of the time line
    const cpus = trace.facts.tracks.map(([cpu]) => `<option value="${cpu}">CPU ${cpu}</option>`).join('');
    section.innerHTML = `<div class="tools"><select id="list-what" aria-label="What to list"><option value="functions">Calls</option><option value="branches">Branches</option>
      <option value="instructions">Instructions</option></select><select id="list-cpu" aria-label="CPU"><option value="">All CPUs</option>${cpus}</select>
      <span id="list-note" class="note"></span></div><div class="scroll"><pre id="list" tabindex="0"></pre></div>`;
    this.text = section.querySelector('#list');
    this.note = section.querySelector('#list-note');
    for (const select of section.querySelectorAll('select')) select.addEventListener('change', () => this.open());
  }

  value(id) { return this.section.querySelector(id).value; }

  async open() {
    const { from, to } = this.hooks.visible().view;
    const words = { what: this.value('#list-what'), lines: LIST_LINES };
    if (this.value('#list-cpu')) words.cpu = this.value('#list-cpu');
    const key = this.key = JSON.stringify([words, from, to]);
    if (key === this.shown) return;
    this.note.textContent = 'asking the server…';
    const list = await this.find(words, from, to).catch((error) => ({ text: '', error: error.message }));
    if (key !== this.key) return; // a newer request is under way
    this.shown = list.error ? null : key;
    this.range = list.range;
    this.text.textContent = list.text;
    this.note.textContent = list.error || this.about(list);
  }

  // Lines have the times of timing packets: a part between two of them has none, and a wider one is listed.
  async find(words, from, to) {
    const { duration } = this.trace;
    for (let around = 0; ; around = around * 2 || to - from) {
      const begin = Math.max(0, from - around), end = Math.min(duration, to + around), range = this.server.range(begin, end);
      const text = await this.server.ask('list', { ...words, time: range });
      if (text || around >= duration) return { text, range, begin, end, isWider: around > 0 };
    }
  }

  about({ text, begin, end, isWider }) {
    const lines = text.split('\n').length - 1;
    return `${countText(lines)} lines of ${this.trace.momentText(begin, this.trace.amount(end - begin) / 100)} + ${this.trace.timeText(end - begin)}` +
      (isWider ? ': the visible part lies between two timing packets, whose times the lines have' : '') +
      (lines >= LIST_LINES ? ': only the first ones; zoom in on the time line for the others' : '');
  }
}
