// The page: tabs, the selection, light and dark.

function start() {
  const trace = new Trace();
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
  const timeline = new Timeline(trace, section('Time line'), { tip, moved: () => {}, chosen: (slice) => slice >= 0 && say(sliceText(trace, timeline, slice), { slice }) });
  const visible = () => timeline.view;
  Object.assign(views, {
    'Time line': { open: () => timeline.draw(), mark: (numbers) => timeline.mark(numbers) },
    'Flame graph': new Flame(trace, section('Flame graph'), { tip, visible, said: (html) => say(html, {}) }),
    'Call tree': new TreeView(trace, section('Call tree'), { chosenName }),
    Functions: new Functions(trace, section('Functions'), { chosenName }),
    Coverage: new Coverage(trace, section('Coverage'), { tip, chosenName }),
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
    const name = slice !== undefined && trace.slices.entry[slice] !== ENTRY_TASK ? trace.slices.name[slice] : number;
    details.innerHTML = html + (slice !== undefined ? ' <a data-do="zoom">zoom to it</a>' : '') +
      (name !== undefined ? ' <a data-do="longest">longest call</a> <a data-do="tree">in the call tree</a>' : '');
    details.onclick = (event) => {
      const what = event.target.dataset.do;
      if (what === 'zoom') timeline.zoomTo(slice);
      if (what === 'longest') {
        show('Time line');
        timeline.zoomTo(longestSlice(trace, name));
      }
      if (what === 'tree') {
        show('Call tree');
        views['Call tree'].openName(name);
      }
    };
  }

  const search = new Search(trace, { chosenName, mark: (numbers) => Object.values(views).forEach((view) => view.mark && view.mark(numbers)) });
  const current = () => Object.keys(sections).find((name) => !sections[name].hidden);
  document.getElementById('theme').addEventListener('click', () => {
    setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    views[current()].open();
  });
  document.addEventListener('keydown', (event) => {
    if (event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      search.input.focus();
    } else if (current() === 'Time line' && timeline.key(event)) {
      event.preventDefault();
    }
  });
  addEventListener('resize', () => views[current()].open());
  details.innerHTML = '<span class="note">Click a call to see what it is, double click to zoom to it. Ctrl and the wheel zoom, dragging moves; / searches.</span>';
  show('Time line');
  // For tests: the visible state as values.
  window.undertrace = { trace, timeline, views, show, ready: true };
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

function sliceText(trace, timeline, slice) {
  const { begin, length, depth } = trace.slices;
  const lane = timeline.lanes.find((each) => each.rows && timeline.trackOf(each, slice));
  const way = [];
  for (let d = 0; d < depth[slice]; d++) {
    const above = sliceAt(trace, lane.rows[d], begin[slice]);
    if (above >= 0) way.push(timeline.painter.sliceLabel(above));
  }
  return `<b>${escapeText(timeline.painter.sliceLabel(slice))}</b> · ${trace.momentText(begin[slice], 1000)} · ${trace.timeText(length[slice])} · CPU ${lane.cpu}` +
    ` · <span class="note">${mergedText(trace, slice)}</span><div class="way">${way.map(escapeText).join(' › ')}</div>`;
}

requestAnimationFrame(() => setTimeout(start, 0));
