// @ts-check
/*
 * A row of the list of queries. Without scripts the first rows are there already, made alike by `first_screen.py`.
 */

/** Return the query of a case, and after it the id if that is another text. @param {Case} item @returns {[Node, ...(Node | string)[]]} */
function queryParts(item) {
  const id = item.id === item.query ? [] : [" ", make("span", { class: "id", dir: "auto" }, visible(item.id))];
  return [userText(item.query || item.id), ...id];
}

/** @param {Case} item @param {Grades} grades @param {State} state @param {number} columns how many the list has @returns {HTMLElement} */
function queryRow(item, grades, state, columns) {
  const [query, ...id] = queryParts(item);
  const open = make("a", { href: stateHash({ ...state, open: item.node }), class: "query" }, query);
  const head = make("th", { scope: "row" }, open, ...id, ...factsOf(item, grades, state));
  const cells = [head, make("td", { class: "scores" }, scoresOf(item)), lostCell(item), onTopCell(item)];
  return make("tr", { "data-case": item.node, class: statusClass(item) }, ...cells.slice(0, columns));
}

/** Return the cell with a bar, the scores before and after, the outcome of the case, and why. @param {Case} item */
function scoresOf(item) {
  const unjudged = item.score === undefined ? 0 : unjudgedOf(item).length;
  const between =
    unjudged > 0 && `between ${scoreText(item.lower ?? item.score)} and ${scoreText(item.upper ?? item.score)}`;
  const hint = item.by ?? (item.score === undefined && isSearched(item) ? NO_SCORE : between);
  const after = scoreText(item.value ?? item.score);
  const scores = scoreText(item.before) === after ? after : changeText(item.before, after);
  const shown = make("span", { title: hint }, item.by ? `${item.by} ${scores}` : scores);
  if (unjudged) {
    shown.append(" ", make("span", { class: "place" }, `${unjudged} unjudged`));
  }
  const said = make("span", { class: `verdict ${statusClass(item)}` }, statusText(item));
  if (item.why) {
    said.append(": ", userText(item.why));
  }
  const bar = item.before ?? item.value ?? item.score;
  return make("div", {}, ...(bar === undefined ? [] : [scoreBar(item)]), shown, " ", said);
}

/** The scores before and after as bars from 0 to 1, with a line at the floor. @param {Case} item */
function scoreBar({ before, value, score = value, floor }) {
  const change = before === undefined || score === undefined ? 0 : score - before;
  const bars = [draw("rect", { class: "track", width: 100, height: 14 })];
  for (const [name, share, y] of /** @type {const} */ ([
    ["before", before, 2],
    ["after", score, 7],
  ])) {
    if (share) {
      bars.push(draw("rect", { class: name, y, height: 5, width: 100 * Math.min(Math.max(share, 0), 1) }));
    }
  }
  if (floor !== undefined) {
    bars.push(draw("rect", { class: "floor", x: 100 * floor, width: 1, height: 14 }));
  }
  const kind = change < 0 ? "bar fell" : change > 0 ? "bar rose" : "bar";
  return draw("svg", { class: kind, viewBox: "0 0 101 14", ...STRETCHED }, ...bars);
}

/** The title of a document, of which a row shows two lines. @param {string} title */
function titleText(title) {
  return make("span", { class: "title" }, userText(title));
}

/** A document and its ranks. @param {Case} item @param {Moved} moved */
function movedParts(item, { document: name, from, to }) {
  const now = String(to ?? "not returned");
  const place = from !== null ? `${from} ${ARROW} ${now}` : to === null ? now : `rank ${to}`;
  return [titleText(titleOf(item, name)), " ", make("span", { class: "place" }, place)];
}

/** @param {Case} item */
function lostCell(item) {
  return make("td", { "data-label": "lost" }, ...(item.lost && !item.error ? movedParts(item, item.lost) : []));
}

/** @param {Case} item */
function onTopCell(item) {
  const cell = make("td", { "data-label": "on top" });
  const returned = item.documents?.length ?? 0;
  if (item.gained) {
    cell.append(...movedParts(item, item.gained));
  } else if (item.onTop !== undefined) {
    cell.append(item.onTopRank ? `rank ${item.onTopRank}: ` : "", titleText(titleOf(item, item.onTop)));
  } else if (!returned) {
    cell.append(make("span", { class: "place" }, emptyText(item)));
  } else if (returned < item.k) {
    cell.append(make("span", { class: "place" }, `only ${counted(returned, "result", "results")}`));
  }
  return cell;
}

/** Return the variant, the weight, and the value that the list is sorted by, if no column has it. @param {Case} item @param {Grades} grades @param {State} state @returns {(Node | string)[]} */
function factsOf(item, grades, state) {
  const own = grades.of(item).size;
  const open = state.sort === "judge" ? openOf(grades, item).length : 0;
  const facts = [
    item.variant && make("span", { class: "variant" }, userText(item.variant)),
    item.weight !== undefined && make("span", { class: "variant" }, `weight ${item.weight.toLocaleString("en")}`),
    own && make("span", { class: "variant" }, `${counted(own, "grade", "grades")} of yours, not in the score`),
    state.sort === "latency" && item.latency !== undefined && make("span", { class: "variant" }, latencyText(item)),
    open && make("span", { class: "variant" }, `${open} to judge`),
  ];
  return facts.flatMap((fact) => (fact ? [" ", fact] : []));
}
