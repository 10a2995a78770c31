// speedscope itself with a profile: node tests/page/speedscope.js PACKAGE PROFILE, where PACKAGE is the directory that npm has
// installed. Prints what a person sees: "profile: NAME", "function: NAME OWN" of its table of functions, complaints.
'use strict';
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('fs');
const { tmpdir } = require('os');
const path = require('path');
const { Browser } = require('./browser.js');

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function until(browser, expression) {
  for (let i = 0; i < 1200; i++) {
    if (await browser.value(expression)) return;
    await pause(100);
  }
  throw new Error(`speedscope does not come to '${expression}': ${browser.complaints.join('; ')}`);
}

// The table's rows: cells of text. The table is there before its rows are.
const ROWS = `[...document.querySelectorAll('tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.trim())).filter((row) => row.length === 3 && row[1].includes('%'))`;

async function look(browser, page, script) {
  await browser.open(`${page}#localProfilePath=${script}`, `/Sandwich/.test(document.body?.innerText)`);
  await browser.value(`[...document.querySelectorAll('div')].filter((each) => /Sandwich$/.test(each.textContent)).pop().click()`);
  await until(browser, `${ROWS}.length > 0`);
  console.log('profile: ' + (await browser.value(`document.body.innerText.split('\\n')[1]`)));
  const rows = await browser.value(ROWS);
  for (const [, own, name] of rows) console.log(`function: ${name} ${own.replace(/ .*/, '')}`);
  for (const each of browser.complaints) console.log('complaint: ' + each);
}

async function main([directory, profile]) {
  // As the package's own command does: a script with the profile, which the page loads.
  const work = mkdtempSync(path.join(tmpdir(), 'undertrace-speedscope-'));
  const script = path.join(work, 'profile.js');
  writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(profile))}, "${readFileSync(profile).toString('base64')}")`);
  const browser = new Browser(process.env.CHROMIUM || 'chromium');
  try {
    await look(browser, path.join(directory, 'dist/release/index.html'), script);
  } finally {
    await browser.close();
    rmSync(work, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
