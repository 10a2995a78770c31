// About: the capture, what the page omits, and the machine.

function aboutView(trace, section) {
  const facts = trace.facts;
  const row = (title, value) => `<tr><td>${escapeText(title)}</td><td class="number">${escapeText(value)}</td></tr>`;
  const rows = (object) => Object.entries(object).map(([title, value]) => row(title, typeof value === 'number' ? countText(value) : value)).join('');
  const exits = facts.exits.map((of) => `<tr><td>${escapeText(of.reason)}</td><td class="number">${countText(of.count)}</td>` +
    (of.ticks === undefined ? '' : `<td class="number">${countText(Math.round(of.ticks / of.count))} ticks each</td>` +
      (trace.byBranches ? '' : `<td class="number">${trace.ticksText(of.ticks)}</td>`)) + '</tr>').join('');
  section.innerHTML = `<div class="scroll"><div class="facts">
    <h2>The trace</h2><table>${row('capture', facts.capture)}${row('guest', facts.guest)}${row('time', trace.timeText(trace.duration))}
    ${row('branches', countText(facts.branches))}${row('CPUs', facts.tracks.length)}${row('tasks', countText(facts.tasks.length))}
    ${row('places that could not be decoded', countText(facts.decode_gaps))}${row('gaps', countText(facts.gaps.length))}</table>
    <h2>What the page omits</h2>
    <p>The time line has ${countText(trace.slices.begin.length)} calls. ${facts.merged ? `${countText(facts.merged)} calls shorter than ${trace.timeText(facts.least)}
    are merged into their callers, which are dotted and show how many they are; ${facts.served ? 'the server has them' : '<code>--time</code> makes a page of less time with more calls, and <code>undertrace serve</code> shows all'}.` : 'All calls are shown.'}
    ${facts.merged_runs ? `${countText(facts.merged_runs)} runs of tasks shorter than that are not shown, ${trace.timeText(facts.merged_run_units)} in all.` : ''}</p>
    <p>The call tree has ${countText(trace.nodes.parent.length - 1)} paths. ${facts.merged_nodes ? `${countText(facts.merged_nodes)} smaller ones are merged into their callers.` : ''}
    Functions, callers and callees, and coverage are exact.</p>
    <p>${trace.byBranches ? 'The trace has no TSC: branches are counted instead of time.' : 'The time between two TSC packets is spread evenly over the branches.'}
    ${facts.lost_branches ? `The tasks of ${countText(facts.lost_branches)} branches are unknown.` : ''}</p>
    <h2>Names</h2><p>${facts.about.map(escapeText).join('<br>') || 'No files were given.'}</p>
    <h2>VM exits by reason</h2><table>${exits || row('unknown', '')}</table>
    ${facts.gaps.length ? `<h2>Gaps</h2><table>${facts.gaps.map((gap) => row('CPU ' + gap.cpu + ', ' + trace.momentText(gap.from, 1000), gap.cause)).join('')}</table>` : ''}
    <h2>Keys</h2><table>${rows({ 'w s': 'zoom in and out', 'a d, ← →': 'left and right', 0: 'the whole trace', '/': 'search', Escape: 'end the search, or the selection', 'n p': 'next and previous hit of the search', g: 'go to a time',
      c: 'callers and callees of the selected function; ↑ ↓ and Enter go to one of them',
      m: 'measure from the pointer, and to it', 'Shift and drag': 'select a part: its length, and sums by function',
      'Ctrl and wheel': 'zoom', 'drag the overview': 'select a part', 'double click': 'zoom to a call' })}</table>
    <h2>The machine</h2><table>${rows(facts.machine)}</table></div></div>`;
}
