"use strict";
// The page of one picture: what is visible is laid out by ELK, drawn as SVG, folded, searched and followed.
// Texts of the picture reach the page as text nodes and attributes only.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const CONTAINERS = new Set(["scope", "program", "part", "shelf"]);
  const MOST_RESULTS = 200, MOST_ROUTED = 1500;
  const LABEL = 7.3, DETAIL = 6.1;

  const data = JSON.parse(document.getElementById("data").textContent);
  const items = data.items.map((row, index) => ({
    index, label: row[0], kind: data.kinds[row[1]], parent: row[2], name: row[3], op: row[4], below: row[5],
    facts: row[6], source: row[7], decisions: row[8], idle: row[9], time: row[10], children: [], ins: [], outs: [],
  }));
  const roots = [];
  for (const item of items) (item.parent < 0 ? roots : items[item.parent].children).push(item);
  const wires = data.wires.map(([tail, head, label, control]) => ({ tail, head, label: data.labels[label], control }));
  wires.forEach((wire, k) => { items[wire.tail].outs.push(k); items[wire.head].ins.push(k); });
  const texts = items.map((item) =>
    [item.label, item.name, item.op, ...item.facts.filter(([label]) => label === "function").map(([, value]) => value)]
      .join("\n").toLowerCase());

  const opened = new Set(data.opened);
  const canvas = document.getElementById("canvas"), view = document.getElementById("view");
  const panel = document.getElementById("panel"), search = document.getElementById("search");
  const elk = new ELK();
  let seen = [];            // index of an item -> index of the visible item that shows it
  let drawn = new Map();    // index of a visible item -> { element, x, y, width, height }
  let drawnWires = [];      // { elements, wires }
  let selection = null;     // { item } or { wires }
  let transform = { x: 0, y: 0, scale: 1 };
  let size = { width: 1, height: 1 };
  let turn = 0;             // the number of the last layout that was asked for

  // ---- elements

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function shape(tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function shortened(label, longest) {
    if (label.length <= longest) return label;
    const half = Math.floor(longest / 2);
    return label.slice(0, half - 1) + "…" + label.slice(label.length - (longest - half));
  }

  function inWords(time) {
    if (time >= 1e6) return `${(time / 1e6).toPrecision(3)} s`;
    return time >= 1e3 ? `${(time / 1e3).toPrecision(3)} ms` : `${time.toPrecision(3)} us`;
  }

  // ---- what is visible

  function leaves(item) {
    let count = 0;
    const waiting = [...item.children];
    while (waiting.length) {
      const child = waiting.pop();
      if (child.children.length) waiting.push(...child.children); else count += 1;
    }
    return count;
  }

  function see() {
    seen = new Array(items.length);
    const waiting = roots.map((item) => [item, -1]);
    while (waiting.length) {
      const [item, behind] = waiting.pop();
      seen[item.index] = behind < 0 ? item.index : behind;
      const hides = behind >= 0 ? behind : opened.has(item.index) ? -1 : item.index;
      for (const child of item.children) waiting.push([child, hides]);
    }
  }

  function isOpen(item) { return item.children.length > 0 && opened.has(item.index); }

  function below(item) {
    if (item.children.length && CONTAINERS.has(item.kind)) return `${leaves(item).toLocaleString("en")} ops`;
    return shortened(item.below, 36);
  }

  function secondLine(item) {
    const words = below(item);
    if (!item.time) return words;
    return words && words.length < 14 ? `${words} · ${inWords(item.time)}` : inWords(item.time);
  }

  function layoutNode(item) {
    const id = `n${item.index}`;
    if (isOpen(item)) {
      const layoutOptions = { "elk.padding": "[top=40,left=18,bottom=20,right=18]" };
      return { id, children: item.children.map(layoutNode), layoutOptions };
    }
    const words = secondLine(item);
    const fold = item.children.length ? 26 : 0;
    const width = Math.max(shortened(item.label, 30).length * LABEL + fold, words.length * DETAIL) + 30;
    return { id, width: Math.max(width, 64), height: words ? 40 : 28 };
  }

  function contains(outer, inner) {
    for (let at = items[inner].parent; at >= 0; at = items[at].parent) if (at === outer) return true;
    return false;
  }

  function visibleWires() {
    const joined = new Map();
    wires.forEach((wire, k) => {
      const tail = seen[wire.tail], head = seen[wire.head];
      if (items[tail].kind === "shelf" || items[head].kind === "shelf") return;
      if (tail === head || contains(tail, head) || contains(head, tail)) return;
      const key = `${tail} ${head}`;
      const entry = joined.get(key) || { tail, head, control: true, wires: [] };
      entry.wires.push(k);
      entry.control = entry.control && wire.control;
      joined.set(key, entry);
    });
    return [...joined.values()];
  }

  // ---- laying out and drawing

  // The wires that are routed, by index. Of a dense graph these are the nearest two of each box: routing all would take
  // minutes, and nobody could follow them. The others are drawn straight.
  function routed(edges) {
    const all = edges.map((edge, k) => k);
    const boxes = new Set(edges.flatMap((edge) => [edge.tail, edge.head])).size;
    if (edges.length <= Math.min(MOST_ROUTED, 5 * boxes + 40)) return all;
    const counts = new Map();
    return all.sort((a, b) => edges[b].tail - edges[a].tail).filter((k) => {
      const count = (counts.get(edges[k].head) || 0) + 1;
      counts.set(edges[k].head, count);
      return count <= 2;
    });
  }

  async function redraw() {
    const mine = ++turn;
    see();
    const edges = visibleWires();
    const graph = {
      id: "root", children: roots.map(layoutNode),
      edges: routed(edges).map((k) => ({ id: `e${k}`, sources: [`n${edges[k].tail}`], targets: [`n${edges[k].head}`] })),
      layoutOptions: {
        "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.hierarchyHandling": "INCLUDE_CHILDREN",
        "elk.edgeRouting": "ORTHOGONAL", "elk.json.shapeCoords": "ROOT", "elk.json.edgeCoords": "ROOT",
        "elk.layered.spacing.nodeNodeBetweenLayers": "34", "elk.spacing.nodeNode": "24",
        "elk.layered.nodePlacement.strategy": edges.length > 400 ? "SIMPLE" : "BRANDES_KOEPF",
        "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED", "elk.separateConnectedComponents": "true",
        "elk.aspectRatio": "1.6", "elk.layered.mergeEdges": "true",
        "elk.layered.thoroughness": edges.length > 400 ? "2" : "7",
      },
    };
    const laid = await elk.layout(graph);
    if (mine !== turn) return;
    draw(laid, edges);
    highlight();
    document.body.dataset.drawn = String(mine);
  }

  function draw(laid, edges) {
    view.replaceChildren();
    drawn = new Map();
    const boxes = [];
    const most = Math.max(0, ...items.filter((i) => seen[i.index] === i.index && !isOpen(i)).map((i) => i.time));
    const place = (node) => {
      const item = items[Number(node.id.slice(1))];
      const drawing = isOpen(item) ? container(item, node) : box(item, node, most);
      drawn.set(item.index, { element: drawing, x: node.x, y: node.y, width: node.width, height: node.height });
      if (isOpen(item)) view.append(drawing); else boxes.push(drawing);
      (node.children || []).forEach(place);
    };
    laid.children.forEach(place);
    const routes = new Map((laid.edges || []).map((edge) => [Number(edge.id.slice(1)), edge.sections || []]));
    drawnWires = edges.map((edge, k) => drawWire(routes.get(k) || straight(edge), edge));
    view.append(...boxes);
    size = { width: laid.width, height: laid.height };
  }

  function group(item, style) {
    const made = shape("g", { class: style, tabindex: "0", role: "button", "data-item": item.index });
    made.append(shape("title", {}, item.name || item.label));
    return made;
  }

  function container(item, node) {
    const made = group(item, `container ${item.kind}`);
    made.append(
      shape("rect", { x: node.x, y: node.y, width: node.width, height: node.height, rx: 8 }),
      shape("text", { class: "label", x: node.x + 28, y: node.y + 20 },
        shortened(item.label, Math.max(4, Math.min(48, Math.floor((node.width - 36) / LABEL))))),
      shape("text", { class: "toggle", x: node.x + 15, y: node.y + 20, "data-toggle": item.index }, "▾"));
    return made;
  }

  function box(item, node, most) {
    const folded = item.children.length > 0;
    const made = group(item, `box ${item.kind}${folded ? " folded" : ""}${item.idle ? " idle" : ""}`);
    const corner = { x: node.x, y: node.y, width: node.width, height: node.height, rx: 6 };
    if (folded) made.append(shape("rect", { ...corner, class: "behind", x: node.x + 4, y: node.y + 4 }));
    made.append(shape("rect", { ...corner, class: "face" }));
    if (most && item.time) {
      made.append(shape("rect", { ...corner, class: "heat", "fill-opacity": (0.08 + 0.72 * item.time / most).toFixed(2) }));
    }
    made.append(shape("path", { class: "mark", d: `M ${node.x + 3} ${node.y + 7} v ${node.height - 14}` }));
    const words = secondLine(item);
    const middle = node.x + node.width / 2 + 3 + (folded ? 9 : 0);
    made.append(shape("text", { class: "label", x: middle, y: node.y + (words ? 17 : node.height / 2 + 4) },
      shortened(item.label, 30)));
    if (words) made.append(shape("text", { class: "detail", x: middle, y: node.y + 32 }, words));
    if (folded) {
      made.append(shape("text", { class: "toggle", x: node.x + 17, y: node.y + node.height / 2 + 5,
        "data-toggle": item.index }, "▸"));
    }
    return made;
  }

  function straight(edge) {
    const tail = drawn.get(edge.tail), head = drawn.get(edge.head);
    return [{
      startPoint: { x: tail.x + tail.width / 2, y: tail.y + tail.height },
      endPoint: { x: head.x + head.width / 2, y: head.y },
    }];
  }

  function drawWire(sections, entry) {
    const elements = [];
    for (const section of sections) {
      const points = [section.startPoint, ...(section.bendPoints || []), section.endPoint];
      const d = rounded(points);
      const end = points[points.length - 1];
      elements.push(
        shape("path", { class: entry.control ? "wire control" : "wire", d }),
        shape("path", { class: "arrow", d: `M ${end.x - 3.5} ${end.y - 7} L ${end.x} ${end.y} L ${end.x + 3.5} ${end.y - 7} z` }));
      const hit = shape("path", { class: "hit", d });
      hit.append(shape("title", {}, [...new Set(entry.wires.map((k) => wires[k].label))].slice(0, 12).join("\n")));
      hit.addEventListener("click", (event) => { event.stopPropagation(); select({ wires: entry.wires }); });
      elements.push(hit);
    }
    view.append(...elements);
    return { elements, wires: entry.wires };
  }

  function rounded(points) {
    let d = `M ${points[0].x} ${points[0].y}`;
    for (let k = 1; k < points.length - 1; k += 1) {
      const [before, at, after] = [points[k - 1], points[k], points[k + 1]];
      const r = Math.min(7, Math.hypot(at.x - before.x, at.y - before.y) / 2, Math.hypot(after.x - at.x, after.y - at.y) / 2);
      const [a, b] = [toward(at, before, r), toward(at, after, r)];
      d += ` L ${a.x} ${a.y} Q ${at.x} ${at.y} ${b.x} ${b.y}`;
    }
    const last = points[points.length - 1];
    return `${d} L ${last.x} ${last.y}`;
  }

  function toward(from, to, r) {
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    return { x: from.x + (to.x - from.x) * r / length, y: from.y + (to.y - from.y) * r / length };
  }

  // ---- the way of a tensor

  function reach(starts, ways, end) {
    const reached = new Set(starts), followed = new Set(), waiting = [...starts];
    const meet = (index) => {
      if (reached.has(index)) return;
      reached.add(index);
      waiting.push(index);
      if (items[index].kind === "call") within(items[index]).forEach((inner) => reached.add(inner));
    };
    while (waiting.length) {
      const at = waiting.pop();
      for (const k of items[at][ways]) {
        followed.add(k);
        meet(wires[k][end]);
      }
      const call = around(items[at], ways === "ins" ? "input" : "output");
      if (call >= 0) meet(call);
    }
    return { reached, followed };
  }

  // The node that runs the program of which an item is an input or a result; -1 for other items.
  function around(item, kind) {
    const program = item.kind === kind && item.parent >= 0 ? items[item.parent] : null;
    const call = program && program.kind === "program" && program.parent >= 0 ? items[program.parent] : null;
    return call && (call.kind === "call" || call.kind === "stage") ? call.index : -1;
  }

  function within(item) {
    const all = [item.index], waiting = [...item.children];
    while (waiting.length) {
      const child = waiting.pop();
      all.push(child.index);
      waiting.push(...child.children);
    }
    return all;
  }

  function way() {
    if (!selection) return null;
    const starts = selection.item !== undefined ? within(items[selection.item]) : [];
    const own = selection.wires || [];
    const up = reach([...starts, ...own.map((k) => wires[k].tail)], "ins", "tail");
    const down = reach([...starts, ...own.map((k) => wires[k].head)], "outs", "head");
    own.forEach((k) => down.followed.add(k));
    return { up, down };
  }

  function highlight() {
    const found = way();
    view.classList.toggle("way", Boolean(found));
    const sides = [["up", found && found.up], ["down", found && found.down]];
    for (const [side, part] of sides) {
      const shown = new Set(part ? [...part.reached].map((index) => seen[index]) : []);
      for (const [index, entry] of drawn) entry.element.classList.toggle(side, shown.has(index));
      for (const entry of drawnWires) {
        const on = Boolean(part) && entry.wires.some((k) => part.followed.has(k));
        entry.elements.forEach((e) => e.classList.toggle(side, on));
      }
    }
    const all = [...[...drawn.values()].map((e) => e.element), ...drawnWires.flatMap((e) => e.elements)];
    for (const e of all) e.classList.toggle("on", e.classList.contains("up") || e.classList.contains("down"));
    for (const [index, entry] of drawn) {
      entry.element.classList.toggle("selected", Boolean(selection) && selection.item === index);
    }
  }

  function select(next) {
    selection = next;
    highlight();
    if (!next) return showSummary();
    return next.item !== undefined ? showItem(items[next.item]) : showWires(next.wires);
  }

  // ---- the panel

  function facts(rows) {
    const list = element("dl");
    for (const [label, value] of rows) list.append(element("dt", {}, label), element("dd", {}, value));
    return list;
  }

  function links(indices, words) {
    const list = element("ul");
    for (const index of indices.slice(0, MOST_RESULTS)) {
      const button = element("button", { type: "button" }, words ? words(index) : items[index].name || items[index].label);
      button.addEventListener("click", () => go(index));
      list.append(element("li", {}, button));
    }
    if (indices.length > MOST_RESULTS) list.append(element("li", { class: "note" }, `and ${indices.length - MOST_RESULTS} more`));
    return list;
  }

  function showSummary() {
    panel.replaceChildren(element("h2", {}, data.title), facts(data.facts));
    if (data.source) panel.append(element("h3", {}, "source"), element("pre", {}, data.source));
    const decisions = new Map();
    for (const item of items) {
      for (const [decision] of item.decisions) {
        if (!decisions.has(decision)) decisions.set(decision, []);
        decisions.get(decision).push(item.index);
      }
    }
    if (decisions.size) panel.append(element("h3", {}, "decisions of the plan"));
    for (const [decision, indices] of decisions) {
      const fold = element("details", {}, element("summary", {}, `${decision} (${indices.length.toLocaleString("en")})`));
      fold.addEventListener("toggle", () => { if (fold.open && fold.childElementCount === 1) fold.append(links(indices)); });
      panel.append(fold);
    }
    const hosts = items.filter((item) => item.kind === "host").map((item) => item.index);
    if (hosts.length) {
      const list = links(hosts, (i) => `${items[i].op}  ${items[i].name}`);
      list.className = "hosts";
      panel.append(element("h3", {}, "host functions"), list);
    }
    const longest = Math.max(0, ...items.map((item) => item.time));
    if (longest) {
      panel.append(element("h3", {}, "time"), element("div", { class: "scale" }),
        element("div", { class: "ends" }, element("span", {}, "0"), element("span", {}, inWords(longest))));
    }
    const kinds = [...new Set(items.map((item) => item.kind))];
    const legend = element("div", { class: "legend" });
    for (const kind of kinds) legend.append(element("span", { class: kind }, element("i"), data.words[kind] || kind));
    panel.append(element("h3", {}, "colors"), legend);
    panel.append(element("h3", {}, "how"), element("p", { class: "note" },
      "A click on a box or on a wire shows the way of its tensor: all that it comes from, and all that depends on it. " +
      "A double click, or the triangle, folds and unfolds. The wheel zooms, and a drag moves."));
  }

  function showItem(item) {
    panel.replaceChildren(element("h2", {}, item.name || item.label), facts([["kind", data.words[item.kind] || item.kind], ...item.facts]));
    if (item.time) panel.append(element("h3", {}, "time"), element("p", {}, inWords(item.time)));
    if (item.decisions.length) panel.append(element("h3", {}, "decisions of the plan"));
    for (const [decision, reason] of item.decisions) {
      panel.append(element("p", { class: "why" }, element("b", {}, decision), `: ${reason}`));
    }
    if (item.source) panel.append(element("h3", {}, "source"), element("pre", {}, item.source));
    const inside = new Set(within(item));
    const ends = (ways, end) => [...new Set([...inside].flatMap((i) => items[i][ways]).map((k) => wires[k][end]))].filter((i) => !inside.has(i));
    for (const [title, indices] of [["takes from", ends("ins", "tail")], ["gives to", ends("outs", "head")]]) {
      if (indices.length) panel.append(element("h3", {}, title), links(indices));
    }
  }

  function showWires(own) {
    const labels = [...new Set(own.map((k) => wires[k].label))];
    panel.replaceChildren(element("h2", {}, own.length > 1 ? `${own.length} values` : "value"));
    panel.append(...labels.slice(0, 40).map((label) => element("p", {}, label)));
    panel.append(element("h3", {}, "from"), links([...new Set(own.map((k) => wires[k].tail))]));
    panel.append(element("h3", {}, "to"), links([...new Set(own.map((k) => wires[k].head))]));
  }

  function showResults(words) {
    const wanted = words.toLowerCase();
    const results = [];
    for (let k = 0; k < texts.length; k += 1) if (texts[k].includes(wanted)) results.push(k);
    panel.replaceChildren(element("h2", {}, `${results.length.toLocaleString("en")} found`), links(results));
    panel.dataset.results = String(results.length);
    return results;
  }

  // ---- moving

  function move() { view.setAttribute("transform", `translate(${transform.x} ${transform.y}) scale(${transform.scale})`); }

  function fit() {
    const { width, height } = canvas.getBoundingClientRect();
    const scale = Math.min(1.1, (width - 48) / size.width, (height - 48) / size.height);
    transform = { scale, x: (width - size.width * scale) / 2, y: (height - size.height * scale) / 2 };
    if (scale < 0.35) {  // unreadable: begin at the top instead
      transform = { scale: 0.6, x: Math.max(24, (width - size.width * 0.6) / 2), y: 24 };
    }
    move();
  }

  function center(index) {
    const entry = drawn.get(seen[index]);
    const { width, height } = canvas.getBoundingClientRect();
    transform.scale = Math.max(transform.scale, 0.8);
    transform.x = width / 2 - (entry.x + entry.width / 2) * transform.scale;
    transform.y = height / 2 - (entry.y + Math.min(entry.height, height / 2) / 2) * transform.scale;
    move();
  }

  async function go(index) {
    let changed = false;
    for (let at = items[index].parent; at >= 0; at = items[at].parent) {
      if (!opened.has(at)) { opened.add(at); changed = true; }
    }
    if (changed) await redraw();
    select({ item: index });
    center(index);
  }

  async function toggle(index) {
    const before = drawn.get(index);
    if (opened.has(index)) opened.delete(index); else opened.add(index);
    await redraw();
    const after = drawn.get(index);
    if (before && after) {  // the corner under the pointer stays
      transform.x += (before.x - after.x) * transform.scale;
      transform.y += (before.y - after.y) * transform.scale;
      move();
    }
  }

  const itemAt = (event) => { const at = event.target.closest("[data-item]"); return at ? Number(at.dataset.item) : null; };

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, from: { ...transform }, far: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.far && Math.hypot(dx, dy) < 4) return;
    if (!drag.far) canvas.setPointerCapture(event.pointerId);
    drag.far = true;
    canvas.classList.add("moving");
    transform = { ...transform, x: drag.from.x + dx, y: drag.from.y + dy };
    move();
  });
  const release = () => { canvas.classList.remove("moving"); const was = drag; drag = null; return Boolean(was && was.far); };
  let dragged = false;
  canvas.addEventListener("pointerup", () => { dragged = release(); });
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("click", (event) => {
    if (dragged) { dragged = false; return; }
    if (event.target.dataset.toggle !== undefined) { toggle(Number(event.target.dataset.toggle)); return; }
    const index = itemAt(event);
    select(index === null ? null : { item: index });
  });
  canvas.addEventListener("dblclick", (event) => {
    const index = itemAt(event);
    if (index !== null && items[index].children.length) toggle(index);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const scale = Math.min(4, Math.max(0.05, transform.scale * Math.exp(-event.deltaY / 500)));
    transform.x = x - (x - transform.x) * scale / transform.scale;
    transform.y = y - (y - transform.y) * scale / transform.scale;
    transform.scale = scale;
    move();
  }, { passive: false });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape") { search.value = ""; search.blur(); select(null); }
    const index = itemAt(event);
    if (event.key === "Enter" && index !== null) select({ item: index });
    if (event.key === " " && index !== null && items[index].children.length) { event.preventDefault(); toggle(index); }
  });
  search.addEventListener("input", () => { if (search.value) showResults(search.value); else select(selection); });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && search.value) { const results = showResults(search.value); if (results.length) go(results[0]); }
  });
  document.getElementById("fit").addEventListener("click", fit);
  document.getElementById("fold").addEventListener("click", async () => { opened.clear(); await redraw(); fit(); });
  document.getElementById("unfold").addEventListener("click", async () => {
    for (const item of items) if (seen[item.index] === item.index && item.children.length) opened.add(item.index);
    await redraw();
    fit();
  });

  showSummary();
  redraw().then(() => { fit(); document.body.dataset.ready = "true"; });
})();
