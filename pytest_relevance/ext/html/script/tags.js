// @ts-check
/*
 * The tags of the first screen: the change of the mean of each, as a bar to the left or to the right; without a reference
 * the mean of each.
 */

const MOST_TAGS = 8;
const LEAST_SCALE = 0.1; // of the bars, so that small changes look small

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

/** Return the cases of each tag, without tags that all cases have. @param {PageData} data @returns {[string, Case[]][]} */
function taggedCases(data) {
  /** @type {Map<string, Case[]>} */
  const tags = new Map();
  for (const item of data.cases) {
    for (const tag of item.tags ?? []) {
      const items = tags.get(tag) ?? [];
      items.push(item);
      tags.set(tag, items);
    }
  }
  return [...tags].filter(([, items]) => items.length < data.cases.length);
}

/** The tags, those that fell most first; without a reference those with the lowest mean. @param {PageData} data */
function tagBars(data) {
  const isCompared = data.cases.some((item) => item.before !== undefined && item.score !== undefined);
  const found = taggedCases(data).flatMap(([tag, all]) => {
    const items = all.filter((item) => item.score !== undefined && (!isCompared || item.before !== undefined));
    const after = meanOf(items, (item) => item.score);
    const before = isCompared ? meanOf(items, (item) => item.before) : 0;
    return after === undefined || before === undefined ? [] : [{ tag, count: items.length, value: after - before }];
  });
  if (!found.length) {
    return null;
  }
  found.sort((one, other) => one.value - other.value);
  const most = isCompared ? Math.max(LEAST_SCALE, ...found.map(({ value }) => Math.abs(value))) : 1;
  const rows = found.map(({ tag, count, value }) => {
    const link = make("a", { href: stateHash({ ...START, tag, all: true }) }, userText(tag));
    const bar = make("td", { class: "bar" }, tagBar(isCompared ? value / most : value, isCompared));
    const mean = figures(isCompared ? signed(value) : scoreText(value));
    return make("tr", {}, make("th", { scope: "row" }, link), bar, mean, figures(count.toLocaleString("en")));
  });
  const heads = ["tag", "", isCompared ? "#change" : "#mean", "#queries"];
  const part = figure("Tags", table(heads, rows.slice(0, MOST_TAGS)));
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

/** Return a bar that begins in the middle, or at the left. @param {number} share from -1 to 1 @param {boolean} isDiverging */
function tagBar(share, isDiverging) {
  const size = (isDiverging ? 50 : 100) * Math.abs(share);
  const x = isDiverging ? (share < 0 ? 50 - size : 50) : 0;
  const kind = !isDiverging ? "mean" : share < 0 ? "fell" : "rose";
  const frame = { width: "100%", height: 12, viewBox: "0 0 100 12", ...STRETCHED };
  const middle = isDiverging ? [draw("rect", { class: "middle", x: 49.5, width: 1, height: 12 })] : [];
  return draw("svg", frame, draw("rect", { class: kind, x, y: 2, width: size, height: 8 }), ...middle);
}
