// @ts-check
/*
 * The chart of the first screen. Every query is a dot: its score after against its score before, or without a reference
 * its score against its place in the list. All dots of a kind are one SVG path, so that many dots are fast. A single link
 * goes to the dot nearest to the pointer, and from dot to dot with the arrow keys.
 */

const PLOT = 180; // the width and height of the plot
const [LEFT, TOP, BELOW] = [34, 8, 22]; // the margins around it
const NEAR = 14;

/** A query as a dot: its place in the drawing. @typedef {{item: Case, x: number, y: number}} Dot */

/**
 * The shape of each kind of dot, as an SVG path around its place, by the filter that shows the kind. The last kinds are
 * drawn above the others.
 * @type {Record<string, string>}
 */
const SHAPES = { worse: "m-5-4h10l-5 9z", better: "m-5 4h10l-5-9z", failed: "m-4-4l8 8m0-8l-8 8", "": "h0" };

/** Return all dots of a kind as one SVG path. @param {string} show @param {{x: number, y: number}[]} dots */
function dotShapes(show, dots) {
  const places = dots.map(({ x, y }) => `M${x.toFixed(1)} ${y.toFixed(1)}${SHAPES[show]}`);
  return draw("path", { class: show || "other", d: places.join("") });
}

/** Put the charts into the first screen, if there is something to draw. @param {PageData} data */
function renderCharts(data) {
  const section = /** @type {HTMLElement} */ (document.getElementById("charts"));
  const parts = [dotChart(data), tagBars(data)].filter((part) => part !== null);
  section.replaceChildren(...parts);
  section.hidden = !parts.length;
}

/** Return a figure with a title. @param {string} title @param {...Element} content */
function figure(title, ...content) {
  return make("figure", {}, make("figcaption", {}, make("b", {}, title)), ...content);
}

/** Return the chart of all queries as dots, with its legend and table; null if no query has a score. @param {PageData} data */
function dotChart(data) {
  const compared = sortedCases(data).filter((item) => item.before !== undefined && item.score !== undefined);
  const isCompared = compared.length > 0;
  const items = isCompared ? compared : sortedCases(data).filter((item) => item.score !== undefined);
  if (!items.length) {
    return null;
  }
  const ordered = isCompared ? items : [...items].sort((one, other) => (one.score ?? 0) - (other.score ?? 0));
  const across = (/** @type {number} */ share) => LEFT + PLOT * Math.min(Math.max(share, 0), 1);
  const up = (/** @type {number} */ share) => TOP + PLOT * (1 - Math.min(Math.max(share, 0), 1));
  /** @type {Dot[]} */
  const dots = ordered.map((item, place) => ({
    item,
    x: across(isCompared ? (item.before ?? 0) : (place + 0.5) / ordered.length),
    y: up(item.score ?? 0),
  }));
  /** @type {Map<string, Dot[]>} */
  const kinds = new Map(Object.keys(SHAPES).map((show) => [show, []]));
  if (!data.canFail) {
    kinds.delete("failed");
  }
  const kindOf = (/** @type {Case} */ item) => [...kinds.keys()].find((name) => SHOWN[name].includes(item)) ?? "";
  for (const dot of dots) {
    kinds.get(kindOf(dot.item))?.push(dot);
  }
  const shapes = [...kinds].map(([show, own]) => dotShapes(show, own)).reverse();
  const line = (/** @type {string} */ name, /** @type {number[]} */ ...[x1, y1, x2, y2]) =>
    draw("line", { class: name, x1: across(x1), y1: up(y1), x2: across(x2), y2: up(y2) });
  const floors = new Set(items.map((item) => item.floor));
  const [floor] = floors;
  const isOne = floors.size === 1 && floor !== undefined;
  const lines = [
    ...(isCompared ? [line("diagonal", 0, 0, 1, 1)] : []),
    ...(isOne ? [line("floor", 0, floor, 1, floor)] : []),
    ...(isOne && isCompared ? [line("floor", floor, 0, floor, 1)] : []),
  ];
  const frame = draw("rect", { class: "frame", x: LEFT, y: TOP, width: PLOT, height: PLOT });
  const name = isCompared ? "nDCG before and after" : "nDCG of each query";
  const size = { width: LEFT + PLOT + 8, height: TOP + PLOT + BELOW };
  const drawing = draw(
    "svg",
    { viewBox: `0 0 ${size.width} ${size.height}`, ...size, role: "group", "aria-label": name },
    ...[frame, ...lines, ...axisTexts(across, up, isCompared), ...shapes],
  );
  const hint = isOne ? `dashed: floor ${scoreText(floor)}` : "click a dot, or go with arrow keys";
  const said = make("p", { class: "said place", "aria-live": "polite" }, hint);
  drawing.append(dotLink(drawing, dots, said));
  const legend = legendOf(data, grouped(data.cases, kindOf), [...kinds.keys()], data.cases.length - items.length);
  return figure(name, legend, drawing, said, dotTable(items, isCompared));
}

/**
 * Return the legend: how many queries there are of each kind, with or without a dot. So the numbers add up to all queries.
 * @param {PageData} data @param {Map<string, Case[]>} cases by kind @param {string[]} kinds in their order
 * @param {number} undrawn how many queries have no dot
 */
function legendOf(data, cases, kinds, undrawn) {
  const countOf = (/** @type {string} */ kind) => data.counts[kind] ?? cases.get(kind)?.length ?? 0;
  const others = kinds.some((kind) => kind && countOf(kind)) ? "others" : "queries";
  const legend = make("ul", { class: "dots" }, ...kinds.flatMap((kind) => legendEntry(kind, countOf(kind), others)));
  if (undrawn) {
    const words = `${undrawn.toLocaleString("en")} of these ${undrawn === 1 ? "has" : "have"} no dot`;
    legend.append(make("li", { title: "without a score now or before" }, words));
  }
  return legend;
}

/** Return the texts at the axes. `across` and `up` turn a share from 0 to 1 into a place in the drawing. @param {(share: number) => number} across @param {(share: number) => number} up @param {boolean} isCompared */
function axisTexts(across, up, isCompared) {
  const at = (/** @type {string} */ words, /** @type {number} */ x, /** @type {number} */ y, anchor = "middle") => {
    const element = draw("text", { x, y, "text-anchor": anchor });
    element.textContent = words;
    return element;
  };
  const below = up(0) + 15;
  const ends = [0, 0.5, 1].map((share) => at(String(share), LEFT - 6, up(share) + 4, "end"));
  if (!isCompared) {
    return [...ends, at("queries, the lowest first", across(0.5), below)];
  }
  const before = [0, 1].map((share) => at(String(share), across(share), below));
  return [...ends, ...before, at("after", LEFT - 6, up(0.75) + 4, "end"), at("before", across(0.5), below)];
}

/**
 * Return the link to a query. It is at the dot nearest to the pointer, or where the arrow keys put it.
 * @param {SVGElement} drawing @param {Dot[]} dots the worst first @param {HTMLElement} said says which dot it is
 */
function dotLink(drawing, dots, said) {
  const mark = draw("circle", { class: "at", r: 9, cx: dots[0].x, cy: dots[0].y });
  const link = draw("a", { tabindex: 0 }, mark);
  let place = 0;
  const go = (/** @type {number} */ to) => {
    place = Math.max(0, Math.min(dots.length - 1, to));
    const { item, x, y } = dots[place];
    mark.setAttribute("cx", String(x));
    mark.setAttribute("cy", String(y));
    link.setAttribute("href", stateHash({ ...START, open: item.node }));
    const scores = changeText(item.before, scoreText(item.score));
    const label = visible(`${item.query || item.id}: ${scores}, ${statusText(item)}`);
    link.setAttribute("aria-label", label);
    return label;
  };
  const nearest = (/** @type {Event} */ event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const box = drawing.getBoundingClientRect();
    const scale = (LEFT + PLOT + 8) / box.width;
    const [x, y] = [(clientX - box.left) * scale, (clientY - box.top) * scale];
    const away = dots.map((dot) => Math.hypot(dot.x - x, dot.y - y));
    const least = away.reduce((best, distance, index) => (distance < away[best] ? index : best), 0);
    drawing.classList.toggle("near", away[least] < NEAR);
    if (away[least] < NEAR) {
      said.textContent = go(least);
    }
  };
  drawing.addEventListener("pointermove", nearest);
  drawing.addEventListener("pointerdown", nearest);
  link.addEventListener("focus", () => (said.textContent = link.getAttribute("aria-label")));
  link.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    const to = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0 }[key];
    if (to !== undefined) {
      event.preventDefault();
      said.textContent = go(to);
    }
  });
  go(0);
  return link;
}

/** Return an entry of the legend: what a shape means, as a link to its queries. @param {string} show @param {number} count @param {string} others */
function legendEntry(show, count, others) {
  const sign = draw("svg", { width: 14, height: 14, "aria-hidden": "true" }, dotShapes(show, [{ x: 7, y: 7 }]));
  const words = `${show ? SHOWN[show].label.toLowerCase() : others} ${count.toLocaleString("en")}`;
  const text = show
    ? make("a", { href: stateHash({ ...START, show, all: true }), title: SHOWN[show].hint ?? false }, words)
    : words;
  return count ? [make("li", {}, sign, text)] : [];
}

/** Return the chart as a table, which is filled when it is opened. @param {Case[]} items @param {boolean} isCompared */
function dotTable(items, isCompared) {
  const part = make("details", { class: "behind" }, make("summary", {}, "as a table"));
  part.addEventListener("toggle", () => {
    if (part.childElementCount > 1) {
      return;
    }
    const rows = items.map((item) => {
      const link = make("a", { href: stateHash({ ...START, open: item.node }) }, ...queryParts(item));
      const scores = [...(isCompared ? [item.before] : []), item.score].map((score) => figures(scoreText(score)));
      return make("tr", {}, make("th", { scope: "row" }, link), ...scores, make("td", {}, statusText(item)));
    });
    part.append(table(["query", ...(isCompared ? ["#before"] : []), isCompared ? "#after" : "#nDCG", "verdict"], rows));
  });
  return part;
}
