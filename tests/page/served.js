// A page of undertrace serve in a headless Chromium: node tests/page/served.js URL WORD. Says "name: value" lines, which
// tests/system/host/serve.sh compares. WORD: a function that ran. The page has merged calls.
'use strict';
const { Browser } = require('./browser.js');
const { moves, wait } = require('./moves.js');

async function until(browser, expression) {
  for (let i = 0; i < 600; i++) {
    if (await browser.value(expression)) return true;
    await wait(100);
  }
  return false;
}

async function main([url, word]) {
  const browser = new Browser(process.env.CHROMIUM || 'chromium');
  const say = (name, value) => console.log(`${name}: ${value}`);
  await browser.open(url, 'window.undertrace?.ready === true', { width: 1366, height: 768 });
  const { timeline, whole } = { timeline: 'undertrace.timeline', whole: 'undertrace.trace' };
  say('merged', await browser.value(`${whole}.facts.merged > 0`));
  say('whole', await browser.value(`${timeline}.trace === ${whole}`));

  // Around a call of the function: the window is drawn, with every call.
  const [from, to] = await browser.value(`(({ name, begin }) => {
    const at = begin[name.findIndex((number) => ${whole}.label(number) === ${JSON.stringify(word)})];
    return [at - ${whole}.duration / 400, at + ${whole}.duration / 400];
  })(${whole}.slices)`);
  await browser.value(`${timeline}.show(${from}, ${to})`);
  say('window', await until(browser, `${timeline}.trace !== ${whole}`));
  say('range', await browser.value(`undertrace.server.range(Math.max(0, ${from} - (${to} - ${from}) / 2), ${to} + (${to} - ${from}) / 2)`));
  say('calls', await browser.value(`${timeline}.trace.slices.begin.length`));
  say('window merged', await browser.value(`${timeline}.trace.facts.merged`));
  // Each slice of the whole that is within the window is there, at the same place.
  say('kept', await browser.value(`(() => {
    const { begin, length } = ${whole}.slices, window = ${timeline}.trace;
    const inside = [...begin.keys()].filter((i) => begin[i] > window.from && begin[i] + length[i] < window.to);
    return inside.length > 0 && inside.every((slice) => ${timeline}.same(${whole}, slice, window) >= 0);
  })()`));
  // The sums of a selection are the own times that the decoder has added up.
  say('sums', await browser.value(`(() => {
    const window = ${timeline}.trace, sums = undertrace.partSums(window, window.from, window.to).functions;
    return sums.filter(({ own }) => Math.round(own) > 0).map(({ number, own }) => window.label(number) + ' ' + Math.round(own)).sort().join('|');
  })()`) === await browser.value(`${timeline}.trace.names.filter((name) => name.ticks > 0).map((name) => ${timeline}.trace.label(name.number) + ' ' + name.ticks).sort().join('|')`));
  await browser.value(`undertrace.show('List')`);
  say('listed', await until(browser, `document.querySelector('#list').textContent !== ''`));
  say('list range', await browser.value('undertrace.views.List.range'));
  say('first line', await browser.value(`document.querySelector('#list').textContent.split('\\n')[0].trim()`));
  await browser.value(`undertrace.show('Time line'), ${timeline}.show(0, ${whole}.duration)`);
  say('whole again', await browser.value(`${timeline}.trace === ${whole}`));
  await moves(browser, say, word);
  // Of a function whose calls are all merged in the whole, the next one is found, and shown in a window.
  const merged = await browser.value(`(({ names, slices }) => {
    const there = new Set(slices.name.filter((number, i) => slices.entry[i] !== 255));
    return names.filter((name) => name.symbol && name.calls > 0 && !there.has(name.number)).sort((a, b) => b.allTicks / b.calls - a.allTicks / a.calls)[0]?.symbol;
  })(${whole})`);
  await browser.value(`undertrace.show('Time line'), ${timeline}.choose(-1), ${timeline}.show(0, ${whole}.duration)`);
  await browser.key('/', '/');
  await browser.value(`document.querySelector('#search').value = ''`);
  await browser.type(merged);
  await browser.value('document.activeElement.blur()');
  await browser.key('n', 'n');
  await until(browser, '!undertrace.hits.busy');
  say('merged everywhere', await browser.value(`(({ hits, timeline, trace }) => hits.call.function === ${JSON.stringify(merged)} && timeline.trace !== trace &&
    timeline.painter.sliceLabel(timeline.chosen) === hits.call.function)(undertrace)`));
  say('complaints', browser.complaints.length ? browser.complaints.join(' | ') : 'none');
  await browser.close();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
