// Call trees: of the whole trace, from the columns; or of a part of the time line, from its slices.

class CallNode {
  constructor(name, entry, parent) {
    Object.assign(this, { name, entry, parent, children: [], calls: 0, own: 0, total: 0, depth: parent ? parent.depth + 1 : 0 });
  }
}

// The whole trace, in branches or in ticks.
function wholeTree(trace, unit) {
  const { parent, name, entry, calls, branches, ticks } = trace.nodes;
  const values = unit === 'ticks' ? ticks : branches;
  const root = new CallNode(NO_NAME, 0, null);
  const nodes = new Array(parent.length);
  root.text = 'all';
  for (let i = 1; i < parent.length; i++) {
    const node = nodes[i] = new CallNode(name[i], entry[i], parent[i] ? nodes[parent[i]] : root);
    node.calls = calls[i];
    node.own = node.total = values[i];
    if (name[i] === NO_NAME) node.text = parent[i] ? `${countText(calls[i])} smaller ways` : '';
    node.parent.children.push(node);
  }
  trace.facts.processes.forEach((process) => {
    if (nodes[process.root]) nodes[process.root].text = process.label;
  });
  for (let i = nodes.length - 1; i > 0; i--) nodes[i].parent.total += nodes[i].total;
  root.own = unit === 'ticks' ? trace.facts.lost_ticks : trace.facts.lost_branches;
  root.total += root.own;
  return finished(root);
}

// A part of the time line, in units of time. Merged calls count for their callers.
function partTree(trace, from, to) {
  const { begin, length, name, entry, depth } = trace.slices;
  const root = new CallNode(NO_NAME, 0, null);
  root.text = 'visible part';
  for (const [, first, count] of trace.facts.tracks) {
    const way = [];
    for (let i = first; i < first + count; i++) {
      const within = Math.min(to, begin[i] + length[i]) - Math.max(from, begin[i]);
      if (within <= 0) continue;
      const above = depth[i] ? way[depth[i] - 1] : root;
      if (!above) continue;
      const key = entry[i] === ENTRY_TASK ? -1 - trace.facts.tasks[name[i]][1] : name[i];
      above.byKey ||= new Map();
      let node = above.byKey.get(key);
      if (!node) {
        above.byKey.set(key, node = new CallNode(key < 0 ? NO_NAME : key, entry[i], above));
        if (key < 0) node.text = trace.processLabel(-1 - key);
        above.children.push(node);
      }
      node.calls++;
      node.total += within;
      node.own += within;
      above.own -= within;
      way[depth[i]] = node;
    }
  }
  root.total = root.children.reduce((sum, node) => sum + node.total, 0);
  root.own = 0;
  return finished(root);
}

function finished(root) {
  const open = [root];
  while (open.length) {
    const node = open.pop();
    node.children.sort((a, b) => b.total - a.total);
    open.push(...node.children);
  }
  return root;
}

function nodeLabel(trace, node) {
  return node.text || trace.label(node.name);
}
