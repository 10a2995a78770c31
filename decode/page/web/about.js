// What this page is of, what it leaves out, and what the machine was.

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
    <h2>What is shown, and what is not</h2>
    <p>The time line has ${countText(trace.slices.begin.length)} calls. ${facts.merged ? `${countText(facts.merged)} calls shorter than ${trace.timeText(facts.least)}
    are merged into what called them, which says how many they are; <code>--from</code> and <code>--to</code> make a page of less time with all of them.` : 'All calls are shown.'}
    ${facts.merged_runs ? `${countText(facts.merged_runs)} runs of tasks shorter than that are not shown, ${trace.timeText(facts.merged_run_units)} in all.` : ''}</p>
    <p>The call tree has ${countText(trace.nodes.parent.length - 1)} ways. ${facts.merged_nodes ? `${countText(facts.merged_nodes)} smaller ones are summed up where they branch off.` : ''}
    Functions and coverage are exact.</p>
    <p>${trace.byBranches ? 'The trace has no TSC: branches are counted instead of time.' : 'Between two TSC packets time is spread evenly over the branches.'}
    ${facts.lost_branches ? `Of ${countText(facts.lost_branches)} branches it is not known which task ran them.` : ''}</p>
    <h2>Names</h2><p>${facts.about.map(escapeText).join('<br>') || 'None were given.'}</p>
    <h2>VM exits by reason</h2><table>${exits || row('not known', '')}</table>
    ${facts.gaps.length ? `<h2>Gaps</h2><table>${facts.gaps.map((gap) => row('CPU ' + gap.cpu + ', ' + momentText(trace.amount(gap.from), 1000, trace.byBranches), gap.cause)).join('')}</table>` : ''}
    <h2>Keys</h2><table>${rows({ 'w s': 'zoom in and out', 'a d, ← →': 'left and right', 0: 'all of the time', '/': 'search', Escape: 'end the search',
      'Ctrl and wheel': 'zoom', 'drag the overview': 'choose a part', 'double click': 'zoom to a call' })}</table>
    <h2>The machine</h2><table>${rows(facts.machine)}</table></div></div>`;
}
