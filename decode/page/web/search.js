// The search: functions by parts of their names. Matches are marked in every view.

class Search {
  constructor(trace, hooks) {
    this.trace = trace;
    this.hooks = hooks; // mark(numbers or null), chosenName(number)
    this.input = document.getElementById('search');
    this.list = document.getElementById('found');
    this.input.addEventListener('input', () => this.find());
    this.input.addEventListener('focus', () => this.find());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      const item = event.target.closest('li');
      if (item) this.take(Number(item.dataset.name));
    });
    this.input.addEventListener('blur', () => { this.list.hidden = true; });
  }

  find() {
    const found = this.trace.search(this.input.value, 5000);
    this.found = found;
    this.index = 0;
    this.hooks.mark(found.length ? new Set(found.map((name) => name.number)) : null);
    this.list.hidden = !this.input.value;
    this.list.innerHTML = found.slice(0, 60).map((name, i) => `<li data-name="${name.number}" aria-selected="${i === 0}">
      <span class="name">${escapeText(this.trace.label(name.number))}</span><span class="note">${escapeText(name.object || '')}</span><span class="number">${shortCount(name.calls)}×</span></li>`).join('') ||
      '<li class="note">No function that ran has such a name.</li>';
  }

  key(event) {
    if (event.key === 'Escape') {
      this.input.value = '';
      this.find();
      this.input.blur();
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      this.index = Math.min(Math.max(0, this.index + (event.key === 'ArrowDown' ? 1 : -1)), this.list.children.length - 1);
      [...this.list.children].forEach((item, i) => item.setAttribute('aria-selected', i === this.index));
      this.list.children[this.index].scrollIntoView({ block: 'nearest' });
      event.preventDefault();
    }
    if (event.key === 'Enter' && this.found && this.found[this.index]) this.take(this.found[this.index].number);
  }

  take(number) {
    this.list.hidden = true;
    this.hooks.chosenName(number);
  }
}
