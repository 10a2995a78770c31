// The page in a headless Chromium: node tests/page/check.js PAGE.html WORD. Prints "name: value" lines, which tests/system/host/page.sh
// compares. WORD: the name of a function that ran, and whose calls are on the time line.
'use strict';
const { Browser } = require('./browser.js');
const { moves, neighbours } = require('./moves.js');

async function main([file, word]) {
  const browser = new Browser(process.env.CHROMIUM || 'chromium');
  const say = (name, value) => console.log(`${name}: ${value}`);
  say('seconds', await browser.open(file, 'window.undertrace?.ready === true', { dark: process.env.DARK === '1' }));
  const facts = 'undertrace.trace.facts';
  say('branches', await browser.value(`${facts}.branches`));
  say('range', await browser.value(`document.querySelector('#range').textContent`));
  say('deepest', await browser.value('undertrace.trace.slices.depth.reduce((most, each) => Math.max(most, each), 0)'));
  say('own', await browser.value(`undertrace.trace.names.filter((name) => name.ticks > 0).map((name) => undertrace.trace.label(name.number) + ':' + name.ticks).join(' ')`));
  say('calls', await browser.value('undertrace.trace.slices.begin.length'));
  say('merged', await browser.value(`${facts}.merged`));
  say('tracks', await browser.value(`${facts}.tracks.length`));
  say('tree', await browser.value(`undertrace.trace.nodes.branches.reduce((sum, each) => sum + each, 0) + ${facts}.lost_branches`));
  say('exits', await browser.value('undertrace.trace.marks.kind.filter((kind) => kind === 0).length'));
  say('blackouts', await browser.value('undertrace.trace.marks.kind.filter((kind) => kind === 4).length'));
  say('gaps', await browser.value(`${facts}.gaps.length`));

  // Search by hand: what is typed is found, and Enter says what it is.
  await browser.key('/', '/');
  await browser.type(word);
  say('found', await browser.value(`document.querySelector('#found li .name')?.textContent`));
  await browser.key('Enter', '\r');
  say('details', await browser.value(`document.querySelector('#details b')?.textContent`));
  const link = await browser.value(`(() => { const box = document.querySelector('[data-do="longest"]').getBoundingClientRect(); return [box.left + 5, box.top + 8]; })()`);
  const before = await browser.value('undertrace.timeline.view.to - undertrace.timeline.view.from');
  await browser.click(...link);
  const after = await browser.value('undertrace.timeline.view.to - undertrace.timeline.view.from');
  say('zoomed', after < before);
  say('chosen', await browser.value('undertrace.timeline.painter.sliceLabel(undertrace.timeline.chosen)'));

  // By wheel and keys.
  const middle = await browser.value(`(() => { const box = undertrace.timeline.canvas.getBoundingClientRect(); return [box.left + box.width / 2, box.top + 60]; })()`);
  await browser.mouse('mouseWheel', ...middle, { button: 'none', deltaX: 0, deltaY: 600, modifiers: 2 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  say('wheel', (await browser.value('undertrace.timeline.view.to - undertrace.timeline.view.from')) > after || after === before);
  await browser.value('document.activeElement.blur()');
  await browser.key('0', '0');
  say('all', (await browser.value('undertrace.timeline.view.to - undertrace.timeline.view.from')) === (await browser.value('undertrace.trace.duration')));
  await browser.click(middle[0], middle[1]);

  // Each view has something to show.
  for (const name of await browser.value('Object.keys(undertrace.views)')) {
    await browser.value(`undertrace.show(${JSON.stringify(name)})`);
    const inked = await browser.value(`(() => {
      const name = ${JSON.stringify(name)};
      const section = [...document.querySelectorAll('main > section')].find((each) => !each.hidden);
      const canvas = section.querySelector('canvas');
      if (!canvas || name === 'Coverage') return section.textContent.trim().length;
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(Array.from(new Uint32Array(data.buffer))).size;
    })()`);
    say(`view ${name}`, inked > 4);
  }
  say('flame', await browser.value(`undertrace.show('Flame graph'), undertrace.views['Flame graph'].root.total`));
  say('part', await browser.value(`undertrace.views['Flame graph'].load('part'), undertrace.views['Flame graph'].root.total > 0`));
  say('wide', await browser.value('document.documentElement.scrollWidth <= innerWidth'));
  await neighbours(browser);
  if (process.env.MOVES === '1') await moves(browser, say, word);
  say('complaints', browser.complaints.length ? browser.complaints.join(' | ') : 'none');
  await browser.close();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
