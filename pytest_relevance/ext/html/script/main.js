// @ts-check
/*
 * The page: reads its data, makes its parts, shows the state that the address describes, and listens to keys.
 */

const KEYS_KEY = "pytest-relevance single keys";
/** The keys that go on while they are held. */
const MOVING = new Set(["j", "k"]);

const MOVING_KEYS = "Keys: j, k next and previous query;";
const GRADING_KEYS = " n next to judge; digits and ? grade; u undo;";

/** The whole page, whose state the address has. */
class Page {
  /** @param {PageData} data */
  constructor(data) {
    this.data = data;
    this.state = readState(location.hash);
    this.grades = new Grades(data);
    this.main = /** @type {HTMLElement} */ (document.getElementById("page"));
    this.verdict = new Verdict(data, this.grades, () => this.nextQuery());
    this.main.querySelector("h1")?.after(this.verdict.part);
    const go = this.go.bind(this);
    this.list = new CaseList(data, this.grades, go);
    this.matrix = new Matrix(data);
    this.list.controls.after(this.matrix.part);
    this.judging = new Judging(
      data,
      this.grades,
      this.verdict,
      () => this.goOn(),
      () => this.undo(),
    );
    this.view = new CaseView(data, this.grades, this.judging, (item) => this.placeOf(item));
    this.byNode = new Map(data.cases.map((item) => [item.node, item]));
    this.scrolled = 0;
    this.unknown = make("p", { class: "loss", role: "status" });
    this.main.prepend(this.unknown);
    this.keys = button("", () => this.switchKeys(this.hasKeys ? "off" : ""));
    const canGrade = data.cases.some((item) => !item.passages);
    const hint = `${MOVING_KEYS}${canGrade ? GRADING_KEYS : ""} / search. `;
    this.view.section.after(make("footer", { id: "keys" }, hint, this.keys));
    this.switchKeys(kept(KEYS_KEY));
    addEventListener("popstate", () => this.show());
    this.printed = make("section", { id: "printed", "aria-hidden": "true" });
    this.view.section.after(this.printed);
    addEventListener("beforeprint", () => this.fillPrinted());
    addEventListener("afterprint", () => this.printed.replaceChildren());
    addEventListener("keydown", (event) => this.press(event));
    this.show();
    renderCharts(data);
  }

  /** Change the state, with an entry in the history. @param {Partial<State>} change @param {boolean} [replaces] no entry of its own */
  go(change, replaces = false) {
    const hash = stateHash({ ...this.state, ...change });
    history[replaces ? "replaceState" : "pushState"](null, "", hash);
    this.show();
  }

  /** Switch the keys without a modifier on or off, which get in the way of speech input. @param {string} off "off" or "" */
  switchKeys(off) {
    this.hasKeys = !off;
    keep(KEYS_KEY, off);
    this.keys.textContent = off ? "switch single keys on" : "switch single keys off";
  }

  /** Show what the address describes: the list or an opened case. */
  show() {
    const { open: before, finding } = this.state;
    this.state = readState(location.hash);
    const item = this.byNode.get(this.state.open) ?? null;
    if (item && !this.main.hidden) {
      this.scrolled = scrollY;
    }
    this.main.hidden = item !== null;
    const isUnknown = this.state.open && !item;
    this.unknown.textContent = isUnknown ? `This page has no query ${visible(this.state.open)}.` : "";
    if (item !== this.view.item || !item) {
      this.view.show(item);
    }
    if (item) {
      if (before !== this.state.open) {
        scrollTo(0, 0);
        this.view.section.querySelector("h1")?.focus({ preventScroll: true });
      }
      return;
    }
    this.list.render(this.state, before);
    this.matrix.list(this.list.items);
    if (this.state.finding && this.state.finding !== finding) {
      this.list.controls.scrollIntoView({ block: "nearest" });
    }
    if (before) {
      scrollTo(0, this.scrolled);
      this.list.markNode(before);
    }
  }

  /** Print the queries of the list behind it, two a page, as searchers saw them. */
  fillPrinted() {
    const shown = this.view.item ? [] : this.list.items.slice(0, this.list.shown);
    const articles = shown.map((item) => {
      const score = this.view.score(item, this.grades.of(item));
      return make("article", {}, this.view.heading(item), score, ...shelvesPart(this.data, item, true));
    });
    this.printed.replaceChildren(...articles);
  }

  /** Do what a key means in the list or in the opened case. @param {KeyboardEvent} event */
  press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (event.key === "Escape" && isTyping && !event.isComposing) {
      event.preventDefault(); // a browser would clear the search
      target.blur();
      return;
    }
    if (target === this.list.search && event.key === "Enter" && !event.isComposing) {
      this.list.mark(0);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || !(this.hasKeys || event.key.length > 1)) {
      return;
    }
    const actions = this.view.item ? this.caseKeys(this.view.item) : this.listKeys(target);
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      if (!event.repeat || MOVING.has(event.key)) {
        action(); // a key that is held answers once
      }
    } else if (this.view.item && /^[0-9]$/.test(event.key)) {
      if (this.judging.asked || this.view.seesCurrent()) {
        document.getElementById(`grade ${this.judging.asked || this.judging.current}`)?.focus(); // a number field, which the digit is typed into
      }
      this.view.markCurrent(true);
    }
  }

  /** Return what each key does in the list. @param {HTMLElement} target @returns {Record<string, () => void>} */
  listKeys(target) {
    const open = () => this.list.marked && this.go({ open: this.list.marked });
    return {
      j: () => this.list.mark(1),
      k: () => this.list.mark(-1),
      n: () => this.nextQuery(),
      u: () => this.undo(),
      "/": () => this.list.search.focus(),
      ...(target.closest("a, button, summary") ? {} : { Enter: open }),
    };
  }

  /** Return what each key does in an opened case. @param {Case} item @returns {Record<string, () => void>} */
  caseKeys(item) {
    /** @type {Record<string, () => void>} */
    const keys = {
      Escape: () => this.go({ open: "" }),
      j: () => this.step(1),
      k: () => this.step(-1),
      u: () => this.undo(),
      n: () => this.goOn(),
      "/": () => (this.go({ open: "" }), this.list.search.focus()),
      [CANNOT_TELL]: () => this.answer(CANNOT_TELL),
    };
    if (!hasNumberField(this.data, item)) {
      for (const [grade] of this.data.scales[item.scale].grades) {
        if (Number.isInteger(grade) && grade >= 0 && grade <= 9) {
          keys[String(grade)] = () => this.answer(grade);
        }
      }
    }
    return keys;
  }

  /** Return the queries of the list in its order, from the last list that was shown if its state is the same. */
  items() {
    if (!this.list.isOf(this.state)) {
      this.list.find(this.state);
    }
    return this.list.items;
  }

  /** Return where a case is in the list. @param {Case} item @returns {Place} */
  placeOf(item) {
    const items = this.items();
    const index = items.indexOf(item);
    const previous = index > 0 ? items[index - 1] : undefined;
    return { index, total: items.length, previous, next: items[index + 1] };
  }

  /** Open the next query of the list, or the one before. @param {number} by 1 or -1 */
  step(by) {
    const { previous, next } = this.placeOf(/** @type {Case} */ (this.view.item));
    const other = by > 0 ? next : previous;
    if (other) {
      this.go({ open: other.node });
    }
  }

  /** Answer for the current result by a key; one that is out of view is only shown. @param {Answer} answer */
  answer(answer) {
    const isAsked = this.judging.asked !== "";
    const focused = document.activeElement?.closest(".result");
    if (isAsked || this.view.seesCurrent()) {
      this.judging.answer(answer);
      if (focused && !isAsked) {
        document.getElementById(`grade ${this.judging.current} 0`)?.focus({ preventScroll: true });
      }
    }
    this.view.markCurrent(!isAsked);
  }

  /** Go on to the next result to judge, or to the next query that has one. */
  goOn() {
    if (this.judging.next()) {
      this.focusCurrent();
    } else {
      this.nextQuery();
    }
  }

  /** Open the next query with results to judge, of those that the list shows, in the order before any was judged. */
  nextQuery() {
    const { item } = this.view;
    const found = this.items().filter((other) => other === item || openOf(this.grades, other).length);
    sortToJudge(found, unjudgedOf);
    const place = item ? found.indexOf(item) : -1;
    const next = [...found.slice(place + 1), ...found.slice(0, Math.max(place, 0))][0];
    if (next && next !== item) {
      this.go({ open: next.node, judge: true });
      this.focusCurrent();
    }
  }

  /** Show the result that a digit grades, and give it the focus. */
  focusCurrent() {
    const { asked, current } = this.judging;
    document.getElementById(`grade ${asked || current} 0`)?.focus({ preventScroll: true });
    this.view.markCurrent(true);
  }

  /** Take the last answer back, and show where it was given. */
  undo() {
    const step = this.grades.undo();
    if (!step) {
      return;
    }
    const item = this.data.cases.find((other) => Grades.queryOf(other) === step.query);
    const isShown = this.view.item && Grades.queryOf(this.view.item) === step.query;
    if (item && !isShown) {
      this.go({ open: item.node, judge: true });
    }
    this.judging.goTo(step.document);
    this.focusCurrent();
  }
}

readData().then((data) => {
  for (const finding of data.findings) {
    finding.items = new Set(finding.cases.map((place) => data.cases[place]));
  }
  return new Page(data);
});
