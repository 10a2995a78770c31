// The whole trace above the time line, to select the part that is shown.

const OVERVIEW = 54, AXIS = 18;

class Overview {
  constructor(timeline, canvas) {
    Object.assign(this, { timeline, canvas });
    dragged(this.canvas, {
      move: (event, start) => {
        const [a, b] = [start.x, event.clientX].map((x) => partAt(this.canvas, x));
        timeline.show(Math.min(a, b) * timeline.whole.duration, Math.max(a, b) * timeline.whole.duration);
      },
      click: (event) => {
        const half = (timeline.view.to - timeline.view.from) / 2, middle = partAt(this.canvas, event.clientX) * timeline.whole.duration;
        timeline.show(middle - half, middle + half);
      },
    });
  }

  draw() {
    const { painter, trace, whole, wholeLanes, wanted, view: shown } = this.timeline;
    const context = painter.prepare(this.canvas), width = this.canvas.clientWidth;
    painter.trace = whole;
    const cpus = wholeLanes.filter((lane) => lane.rows), rows = Math.min(8, Math.max(...cpus.map((lane) => lane.rows.length)));
    const height = Math.max(2, (OVERVIEW - AXIS) / (cpus.length * rows));
    const view = { from: 0, to: whole.duration, width };
    cpus.forEach((lane, i) => {
      for (let depth = 0; depth < Math.min(rows, lane.rows.length); depth++) {
        painter.row(context, lane.rows[depth], view, AXIS + (i * rows + depth) * height, height + 1, wanted);
      }
    });
    for (const lane of cpus) painter.gaps(context, lane, view, AXIS, OVERVIEW - AXIS);
    painter.axis(context, view, 0, AXIS);
    painter.trace = trace;
    const [from, to] = [shown.from, shown.to].map((time) => time / whole.duration * width);
    context.fillStyle = painter.theme.page;
    context.globalAlpha = 0.6;
    context.fillRect(0, AXIS, from, OVERVIEW);
    context.fillRect(to, AXIS, width - to, OVERVIEW);
    context.globalAlpha = 1;
    context.strokeStyle = painter.theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(from + 0.5, AXIS + 0.5, Math.max(2, to - from - 1), OVERVIEW - AXIS - 1);
  }
}
