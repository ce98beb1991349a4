// @ts-check
/*
 * Grading: which results are to be judged next, the buttons and the number field of a result, and the bar at the bottom
 * of the page with the progress, the reader's name and the download.
 */

/** What the worth of a result to judge is. */
const WORTH_HINT = "worth: how far a likely grade would move nDCG";

/** @type {WeakMap<Case, Map<string, number>>} */
const firstWorths = new WeakMap();

/** The worth of each unjudged result of a case, before the reader judged any. @param {PageData} data @param {Case} item */
function firstWorthsOf(data, item) {
  let worths = firstWorths.get(item);
  if (!worths) {
    worths = worthsOf(data, item, unjudgedOf(item), new Map());
    firstWorths.set(item, worths);
  }
  return worths;
}

/** The unjudged results of a case that have no answer. @param {Grades} grades @param {Case} item */
function openOf(grades, item) {
  return unjudgedOf(item).filter((name) => grades.get(item, name) === undefined);
}

/** What judging a case is worth: the worths of its results to judge, times its weight; -1 where there are none. @param {Grades} grades @param {Case} item */
function judgingWorth(grades, item) {
  const open = openOf(grades, item);
  if (!open.length) {
    return -1;
  }
  const worths = firstWorthsOf(grades.data, item);
  return open.reduce((sum, name) => sum + Math.abs(worths.get(name) ?? 0), 0) * (item.weight ?? 1);
}

/** Whether a grade of a case may be any number: its scale has many grades, or judgments have fractions. @param {PageData} data @param {Case} item */
function hasNumberField(data, item) {
  const { grades } = data.scales[item.scale];
  if (data.settings[item.settings].gain === "mapping" || grades.some(([, name]) => name)) {
    return false;
  }
  const whole = Math.floor(item.highest) - Math.ceil(item.lowest) + 1;
  const known = grades.filter(([grade]) => Number.isInteger(grade)).length;
  return known < whole || (item.judgments ?? []).some(([grade]) => !Number.isInteger(grade));
}

/** Hand the reader's grades to the browser as a file. @param {Grades} grades */
function downloadGrades(grades) {
  const link = /** @type {HTMLAnchorElement} */ (make("a", { download: "page.csv" }));
  link.href = URL.createObjectURL(new Blob([grades.toCsv()], { type: "text/csv" }));
  link.click();
  grades.isDownloaded = true;
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

class Judging {
  /**
   * @param {PageData} data
   * @param {Grades} grades
   * @param {() => void} goOn goes on to the next result or query to judge
   * @param {() => void} undo takes the last answer back, and shows where it was given
   */
  constructor(data, grades, goOn, undo) {
    this.data = data;
    this.grades = grades;
    this.goOn = goOn;
    this.undo = undo;
    this.bar = /** @type {HTMLElement} */ (document.getElementById("judging"));
    /** @type {Case | null} */
    this.item = null;
    /** The unjudged document that a digit grades. */
    this.current = "";
  }

  /** @param {Case | null} item */
  show(item) {
    this.item = item;
    this.current = this.open()[0] ?? "";
  }

  /** The results without a judgment or an answer, those first whose grade moves the score most. @returns {string[]} */
  open() {
    if (!this.item) {
      return [];
    }
    const open = openOf(this.grades, this.item);
    const worths = worthsOf(this.data, this.item, open, this.grades.of(this.item));
    const size = (/** @type {string} */ name) => Math.abs(worths.get(name) ?? 0);
    return open.sort((one, other) => size(other) - size(one));
  }

  /** Answer for a result; where it is the current one, go on to the next. @param {Answer} answer @param {string} [name] */
  answer(answer, name = this.current) {
    if (!name || !this.item) {
      return;
    }
    if (name === this.current || !this.current) {
      this.current = this.open().find((other) => other !== name) ?? "";
    }
    this.grades.set(this.item, name, answer);
  }

  /** Go on to the next result without an answer. @returns {boolean} whether there is one in this query */
  next() {
    const open = this.open();
    const next = open[open.indexOf(this.current) + 1];
    this.current = next ?? this.current;
    return next !== undefined;
  }

  /** The grades that a result may be given, as buttons; a number field for a scale of many. @param {string} name @returns {HTMLElement[]} */
  choices(name) {
    const { item, data, grades } = this;
    if (!item) {
      return [];
    }
    const given = grades.get(item, name);
    const group = make("div", { class: "grades", role: "group", "aria-label": `grade of ${titleOf(item, name)}` });
    /** @type {[Answer, string][]} */
    const answers = [...data.scales[item.scale].grades, [CANNOT_TELL, "cannot tell"]];
    answers.forEach(([answer, word], index) => {
      const attributes = {
        id: `grade ${name} ${index}`,
        "data-grade": String(answer),
        "aria-pressed": String(given === answer),
      };
      group.append(button(word ? `${answer} ${word}` : String(answer), () => this.answer(answer, name), attributes));
    });
    if (hasNumberField(data, item)) {
      group.prepend(this.numberField(item, name, given));
    }
    return [group];
  }

  /** @param {Case} item @param {string} name @param {Answer | undefined} given */
  numberField(item, name, given) {
    const { lowest, highest } = item;
    const field = /** @type {HTMLInputElement} */ (
      make("input", {
        type: "number",
        id: `grade ${name}`,
        min: String(lowest),
        max: String(highest),
        step: "any",
        value: typeof given === "number" ? String(given) : "",
        placeholder: `${lowest} to ${highest}`,
        "aria-label": `grade from ${lowest} to ${highest}`,
      })
    );
    const take = () => {
      if (field.value && field.reportValidity()) {
        field.blur();
        this.answer(field.valueAsNumber, name);
      }
    };
    field.addEventListener("keydown", (event) => event.key === "Enter" && take());
    return make("span", { class: "field-of-grade" }, field, button("grade", take));
  }

  /** Put the cursor into the number field of the current result. @returns {boolean} whether it has one */
  focusNumber() {
    const field = document.getElementById(`grade ${this.current}`);
    field?.focus();
    return field !== null;
  }

  /** Show the bar: where there is something to judge in the open query, or the reader has judged. */
  renderBar() {
    const { item, grades } = this;
    const total = item ? unjudgedOf(item).length : 0;
    this.bar.hidden = !total && !grades.count;
    if (this.bar.hidden) {
      this.bar.replaceChildren();
      return;
    }
    const parts = [make("strong", {}, this.progress())];
    if (item?.note && total) {
      parts.push(make("span", { class: "note", title: item.note }, "note: ", userText(item.note)));
    }
    const help = "keys: digits, ? cannot tell, u undo, n next";
    parts.push(make("span", { class: "keys" }, item && total ? help : ""));
    if (!grades.isKept) {
      parts.push(
        make("span", { class: "loss" }, "This browser keeps nothing for this page: download before you leave it."),
      );
    }
    const rater = /** @type {HTMLInputElement} */ (
      make("input", {
        id: "rater",
        value: grades.rater,
        placeholder: "your name",
        "aria-label": "your name, for the column rater",
        autocomplete: "off",
      })
    );
    rater.addEventListener("input", () => grades.setRater(rater.value));
    const label = `download ${counted(grades.count, "judgment", "judgments")}`;
    const actions = [
      rater,
      button("undo", this.undo, { id: "undo", disabled: !grades.steps.length }),
      button("next", this.goOn, { id: "next" }),
      button(label, () => downloadGrades(grades), { id: "download", "data-download": true, disabled: !grades.count }),
    ];
    this.bar.replaceChildren(...parts, make("span", { class: "actions" }, ...actions));
  }

  /** How much is judged, of the open query or of all. */
  progress() {
    const { item, grades } = this;
    if (item && unjudgedOf(item).length) {
      const total = unjudgedOf(item).length;
      return `${total - openOf(grades, item).length} of ${total} judged`;
    }
    return `${grades.count} of ${grades.toJudge.toLocaleString("en")} judged in all queries`;
  }
}
