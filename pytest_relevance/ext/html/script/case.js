// @ts-check
/*
 * The opened query: its score and reasons, the rankings, grading, and the figures.
 */

/** The place of a query in the list: its index (-1: not there), the length of the list, and its neighbours. @typedef {{index: number, total: number, previous: Case | undefined, next: Case | undefined}} Place */

/** A key can grade a result if this many pixels of it are in view, or all of a smaller one. */
const MOST_SEEN = 120;

/** The view of the open query. */
class CaseView {
  /**
   * @param {PageData} data @param {Grades} grades @param {Judging} judging
   * @param {(item: Case) => Place} placeOf where a query is in the list
   */
  constructor(data, grades, judging, placeOf) {
    this.data = data;
    this.grades = grades;
    this.judging = judging;
    this.placeOf = placeOf;
    this.section = /** @type {HTMLElement} */ (document.getElementById("case"));
    this.title = document.title;
    /** @type {Case | null} */
    this.item = null;
    /** @type {Rankings | null} */
    this.rankings = null;
    grades.addEventListener("change", () => this.render());
    addEventListener("resize", () => this.rankings?.drawMoves(this.section));
    this.section.addEventListener("focusin", ({ target }) => {
      const row = /** @type {Element} */ (target).closest("[data-graded]");
      if (row) {
        judging.goTo(row.getAttribute("data-graded") ?? "");
        this.markCurrent();
      }
    });
  }

  /** Show a case, or close the view. @param {Case | null} item the case to show; null closes the view */
  show(item) {
    this.item = item;
    this.section.hidden = item === null;
    document.title = item ? `${visible(item.query || item.id)} - ${this.title}` : this.title;
    this.judging.show(item);
    if (item === null) {
      this.rankings = null;
      this.section.replaceChildren();
      this.section.removeAttribute("data-case");
      this.judging.renderBar();
      return;
    }
    this.section.setAttribute("data-case", item.node);
    this.section.classList.toggle("for-judge", readState(location.hash).judge);
    this.render();
  }

  /** Draw the opened case again, with the grades that the reader has given by now. */
  render() {
    const { item, judging } = this;
    const focused = document.activeElement?.id;
    const { asked, current } = judging; // which do not follow a focus that is given back
    if (item && this.grades.isBlind) {
      this.rankings = null;
      this.section.replaceChildren(this.trail(item), this.heading(item), ...this.blindParts(item));
    } else if (item) {
      const own = this.grades.of(item);
      const rankings = new Rankings(this.data, item, own);
      this.rankings = rankings;
      const isJudging = readState(location.hash).judge;
      const outcome = [this.score(item, own), ...this.reasons(item, own)];
      this.section.replaceChildren(
        this.trail(item, rankings),
        this.heading(item),
        ...shelvesPart(this.data, item, !isJudging),
        ...(isJudging ? [] : outcome),
        ...rankings.legend(),
        rankings.panel((name, isAsked) => judging.choices(name, isAsked)),
        ...(isJudging ? outcome : []), // a judge sees the results first
        ...movedSections(item),
        ...passagesPart(item),
        ...lossesPart(rankings),
        ...breakdownPart(rankings, this.data.settings[item.settings].text),
        ...explanationParts(item),
        aboutPart(item),
      );
    }
    this.section.querySelector(".before")?.addEventListener("toggle", () => this.rankings?.drawMoves(this.section));
    judging.renderBar();
    if (focused && document.activeElement?.id !== focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
    Object.assign(judging, { asked, current });
    this.markCurrent();
    this.rankings?.drawMoves(this.section);
  }

  /** Whether the result that a digit grades is in view, above the bar. */
  seesCurrent() {
    const row = this.section.querySelector(".result.current")?.getBoundingClientRect();
    const end = this.judging.bar.getBoundingClientRect().top;
    return row !== undefined && row.top >= 0 && Math.min(row.bottom, row.top + MOST_SEEN) <= end;
  }

  /** Mark the result that a digit grades. @param {boolean} [scrolls] */
  markCurrent(scrolls = false) {
    const current = this.judging.asked || this.judging.current;
    for (const row of this.section.querySelectorAll("[data-graded]")) {
      const isCurrent = row.getAttribute("data-graded") === current;
      row.classList.toggle("current", isCurrent);
      if (isCurrent && scrolls) {
        row.scrollIntoView({ block: row.clientHeight > innerHeight / 2 ? "start" : "nearest" });
      }
    }
  }

  /** Return the results to grade for a reader who judges blind. @param {Case} item */
  blindParts(item) {
    const own = this.grades.of(item);
    const rankings = new Rankings(this.data, item, own);
    const rows = askedOf(this.grades, item).map((name) => {
      const row = rankings.blindRow(name);
      row.setAttribute("data-graded", name);
      row.append(...this.judging.choices(name, true));
      return row;
    });
    const list = rows.length
      ? make("ol", { role: "list", "aria-label": "results to judge" }, ...rows)
      : make("p", { class: "empty" }, "Nothing to judge.");
    const note = make("p", { class: "place" }, "Judged blind: mixed order. Nothing shows where a result came from.");
    return [...rankings.legend(), make("div", { class: "rankings blind" }, note, list)];
  }

  /** Return the links back to the list and to the neighbours in it. @param {Case} item @param {Rankings} [rankings] left out for a reader who judges blind */
  trail(item, rankings) {
    const state = readState(location.hash);
    const link = (/** @type {Case} */ other, /** @type {string} */ text, /** @type {string} */ rel) =>
      make("a", { href: stateHash({ ...state, open: other.node }), rel, title: other.label }, text);
    const back = make("a", { href: stateHash({ ...state, open: "" }), class: "back" }, "\u2190 all queries");
    const { index, total, previous, next } = this.placeOf(item);
    const found = () => this.section.querySelector(".mean")?.textContent ?? "";
    const parts = [
      ...this.judging.blindSwitch(item),
      ...(rankings && !state.judge ? [copyButton("copy as text", () => chatText(rankings, found()), "copy-text")] : []),
      ...(previous ? [link(previous, "\u2039 previous", "prev")] : []),
      ...(index >= 0 && rankings
        ? [make("span", { class: "place" }, `${index + 1} of ${total.toLocaleString("en")}`)]
        : []),
      ...(next ? [link(next, "next \u203a", "next")] : []),
    ];
    return make("nav", { class: "trail", "aria-label": "queries" }, back, make("span", { class: "steps" }, ...parts));
  }

  /** Return the query as the heading, with what is meant by it. @param {Case} item */
  heading(item) {
    const title = make("h1", { tabindex: "-1" }, ...queryParts(item));
    if (item.variant) {
      title.append(" ", make("span", { class: "variant" }, userText(item.variant)));
    }
    const note = item.note ? [make("p", { class: "intent" }, userText(item.note))] : [];
    return make("header", {}, title, ...note);
  }

  /** Return the reasons for the outcome of a case. @param {Case} item @param {ReadonlyMap<string, number>} own @returns {HTMLElement[]} */
  reasons(item, own) {
    const reasons = (item.reasons ?? []).map((reason) => make("li", {}, userText(reason)));
    if (item.error) {
      const { text, frame } = item.error;
      if (!(item.reasons ?? []).includes(text)) {
        reasons.push(make("li", {}, userText(text)));
      }
      if (frame) {
        reasons.push(make("li", {}, "at ", make("code", {}, userText(frame))));
      }
    }
    for (const text of [item.ties, item.unstable]) {
      if (text) {
        reasons.push(make("li", {}, userText(text)));
      }
    }
    if (!reasons.length) {
      return [];
    }
    if (own.size) {
      reasons.unshift(make("li", { class: "place" }, "as of the run, without your grades:"));
    }
    return [make("ul", { class: "reasons" }, ...reasons)];
  }

  /** `nDCG@10 0.764 -> 0.312 (between 0.287 and 0.641), floor 0.500, failed`. @param {Case} item @param {ReadonlyMap<string, number>} own */
  score(item, own) {
    const told = own.size ? `${statusText(item)} in the run` : statusText(item);
    const status = make("span", { class: `status ${item.tone}` }, told);
    const isScored = item.score !== undefined || own.size > 0;
    const { score, lower, upper } = isScored ? scoreOf(this.data, item, own) : { score: NaN, lower: NaN, upper: NaN };
    const isDefined = !Number.isNaN(score);
    const value = make("strong", { "data-score": isDefined ? String(score) : "" }, scoreText(score));
    const scores = make(
      "span",
      { class: "fact" },
      `${item.metric ?? `nDCG@${item.k}`} `,
      changeText(scoreBefore(this.data, item, own), ""),
      value,
    );
    const unjudged = unjudgedOf(item).filter((name) => !own.has(name)).length;
    const facts = [
      !isDefined && isSearched(item) && NO_SCORE,
      item.floor !== undefined && `floor ${scoreText(item.floor)}`,
      unjudged > 0 && `${unjudged} unjudged`,
      own.size > 0 && `with ${counted(own.size, "grade", "grades")} of yours`,
    ];
    const line = make("p", { class: "mean" }, status, " ", scores);
    if (isDefined && lower !== upper) {
      line.append(" ", make("span", { class: "fact" }, `(between ${scoreText(lower)} and ${scoreText(upper)})`));
    }
    for (const fact of facts) {
      if (fact) {
        line.append(", ", make("span", { class: "fact" }, fact));
      }
    }
    return line;
  }
}
