// The lanes of the time line: one for each CPU with its calls by depth, one for each process with when it ran.

const ROW = 16, TITLE = 22, PROCESS_ROW = 18, MARKS = 8;

class CpuLane {
  constructor(trace, track) {
    this.trace = trace;
    this.cpu = track.cpu;
    this.rows = []; // slices of each depth, by begin
    const { depth, merged } = trace.slices;
    const counts = [];
    for (let i = track.begin; i < track.end; i++) counts[depth[i]] = (counts[depth[i]] || 0) + 1;
    for (let d = 0; d < counts.length; d++) this.rows.push(new Uint32Array(counts[d] || 0));
    counts.fill(0);
    for (let i = track.begin; i < track.end; i++) this.rows[depth[i]][counts[depth[i]]++] = i;
    this.marks = Uint32Array.from(trace.marks.time.keys()).filter((i) => trace.marks.cpu[i] === track.cpu);
    this.folded = false;
  }

  get height() { return TITLE + MARKS + this.shown().length * ROW + 10; }
  title() { return `${this.folded ? '▸' : '▾'} CPU ${this.cpu}`; }
  fold() { this.folded = !this.folded; }
  shown() { return this.folded ? this.rows.slice(0, 2) : this.rows; }

  // The slice at a time in a row of pixels of the lane; -1: none.
  at(time, y) {
    const row = Math.floor((y - TITLE - MARKS) / ROW);
    return row >= 0 && row < this.shown().length ? sliceAt(this.trace, this.rows[row], time) : -1;
  }

  top(slice) { return TITLE + MARKS + this.trace.slices.depth[slice] * ROW; }
}

class ProcessLane {
  constructor(trace, process, runs) {
    this.trace = trace;
    this.process = process;
    this.runs = runs; // slices of depth 0, by begin
    this.height = PROCESS_ROW;
  }

  title() { return this.trace.processLabel(this.process); }
  at(time) { return sliceAt(this.trace, this.runs, time); }
}

function sliceAt(trace, order, time) {
  const { begin, length } = trace.slices;
  const index = lowerBound(begin, order, time + 1e-9) - 1;
  return index >= 0 && begin[order[index]] + length[order[index]] > time ? order[index] : -1;
}

// The slice of one trace among another's lanes; -1: it is not there.
function sameSlice(from, slice, to, lanes) {
  const { begin, length, depth, entry, name } = from.slices;
  const [cpu] = from.facts.tracks.find(([, first, count]) => slice >= first && slice < first + count) || [];
  const lane = lanes.find((each) => each.rows && each.cpu === cpu);
  const found = lane && lane.rows[depth[slice]] ? sliceAt(to, lane.rows[depth[slice]], begin[slice] + length[slice] / 2) : -1;
  if (found < 0 || to.slices.entry[found] !== entry[slice]) return -1;
  return entry[slice] === ENTRY_TASK || nameKey(to.names[to.slices.name[found]]) === nameKey(from.names[name[slice]]) ? found : -1;
}

function makeLanes(trace) {
  const { begin, name, entry } = trace.slices;
  const lanes = trace.facts.tracks.map(([cpu, from, count]) => new CpuLane(trace, { cpu, begin: from, end: from + count }));
  const runs = trace.facts.processes.map(() => []);
  for (const lane of lanes) {
    for (const slice of lane.rows[0] || []) {
      if (entry[slice] === ENTRY_TASK) runs[trace.facts.tasks[name[slice]][1]].push(slice);
    }
  }
  const order = runs.map((_, process) => process).filter((process) => runs[process].length);
  for (const process of order) runs[process].sort((a, b) => begin[a] - begin[b]);
  order.sort((a, b) => begin[runs[a][0]] - begin[runs[b][0]]);
  return lanes.concat(order.map((process) => new ProcessLane(trace, process, Uint32Array.from(runs[process]))));
}

// The lanes of a window, as high and in the same order as those of the whole trace, so that nothing moves on the screen.
function makeLanesLike(trace, whole) {
  const lanes = makeLanes(trace);
  const all = whole.map((like) => {
    const index = lanes.findIndex((lane) => Boolean(lane.rows) === Boolean(like.rows) && (like.rows ? lane.cpu === like.cpu : lane.title() === like.title()));
    const lane = index >= 0 ? lanes.splice(index, 1)[0]
      : like.rows ? new CpuLane(trace, { cpu: like.cpu, begin: 0, end: 0 }) : Object.assign(new ProcessLane(trace, 0, new Uint32Array(0)), { title: () => like.title() });
    if (like.rows) {
      while (lane.rows.length < like.rows.length) lane.rows.push(new Uint32Array(0));
      lane.folded = like.folded;
    }
    return lane;
  });
  return all.concat(lanes);
}
