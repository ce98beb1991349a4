// @ts-check
/*
 * The grades that a reader gives to results: to those without a judgment, or another one to those that have one. They are
 * kept in the browser under the name of the record, and are downloaded as a worklist: a CSV file of judgments.
 */

/** The answer of a reader who cannot tell. It is no judgment. */
const CANNOT_TELL = "?";

/** How many steps can be undone after a reload. */
const MOST_STEPS = 100;

const RATER_KEY = "pytest-relevance rater";

/** @typedef {number | "?"} Answer a grade, or `CANNOT_TELL` */

/** @typedef {{query: string, document: string, before: Answer | undefined}} Step what an undo takes back */

/** What the reader answered for results, and what can be undone. Listeners are told of a "change". */
class Grades extends EventTarget {
  /** @param {PageData} data */
  constructor(data) {
    super();
    this.data = data;
    this.storageKey = `pytest-relevance grades of ${data.record}`;
    /** Answers by query (`queryOf`) and document. @type {Map<string, Map<string, Answer>>} */
    this.answers = new Map();
    /** @type {Step[]} */
    this.steps = [];
    this.rater = "";
    /** Whether the reader judges blind: nothing on the page hints at a grade. */
    this.isBlind = false;
    /** The answers that were given blind, as keys of `answerKey`. @type {Set<string>} */
    this.blind = new Set();
    this.isKept = true;
    /** Whether all answers are in a file that was downloaded. */
    this.isDownloaded = true;
    /** The unjudged results of all queries; a result of several variants counts once. */
    this.toJudge = toJudgeIn(data);
    this.load();
    addEventListener("storage", (event) => event.key === this.storageKey && this.loadAgain());
    addEventListener("beforeunload", (event) => this.wouldLose && event.preventDefault());
  }

  /** Read what the reader did in another window with the same page, so that no window overwrites the other. */
  loadAgain() {
    this.answers.clear();
    this.load();
    this.dispatchEvent(new Event("loaded"));
    this.dispatchEvent(new Event("change"));
  }

  /** Return a key that the variants of a case share, and so their grades. Other suites have other keys. @param {Case} item */
  static queryOf(item) {
    return JSON.stringify([item.file, item.id, item.query]);
  }

  /** Return the reader's answer for a document of a case; undefined without one. @param {Case} item @param {string} document @returns {Answer | undefined} */
  get(item, document) {
    return this.answers.get(Grades.queryOf(item))?.get(document);
  }

  /** Return the grades of a case by document, without the answers `CANNOT_TELL`. @param {Case} item @returns {Map<string, number>} */
  of(item) {
    const answers = [...(this.answers.get(Grades.queryOf(item)) ?? [])];
    return new Map(answers.flatMap(([document, answer]) => (answer === CANNOT_TELL ? [] : [[document, answer]])));
  }

  /** Return the key of an answer. @param {string} query @param {string} document */
  static answerKey(query, document) {
    return JSON.stringify([query, document]);
  }

  /** Judge blind from now on, or with all hints. @param {boolean} isBlind */
  setBlind(isBlind) {
    this.isBlind = isBlind;
    this.save();
  }

  /** How many answers there are. */
  get count() {
    return [...this.answers.values()].reduce((sum, answers) => sum + answers.size, 0);
  }

  /** How many of the results that are to be judged have an answer. */
  get answered() {
    const names = [...this.answers].flatMap(([query, answers]) => [...answers.keys()].map((name) => query + name));
    return names.filter((name) => this.toJudge.has(name)).length;
  }

  /** Whether closing the page would lose answers: neither the browser nor a file has them. */
  get wouldLose() {
    return !this.isKept && !this.isDownloaded && this.count > 0;
  }

  /** Keep an answer, so that it can be undone, or take it back. @param {Case} item @param {string} document @param {Answer | undefined} answer undefined takes it back */
  set(item, document, answer) {
    const query = Grades.queryOf(item);
    this.steps.push({ query, document, before: this.get(item, document) });
    this.put(query, document, answer);
    const key = Grades.answerKey(query, document);
    if (this.isBlind) {
      this.blind.add(key);
    } else {
      this.blind.delete(key);
    }
    this.changed();
  }

  /** Take the last answer back. @returns {Step | undefined} what was taken back */
  undo() {
    const step = this.steps.pop();
    if (step) {
      this.put(step.query, step.document, step.before);
      this.changed();
    }
    return step;
  }

  /** Keep the name of the reader, who is the rater of the grades. @param {string} rater */
  setRater(rater) {
    this.rater = rater;
    this.save();
    this.isKept &&= keep(RATER_KEY, rater); // for the pages of other runs
  }

  /** Keep an answer, or take it back, without a step to undo. @param {string} query @param {string} document @param {Answer | undefined} answer */
  put(query, document, answer) {
    const answers = this.answers.get(query) ?? new Map();
    if (answer === undefined) {
      answers.delete(document);
    } else {
      answers.set(document, answer);
    }
    this.answers.set(query, answers);
  }

  /** Save the answers, and tell the listeners that they changed. */
  changed() {
    this.isDownloaded = false;
    this.save();
    this.dispatchEvent(new Event("change"));
  }

  /** Read the answers and the name of the reader that the browser keeps. */
  load() {
    try {
      const own = JSON.parse(localStorage.getItem(this.storageKey) ?? "{}");
      this.rater = own.rater || kept(RATER_KEY);
      for (const [query, document, answer] of own.answers ?? []) {
        this.put(query, document, answer);
      }
      this.steps = own.steps ?? [];
      this.isBlind = own.isBlind ?? false;
      this.blind = new Set(own.blind);
    } catch {
      this.isKept = false; // the browser keeps nothing for files from a disk, or what it kept was damaged
    }
  }

  /** Have the browser keep the answers and the name of the reader. */
  save() {
    const answers = [...this.answers].flatMap(([query, of]) =>
      [...of].map(([document, answer]) => [query, document, answer]),
    );
    const { rater, isBlind } = this;
    const steps = this.steps.slice(-MOST_STEPS);
    this.isKept = keep(this.storageKey, JSON.stringify({ rater, answers, steps, isBlind, blind: [...this.blind] }));
  }

  /** The name of the file: who judged, and when the run began. */
  get fileName() {
    const name = `judgments ${this.rater} ${this.data.record.slice(0, 16)}`;
    return `${name.match(/[\p{L}\p{N}]+/gu)?.join("-")}.csv`;
  }

  /** The answers as a worklist, in the order of the queries. @returns {string} CSV */
  toCsv() {
    // cases with the same id and query are one in a file of judgments
    const groups = grouped(this.data.cases, (item) => JSON.stringify([item.id, item.query]));
    /** The texts of the queries with an id. @type {Map<string, Set<string>>} */
    const texts = new Map();
    for (const { id, query } of this.data.cases) {
      texts.set(id, (texts.get(id) ?? new Set()).add(query));
    }
    const rows = [...groups.values()].flatMap((items) => {
      const { id, query: text } = items[0];
      // an id that suites use for different queries can mean only one of them in a file: the text is the id then
      const listed = (texts.get(id)?.size ?? 0) > 1 ? text : id;
      return this.answersOf(items).map(([document, answer]) => {
        /** @type {Record<string, string>} */
        const cells = { query_id: listed, query: text, ...this.cells(items, document, answer) };
        return this.data.columns.map((column) => cells[column]);
      });
    });
    const formula = new RegExp(`^(?:${this.data.formula})`);
    const cell = (/** @type {string} */ text) => {
      const safe = formula.test(text) ? ` ${text}` : text;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    return [this.data.columns, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
  }

  /** The different answers for some cases, each once. @param {Case[]} items @returns {[string, Answer][]} */
  answersOf(items) {
    const found = new Set(
      items.flatMap((item) =>
        [...(this.answers.get(Grades.queryOf(item)) ?? [])].map((answered) => JSON.stringify(answered)),
      ),
    );
    return [...found].map((answered) => JSON.parse(answered));
  }

  /** Return the cells of a row by column, without those of the query. @param {Case[]} items cases with the same id and query @param {string} document @param {Answer} answer @returns {Record<string, string>} */
  cells(items, document, answer) {
    const returned = items.filter((item) => item.documents?.includes(document));
    const ranks = returned.map((item) => {
      const rank = (item.documents ?? []).indexOf(document) + 1;
      return item.variant ? `${item.variant}: ${rank}` : `${rank}`;
    });
    const found = returned.map((item) => toJudgeOf(item, document));
    const worth = largest(found.map((each) => each.worth));
    const move = largest(found.map((each) => each.move));
    const settles = largest(found.map((each) => each.chance));
    const title = items.map((item) => lookUp(item.titles, document) ?? "").find(Boolean) ?? "";
    return {
      document,
      title,
      ranks: [...new Set(ranks)].join("; "),
      settles: settles ? settles.toFixed(2) : "",
      worth: worth.toFixed(4),
      move: move.toFixed(4),
      grade: answer === CANNOT_TELL ? "" : String(answer),
      record: this.data.record,
      rater: this.rater,
      blind: items.some((item) => this.blind.has(Grades.answerKey(Grades.queryOf(item), document))) ? "yes" : "",
    };
  }
}

/** Return the known grade of a document in the judgments of a case; null without one. @param {Case} item @param {string} document @returns {Grade} */
function judgmentOf(item, document) {
  const found = item.grades?.[(item.documents ?? []).indexOf(document)];
  const before = item.acceptedGrades?.[(item.accepted ?? []).indexOf(document)];
  return found ?? before ?? (item.missing ?? []).find(([name]) => name === document)?.[1] ?? null;
}

/** Return what an unjudged result is worth; a judged one is worth nothing. @param {Case} item @param {string} document @returns {ToJudge} */
function toJudgeOf(item, document) {
  const found = (item.toJudge ?? []).find((each) => each.document === document);
  return found ?? { document, worth: 0, move: 0, chance: 0 };
}

/** The number with the largest amount. @param {number[]} numbers */
function largest(numbers) {
  return numbers.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0);
}

/** Return the unjudged results, each with its query, and each once. @param {PageData} data */
function toJudgeIn(data) {
  const found = data.cases.flatMap((item) => {
    const open = unjudgedOf(item);
    const query = open.length ? Grades.queryOf(item) : "";
    return open.map((name) => query + name);
  });
  return new Set(found);
}

/** Keep a text in the browser. @param {string} key @param {string} text @returns {boolean} whether the browser does that */
function keep(key, text) {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false; // for files from a disk
  }
}

/** What the browser keeps, or "". @param {string} key @returns {string} */
function kept(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
