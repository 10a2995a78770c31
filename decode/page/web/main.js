// The page: tabs, the selection, light and dark.

function start() {
  const trace = new Trace(JSON.parse(document.getElementById('facts').textContent), pageColumn);
  const main = document.getElementById('views'), tabs = document.getElementById('tabs'), details = document.getElementById('details');
  main.textContent = '';
  document.getElementById('guest').textContent = trace.facts.guest || trace.facts.capture;
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

  const views = {}, sections = {};
  const section = (name) => {
    sections[name] = document.createElement('section');
    sections[name].hidden = true;
    main.append(sections[name]);
    return sections[name];
  };
  const tip = showTip;
  const chosenName = (number) => say(functionText(trace, number), { number });
  const followers = [];
  let links; // made last
  const timeline = new Timeline(trace, section('Time line'), {
    tip,
    moved: () => followers.forEach((each) => each.moved()),
    chosen: (slice) => slice >= 0 && say(sliceText(timeline, slice), { slice }),
    selected: () => saySelection(),
  });
  const server = new Server(trace), loader = new Details(server, timeline);
  const visible = () => timeline;
  Object.assign(views, {
    'Time line': { open: () => { timeline.draw(); links?.moved(); }, mark: (numbers) => timeline.mark(numbers), key: (event) => timeline.key(event) },
    'Flame graph': new Flame(trace, section('Flame graph'), { tip, visible, said: (html) => say(html, {}) }),
    'Call tree': new TreeView(trace, section('Call tree'), { chosenName }),
    Functions: new Functions(trace, section('Functions'), { chosenName }),
    'Callers and callees': new Sandwich(trace, section('Callers and callees'), { chosenName, shown: (number) => links.shown(number) }),
    Coverage: new Coverage(trace, section('Coverage'), { tip, chosenName }),
    ...(server.there ? { List: new ListView(trace, server, section('List'), { visible }) } : {}),
    About: { open: () => aboutView(trace, sections.About) },
  });
  section('About');

  function show(name) {
    showTip(null);
    for (const each of Object.keys(sections)) sections[each].hidden = each !== name;
    for (const button of tabs.children) button.setAttribute('aria-selected', button.textContent === name);
    views[name].open();
  }
  for (const name of Object.keys(views)) {
    const button = document.createElement('button');
    button.textContent = name;
    button.setAttribute('role', 'tab');
    button.addEventListener('click', () => show(name));
    tabs.append(button);
  }

  function say(html, { number, slice }) {
    const { slices, names } = timeline.trace;
    const name = slice !== undefined && slices.entry[slice] !== ENTRY_TASK ? trace.numberLike(names[slices.name[slice]]) : number;
    details.innerHTML = html + (slice !== undefined ? ' <a data-do="zoom">zoom to it</a>' : '') +
      (name !== undefined ? ' <a data-do="longest">longest call</a> <a data-do="tree">in the call tree</a> <a data-do="callers">callers and callees ( c )</a>' : '');
    if (name !== undefined) views['Callers and callees'].select(name);
    details.onclick = (event) => {
      const what = event.target.dataset.do;
      if (what === 'zoom') timeline.zoomTo(slice);
      if (what === 'unselect') timeline.select(null);
      if (what === 'longest') {
        show('Time line');
        timeline.use(trace);
        timeline.zoomTo(longestSlice(trace, name));
      }
      if (what === 'callers') show('Callers and callees');
      if (what === 'tree') {
        show('Call tree');
        views['Call tree'].openName(name);
      }
    };
  }

  // The sums of the selection, when it no longer changes: they add up each of its calls.
  let resting;
  function saySelection() {
    clearTimeout(resting);
    resting = setTimeout(() => {
      const { selection } = timeline;
      if (!selection) details.innerHTML = '<span class="note">Nothing is selected.</span>';
      else if (selection.from === selection.to) details.innerHTML = `${timeline.trace.momentText(selection.from, 1)} · <span class="note">m again at the second point measures between them</span>`;
      else say(selectionText(timeline.trace, selection), {});
    }, 150);
  }

  const note = (html) => { details.innerHTML = `<span class="note">${html}</span>`; };

  async function stepHit(direction) {
    show('Time line');
    if (server.there) note('asking the server…');
    const text = await hits.step(direction);
    if (timeline.chosen >= 0 && details.querySelector('b')) details.querySelector('b').insertAdjacentText('beforebegin', text + ': ');
    else note(escapeText(text));
  }

  const search = new Search(trace, { chosenName, mark: (numbers) => Object.values(views).forEach((view) => view.mark && view.mark(numbers)) });
  const hits = server.there ? new ServedHits(timeline, server, loader, () => search.input.value) : new Hits(timeline);
  const current = () => Object.keys(sections).find((name) => !sections[name].hidden);
  document.getElementById('theme').addEventListener('click', () => {
    setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    views[current()].open();
  });
  document.addEventListener('keydown', (event) => {
    if (event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = { '/': search.input, g: document.getElementById('goto') }[event.key];
    const hit = { n: 1, p: -1 }[event.key];
    if (field) {
      event.preventDefault();
      if (event.key === 'g') show('Time line');
      field.focus();
      field.select();
    } else if (hit) {
      stepHit(hit);
    } else if (event.key === 'c') {
      show('Callers and callees');
    } else if (views[current()].key?.(event)) {
      event.preventDefault();
    }
  });
  document.getElementById('next').addEventListener('click', () => stepHit(1));
  document.getElementById('previous').addEventListener('click', () => stepHit(-1));
  addEventListener('resize', () => views[current()].open());
  details.innerHTML = '<span class="note">Click a call to see what it is, double click to zoom to it. Ctrl and the wheel zoom, dragging moves, Shift and dragging sums up; / searches.</span>';
  show('Time line');
  links = new Links(timeline, { said: note, show, chosenName });
  followers.push(loader, links);
  links.follow();
  timeline.hooks.moved();
  // For tests: the visible state as values.
  window.undertrace = { trace, timeline, views, show, server, details: loader, hits, partSums, neighboursOf, ready: true };
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function longestSlice(trace, number) {
  const { name, entry, length } = trace.slices;
  let best = -1;
  for (let i = 0; i < name.length; i++) {
    if (name[i] === number && entry[i] !== ENTRY_TASK && (best < 0 || length[i] > length[best])) best = i;
  }
  return best;
}

function functionText(trace, number) {
  const name = trace.names[number];
  return `<b>${escapeText(trace.label(number))}</b> ${name.object ? '· ' + escapeText(name.object) : ''} · 0x${name.begin} · ${countText(name.calls)} calls · ` +
    `${countText(name.branches)} branches itself, ${countText(name.allBranches)} with callees · ${trace.ticksText(name.ticks)} itself` +
    (longestSlice(trace, number) < 0 ? ' · <span class="note">all of its calls are too short for the time line</span>' : '');
}

// The command that shows the calls that were merged into a slice.
function unmergeText(trace, { begin, length }) {
  const second = (time) => (trace.byBranches ? Math.round(trace.moment(time)) : (trace.moment(time) / 1e9).toFixed(9));
  const command = `undertrace page ${trace.facts.capture} --time ${second(begin)}-${second(begin + length)} -o part.html`;
  return trace.facts.served ? 'zoom in to see them' : `<code>${escapeText(command)}</code> shows them; undertrace serve shows all`;
}

function sliceText(timeline, slice) {
  const { trace } = timeline, { begin, depth, merged } = trace.slices, extent = timeline.extent(slice);
  const lane = timeline.lanes.find((each) => each.rows && timeline.trackOf(each, slice));
  const way = [];
  for (let d = 0; d < depth[slice]; d++) {
    const above = sliceAt(trace, lane.rows[d], begin[slice]);
    if (above >= 0) way.push(timeline.painter.sliceLabel(above));
  }
  return `<b>${escapeText(timeline.painter.sliceLabel(slice))}</b> · ${trace.momentText(extent.begin, 1000)} · ${trace.timeText(extent.length)} · CPU ${lane.cpu}` +
    `${merged[slice] ? ` · <span class="note">${mergedText(trace, slice)}: ${unmergeText(timeline.whole, extent)}</span>` : ''}<div class="way">${way.map(escapeText).join(' › ')}</div>`;
}

requestAnimationFrame(() => setTimeout(start, 0));
