// @ts-check
/*
 * The state of the page: the text searched for, filters, order and the open query. The fragment of the page's address
 * has it, so that every state has a link, and back and forward work.
 */

/**
 * @typedef {object} State
 * @property {string} open node id of the open query, or ""
 * @property {string} text
 * @property {string} show one of `SHOWN`
 * @property {string} tag
 * @property {string} suite
 * @property {string} variant
 * @property {string} finding the number of a line of the first screen, or ""
 * @property {string} sort one of `ORDERS`
 * @property {boolean} all whether the list goes on after the worst
 * @property {boolean} judge whether the open query is shown to a judge: the results to grade come first
 */

/** @type {State} */
const START = {
  open: "",
  text: "",
  show: "",
  tag: "",
  suite: "",
  variant: "",
  finding: "",
  sort: "",
  all: false,
  judge: false,
};

const WORSE = "a floor or another expectation is missed that was met before, or the score lost more than the tolerance";
const CERTAIN = "got worse, whatever the grades of its unjudged results";
const NEEDS_GRADES = "got worse, but its unjudged results may be as good as what they replaced: only grades tell";
const EXCUSED = "got worse in the run, but not with your grades";
const BETTER =
  "a floor or another expectation is met that was missed before, or the score rose by more than the tolerance";

/**
 * The filters: their label, which cases they show, and a hint. The page begins with the filter "", which shows all cases.
 * @type {Record<string, {label: string, includes: (item: Case) => boolean, hint?: string}>}
 */
const SHOWN = {
  worse: { label: "Got worse", includes: (item) => item.gotWorse === true, hint: WORSE },
  certain: { label: "Certain", includes: (item) => item.certainty === "certain", hint: CERTAIN },
  open: { label: "Need grades", includes: (item) => item.certainty === "open", hint: NEEDS_GRADES },
  excused: { label: "Excused", includes: (item) => item.certainty === "excused", hint: EXCUSED },
  better: { label: "Got better", includes: (item) => item.gotBetter === true, hint: BETTER },
  before: { label: "Failed before", includes: (item) => item.failedBefore === true },
  failed: { label: "Failed", includes: (item) => isFailed(item) },
  errors: { label: "Errors", includes: (item) => !isSearched(item) },
  unjudged: { label: "Unjudged", includes: (item) => unjudgedOf(item).length > 0 },
  changed: { label: "Ranking changed", includes: (item) => item.hasOtherRanking === true },
  "": { label: "All", includes: () => true },
};

const COLLATOR = new Intl.Collator();

/**
 * The orders of the list: a name, and how two cases compare. Cases that are equal stay in the order of Python, the worst
 * first. "judge" is by what judging a case is worth.
 * @type {Record<string, {label: string, compare: (one: Case, other: Case) => number}>}
 */
const ORDERS = {
  "": { label: "worst first", compare: () => 0 },
  score: { label: "score", compare: (one, other) => (one.score ?? -1) - (other.score ?? -1) },
  change: { label: "change", compare: (one, other) => changeOf(one) - changeOf(other) },
  weight: { label: "weight", compare: (one, other) => (other.weight ?? 1) - (one.weight ?? 1) },
  latency: { label: "latency", compare: (one, other) => (other.latency ?? 0) - (one.latency ?? 0) },
  query: { label: "query", compare: (one, other) => COLLATOR.compare(one.query, other.query) },
  judge: { label: "most worth judging", compare: () => 0 },
};

const FAILED = new Set(["failed", "error", "not searched", "inconclusive"]);

/** Whether a case failed, was an error or not searched, or is inconclusive. @param {Case} item */
function isFailed(item) {
  return FAILED.has(item.status);
}

/** Return the cases, the worst first. @param {PageData} data */
function sortedCases(data) {
  return data.worstFirst.map((place) => data.cases[place]);
}

/** Return the change of nDCG@k since the baseline; 0 without one. @param {Case} item */
function changeOf(item) {
  return item.before === undefined || item.score === undefined ? 0 : item.score - item.before;
}

/** The unjudged results in the top k, each once, in the order of judging. @param {Case} item @returns {string[]} */
function unjudgedOf(item) {
  return (item.toJudge ?? []).map((each) => each.document);
}

/**
 * Return the state that a fragment of an address describes. Unknown parts are left out.
 * @param {string} hash @returns {State}
 */
function readState(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const show = given.get("show") ?? "";
  const sort = given.get("sort") ?? "";
  return {
    open: given.get("case") ?? "",
    text: given.get("text") ?? "",
    show: lookUp(SHOWN, show) ? show : "",
    tag: given.get("tag") ?? "",
    suite: given.get("suite") ?? "",
    variant: given.get("variant") ?? "",
    finding: given.get("finding") ?? "",
    sort: lookUp(ORDERS, sort) ? sort : "",
    all: given.has("all"),
    judge: given.has("judge"),
  };
}

/**
 * The fragment of the address of a state, with "#".
 * @param {State} state @returns {string}
 */
function stateHash(state) {
  const given = new URLSearchParams();
  const flags = { all: state.all ? "1" : "", judge: state.open && state.judge ? "1" : "" };
  const values = { ...state, ...flags, case: state.open, open: "" };
  for (const [name, value] of Object.entries(values)) {
    if (value) {
      given.set(name, value);
    }
  }
  return `#${given}`;
}

/**
 * The cases that a state shows, in its order.
 * @param {PageData} data @param {State} state @param {Grades} grades @returns {Case[]}
 */
function matching(data, state, grades) {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { includes } = SHOWN[state.show];
  const chosen = state.finding ? data.findings[Number(state.finding)]?.items : undefined;
  const found = sortedCases(data).filter(
    (item) =>
      includes(item) &&
      (!chosen || chosen.has(item)) &&
      (!state.tag || (item.tags ?? []).includes(state.tag)) &&
      (!state.suite || item.file === state.suite) &&
      (!state.variant || item.variant === state.variant) &&
      words.every((word) => searchText(item).includes(word)),
  );
  if (state.sort === "judge") {
    return sortToJudge(found, (item) => openOf(grades, item));
  }
  const { compare } = ORDERS[state.sort];
  if (words.length && !state.sort) {
    const isNamed = new Map(found.map((item) => [item, words.every((word) => nameText(item).includes(word))]));
    return found.sort((one, other) => Number(isNamed.get(other)) - Number(isNamed.get(one)) || compare(one, other));
  }
  return found.sort(compare);
}

/** Return the names of a case: its query, id and tags. @param {Case} item @returns {string} */
function nameText(item) {
  return [item.query, item.id, ...(item.tags ?? [])].join("\n").toLowerCase();
}

/** @type {WeakMap<Case, string>} */
const searchTexts = new WeakMap();

/** Return the text that is searched: query, id, tags, the titles of documents, passages, and why the case failed. @param {Case} item @returns {string} */
function searchText(item) {
  let text = searchTexts.get(item);
  if (text === undefined) {
    const passages = (item.passages ?? []).map((passage) => passage.quote);
    const why = [...(item.reasons ?? []), item.error?.text ?? ""];
    text = [nameText(item), ...Object.values(item.titles ?? {}), ...passages, ...why].join("\n").toLowerCase();
    searchTexts.set(item, text);
  }
  return text;
}
