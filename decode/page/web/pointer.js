// The pointer: dragging and clicking on an element, the tooltip, and the details of a slice.

function dragged(element, { move, click }) {
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const start = { x: event.clientX, y: event.clientY, shift: event.shiftKey };
    let last = start, far = false;
    element.setPointerCapture(event.pointerId);
    const onMove = (next) => {
      far ||= Math.abs(next.clientX - start.x) + Math.abs(next.clientY - start.y) > 4;
      if (far) move(next, start, last);
      if (far) last = { x: next.clientX, y: next.clientY };
    };
    const onUp = (next) => {
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerup', onUp);
      element.removeEventListener('pointercancel', onUp);
      if (!far && next.type === 'pointerup' && click) click(next);
    };
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerup', onUp);
    element.addEventListener('pointercancel', onUp);
  });
}

// Where an x of the screen is in an element: 0 at its left, 1 at its right.
function partAt(element, x) {
  const box = element.getBoundingClientRect();
  return (x - box.left) / box.width;
}

function showTip(html, event) {
  const tip = document.getElementById('tip');
  tip.hidden = !html;
  if (!html) return;
  tip.innerHTML = html;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 6)) + 'px';
  tip.style.top = Math.max(4, event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + 'px';
}

function mergedText(trace, slice) {
  const { merged, mergedLength } = trace.slices;
  return merged[slice] ? `${countText(merged[slice])} shorter calls merged into this one (${trace.timeText(mergedLength[slice])})` : '';
}

function sliceTip(trace, painter, slice) {
  const { length, entry, name } = trace.slices;
  const object = entry[slice] === ENTRY_TASK ? null : trace.names[name[slice]].object;
  const how = entry[slice] === ENTRY_TASK ? 'ran' : ENTRIES[entry[slice]];
  return `<span class="name">${escapeText(painter.sliceLabel(slice))}</span><br>${trace.timeText(length[slice])} · ${how}${object ? ' · ' + escapeText(object) : ''}` +
    `<br><span class="note">${mergedText(trace, slice)}</span>`;
}
