// @ts-check
/*
 * The charts below the list: the change of each query as sorted bars, the tags, worst first, and the scores before and
 * after.
 */

const MOST_BARS = 400;
const MOST_TAGS = 12;
const WIDEST_BAR = 30;
const BINS = 10;
const [WIDTH, HEIGHT] = [1000, 160];

/** @param {PageData} data */
function renderCharts(data) {
  const section = /** @type {HTMLElement} */ (document.getElementById("charts"));
  const parts = [changeBars(data), tagTable(data), scoreBins(data)].filter((part) => part !== null);
  section.replaceChildren(...parts);
  section.hidden = !parts.length;
}

/** @param {string} title @param {string} note @param {...Element} content */
function figure(title, note, ...content) {
  return make("figure", {}, make("figcaption", {}, make("b", {}, title), ` ${note}`), ...content);
}

/** A drawing that is as wide as there is room. @param {Record<string, string | number>} attributes @param {...SVGElement} children */
function chart(attributes, ...children) {
  const frame = { viewBox: `0 0 ${WIDTH} ${HEIGHT + 1}`, preserveAspectRatio: "none", class: "bars" };
  return draw("svg", { ...frame, ...attributes }, ...children);
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
  const least = Math.min(0, changeOf(shown[0]));
  const most = Math.max(0, changeOf(shown[shown.length - 1]));
  const scale = HEIGHT / (most - least);
  const step = Math.min(WIDTH / shown.length, WIDEST_BAR);
  const bars = shown.map((item, index) => {
    const change = changeOf(item);
    const size = Math.max(1, Math.abs(change) * scale);
    const place = { x: index * step, width: step > 3 ? step - 0.75 : step };
    const label = `${item.label}: ${scoreText(item.before)} to ${scoreText(item.score)}`;
    const title = draw("title", {});
    title.textContent = visible(label);
    const y = most * scale - (change < 0 ? 0 : size);
    const bar = draw("rect", { ...place, y, height: size, class: change < 0 ? "fell" : "rose" });
    const target = draw("rect", { ...place, y: 0, height: HEIGHT, class: "target" });
    const link = { href: stateHash({ ...START, open: item.node }), "aria-label": label, tabindex: -1 };
    return draw("a", link, title, target, bar);
  });
  const axis = draw("line", { x1: 0, x2: WIDTH, y1: most * scale, y2: most * scale, class: "axis" });
  const fell = changed.filter((item) => changeOf(item) < 0).length;
  const cut = shown.length < changed.length ? `; the ${half} largest of either side` : "";
  const ends = make("div", { class: "ends", "aria-hidden": "true" });
  ends.append(make("span", {}, most ? signed(most) : "0"), make("span", {}, least ? signed(least) : "0"));
  const drawing = chart({ role: "group", "aria-label": "change of each query" }, axis, ...bars);
  const note = `${fell} worse, ${changed.length - fell} better${cut}`;
  return figure("Change of each query", note, make("div", { class: "scaled" }, ends, drawing));
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
  /** @type {Map<string, Case[]>} */
  const tags = new Map();
  for (const item of data.cases) {
    for (const tag of item.tags ?? []) {
      const items = tags.get(tag) ?? [];
      items.push(item);
      tags.set(tag, items);
    }
  }
  if (!tags.size) {
    return null;
  }
  const isCompared = data.cases.some((item) => item.before !== undefined);
  const found = [...tags].map(([tag, all]) => {
    const items = all.filter((item) => item.score !== undefined);
    const compared = items.filter((item) => item.before !== undefined);
    const chosen = compared.length ? compared : items;
    const before = meanOf(compared, (item) => item.before);
    const after = meanOf(chosen, (item) => item.score);
    const order = isCompared ? (after ?? 0) - (before ?? after ?? 0) : (after ?? 2);
    return { tag, count: chosen.length, before, after, order };
  });
  found.sort((one, other) => one.order - other.order);
  const rows = found.map(({ tag, count, before, after, order }) => {
    const link = make("a", { href: stateHash({ ...START, tag }) }, userText(tag));
    const texts = [String(count), changeText(before, scoreText(after)), before === undefined ? "" : signed(order)];
    const cells = texts.slice(0, isCompared ? 3 : 2).map(figures);
    return make("tr", {}, make("th", { scope: "row" }, link), ...cells);
  });
  const heads = isCompared ? ["tag", "#queries", `#before ${ARROW} after`, "#change"] : ["tag", "#queries", "#mean"];
  const part = figure("Tags", "worst first", table(heads, rows.slice(0, MOST_TAGS)));
  part.classList.add("tags");
  if (rows.length > MOST_TAGS) {
    const more = button(`show all ${rows.length} tags`, () => {
      part.querySelector("tbody")?.replaceChildren(...rows);
      more.remove();
    });
    part.append(make("p", { class: "tail" }, more));
  }
  return part;
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
  const step = WIDTH / BINS;
  /** @type {[string, number[], number][]} */
  const series = compared.length
    ? [
        ["before", before, 8],
        ["after", after, 50],
      ]
    : [["after", after, 29]];
  const bars = after.flatMap((_, bin) =>
    series.map(([name, counts, offset]) => {
      const size = (counts[bin] * (HEIGHT - 4)) / most;
      const title = draw("title", {});
      const range = `${(bin / BINS).toFixed(1)} to ${((bin + 1) / BINS).toFixed(1)}`;
      title.textContent = `${counted(counts[bin], "query", "queries")} from ${range}${series.length > 1 ? ` ${name}` : ""}`;
      return draw("rect", { x: bin * step + offset, y: HEIGHT - size, width: 41, height: size, class: name }, title);
    }),
  );
  const axis = draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "axis" });
  const drawing = chart(
    { role: "img", "aria-label": `number of queries by score: ${after.join(", ")}` },
    axis,
    ...bars,
  );
  const labels = Array.from({ length: BINS + 1 }, (_, bin) => make("span", {}, (bin / BINS).toFixed(1)));
  const scale = make("div", { class: "scale", "aria-hidden": "true" }, ...labels);
  const ends = make(
    "div",
    { class: "ends", "aria-hidden": "true" },
    make("span", {}, String(most)),
    make("span", {}, "0"),
  );
  const note = compared.length ? "grey before, blue after" : "number of queries";
  const title = compared.length ? "Scores before and after" : "Scores";
  return figure(title, note, make("div", { class: "scaled" }, ends, drawing, scale));
}
