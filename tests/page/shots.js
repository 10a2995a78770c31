// Pictures of a page, to look at: node tests/page/shots.js PAGE.html DIR [WORD]
'use strict';
const path = require('path');
const { Browser } = require('./browser.js');

async function main([file, directory, word = 'mem']) {
  const browser = new Browser(process.env.CHROMIUM || 'chromium');
  for (const dark of [false, true]) {
    const seconds = await browser.open(file, 'window.undertrace?.ready === true', { dark });
    const picture = (name) => browser.picture(path.join(directory, `${dark ? 'dark' : 'light'}-${name}.png`));
    console.log(`${dark ? 'dark' : 'light'}: open after ${seconds} s`);
    await picture('1-timeline');
    await browser.value(`undertrace.timeline.show(undertrace.trace.duration * 0.7, undertrace.trace.duration * 0.702)`);
    await picture('2-zoomed');
    for (const name of ['Flame graph', 'Call tree', 'Functions', 'Coverage', 'About']) {
      await browser.value(`undertrace.show(${JSON.stringify(name)})`);
      if (name === 'Call tree') await browser.value(`undertrace.views['Call tree'].openHottest()`);
      await picture(name.replace(' ', ''));
    }
    await browser.value(`undertrace.show('Flame graph')`);
    await browser.value(`document.getElementById('search').focus()`);
    await browser.type(word);
    await picture('9-search');
    if (browser.complaints.length) console.log(browser.complaints.join('\n'));
  }
  await browser.close();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
