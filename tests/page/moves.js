// Links, the go-to box, the hits of a search, the selection, callers and callees: what a page from a file and one from a server have in common.
// Says "name: value" lines.
'use strict';

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const shown = `(({ from, to }) => [from, to - from].map((units) => Math.round(undertrace.trace.amount(units))))(undertrace.timeline.view)`;
const origin = 'undertrace.trace.facts.origin';

async function link(browser, say) {
  // A tenth of the trace from its middle, by a link that is opened in the page, and by the one that it makes then.
  const [from, width] = await browser.value(`[${origin} + undertrace.trace.amount(undertrace.trace.duration / 2), undertrace.trace.amount(undertrace.trace.duration / 10)].map(Math.round)`);
  await browser.value(`location.hash = '#t=${from / 1e9}&w=${width / 1000}us'`);
  await wait(100);
  const near = (a, b) => Math.abs(a - b) <= 100; // nanoseconds
  const [begin, length] = await browser.value(shown);
  say('link', near(begin + (await browser.value(origin)), from) && near(length, width));
  await browser.value('undertrace.timeline.pan(0.5)');
  await wait(700);
  const made = await browser.value('location.hash'), view = await browser.value(shown);
  await browser.value('undertrace.timeline.show(0, undertrace.trace.duration)');
  await wait(700); // the link follows
  await browser.value(`location.hash = ${JSON.stringify(made)}`);
  await wait(100);
  const again = await browser.value(shown);
  say('link made', /^#t=[\d.]+&w=[\d.]+(s|ms|us|ns)$/.test(made) && again.every((each, i) => near(each, view[i])));
}

async function goTo(browser, say) {
  const type = async (text) => {
    await browser.value('document.activeElement.blur()');
    await browser.key('g', 'g');
    await browser.type(text);
    await browser.key('Enter', '\r');
    return browser.value(shown);
  };
  const base = await browser.value(origin), middle = await browser.value(`Math.round(${origin} + undertrace.trace.amount(undertrace.trace.duration / 2))`);
  const [, before] = await browser.value(shown);
  const [begin, length] = await type(`${middle / 1e9}`);
  say('moment', Math.abs(begin + length / 2 + base - middle) <= 100 && Math.abs(length - before) <= 100);
  say('go to part', (await type(`${middle / 1e9}+30us`)).map((each, i) => Math.abs(each - [middle - base, 30000][i]) <= 100).join(' '));
  say('go to range', (await type(`${middle / 1e9}-${(middle + 50000) / 1e9}`)).map((each, i) => Math.abs(each - [middle - base, 50000][i]) <= 100).join(' '));
  const stays = await browser.value(shown);
  say('no time', JSON.stringify(await type('yesterday')) === JSON.stringify(stays) && /is no time/.test(await browser.value('details.textContent')));
  await browser.value(`document.querySelector('#goto').value = ''; document.activeElement.blur()`);
}

// The first hits of a word, forwards and back, by keys.
async function hits(browser, say, word) {
  await browser.value('undertrace.timeline.choose(-1), undertrace.timeline.show(0, undertrace.trace.duration)');
  await browser.key('/', '/');
  await browser.value(`document.querySelector('#search').value = ''`);
  await browser.type(word);
  await browser.value('document.activeElement.blur()');
  const moments = [], chosen = `(({ hits, timeline }) => (hits.call ? [hits.call.ticks, hits.call.cpu, hits.call.nth] : [undertrace.trace.slices.begin[timeline.chosen], timeline.chosen]).join(' '))(undertrace)`;
  const step = async (key) => {
    const before = await browser.value(chosen);
    await browser.key(key, key);
    for (let i = 0; i < 600 && (await browser.value('undertrace.hits.busy === true')); i++) await wait(50);
    const now = await browser.value(chosen);
    if (now === before) return false;
    moments.push([await browser.value('undertrace.hits.call?.function || undertrace.timeline.painter.sliceLabel(undertrace.timeline.chosen)'), now]);
    return true;
  };
  while (moments.length < 20 && (await step('n')));
  const forwards = moments.splice(0), time = ([, where]) => Number(where.split(' ')[0]);
  while (moments.length < forwards.length - 1 && (await step('p')));
  say('hits', forwards.length);
  say('hits in order', forwards.every((each, i) => each[0].includes(word) && (i === 0 || time(each) >= time(forwards[i - 1]))));
  say('hits back', JSON.stringify(moments) === JSON.stringify(forwards.slice(0, -1).reverse()));
}

// By Shift and dragging, and by m at two points.
async function select(browser, say) {
  const [left, right, y] = await browser.value(`(() => { const box = undertrace.timeline.canvas.getBoundingClientRect(); return [box.left + box.width / 4, box.left + box.width / 2, box.top + 60]; })()`);
  await browser.value('undertrace.timeline.show(0, undertrace.trace.duration)');
  await browser.mouse('mousePressed', left, y, { modifiers: 8 });
  for (const x of [left + 20, right]) await browser.mouse('mouseMoved', x, y, { modifiers: 8, buttons: 1 });
  await browser.mouse('mouseReleased', right, y, { modifiers: 8 });
  await wait(400);
  const part = '[undertrace.timeline.selection.from, undertrace.timeline.selection.to].map((time) => time / undertrace.trace.duration)';
  const isQuarter = ([from, to]) => Math.abs(from - 0.25) < 0.01 && Math.abs(to - 0.5) < 0.01;
  say('selected', isQuarter(await browser.value(part)));
  say('sums', (await browser.value(`document.querySelectorAll('#details .sums tr').length`)) > 1);
  await browser.key('Escape');
  say('unselected', (await browser.value('undertrace.timeline.selection')) === null);
  for (const x of [left, right]) {
    await browser.mouse('mouseMoved', x, y, { button: 'none' });
    await browser.key('m', 'm');
  }
  say('measured', isQuarter(await browser.value(part)));
  await browser.key('Escape');
}

// The callers and callees of a function: by a link, by keys and the mouse to others, and back.
async function sandwich(browser, say) {
  const word = await browser.value(`(({ trace, neighboursOf }) => trace.label(trace.names.find(({ number }) => {
    const { callers, callees } = neighboursOf(trace, number, 'branches');
    return trace.names[number].symbol && callers.some((each) => trace.names[each.number]) && callees.length > 1;
  }).number))(undertrace)`);
  const text = (selector) => browser.value(`[...document.querySelectorAll('.slices ${selector}')].map((each) => each.textContent).join('|')`);
  const shown = () => text('.filling b');
  await browser.value(`location.hash = '#f=${word}'`);
  await wait(100);
  say('function link', (await shown()) === word && (await browser.value(`document.querySelector('#details b').textContent`)) === word);
  const callees = (await text('.callees .name')).split('|'), callers = (await text('.callers .name')).split('|');
  await browser.key('ArrowDown');
  await browser.key('Enter', '\r');
  say('to the first callee', (await shown()) === callees[0] && (await text('.callers .name')).split('|').includes(word));
  say('its link', (await browser.value('decodeURIComponent(location.hash)')) === `#f=${callees[0]}`);
  await browser.value('history.back()');
  await wait(200);
  say('back', (await shown()) === word);
  const row = await browser.value(`(() => { const box = document.querySelector('.slices .callers tr[data-name] td').getBoundingClientRect(); return [box.left + 20, box.top + 8]; })()`);
  await browser.click(...row);
  say('to the first caller', (await shown()) === callers[0] && (await text('.callees .name')).split('|').includes(word));
  await browser.value(`undertrace.show('Functions')`);
  await browser.key('c', 'c');
  say('by key', (await shown()) === callers[0] && (await browser.value(`[...document.querySelectorAll('main > section')].find((each) => !each.hidden).querySelector('.slices') !== null`)));
  await browser.value(`location.hash = '#f=no_such_function'`);
  await wait(100);
  say('no such function', (await shown()) === callers[0] && /no_such_function/.test(await browser.value('details.textContent')));
}

// The callers and callees of all functions with names, as callgraph has them: address, callers or callees, address, calls,
// branches, ticks.
async function neighbours(browser) {
  console.log(await browser.value(`(() => {
    const { names } = undertrace.trace, at = (number) => names[number]?.begin.replace(/^0+(?=.)/, '') ?? 'null';
    return names.filter((name) => name.symbol && name.calls + name.allBranches > 0).flatMap((name) => Object.entries(undertrace.neighboursOf(undertrace.trace, name.number, 'branches'))
      .flatMap(([what, list]) => list.map((each) => ['neighbour:', at(name.number), what, at(each.number), each.calls, each.branches, each.ticks].join(' ')))).join('\\n');
  })()`));
}

async function moves(browser, say, word) {
  await browser.value(`undertrace.show('Time line'), document.activeElement.blur()`);
  await link(browser, say);
  await goTo(browser, say);
  await hits(browser, say, word);
  await select(browser, say);
  await sandwich(browser, say);
}

module.exports = { moves, neighbours, wait };
