// @ts-check
/*
 * The rankings of the opened query: the accepted one beside the present one, with lines between the places of documents
 * that moved, and what left and what came in words.
 */

const LEAST_CHANGE = 5e-4;
const MOST_MOVED = 5;

/** Words for the worth of a judgment, each from this change of nDCG on. @type {[number, string][]} */
const WORTHS = [
  [0.05, "high"],
  [0.01, "medium"],
];

/** Return the rank of a document; null if it is not there. @param {string[] | undefined} ranking @param {string} name @returns {number | null} */
function rankIn(ranking, name) {
  const index = (ranking ?? []).indexOf(name);
  return index >= 0 ? index + 1 : null;
}

/** The present rank of a document, as far as it is known. @param {Case} item @param {string} name @returns {number | null} */
function rankOf(item, name) {
  return rankIn(item.documents, name) ?? lookUp(item.deeper, name) ?? null;
}

/**
 * Return what is shown of a document: its address, its picture, and its other fields.
 * @param {PageData} data @param {Case} item @param {string} name
 */
function shownOf(data, item, name) {
  const { url = "", image = "" } = lookUp(data.addresses, item.file) ?? {};
  const fields = lookUp(item.fields, name) ?? {};
  const others = Object.entries(fields).filter(([field, text]) => ![url, image].includes(field) || !isWeb(text));
  return { url: lookUp(fields, url), image: lookUp(fields, image), fields: others };
}

/** Return the picture of a document; nothing if its address is not one of the web. @param {string | undefined} source */
function pictures(source) {
  const attributes = { alt: "", loading: "lazy", referrerpolicy: "no-referrer", src: source ?? "" };
  return isWeb(source) ? [make("img", attributes)] : [];
}

/** The definitions by which a case is scored. @param {PageData} data @param {Case} item */
function measureOf(data, item) {
  const settings = data.settings[item.settings];
  return new Measure(settings, data.discounts[settings.discount]);
}

/** Return a case as if the search had returned its accepted ranking. @param {Case} item @returns {Case} */
function asAccepted(item) {
  const { documents = [], grades = [], accepted = [], acceptedGrades = [], missing = [] } = item;
  /** @type {[string, Grade][]} */
  const pairs = documents.map((name, index) => [name, grades[index]]);
  const judged = /** @type {[string, number][]} */ (pairs.filter(([, grade]) => grade !== null));
  return { ...item, documents: accepted, grades: acceptedGrades, missing: [...missing, ...judged] };
}

/** `Orbit 2 fell from 1 to 37: -0.340`. @param {Case} item @param {Move} move @returns {(Node | string)[]} */
function moveWords(item, { document: name, rankBefore: from, rankNow: to, change }) {
  const absent = (item.notInIndex ?? []).includes(name) ? "not in the index" : "not returned";
  const moved = `${(to ?? 0) > (from ?? 0) ? "fell" : "rose"} from ${from} to ${to}`;
  const there = from === null ? `came at ${to}` : from === to ? `stayed at ${to}` : moved;
  const way = to === null ? `is ${absent}, was ${from}` : there;
  const kind = change < 0 ? "loss" : "gain";
  const amount = Math.abs(change) < LEAST_CHANGE ? [] : [": ", make("b", { class: kind }, signed(change))];
  return [userText(titleOf(item, name)), ` ${way}`, ...amount];
}

/** Return the documents that fell or left, and those that rose or came. @param {Case} item */
function movedSections(item) {
  const moves = item.moves ?? [];
  const hasLeft = (/** @type {Move} */ { rankBefore: from, rankNow: to, change }) =>
    change < 0 || to === null || (from !== null && to > from);
  const left = moves.filter(hasLeft);
  const came = moves.filter((move) => !hasLeft(move));
  /** @type {[string, Move[]][]} */
  const titled = [
    ["What fell or is not returned", left],
    ["What rose or came", came],
  ];
  const sections = titled.flatMap(([title, found]) => {
    const lines = found.slice(0, MOST_MOVED).map((move) => make("li", {}, ...moveWords(item, move)));
    if (found.length > MOST_MOVED) {
      lines.push(make("li", { class: "place" }, `and ${found.length - MOST_MOVED} more`));
    }
    return lines.length ? [make("div", {}, make("h2", {}, title), make("ul", { class: "moves" }, ...lines))] : [];
  });
  return sections.length ? [make("section", { class: "moved" }, ...sections)] : [];
}

/** Return the grades of a scale with their names. Without names, the ends are "worst" and "best". @param {[number, string][]} scale the lowest first @returns {[number, string][]} */
function namedGrades(scale) {
  const last = scale.length - 1;
  return scale.map(([grade, name], place) => [grade, name || (place === last ? "best" : place ? "" : "worst")]);
}

/** The two rankings of a case, with the grades of its judgments and the reader's own. */
class Rankings {
  /** @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own */
  constructor(data, item, own) {
    this.data = data;
    this.item = item;
    this.own = own;
    this.scale = data.scales[item.scale].grades;
    this.measure = measureOf(data, item);
    /** @type {Map<string, Move>} */
    this.moves = new Map((item.moves ?? []).map((move) => [move.document, move]));
    this.accepted = (item.accepted ?? []).slice(0, item.k);
  }

  /** By how much a document changed nDCG@k. @param {string} name */
  changeBy(name) {
    return this.moves.get(name)?.change ?? 0;
  }

  /** The passages that a result holds. @param {string} held their numbers, or "-" */
  passagesBadge(held) {
    const [level, title] = held === "-" ? [0, "holds no passage"] : [3, `holds the passages ${held}`];
    return make("span", { class: `badge level-${level}`, title }, held);
  }

  /** A grade, coloured by its gain, with its name as a hint. @param {Grade} grade */
  badge(grade) {
    if (grade === null) {
      return make("span", { class: "badge unjudged", title: "unjudged" }, "\u2013");
    }
    const name = this.scale.find(([other]) => other === grade)?.[1] ?? "";
    const share = this.measure.gain(grade) / Math.max(this.measure.gain(this.item.highest), 1e-9);
    const level = share <= 0 ? 0 : share < 0.25 ? 1 : share < 0.75 ? 2 : 3;
    const title = name ? `grade ${grade}: ${name}` : `grade ${grade}`;
    return make("span", { class: `badge level-${level}`, title }, String(grade));
  }

  /** What the grades are called, the highest first. @returns {HTMLElement[]} */
  legend() {
    if (this.item.passages) {
      return []; // the list of passages has their numbers
    }
    const named = namedGrades(this.scale).filter(([, name]) => name);
    const entries = named.reverse().map(([grade, name]) => make("li", {}, this.badge(grade), " ", userText(name)));
    if (unjudgedOf(this.item).length || (this.item.acceptedGrades ?? []).includes(null)) {
      entries.push(make("li", {}, this.badge(null), " unjudged"));
    }
    return entries.length ? [make("ul", { class: "legend", "aria-label": "grades" }, ...entries)] : [];
  }

  /**
   * The accepted ranking beside the present one.
   * @param {(name: string, isAsked: boolean) => Node[]} grading what a result has to be graded with
   * @returns {HTMLElement}
   */
  panel(grading) {
    const { item, accepted } = this;
    const grades = [...(item.grades ?? []), ...(item.acceptedGrades ?? []), ...this.own.values()];
    const isWide = item.passages !== undefined || grades.some((grade) => String(grade ?? "").length > 2);
    const panel = make("div", { class: `rankings${accepted.length ? " two" : ""}${isWide ? " wide-grades" : ""}` });
    if (accepted.length) {
      const rows = accepted.map((name, index) => this.acceptedRow(name, index, grading));
      const lines = draw("svg", { "aria-hidden": "true" });
      const before = details("before", make("ol", { role: "list", "aria-label": "results before" }, ...rows));
      before.classList.add("before");
      panel.append(before, lines);
    }
    const now = (item.documents ?? []).slice(0, Math.max(item.k, 10));
    const rows = now.map((name, index) => {
      const isCopy = !item.passages && now.indexOf(name) < index;
      return this.row(name, index, isCopy, grading);
    });
    const list = rows.length
      ? make("ol", { role: "list", "aria-label": "results now" }, ...rows)
      : make("p", { class: "empty" }, emptyText(item));
    panel.append(make("div", { class: "now" }, make("h2", {}, accepted.length ? "now" : "results"), list));
    return panel;
  }

  /** A result of the accepted ranking. @param {string} name @param {number} index @param {(name: string, isAsked: boolean) => Node[]} grading */
  acceptedRow(name, index, grading) {
    const { item, accepted } = this;
    const grade = this.own.get(name) ?? item.acceptedGrades?.[index] ?? null;
    const small = lookUp(item.titles, name) ? [make("span", { class: "id" }, userText(name))] : [];
    const rank = rankOf(item, name);
    if (rank === null) {
      const isLost = this.changeBy(name) < -LEAST_CHANGE;
      const absent = (item.notInIndex ?? []).includes(name) ? "not in the index" : "not returned";
      small.push(make("span", isLost ? { class: "loss" } : {}, absent));
    } else if (rank !== index + 1) {
      small.push(make("span", {}, `now ${rank}`));
    }
    const badge = item.passages ? this.passagesBadge(item.acceptedHeld?.[index] ?? "-") : this.badge(grade);
    const row = this.result({ "data-accepted": name }, name, index + 1, grade, small, badge);
    if (item.passages) {
      return row;
    }
    if ((rank === null || rank > item.k) && accepted.indexOf(name) === index) {
      row.setAttribute("data-graded", name);
      row.append(...grading(name, false));
    }
    return row;
  }

  /** A result of the present ranking. @param {string} name @param {number} index @param {boolean} isCopy @param {(name: string, isAsked: boolean) => Node[]} grading */
  row(name, index, isCopy, grading) {
    const { item } = this;
    const judged = item.grades?.[index] ?? null;
    const small = lookUp(item.titles, name) ? [make("span", { class: "id" }, userText(name))] : [];
    const was = (item.accepted ?? []).indexOf(name) + 1;
    if (item.accepted && was !== index + 1) {
      small.push(make("span", {}, was ? `was ${was}` : "new"));
    }
    const score = item.scores?.[index] ?? null;
    if (score !== null) {
      small.push(make("span", {}, `score ${Number(score.toPrecision(6))}`));
    }
    if (isCopy) {
      small.push(make("span", {}, "returned again"));
    }
    if (unjudgedOf(item).includes(name) && !isCopy) {
      const { worth, chance } = toJudgeOf(item, name);
      const size = Math.abs(worth);
      const word = chance > 0 ? "can settle this query" : (WORTHS.find(([least]) => size >= least)?.[1] ?? "low");
      const hint = `how far a likely grade would move nDCG: ${size.toFixed(3)}`;
      small.push(make("span", { title: hint }, `worth judging: ${word}`));
    }
    const grade = isCopy ? null : (this.own.get(name) ?? judged);
    const badge = item.passages ? this.passagesBadge(item.held?.[index] ?? "-") : this.badge(grade);
    const row = this.result({ "data-document": name }, name, index + 1, grade, small, badge);
    if (item.passages) {
      return row;
    }
    if (!isCopy && index < item.k) {
      row.setAttribute("data-graded", name);
      row.append(...grading(name, judged === null));
    }
    return row;
  }

  /** A result without a hint at its grade. @param {string} name */
  blindRow(name) {
    return this.result({ "data-document": name }, name, null, this.own.get(name) ?? null, []);
  }

  /**
   * One result: rank, grade, title, and what else there is to know in small.
   * @param {Record<string, string>} attributes @param {string} name @param {number | null} rank null: not shown
   * @param {Grade} grade @param {HTMLElement[]} small @param {HTMLElement} [badge] the badge of the grade unless given
   */
  result(attributes, name, rank, grade, small, badge = this.badge(grade)) {
    const { url, image, fields } = shownOf(this.data, this.item, name);
    const title = make("div", { class: "title" }, webLink(url, userText(titleOf(this.item, name))));
    const words = make("div", { class: "words" }, ...pictures(image), title);
    for (const [field, text] of fields) {
      small.push(make("span", { class: "field" }, userText(field), " ", webLink(text, userText(text))));
    }
    const by = grade === null || this.own.has(name) ? undefined : lookUp(this.item.filled, name);
    if (by) {
      small.push(make("span", { class: "filled" }, "graded by ", userText(by)));
    }
    if (small.length) {
      words.append(make("div", { class: "small" }, ...small));
    }
    const place = make("span", { class: "rank" }, rank === null ? "" : String(rank));
    return make("li", { ...attributes, class: "result" }, place, badge, words);
  }

  /** Draw lines between the places of a document in both rankings, if these stand side by side. @param {HTMLElement} section */
  drawMoves(section) {
    const lines = section.querySelector(".rankings > svg");
    const frame = lines?.getBoundingClientRect();
    if (!lines || !frame || frame.width === 0) {
      return;
    }
    /** @type {Map<string, Element>} */
    const present = new Map();
    for (const row of [...section.querySelectorAll("[data-document]")].reverse()) {
      present.set(row.getAttribute("data-document") ?? "", row);
    }
    const middle = frame.width / 2;
    const paths = [...section.querySelectorAll("[data-accepted]")].flatMap((before) => {
      const name = before.getAttribute("data-accepted") ?? "";
      const now = present.get(name);
      if (!now) {
        return [];
      }
      const [from, to] = [before, now].map((row) => {
        const box = row.getBoundingClientRect();
        return box.top + Math.min(box.height / 2, 18) - frame.top;
      });
      const change = this.changeBy(name);
      const isMoved = this.moves.has(name);
      const kind = change < -LEAST_CHANGE ? "loss" : change > LEAST_CHANGE ? "gain" : isMoved ? "moved" : "same";
      return [draw("path", { d: `M0 ${from} C${middle} ${from} ${middle} ${to} ${frame.width} ${to}`, class: kind })];
    });
    lines.replaceChildren(...paths);
  }
}
