// Moments, parts and functions of the trace as text: of the go-to box, and of links (#t=150.05&w=1ms, #f=vfs_read).

const SPAN_UNITS = { s: 1e9, ms: 1e6, us: 1e3, 'µs': 1e3, ns: 1 };

// A length in units of the columns; null: the text has no length. Without a unit it is in seconds, or in branches.
function parseSpan(trace, text) {
  const found = /^(\d+\.?\d*|\.\d+)\s*(s|ms|us|µs|ns|t)?$/.exec(text.trim());
  if (!found) return null;
  if (found[2] === 't' || trace.byBranches) return Number(found[1]) / trace.facts.unit_ticks;
  return Number(found[1]) * SPAN_UNITS[found[2] || 's'] / trace.facts.unit;
}

// A moment since the first TSC of the trace.
function parseMoment(trace, text) {
  const span = parseSpan(trace, text);
  return span === null ? null : span - trace.facts.begin_ticks / trace.facts.unit_ticks;
}

// "T" is a moment, "T+W" and "T-T" are parts: { from, to } or { at }. null: it is neither.
function parsePlace(trace, text) {
  const [first, second] = text.split(/[+-]/), sign = /[+-]/.exec(text)?.[0];
  const from = parseMoment(trace, first);
  if (from === null || text.split(/[+-]/).length > 2) return null;
  if (second === undefined) return { at: from };
  const to = sign === '+' ? parseSpan(trace, second) : parseMoment(trace, second);
  return to === null ? null : { from, to: sign === '+' ? from + to : to };
}

// The link to a part: its begin and its length.
function linkText(trace, { from, to }) {
  const digits = (number) => String(Number(number.toFixed(9)));
  if (trace.byBranches) return `#t=${Math.round(trace.moment(from))}&w=${Math.round(trace.amount(to - from))}`;
  const length = trace.amount(to - from);
  const [unit, size] = Object.entries(SPAN_UNITS).find(([, each]) => length >= each) || ['ns', 1];
  return `#t=${digits(trace.moment(from) / 1e9)}&w=${Number((length / size).toPrecision(6))}${unit === 'µs' ? 'us' : unit}`;
}

// The part of a link's words; null: they have none.
function parseLink(trace, words) {
  const from = words.has('t') ? parseMoment(trace, words.get('t')) : null;
  const width = words.has('w') ? parseSpan(trace, words.get('w')) : null;
  if (from === null || (words.has('w') && width === null)) return null;
  return width === null ? { at: from } : { from, to: from + width };
}

// A function of a link, by its name or its address: of several the one with the most branches. undefined: none ran.
function parseFunction(trace, text) {
  const address = /^0x([0-9a-f]+)$/.exec(text)?.[1].padStart(16, '0');
  const found = trace.names.filter((name) => name.calls + name.branches > 0 && (address ? name.begin === address : trace.label(name.number) === text));
  return found.sort((a, b) => b.allBranches - a.allBranches)[0]?.number;
}

// The link to the callers and callees of a function: its name, if that is no other's.
function functionLink(trace, number) {
  const label = trace.label(number), isAlone = trace.names.every((name) => name.number === number || trace.label(name.number) !== label);
  return '#f=' + encodeURIComponent(isAlone ? label : '0x' + trace.names[number].begin.replace(/^0+(?=.)/, ''));
}

// Show a place; around a single moment as much as is shown now. false: the trace does not have it.
function goTo(timeline, place) {
  const { duration } = timeline.whole, { from, to } = timeline.view;
  const begin = place.at ?? place.from;
  if (begin < -1 || begin > duration + 1) return false;
  if (place.at !== undefined) timeline.show(place.at - (to - from) / 2, place.at + (to - from) / 2);
  else timeline.show(place.from, place.to);
  return true;
}

// Link and go-to box follow the page, and it follows them.
class Links {
  constructor(timeline, hooks) {
    this.timeline = timeline;
    this.hooks = hooks; // said(html), show(view), chosenName(number)
    this.input = document.getElementById('goto');
    this.input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.input.blur();
      if (event.key === 'Enter') this.go(parsePlace(timeline.whole, this.input.value), this.input.value);
    });
    addEventListener('hashchange', () => this.follow());
  }

  go(place, text) {
    if (!place) this.hooks.said(`“${escapeText(text)}” is no time: 1.5 (seconds), 1.5+2ms, 1.5-1.6 or 1000t (ticks)`);
    else if (!goTo(this.timeline, place)) this.hooks.said(`${escapeText(text)} is not within the trace`);
    else this.input.blur();
  }

  goToFunction(text) {
    const number = parseFunction(this.timeline.whole, text);
    if (number === undefined) this.hooks.said(`No function “${escapeText(text)}” ran.`);
    else this.hooks.chosenName(number);
    if (number !== undefined) this.hooks.show('Callers and callees');
  }

  follow() {
    if (location.hash.length < 2) return;
    const words = new URLSearchParams(location.hash.slice(1));
    if (words.has('t') || !words.has('f')) {
      this.hooks.show('Time line');
      this.go(parseLink(this.timeline.whole, words), location.hash);
    }
    if (words.has('f')) this.goToFunction(words.get('f'));
  }

  // The time line shows another part. Browsers limit how often the link may change.
  moved() {
    const { view, whole, section } = this.timeline;
    clearTimeout(this.waiting);
    if (section.hidden) return;
    if (location.hash.length > 1 || view.to - view.from < whole.duration) this.waiting = setTimeout(() => history.replaceState(null, '', linkText(whole, view)), 400);
  }

  // The callers and callees of a function are shown: the browser's Back returns to what was shown before.
  shown(number) {
    const link = functionLink(this.timeline.whole, number);
    clearTimeout(this.waiting);
    if (location.hash !== link) history.pushState(null, '', link);
  }
}
