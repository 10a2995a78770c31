// Texts of numbers and times, and the colours of functions.

const numberFormat = new Intl.NumberFormat('en-GB');

function countText(number) {
  return numberFormat.format(Math.round(number));
}

function shortCount(number) {
  for (const [size, unit] of [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']]) {
    if (number >= size) return (number / size).toPrecision(3) + unit;
  }
  return String(Math.round(number));
}

// Nanoseconds; branches if the trace has no time.
function timeText(amount, byBranches) {
  if (byBranches) return shortCount(amount) + ' branches';
  for (const [size, unit] of [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs']]) {
    if (amount >= size) return (amount / size).toPrecision(amount >= 100 * size ? 4 : 3) + unit;
  }
  return Math.round(amount) + ' ns';
}

// A moment, with as many digits as steps of this size require.
function momentText(amount, step, byBranches) {
  if (byBranches) return countText(amount);
  const seconds = amount / 1e9;
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1) / 1e9))));
  return seconds.toFixed(digits) + ' s';
}

function percentText(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(part / whole < 0.0995 ? 2 : 1) + ' %' : '–';
}

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

// Hues: the kernel is warm, its modules are olive, programs are blue to green, unnamed code is grey.
const KIND = { KERNEL: 0, MODULE: 1, USER: 2, UNKNOWN: 3, INTERRUPT: 4, SYSCALL: 5, TASK: 6 };
const kindHues = [[14, 30], [62, 20], [172, 46], [220, 0], [326, 16], [268, 18], [205, 60]];
const kindTexts = ['kernel', 'module', 'program', 'no symbol', 'interrupt', 'system call'];

function colourOf(kind, text, dark) {
  const value = hash(text);
  const [hue, spread] = kindHues[kind];
  const grey = kind === KIND.UNKNOWN;
  const light = (dark ? 34 : 68) + (value >>> 8) % 9;
  return `hsl(${hue + value % (spread + 1)} ${grey ? 8 : kind === KIND.TASK ? 34 : 62}% ${light}%)`;
}

function escapeText(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
}
