// @ts-check
/*
 * The verdict that follows the reader's grades: how many of the queries that got worse did so for certain, how many need
 * grades, and how many the grades excused. A bar shows them, solid, hatched and empty.
 */

/** The queries that got worse, counted with the reader's grades. */
class Verdict {
  /** @param {PageData} data @param {Grades} grades @param {() => void} judge opens the first query to judge */
  constructor(data, grades, judge) {
    this.data = data;
    this.grades = grades;
    this.judge = button("", judge, { class: "first-step" });
    /** The cases that got worse, in all variants. */
    this.worse = data.cases.filter((item) => item.isCertain || item.isOpen);
    /** Whether grades could decide any of them in the run. */
    this.wasOpen = this.worse.some((item) => item.isOpen);
    /** The same cases by query. */
    this.queries = [...grouped(this.worse, countedAs).values()];
    /** The cases in the mean. */
    this.inMean = data.cases.filter((item) => isInMean(data, item));
    /** The same cases by query. */
    this.variants = grouped(this.inMean, countedAs);
    this.counts = { certain: 0, open: 0, excused: 0 };
    this.part = make("section", { id: "verdict", "aria-label": "verdict with your grades" });
    this.short = make("span", { class: "verdict-so-far long" });
    this.update();
    grades.addEventListener("change", () => this.update());
  }

  /** Find the states of all queries, and show them. */
  update() {
    for (const item of this.worse) {
      item.certainty = certaintyWith(this.data, item, this.grades.of(item));
    }
    const states = this.queries.map((items) => this.stateOf(items));
    const count = (/** @type {Certainty} */ state) => states.filter((each) => each === state).length;
    this.counts = { certain: count("certain"), open: count("open"), excused: count("excused") };
    Object.assign(this.data.counts, this.counts);
    const verdict = this.wasOpen ? [this.bar(), make("p", {}, this.sentence())] : [];
    if (this.wasOpen && this.counts.open) {
      const { open } = this.counts;
      this.judge.textContent =
        open === 1 ? "Judge the one that needs grades" : `Judge the ${open.toLocaleString("en")} that need grades`;
      verdict.unshift(this.judge);
    }
    const parts = [...verdict, ...this.meanParts()];
    this.part.hidden = !parts.length;
    this.part.replaceChildren(...parts);
    const { certain, open, excused } = this.counts;
    const words = `${certain} certain, ${needGrades(open)}${excused ? `, ${excused} excused` : ""}`;
    this.short.replaceChildren(...(this.wasOpen ? [this.bar(), open ? words : this.sentence()] : []));
  }

  /** Return the state of a query in all its variants: certain if it is in one of them. @param {Case[]} items @returns {Certainty} */
  stateOf(items) {
    const states = items.map((item) => item.certainty);
    return states.includes("certain") ? "certain" : states.includes("open") ? "open" : "excused";
  }

  /** Say how many queries are certain, need grades and are excused, and how many grades are left. */
  sentence() {
    const { certain, open, excused } = this.counts;
    if (!open) {
      return `Decided: ${certain.toLocaleString("en")} worse, ${excused.toLocaleString("en")} excused.`;
    }
    const parts = [
      ...(certain ? [`${certain.toLocaleString("en")} for certain`] : []),
      ...(excused ? [`${excused.toLocaleString("en")} excused by your grades`] : []),
      `${open.toLocaleString("en")} ${open === 1 ? "shows" : "show"} results that nobody has graded`,
    ];
    return `${parts.join(", ")}${this.left()}.`;
  }

  /** Say how many grades are left: `: grade at least 36 to decide about these 5`. */
  left() {
    let [grades, undecidable] = [0, 0];
    for (const items of this.queries.filter((each) => this.stateOf(each) === "open")) {
      const fewest = items.map((item) => this.fewest(item)).filter((each) => each > 0);
      grades += fewest.length ? Math.min(...fewest) : 0;
      undecidable += fewest.length ? 0 : 1;
    }
    const rest = undecidable ? `; no grades here decide ${undecidable} of them` : "";
    const { open } = this.counts;
    const those = open === 1 ? "this one" : `these ${open.toLocaleString("en")}`;
    const about = undecidable ? "" : ` about ${those}`;
    return grades ? `: grade at least ${grades.toLocaleString("en")} to decide${about}${rest}` : rest;
  }

  /** Return the fewest grades that can settle a case; 0 if no grades can, or if it is settled. @param {Case} item */
  fewest(item) {
    if (item.certainty !== "open") {
      return 0;
    }
    const own = this.grades.of(item);
    return own.size ? fewestGrades(this.data, item, own) : (item.fewest ?? 0);
  }

  /** Return the mean with the reader's grades, if there are any. */
  meanParts() {
    const { mean } = this.data;
    const graded = this.inMean.filter((item) => this.grades.of(item).size);
    if (!mean || !graded.length) {
      return [];
    }
    let [before, after] = [mean.before, mean.after];
    for (const item of graded) {
      const own = this.grades.of(item);
      const share = (item.weight ?? 1) / (this.variants.get(countedAs(item))?.length ?? 1) / mean.weight;
      after += share * (scoreOf(this.data, item, own).score - (item.score ?? 0));
      if (before !== undefined) {
        before += share * ((scoreBefore(this.data, item, own) ?? 0) - (item.before ?? 0));
      }
    }
    const scores = changeText(before, scoreText(after));
    return [make("p", { class: "mean" }, `with your grades: mean ${mean.metric} ${scores}`)];
  }

  /** Return the bar: certain ones are solid, those that need grades hatched, excused ones empty. */
  bar() {
    const parts = Object.entries(this.counts).map(([state, count]) => {
      const part = make("span", { class: state });
      part.style.flexGrow = String(count);
      return part;
    });
    return make("span", { class: "bar", "aria-hidden": "true" }, ...parts);
  }
}

/** `28 need grades`. @param {number} count */
function needGrades(count) {
  return `${count.toLocaleString("en")} ${count === 1 ? "needs" : "need"} grades`;
}

/** Return a key that the variants of a query share, so that it counts once. @param {Case} item */
function countedAs(item) {
  return item.test === undefined ? JSON.stringify([item.file, item.id]) : item.node;
}

/** Whether a case counts in the mean that the page gives. @param {PageData} data @param {Case} item */
function isInMean(data, item) {
  const isCompared = data.mean?.before === undefined || item.before !== undefined;
  return data.mean !== undefined && item.score !== undefined && isCompared;
}
