// The page's data: a JSON object of facts, and columns of numbers in base64 (described in docs/export.md).

const ENTRIES = ['base', 'call', 'interrupt', 'system call', 'signal', 'jump'];
const ENTRY_INTERRUPT = 2, ENTRY_SYSCALL = 3, ENTRY_TASK = 255;
const NO_NAME = 0xffffffff;

const NO_FUNCTION = ['', -1, '0', 0, 0, 0, 0, 0, 0, null, null]; // in a window: one that did not run in it

function columnOf(text, Type) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return new Type(bytes.buffer);
}

function pageColumn(name, Type) {
  const element = document.getElementById('column-' + name);
  const column = columnOf(element.textContent, Type);
  element.remove();
  return column;
}

class Trace {
  // readColumn(name, Type): a column of that name.
  constructor(facts, readColumn) {
    this.facts = facts;
    this.names = facts.names.map((row) => row || NO_FUNCTION).map(([symbol, object, begin, size, calls, branches, ticks, allBranches, allTicks, first, last], number) =>
      ({ number, symbol, object: object < 0 ? null : this.facts.objects[object], begin, size, calls, branches, ticks, allBranches, allTicks, first, last }));
    this.slices = {
      begin: readColumn('begin', Uint32Array), length: readColumn('length', Uint32Array), name: readColumn('name', Uint32Array),
      depth: readColumn('depth', Uint16Array), entry: readColumn('entry', Uint8Array), merged: readColumn('merged', Uint32Array),
      mergedLength: readColumn('merged-length', Uint32Array),
    };
    this.nodes = {
      parent: readColumn('node-parent', Uint32Array), name: readColumn('node-name', Uint32Array), entry: readColumn('node-entry', Uint8Array),
      calls: readColumn('node-calls', Float64Array), branches: readColumn('node-branches', Float64Array), ticks: readColumn('node-ticks', Float64Array),
    };
    this.pairs = {
      caller: readColumn('pair-caller', Uint32Array), callee: readColumn('pair-callee', Uint32Array), calls: readColumn('pair-calls', Float64Array),
      calleeBranches: readColumn('pair-callee-branches', Float64Array), calleeTicks: readColumn('pair-callee-ticks', Float64Array),
      callerBranches: readColumn('pair-caller-branches', Float64Array), callerTicks: readColumn('pair-caller-ticks', Float64Array),
    };
    this.marks = { time: readColumn('mark-time', Uint32Array), kind: readColumn('mark-kind', Uint8Array), cpu: readColumn('mark-cpu', Uint8Array) };
    this.byBranches = this.facts.by_branches;
    this.duration = Math.max(1, this.facts.duration);
    this.from = 0;
    this.to = this.duration;
  }

  // The data of a window in the units of the whole page, where it is from this.from to this.to.
  placeIn(whole) {
    const scale = this.facts.unit_ticks / whole.facts.unit_ticks, shift = (this.facts.begin_ticks - whole.facts.begin_ticks) / whole.facts.unit_ticks;
    const moments = (column) => Float64Array.from(column, (time) => shift + time * scale), lengths = (column) => Float64Array.from(column, (length) => length * scale);
    this.slices.begin = moments(this.slices.begin);
    this.slices.length = lengths(this.slices.length);
    this.slices.mergedLength = lengths(this.slices.mergedLength);
    this.marks.time = moments(this.marks.time);
    for (const gap of this.facts.gaps) [gap.from, gap.to] = [gap.from, gap.to].map((time) => shift + time * scale);
    this.from = shift;
    this.to = shift + this.duration * scale;
    this.facts.least *= scale;
    this.facts.unit = whole.facts.unit;
    this.facts.origin = whole.facts.origin;
    this.duration = whole.duration;
  }

  // The number of another page's function here; undefined: it did not run.
  numberLike(name) {
    this.byKey ||= new Map(this.names.filter((each) => each.begin !== '0').map((each) => [nameKey(each), each.number]));
    return this.byKey.get(nameKey(name));
  }

  // Converts time units of the columns to nanoseconds (or branches).
  amount(units) { return units * this.facts.unit; }
  timeText(units) { return timeText(this.amount(units), this.byBranches); }
  // A moment since the first TSC of the trace; a page of a window begins later than that.
  moment(units) { return this.facts.origin + this.amount(units); }
  momentText(units, step) { return momentText(this.moment(units), step, this.byBranches); }
  ticksText(ticks) { return timeText(ticks * this.facts.tick, this.byBranches); }

  label(number) {
    const name = this.names[number];
    if (!name) return '?';
    return name.symbol || (name.object ? name.object + ' ' : '') + '0x' + name.begin.replace(/^0+/, '');
  }

  taskLabel(task) {
    const [number, process, thread] = this.facts.tasks[task];
    const label = thread || this.processLabel(process);
    return label === 'kernel tasks' ? 'kernel task ' + number : label + ', task ' + number;
  }

  processLabel(process) { return this.facts.processes[process].label; }

  kind(number, entry) {
    if (entry === ENTRY_INTERRUPT) return KIND.INTERRUPT;
    if (entry === ENTRY_SYSCALL) return KIND.SYSCALL;
    return this.nameKind(number);
  }

  nameKind(number) {
    const name = this.names[number];
    if (!name || !name.symbol) return KIND.UNKNOWN;
    if (name.object === 'vmlinux') return KIND.KERNEL;
    if (/^f{7,}/.test(name.begin)) return name.object ? KIND.MODULE : KIND.KERNEL;
    return KIND.USER;
  }

  // Functions whose names contain all the words, the most frequent ones first.
  search(text, most) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    if (!words.length) return [];
    const found = this.names.filter((name) => {
      const label = this.label(name.number).toLowerCase();
      return name.calls + name.branches > 0 && words.every((word) => label.includes(word));
    });
    const rank = (name) => (this.label(name.number).toLowerCase() === words[0] ? 1e18 : 0) + name.allBranches;
    return found.sort((a, b) => rank(b) - rank(a)).slice(0, most);
  }
}

function nameKey(name) { return `${name.begin} ${name.symbol} ${name.object}`; }

// The first index at which values (ascending, in the given order) reach a limit.
function lowerBound(values, order, wanted) {
  let low = 0, high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[order[middle]] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
