// @ts-check
/*
 * The page: reads its data, makes its parts, shows the state that the address describes, and listens to keys.
 */

class Page {
  /** @param {PageData} data */
  constructor(data) {
    this.data = data;
    this.state = readState(location.hash);
    this.grades = new Grades(data);
    this.main = /** @type {HTMLElement} */ (document.getElementById("page"));
    const go = this.go.bind(this);
    this.list = new CaseList(data, go);
    this.view = new CaseView(data, this.grades, go);
    this.byNode = new Map(data.cases.map((item) => [item.node, item]));
    this.scrolled = 0;
    addEventListener("popstate", () => this.show());
    addEventListener("hashchange", () => this.show());
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

  show() {
    const before = this.state.open;
    this.state = readState(location.hash);
    const item = this.byNode.get(this.state.open) ?? null;
    if (item && !this.main.hidden) {
      this.scrolled = scrollY;
    }
    this.main.hidden = item !== null;
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
    this.list.render(this.state);
    if (before) {
      scrollTo(0, this.scrolled);
      this.list.markNode(before);
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && this.state.open) {
      this.go({ open: "" });
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
      return;
    }
    const actions = this.state.open ? this.caseKeys() : this.listKeys(target);
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  /** @param {HTMLElement} target @returns {Record<string, () => void>} */
  listKeys(target) {
    const open = () => this.list.marked && this.go({ open: this.list.marked });
    return {
      j: () => this.list.mark(1),
      k: () => this.list.mark(-1),
      "/": () => this.list.search.focus(),
      ...(/^(A|BUTTON|SUMMARY)$/.test(target.tagName) ? {} : { Enter: open }),
    };
  }

  /** @returns {Record<string, () => void>} */
  caseKeys() {
    /** @type {Record<string, () => void>} */
    const keys = {
      j: () => this.step(1),
      k: () => this.step(-1),
      u: () => this.view.undo(),
      n: () => this.view.next() || this.nextUnjudged(),
      [CANNOT_TELL]: () => this.view.answer(CANNOT_TELL),
    };
    for (const [grade] of this.data.scales[this.view.shown.scale].grades) {
      if (Number.isInteger(grade) && grade >= 0 && grade <= 9) {
        keys[String(grade)] = () => this.view.answer(grade);
      }
    }
    return keys;
  }

  /** Open the next query of the list, or the one before. @param {number} by */
  step(by) {
    const items = matching(this.data, this.state);
    const next = items[items.findIndex((item) => item.node === this.state.open) + by];
    if (next) {
      this.go({ open: next.node });
    }
  }

  /** Open the next query of the list that has results to judge. */
  nextUnjudged() {
    const items = matching(this.data, this.state);
    const place = items.findIndex((item) => item.node === this.state.open);
    const isOpen = (/** @type {Case} */ item) => unjudgedOf(item).some((document) => this.grades.get(item, document) === undefined);
    const next = [...items.slice(place + 1), ...items.slice(0, Math.max(place, 0))].find(isOpen);
    if (next) {
      this.go({ open: next.node });
    }
  }
}

readData().then((data) => new Page(data));
