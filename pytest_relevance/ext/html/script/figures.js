// @ts-check
/*
 * The figures and facts of the opened query: its losses, the breakdown of nDCG, explanations, notes, and how to run it.
 */

const DASH = "\u2013";

/** Return the documents that cost most. Return nothing if there is a reference, which says what they cost, or if the reader gave grades, which change the costs. @param {Rankings} rankings @returns {HTMLElement[]} */
function lossesPart(rankings) {
  const { item, own } = rankings;
  const found = (item.losses ?? []).filter(({ loss }) => loss > LEAST_CHANGE);
  if (!found.length || rankings.moves.size || own.size) {
    return [];
  }
  const rows = found.map(({ document: name, grade, rank, loss, places, candidates }) => {
    const title = name === null ? `any ${places} of ${candidates} with grade ${grade}` : userText(titleOf(item, name));
    const absent = name !== null && (item.notInIndex ?? []).includes(name) ? "not in the index" : "not returned";
    const where = rank === null ? absent : `rank ${rank}`;
    const cells = [make("td", {}, rankings.badge(grade)), make("td", {}, title), make("td", { class: "fact" }, where)];
    return make("tr", {}, ...cells, figures(signed(-loss)));
  });
  return [details("Lost most by", table(["grade", "document", "found", "#nDCG"], rows))];
}

/** Return the passages of a case, those first that no result in the top k holds. @param {Case} item @returns {HTMLElement[]} */
function passagesPart(item) {
  const passages = item.passages ?? [];
  if (!passages.length) {
    return [];
  }
  const numbered = passages.map((passage, index) => /** @type {const} */ ([index + 1, passage]));
  const missing = numbered.filter(([, passage]) => passage.isMissing);
  const found = numbered.filter(([, passage]) => !passage.isMissing);
  const rows = [...missing, ...found].map(([number, passage]) => {
    const { quote, grade, place, near, was, cost, isMissing } = passage;
    const words = make("td", {}, userText(quote));
    if (near) {
      words.append(make("div", { class: "small" }, userText(near)));
    }
    const where = [make("span", isMissing ? { class: "loss" } : {}, place), ...(was ? [`, ${was}`] : [])];
    const change = figures(cost > LEAST_CHANGE ? signed(-cost) : "");
    const cells = [figures(String(number)), words, figures(String(grade)), make("td", {}, ...where), change];
    return make("tr", {}, ...cells);
  });
  const total = `${found.length} of ${counted(passages.length, "passage", "passages")} in the top ${item.k}`;
  const list = table(["#", "passage", "#grade", "where", "#nDCG"], rows);
  return [details("Passages", make("p", { class: "place" }, total), list)];
}

/** The table of nDCG, rank by rank. @param {Rankings} rankings @param {string} settings @returns {HTMLElement[]} */
function breakdownPart({ item, own, measure }, settings) {
  if (item.metric) {
    return []; // no sum over ranks
  }
  if (item.passages) {
    return []; // one rank may have the gains of several passages: the report in a terminal has the table
  }
  const ranking = gradedRanking(item, own);
  const scored = measure.scoredIndexes(ranking).slice(0, item.k);
  const ideal = measure.idealGrades(ranking, item.k);
  let [dcg, idealDcg] = [0, 0];
  const rows = Array.from({ length: Math.max(scored.length, ideal.length) }, (_, index) => {
    const discount = measure.discounts[index];
    const place = scored[index];
    let [gradeText, gainText, discountedText] = ["", "", ""];
    if (place !== undefined) {
      const grade = ranking.grades[place];
      const gain = measure.gain(grade);
      dcg += gain / discount;
      gradeText = grade === null ? DASH : String(grade);
      gainText = short(gain);
      discountedText = (gain / discount).toFixed(3);
    }
    let idealText = "";
    if (index < ideal.length) {
      idealDcg += measure.gain(ideal[index]) / discount;
      idealText = String(ideal[index]);
    }
    const ofResult = [gradeText, gainText, discount.toFixed(3), discountedText, dcg.toFixed(3)];
    const cells = [...ofResult, idealText, idealDcg.toFixed(3)];
    const name = place === undefined ? null : (item.documents ?? [])[place];
    const title =
      name === null
        ? make("td", { class: "place" }, "nothing returned")
        : make("td", {}, userText(titleOf(item, name)));
    return make("tr", {}, figures(String(index + 1)), title, ...cells.map(figures));
  });
  if (!rows.length) {
    return [];
  }
  const heads = ["#rank", "document", "#grade", "#gain", "#discount", "#DG", "#DCG", "#ideal", "#IDCG"];
  const wide = make(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "breakdown" },
    table(heads, rows),
  );
  const total = `nDCG@${item.k} = ${dcg.toFixed(3)} / ${idealDcg.toFixed(3)}`;
  const sum = idealDcg > 0 ? [make("span", { class: "fact" }, total), `; ${settings}`] : [settings];
  return [details("Breakdown", wide, make("p", { class: "place" }, ...sum))];
}

/** Return why documents have their ranks, as the engine explains it, and the notes of judgments. @param {Case} item @returns {HTMLElement[]} */
function explanationParts(item) {
  const explained = Object.entries(item.explanations ?? {}).map(([name, text]) => {
    const lines = text.split("\n").flatMap((line) => [userText(line), "\n"]);
    const title = titleOf(item, name);
    const block = make("pre", { tabindex: "0", role: "region", "aria-label": `explanation of ${title}` }, ...lines);
    return make("div", {}, make("b", {}, userText(title)), block);
  });
  const notes = Object.entries(item.notes ?? {}).map(([name, text]) =>
    make("li", {}, make("b", {}, userText(titleOf(item, name))), ": ", userText(text)),
  );
  return [
    ...(explained.length ? [details("Why documents stand where they do", ...explained)] : []),
    ...(notes.length ? [details("Notes of judgments", make("ul", { class: "notes" }, ...notes))] : []),
  ];
}

/** Return the opened query as text for a chat: what was found, and both rankings. @param {Rankings} rankings @param {string} found */
function chatText({ item, own, accepted }, found) {
  const listed = (/** @type {string} */ title, /** @type {string[]} */ names) => {
    const held = title === "now:" ? item.held : item.acceptedHeld;
    const grade = (/** @type {string} */ name) => own.get(name) ?? judgmentOf(item, name) ?? DASH;
    const badge = (/** @type {string} */ name, /** @type {number} */ index) => held?.[index] ?? grade(name);
    const rows = names.map((name, index) => `${index + 1}. [${badge(name, index)}] ${visible(titleOf(item, name))}`);
    return rows.length ? ["", title, ...rows] : [];
  };
  const now = listed("now:", (item.documents ?? []).slice(0, item.k));
  const reasons = (item.reasons ?? []).map(visible);
  return [visible(item.query), found, ...reasons, ...listed("before:", accepted), ...now].join("\n");
}

/** Return how to run the case again, and other facts about it. @param {Case} item @returns {HTMLElement} */
function aboutPart(item) {
  const command = `pytest ${shellQuoted(item.test ?? item.node)}`;
  const params = Object.entries(item.params ?? {});
  // the params have a row of their own
  const search = params.length ? item.search.split(`(${params[0][0]}=`)[0] : item.search;
  /** @type {[string, (Node | string)[] | undefined | false][]} */
  const facts = [
    ["run it again", [make("code", {}, userText(command)), " ", copyButton("copy", () => command, "copy")]],
    ["where", [userText(item.place)]],
    ["search", [userText(search)]],
    ["params", params.map(([name, value]) => make("div", {}, userText(name), " = ", userText(value)))],
    ["tags", item.tags && [userText(item.tags.join(", "))]],
    ["weight", item.weight !== undefined && [item.weight.toLocaleString("en")]],
    ["latency", item.latency !== undefined && [latencyText(item)]],
    ["results", item.returned !== undefined && [String(item.returned)]],
    ["changed since it was accepted", item.stale && [userText(item.stale.join(", "))]],
  ];
  const list = make("dl", {});
  for (const [name, values] of facts) {
    if (values && values.length) {
      list.append(make("dt", {}, name), make("dd", {}, ...values));
    }
  }
  return make("section", { class: "about" }, make("h2", {}, "About"), list);
}

/** Return the latency of a case in words. @param {Case} item one with a latency */
function latencyText(item) {
  const text = `${Number(((item.latency ?? 0) * 1000).toPrecision(3))} ms`;
  const kinds = [...(item.isShare ? ["share of a batch"] : []), ...(item.isRecorded ? ["recorded"] : [])];
  return kinds.length ? `${text} (${kinds.join(", ")})` : text;
}
