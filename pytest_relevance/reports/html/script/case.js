// @ts-check
/*
 * The opened query: the accepted ranking beside the present one, what left and what came, grading, and the figures.
 */

const SVG = "http://www.w3.org/2000/svg";
const LEAST_CHANGE = 5e-4;
const MOST_MOVED = 5;

/** What a document did between two rankings. @typedef {{document: string, from: number | null, to: number | null, change: number}} Move */

class CaseView {
  /**
   * @param {PageData} data
   * @param {Grades} grades
   * @param {(change: Partial<State>) => void} go changes the state
   */
  constructor(data, grades, go) {
    this.data = data;
    this.grades = grades;
    this.go = go;
    this.section = /** @type {HTMLElement} */ (document.getElementById("case"));
    /** @type {Case | null} */
    this.item = null;
    /** The unjudged document that a digit grades. */
    this.current = "";
    grades.addEventListener("change", () => this.item && this.render());
    addEventListener("resize", () => this.drawMoves());
  }

  /** @param {Case | null} item the case to show; null closes the view */
  show(item) {
    this.item = item;
    this.section.hidden = item === null;
    if (item === null) {
      this.section.replaceChildren();
      this.section.removeAttribute("data-case");
      return;
    }
    this.current = this.toGrade()[0] ?? "";
    this.render();
  }

  /** The case that is shown. @returns {Case} */
  get shown() {
    if (this.item === null) {
      throw new Error("no query is open");
    }
    return this.item;
  }

  /** The unjudged documents without an answer, those first whose grade moves the score most. @returns {string[]} */
  toGrade() {
    const item = this.shown;
    const open = unjudgedOf(item).filter((document) => this.grades.get(item, document) === undefined);
    const own = this.grades.of(item);
    const worth = new Map(open.map((document) => [document, Math.abs(worthOf(this.data, item, document, own))]));
    return open.sort((one, other) => (worth.get(other) ?? 0) - (worth.get(one) ?? 0));
  }

  /** Answer for the current document, and go on to the next. @param {Answer} answer @param {string} [document] */
  answer(answer, document = this.current) {
    if (!document) {
      return;
    }
    const item = this.shown;
    const isNext = document === this.current || !this.current;
    const rest = this.toGrade().filter((other) => other !== document);
    this.current = isNext ? (rest[0] ?? "") : this.current;
    this.grades.set(item, document, answer);
  }

  /** Go on to the next unjudged result, without an answer for the current one. @returns {boolean} whether there is one */
  next() {
    const open = this.toGrade();
    const place = open.indexOf(this.current);
    if (place === open.length - 1) {
      return false;
    }
    this.current = open[place + 1];
    this.render();
    return true;
  }

  /** Take the last answer back, and show the query where it was given. */
  undo() {
    const step = this.grades.undo();
    if (!step) {
      return;
    }
    const isGivenIn = (/** @type {Case} */ item) => Grades.queryOf(item) === step.query;
    const item = this.data.cases.find(isGivenIn);
    if (item && !isGivenIn(this.shown)) {
      this.go({ open: item.node });
    }
    this.current = step.document;
    this.render();
  }

  render() {
    const item = this.shown;
    const own = this.grades.of(item);
    const focused = document.activeElement?.id;
    this.section.setAttribute("data-case", item.node);
    this.section.replaceChildren(
      ...this.head(item, own),
      this.rankings(item, own),
      ...this.moved(item, own),
      ...this.judging(item),
      ...this.losses(item, own),
      ...this.breakdown(item, own),
      ...this.about(item),
    );
    if (focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
    this.drawMoves();
  }

  /** @param {Case} item @param {Map<string, number>} own @returns {HTMLElement[]} */
  head(item, own) {
    const back = make("a", { href: stateHash({ ...readState(location.hash), open: "" }), class: "back" }, "\u2190 all queries");
    const title = make("h1", { tabindex: "-1" }, userText(item.label));
    if (item.variant) {
      title.append(" ", make("span", { class: "variant" }, userText(item.variant)));
    }
    const reasons = (item.reasons ?? []).map((reason) => make("li", {}, userText(reason)));
    const parts = [back, title, this.score(item, own)];
    if (item.error) {
      reasons.push(make("li", {}, userText(item.error.text), ...(item.error.frame ? [" in ", make("code", {}, userText(item.error.frame))] : [])));
    }
    if (item.unstable) {
      reasons.push(make("li", {}, userText(item.unstable)));
    }
    if (reasons.length) {
      parts.push(make("ul", { class: "reasons" }, ...reasons));
    }
    return parts;
  }

  /** `nDCG@10 0.764 -> 0.312 (0.287 to 0.641), floor 0.500, failed`. @param {Case} item @param {Map<string, number>} own */
  score(item, own) {
    const line = make("p", { class: "mean", "aria-live": "polite" }, `nDCG@${item.k} `);
    const { score, lower, upper } = item.score === undefined && !own.size ? { score: NaN, lower: NaN, upper: NaN } : scoreOf(this.data, item, own);
    const before = own.size ? scoreBefore(this.data, item, own) : item.before;
    if (before !== undefined && !Number.isNaN(before)) {
      line.append(`${scoreText(before)} \u2192 `);
    }
    const isDefined = !Number.isNaN(score);
    line.append(make("strong", { "data-score": isDefined ? String(score) : "" }, isDefined ? scoreText(score) : "n/a"));
    if (lower !== upper && isDefined) {
      line.append(` (between ${scoreText(lower)} and ${scoreText(upper)})`);
    }
    if (item.floor !== undefined) {
      line.append(`, floor ${scoreText(item.floor)}`);
    }
    line.append(" ", make("span", { class: `status ${item.status.replace(" ", "-")}` }, item.isNew ? "newly failing" : item.status));
    if (own.size) {
      line.append(" ", make("span", { class: "place" }, `with ${own.size} ${own.size === 1 ? "grade" : "grades"} of yours`));
    }
    return line;
  }

  /** The accepted ranking beside the present one. @param {Case} item @param {Map<string, number>} own */
  rankings(item, own) {
    const accepted = (item.accepted ?? []).slice(0, item.k);
    const panel = make("div", { class: accepted.length ? "rankings two" : "rankings" });
    if (accepted.length) {
      const rows = accepted.map((document, index) => {
        const grade = item.acceptedGrades?.[index] ?? own.get(document) ?? null;
        return this.result(item, document, index + 1, grade, { isNow: false });
      });
      panel.append(make("div", { class: "before" }, make("h2", {}, "before"), make("ol", {}, ...rows)));
      const lines = document.createElementNS(SVG, "svg");
      lines.setAttribute("aria-hidden", "true");
      panel.append(lines);
    }
    const now = (item.documents ?? []).slice(0, Math.max(item.k, 10));
    const seen = new Set();
    const rows = now.map((document, index) => {
      const isCopy = seen.has(document);
      seen.add(document);
      const grade = item.grades?.[index] ?? (isCopy ? null : (own.get(document) ?? null));
      return this.result(item, document, index + 1, grade, { isNow: true, isCopy });
    });
    const list = rows.length ? make("ol", {}, ...rows) : make("p", { class: "empty" }, "Nothing was returned.");
    panel.append(make("div", { class: "now" }, make("h2", {}, accepted.length ? "now" : "results"), list));
    return panel;
  }

  /**
   * One result: rank, grade, title, id and further fields; buttons for grades where it is unjudged.
   * @param {Case} item @param {string} name @param {number} rank @param {Grade} grade
   * @param {{isNow: boolean, isCopy?: boolean}} kind
   */
  result(item, name, rank, grade, { isNow, isCopy = false }) {
    const row = make("li", { [isNow ? "data-document" : "data-accepted"]: name, class: "result" }, make("span", { class: "rank" }, String(rank)), this.badge(item, grade));
    const words = make("div", { class: "words" }, make("span", { class: "title" }, userText(titleOf(item, name))));
    row.append(words);
    const small = [];
    if (item.titles?.[name]) {
      small.push(make("span", { class: "id" }, userText(name)));
    }
    if (isNow) {
      const was = (item.accepted ?? []).indexOf(name) + 1;
      if (item.accepted && was !== rank) {
        small.push(was ? `was ${was}` : "new");
      }
      const engineScore = item.scores?.[rank - 1];
      if (engineScore !== undefined && engineScore !== null) {
        small.push(`score ${Number(engineScore.toPrecision(6))}`);
      }
      if (isCopy) {
        small.push("returned again");
      }
      small.push(...fieldsOf(item, name));
    } else if (rankOf(item, name) === null) {
      small.push((item.notInIndex ?? []).includes(name) ? "not in the index" : "not returned");
    }
    small.forEach((part, index) => words.append(index ? " \u00b7 " : make("br"), part));
    if (isNow && !isCopy && rank <= item.k && (item.grades?.[rank - 1] ?? null) === null) {
      words.append(this.buttons(item, name));
      row.classList.toggle("current", name === this.current);
    }
    return row;
  }

  /** A grade with its name, coloured by its gain. @param {Case} item @param {Grade} grade */
  badge(item, grade) {
    if (grade === null) {
      return make("span", { class: "badge unjudged", title: "unjudged" }, "\u2013");
    }
    const { grades } = this.data.scales[item.scale];
    const name = grades.find(([other]) => other === grade)?.[1] ?? "";
    const gains = new Map(this.data.settings[item.settings].gains);
    const share = (gains.get(grade) ?? 0) / Math.max(gains.get(item.highest) ?? 1, 1e-9);
    const level = share <= 0 ? 0 : share < 0.25 ? 1 : share < 0.75 ? 2 : 3;
    return make("span", { class: `badge level-${level}`, title: name ? `grade ${grade}: ${name}` : `grade ${grade}` }, String(grade));
  }

  /** @param {Case} item @param {string} name */
  buttons(item, name) {
    const given = this.grades.get(item, name);
    const group = make("span", { class: "grades", role: "group", "aria-label": `grade of ${titleOf(item, name)}` });
    /** @type {[Answer, string][]} */
    const answers = [...this.data.scales[item.scale].grades, [CANNOT_TELL, "cannot tell"]];
    answers.forEach(([answer, word], index) => {
      const id = `grade ${name} ${index}`;
      const button = make("button", { type: "button", id, "data-grade": String(answer), "aria-pressed": String(given === answer) }, word ? `${answer} ${word}` : String(answer));
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        this.answer(answer, name);
      });
      group.append(button);
    });
    return group;
  }

  /** What left and what came, in words. @param {Case} item @param {Map<string, number>} own @returns {HTMLElement[]} */
  moved(item, own) {
    const moves = movesOf(this.data, item, own);
    const left = moves.filter((move) => move.change < 0).sort((one, other) => one.change - other.change);
    const came = moves.filter((move) => move.change >= 0 && move.to !== null && (move.from === null || move.from > move.to));
    const sections = [];
    for (const [title, found] of /** @type {[string, Move[]][]} */ ([["What fell or left", left], ["What rose or came", came]])) {
      if (found.length) {
        const lines = found.slice(0, MOST_MOVED).map((move) => make("li", {}, ...moveWords(item, move)));
        if (found.length > MOST_MOVED) {
          lines.push(make("li", { class: "place" }, `and ${found.length - MOST_MOVED} more`));
        }
        sections.push(make("div", {}, make("h2", {}, title), make("ul", { class: "moves" }, ...lines)));
      }
    }
    return sections.length ? [make("section", { class: "moved" }, ...sections)] : [];
  }

  /** How much is to be judged, and the reader's own grades. @param {Case} item @returns {HTMLElement[]} */
  judging(item) {
    const open = this.toGrade().length;
    if (!open && !this.grades.count) {
      return [];
    }
    const left = open ? `${open} ${open === 1 ? "result is" : "results are"} unjudged. Click a grade, or press its digit; ? is \u201ccannot tell\u201d, u undoes, n goes to the next.` : "Every result is judged.";
    const rater = /** @type {HTMLInputElement} */ (make("input", { id: "rater", value: this.grades.rater, placeholder: "your name", "aria-label": "your name, for the column rater", autocomplete: "off" }));
    rater.addEventListener("input", () => this.grades.setRater(rater.value));
    const download = make("button", { type: "button", id: "download", "data-download": true, ...(this.grades.count ? {} : { disabled: true }) }, `download ${this.grades.count} ${this.grades.count === 1 ? "judgment" : "judgments"}`);
    download.addEventListener("click", () => downloadGrades(this.grades));
    const undo = make("button", { type: "button", id: "undo", ...(this.grades.steps.length ? {} : { disabled: true }) }, "undo");
    undo.addEventListener("click", () => this.undo());
    const kept = this.grades.isKept ? "" : " This browser keeps nothing for this page: download before you leave it.";
    const note = item.note ? [make("p", {}, make("b", {}, "note: "), userText(item.note))] : [];
    return [make("section", { class: "judging" }, make("h2", {}, "Judge"), ...note, make("p", {}, left + kept), make("p", { class: "actions" }, rater, download, undo))];
  }

  /** @param {Case} item @param {Map<string, number>} own @returns {HTMLElement[]} */
  losses(item, own) {
    const found = (item.losses ?? []).filter(([, , , loss]) => loss > LEAST_CHANGE);
    if (!found.length || own.size) {
      return [];
    }
    const rows = found.map(([document, grade, rank, loss, places, candidates]) => {
      const name = document === null ? `any ${places} of ${candidates} with grade ${grade}` : userText(titleOf(item, document));
      const absent = document !== null && (item.notInIndex ?? []).includes(document) ? "not in the index" : "not returned";
      const where = rank === null ? absent : `rank ${rank}`;
      return make("tr", {}, make("td", {}, name), make("td", {}, this.badge(item, grade)), make("td", {}, where), make("td", { class: "number" }, `-${loss.toFixed(3)}`));
    });
    const heads = ["document", "grade", "found", "nDCG"].map((name) => make("th", { scope: "col" }, name));
    return [details("Lost most by", make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)))];
  }

  /** The table of nDCG, rank by rank. @param {Case} item @param {Map<string, number>} own @returns {HTMLElement[]} */
  breakdown(item, own) {
    const settings = this.data.settings[item.settings];
    const measure = new Measure(settings, this.data.discounts[settings.discount]);
    const ranking = gradedRanking(item, own);
    const scored = measure.scoredIndexes(ranking).slice(0, item.k);
    const ideal = measure.idealGrades(ranking, item.k);
    let [dcg, best] = [0, 0];
    const rows = Array.from({ length: Math.max(scored.length, ideal.length) }, (_, index) => {
      const discount = measure.discounts[index];
      const name = scored[index] === undefined ? null : (item.documents ?? [])[scored[index]];
      const grade = name === null ? null : ranking.grades[scored[index]];
      const gain = measure.gain(grade);
      dcg += gain / discount;
      best += index < ideal.length ? measure.gain(ideal[index]) / discount : 0;
      const figures = [grade === null ? "" : `${grade}`, name === null ? "" : short(gain), discount.toFixed(3), name === null ? "" : (gain / discount).toFixed(3), dcg.toFixed(3), index < ideal.length ? `${ideal[index]}` : "", best.toFixed(3)];
      const title = name === null ? "nothing returned" : userText(titleOf(item, name));
      return make("tr", {}, make("td", { class: "number" }, `${index + 1}`), make("td", {}, title), ...figures.map((text) => make("td", { class: "number" }, text)));
    });
    if (!rows.length) {
      return [];
    }
    const heads = ["rank", "document", "grade", "gain", "discount", "DG", "DCG", "ideal", "IDCG"].map((name) => make("th", { scope: "col" }, name));
    const table = make("table", { class: "figures" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    return [details("Breakdown", make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "breakdown" }, table), make("p", { class: "place" }, settings.text))];
  }

  /** @param {Case} item @returns {HTMLElement[]} */
  about(item) {
    const facts = make("dl", {});
    const add = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...values) => facts.append(make("dt", {}, name), make("dd", {}, ...values));
    const command = `pytest ${shellQuoted(item.node)}`;
    const copy = make("button", { type: "button", id: "copy" }, "copy");
    copy.addEventListener("click", () => navigator.clipboard?.writeText(command).then(() => (copy.textContent = "copied")));
    add("run it again", make("code", {}, userText(command)), " ", copy);
    add("where", userText(item.place));
    add("query", userText(item.query));
    add("search", userText(item.search));
    for (const [name, value] of Object.entries(item.params ?? {})) {
      add(name, userText(value));
    }
    if (item.tags) {
      add("tags", userText(item.tags.join(", ")));
    }
    if (item.weight !== undefined) {
      add("weight", String(item.weight));
    }
    if (item.latency !== undefined) {
      add("latency", `${(item.latency * 1000).toPrecision(3)} ms`);
    }
    if (item.note) {
      add("note", userText(item.note));
    }
    if (item.stale) {
      add("changed since it was accepted", userText(item.stale.join(", ")));
    }
    const why = Object.entries(item.explanations ?? {}).map(([document, text]) =>
      make("div", {}, make("b", {}, userText(titleOf(item, document))), make("pre", {}, ...text.split("\n").flatMap((line) => [userText(line), "\n"]))),
    );
    const notes = Object.entries(item.notes ?? {}).map(([document, text]) => make("li", {}, make("b", {}, userText(titleOf(item, document))), ": ", userText(text)));
    return [
      ...(why.length ? [details("Why documents stand where they do", ...why)] : []),
      ...(notes.length ? [details("Notes of judgments", make("ul", {}, ...notes))] : []),
      make("section", { class: "about" }, make("h2", {}, "About"), facts),
    ];
  }

  /** Lines between the places of a document in both rankings; none where they do not stand side by side. */
  drawMoves() {
    const lines = this.section.querySelector("svg");
    if (!lines) {
      return;
    }
    lines.replaceChildren();
    const frame = lines.getBoundingClientRect();
    for (const before of this.section.querySelectorAll("[data-accepted]")) {
      const name = before.getAttribute("data-accepted") ?? "";
      const now = [...this.section.querySelectorAll("[data-document]")].find((row) => row.getAttribute("data-document") === name);
      if (now && frame.width > 0) {
        const [from, to] = [before, now].map((row) => {
          const box = row.getBoundingClientRect();
          return box.top + Math.min(box.height / 2, 18) - frame.top;
        });
        const path = document.createElementNS(SVG, "path");
        const middle = frame.width / 2;
        path.setAttribute("d", `M0 ${from} C${middle} ${from} ${middle} ${to} ${frame.width} ${to}`);
        path.setAttribute("class", rankIn(before) < rankIn(now) ? "fell" : rankIn(before) > rankIn(now) ? "rose" : "same");
        lines.append(path);
      }
    }
  }
}

/** @param {Element} row */
function rankIn(row) {
  return Number(row.querySelector(".rank")?.textContent);
}

/** The rank of a document, as far as it is known. @param {Case} item @param {string} name @returns {number | null} */
function rankOf(item, name) {
  const index = (item.documents ?? []).indexOf(name);
  return index >= 0 ? index + 1 : (item.deeper?.[name] ?? null);
}

/** nDCG@k of the accepted ranking with the reader's grades. @param {PageData} data @param {Case} item @param {Map<string, number>} own */
function scoreBefore(data, item, own) {
  if (item.before === undefined || !item.accepted) {
    return item.before;
  }
  const settings = data.settings[item.settings];
  const accepted = { ...item, documents: item.accepted, grades: item.acceptedGrades ?? [] };
  return new Measure(settings, data.discounts[settings.discount]).ndcg(gradedRanking(accepted, own), item.k);
}

/** The documents whose place within k changed, with what that changed of nDCG@k. @param {PageData} data @param {Case} item @param {Map<string, number>} own @returns {Move[]} */
function movesOf(data, item, own) {
  const accepted = (item.accepted ?? []).slice(0, item.k);
  if (!accepted.length) {
    return [];
  }
  const settings = data.settings[item.settings];
  const measure = new Measure(settings, data.discounts[settings.discount]);
  const best = measure.dcg(measure.idealGrades(gradedRanking(item, own), item.k)) || 1;
  const now = (item.documents ?? []).slice(0, item.k);
  const names = new Set([...accepted, ...now]);
  const part = (/** @type {number} */ index, /** @type {Grade} */ grade) => (index < 0 ? 0 : measure.gain(grade) / measure.discounts[index]);
  return [...names].flatMap((document) => {
    const [before, after] = [accepted.indexOf(document), now.indexOf(document)];
    const grade = own.get(document) ?? (after >= 0 ? item.grades?.[after] : item.acceptedGrades?.[before]) ?? null;
    const change = (part(after, grade) - part(before, grade)) / best;
    const move = { document, from: before < 0 ? null : before + 1, to: rankOf(item, document), change };
    return move.from === move.to ? [] : [move];
  });
}

/** `Orbit 2 fell from 1 to 37: -0.34`. @param {Case} item @param {Move} move @returns {(Node | string)[]} */
function moveWords(item, { document, from, to, change }) {
  const absent = (item.notInIndex ?? []).includes(document) ? "is not in the index, was" : "left from";
  const way = to === null ? `${absent} ${from}` : from === null ? `came at ${to}` : `${to > from ? "fell" : "rose"} from ${from} to ${to}`;
  const amount = Math.abs(change) < LEAST_CHANGE ? [] : [": ", make("b", { class: change < 0 ? "loss" : "gain" }, `${change < 0 ? "" : "+"}${change.toFixed(3)}`)];
  return [userText(titleOf(item, document)), ` ${way}`, ...amount];
}

/** Further fields of a document; web addresses are links. @param {Case} item @param {string} document @returns {(Node | string)[]} */
function fieldsOf(item, document) {
  return Object.entries(item.fields?.[document] ?? {}).map(([name, text]) => {
    const isLink = /^https?:\/\/[^\s]+$/i.test(text);
    const value = isLink ? make("a", { href: text, rel: "noopener noreferrer", target: "_blank" }, userText(text)) : userText(text);
    return make("span", { class: "field" }, userText(name), ": ", value);
  });
}

/** A part of the view that opens and closes. @param {string} title @param {...HTMLElement} content */
function details(title, ...content) {
  return make("details", { open: true }, make("summary", {}, title), ...content);
}

/** A number without zeros that say nothing. @param {number} value */
function short(value) {
  return String(Number(value.toFixed(3)));
}

/** Text as one word of a shell. @param {string} text */
function shellQuoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Hand the reader's grades to the browser as a file. @param {Grades} grades */
function downloadGrades(grades) {
  const link = /** @type {HTMLAnchorElement} */ (make("a", { download: "judgments.csv" }));
  link.href = URL.createObjectURL(new Blob([grades.toCsv()], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
