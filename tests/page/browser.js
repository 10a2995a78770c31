// A headless Chromium, spoken to by its DevTools protocol over a pipe: no package but Debian's chromium and nodejs is needed.
'use strict';
const { spawn } = require('child_process');
const { mkdtempSync, rmSync } = require('fs');
const { tmpdir } = require('os');
const path = require('path');

class Browser {
  constructor(program) {
    this.profile = mkdtempSync(path.join(tmpdir(), 'undertrace-chromium-'));
    this.child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--remote-debugging-pipe', `--user-data-dir=${this.profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    this.rest = '';
    this.child.stdio[4].on('data', (data) => this.take(data));
    this.child.on('exit', () => this.waiting.forEach(({ reject }) => reject(new Error('chromium has ended'))));
  }

  take(data) {
    const messages = (this.rest + data.toString('utf8')).split('\0');
    this.rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const waiting = this.waiting.get(message.id);
      if (!waiting) {
        this.listeners.forEach((listen) => listen(message));
        continue;
      }
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
    }
  }

  send(method, params = {}) {
    const id = this.next++;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { method, resolve, reject }));
  }

  // Open a file or a URL, and wait until the expression holds there. Returns the seconds that it took.
  async open(file, ready, { width = 1280, height = 800, dark = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    this.complaints = [];
    this.listeners = [(message) => this.hear(message)];
    await this.send('Runtime.enable');
    await this.send('Log.enable');
    await this.send('Network.enable');
    await this.send('Page.enable');
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    const start = Date.now();
    const url = /^http:/.test(file) ? file : 'file://' + path.resolve(file);
    this.allowed = url.startsWith('http:') ? url.replace(/#.*/, '') : null;
    await this.send('Page.navigate', { url });
    while (!(await this.value(ready))) {
      if (Date.now() - start > 120000) throw new Error(`${file}: is not ready: ${this.complaints.join('; ')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return (Date.now() - start) / 1000;
  }

  // What a page should not do: errors, warnings, and asking for anything from elsewhere.
  hear({ method, params }) {
    if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.complaints.push('console: ' + params.args.map((each) => each.value ?? each.description).join(' '));
    }
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.complaints.push(params.entry.text);
    const isAllowed = ({ url }) => /^(file|data|about|blob):/.test(url) || (this.allowed && url.startsWith(this.allowed));
    if (method === 'Network.requestWillBeSent' && !isAllowed(params.request)) this.complaints.push('asks for ' + params.request.url);
  }

  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  async picture(file) {
    await this.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    require('fs').writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1, ...more });
  }

  async click(x, y) {
    await this.mouse('mouseMoved', x, y, { button: 'none' });
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
  }

  async key(key, text) {
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  async type(text) {
    await this.send('Input.insertText', { text });
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((resolve) => (this.child.exitCode === null ? this.child.once('exit', resolve) : resolve()));
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

module.exports = { Browser };
