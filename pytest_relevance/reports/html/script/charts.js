// @ts-check
/*
 * The charts below the list: the change of each query as sorted bars, the tags, worst first, and the scores before and
 * after.
 */

const MOST_BARS = 400;
const BINS = 10;

/** @param {PageData} data */
function renderCharts(data) {
  const section = /** @type {HTMLElement} */ (document.getElementById("charts"));
  const parts = [changeBars(data), tagTable(data), scoreBins(data)].filter((part) => part !== null);
  section.replaceChildren(...parts);
  section.hidden = !parts.length;
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {...SVGElement} children */
function draw(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** @param {string} title @param {string} note @param {Element} content */
function figure(title, note, content) {
  return make("figure", {}, make("figcaption", {}, make("b", {}, title), ` ${note}`), content);
}

/** The change of nDCG of each query, the largest fall first; each bar opens its query. @param {PageData} data */
function changeBars(data) {
  const changed = data.cases.filter((item) => Math.abs(changeOf(item)) > 1e-9);
  if (!changed.length) {
    return null;
  }
  changed.sort((one, other) => changeOf(one) - changeOf(other));
  const half = MOST_BARS / 2;
  const shown = changed.length > MOST_BARS ? [...changed.slice(0, half), ...changed.slice(-half)] : changed;
  const [width, height] = [1000, 160];
  const step = width / shown.length;
  const bars = shown.map((item, index) => {
    const change = changeOf(item);
    const size = Math.max(1, (Math.abs(change) * height) / 2);
    const place = { x: index * step, width: Math.max(step - 0.5, 0.5) };
    const label = `${item.label}: ${scoreText(item.before)} to ${scoreText(item.score)}`;
    const title = draw("title", {});
    title.textContent = label;
    const bar = draw("rect", { ...place, y: change < 0 ? height / 2 : height / 2 - size, height: size, class: change < 0 ? "fell" : "rose" });
    const target = draw("rect", { ...place, y: 0, height, class: "target" });
    return draw("a", { href: stateHash({ ...START, open: item.node }), "aria-label": label, tabindex: -1 }, title, target, bar);
  });
  const axis = draw("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "axis" });
  const chart = draw("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "bars", role: "group", "aria-label": "change of each query" }, axis, ...bars);
  const fell = changed.filter((item) => changeOf(item) < 0).length;
  const cut = shown.length < changed.length ? `; the ${half} largest of either side` : "";
  return figure("Change of each query", `${fell} worse, ${changed.length - fell} better${cut}`, chart);
}

/** The weighted mean of some cases. @param {Case[]} items @param {(item: Case) => number | undefined} score */
function meanOf(items, score) {
  let [sum, weights] = [0, 0];
  for (const item of items) {
    const value = score(item);
    if (value !== undefined) {
      sum += value * (item.weight ?? 1);
      weights += item.weight ?? 1;
    }
  }
  return weights ? sum / weights : undefined;
}

/** The mean of each tag before and after, the largest fall first. @param {PageData} data */
function tagTable(data) {
  const tags = new Set(data.cases.flatMap((item) => item.tags ?? []));
  if (!tags.size) {
    return null;
  }
  const isCompared = data.cases.some((item) => item.before !== undefined);
  const rows = [...tags].map((tag) => {
    const items = data.cases.filter((item) => (item.tags ?? []).includes(tag) && item.score !== undefined);
    const compared = items.filter((item) => item.before !== undefined);
    const chosen = compared.length ? compared : items;
    const before = meanOf(compared, (item) => item.before);
    const after = meanOf(chosen, (item) => item.score);
    return { tag, count: chosen.length, before, after, change: (after ?? 0) - (before ?? (isCompared ? (after ?? 0) : 0)) };
  });
  rows.sort((one, other) => one.change - other.change);
  const lines = rows.map(({ tag, count, before, after, change }) => {
    const link = make("a", { href: stateHash({ ...START, tag }) }, userText(tag));
    const scores = before === undefined ? scoreText(after) : `${scoreText(before)} \u2192 ${scoreText(after)}`;
    const difference = before === undefined ? "" : `${change < 0 ? "" : "+"}${change.toFixed(3)}`;
    const cells = [`${count}`, scores, difference].map((text) => make("td", { class: "number" }, text));
    return make("tr", {}, make("th", { scope: "row" }, link), ...cells);
  });
  const heads = ["tag", "queries", isCompared ? "before \u2192 after" : "mean", "change"].slice(0, isCompared ? 4 : 3);
  const head = make("tr", {}, ...heads.map((name, index) => make("th", { scope: "col", ...(index ? { class: "number" } : {}) }, name)));
  return figure("Tags", "worst first", make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
}

/** How many queries have a score from 0.0 to 0.1, to 0.2 and so on, before and after. @param {PageData} data */
function scoreBins(data) {
  const count = (/** @type {(number | undefined)[]} */ scores) => {
    const bins = Array(BINS).fill(0);
    for (const score of scores) {
      if (score !== undefined) {
        bins[Math.max(0, Math.min(BINS - 1, Math.floor(score * BINS)))] += 1;
      }
    }
    return bins;
  };
  const compared = data.cases.filter((item) => item.before !== undefined && item.score !== undefined);
  const after = count((compared.length ? compared : data.cases).map((item) => item.score));
  const before = count(compared.map((item) => item.before));
  const most = Math.max(...before, ...after);
  if (!most) {
    return null;
  }
  const [width, height, step] = [1000, 160, 100];
  const bars = after.flatMap((_, bin) =>
    /** @type {[string, number[], number][]} */ ([["before", before, 8], ["after", after, 50]]).map(([name, counts, offset]) => {
      const size = (counts[bin] * (height - 4)) / most;
      const title = draw("title", {});
      title.textContent = `${counts[bin]} queries from ${(bin / BINS).toFixed(1)} to ${((bin + 1) / BINS).toFixed(1)} ${name}`;
      return draw("rect", { x: bin * step + offset, y: height - size, width: 40, height: size, class: name }, title);
    }),
  );
  const axis = draw("line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" });
  const chart = draw("svg", { viewBox: `0 0 ${width} ${height + 1}`, preserveAspectRatio: "none", class: "bars", role: "img", "aria-label": `number of queries by score: ${after.join(", ")}` }, axis, ...bars);
  const scale = make("div", { class: "scale", "aria-hidden": "true" }, ...Array.from({ length: BINS + 1 }, (_, bin) => make("span", {}, (bin / BINS).toFixed(1))));
  const key = compared.length ? "grey before, blue after" : "number of queries";
  return figure(compared.length ? "Scores before and after" : "Scores", key, make("div", {}, chart, scale));
}
