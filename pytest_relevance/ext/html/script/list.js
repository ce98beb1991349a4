// @ts-check
/*
 * The table of queries with its search, filters and order.
 */

const FIRST_ROWS = 10;
const FEW_CASES = 20;
const ROWS_AT_ONCE = 40; // more take the browser longer than a key may

/** The values of each select above the list, by its name in the state. @type {Record<string, (item: Case) => string[]>} */
const CHOICES = {
  tag: (item) => item.tags ?? [],
  suite: (item) => [item.file],
  variant: (item) => (item.variant === undefined ? [] : [item.variant]),
};

/** The list of queries, and the controls above it. */
class CaseList {
  /**
   * @param {PageData} data @param {Grades} grades
   * @param {(change: Partial<State>, replaces?: boolean) => void} go changes the state
   */
  constructor(data, grades, go) {
    this.data = data;
    this.grades = grades;
    this.go = go;
    this.table = /** @type {HTMLTableElement} */ (document.getElementById("list"));
    this.controls = /** @type {HTMLElement} */ (document.getElementById("controls"));
    this.note = document.querySelector("#queries .more") ?? make("p", { class: "more" });
    this.table.after(this.note);
    this.isCompared = data.cases.some((item) => item.before !== undefined);
    /** Whether no query was searched. */
    this.isDead = data.cases.length > 0 && !data.cases.some(isSearched);
    /** The cases of the last search. @type {Case[]} */
    this.items = [];
    this.found = "";
    this.shown = 0;
    /** What the list shows. A link to a query keeps it, because the reader returns to the list. */
    this.state = START;
    const attributes = { placeholder: "search", "aria-label": "search queries, tags, titles, passages and reasons" };
    this.search = /** @type {HTMLInputElement} */ (make("input", { type: "search", id: "search", ...attributes }));
    this.search.addEventListener("input", () => this.go({ text: this.search.value }, true));
    /** The line of the first screen that the list is about. A click removes this filter. */
    this.chip = button("", () => this.go({ finding: "" }), { class: "chip", title: "show all queries" });
    /** How many cases each filter shows, by its name. @type {Record<string, number>} */
    this.counts = {};
    this.filters = make("div", { class: "filters", role: "group", "aria-label": "filters" });
    /** @type {Record<string, HTMLSelectElement>} */
    this.selects = {};
    this.buildControls();
    this.sortByHeads();
    this.table.addEventListener("click", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      const row = target.closest("tr[data-case]");
      const isLink = target.closest("a") !== null; // opened by itself, in a tab of its own if the reader wants that
      if (row && !isLink) {
        this.go({ open: row.getAttribute("data-case") ?? "" });
      }
    });
  }

  /** Build the filters, selects and the search field above the list. */
  buildControls() {
    for (const [name, { includes }] of Object.entries(SHOWN)) {
      this.counts[name] = this.data.cases.filter(includes).length;
    }
    const isFailedAlone = this.data.cases.some((item) => isFailed(item) !== (item.gotWorse === true));
    if (!this.data.canFail || !isFailedAlone) {
      this.counts.failed = 0; // "Got worse" shows the same queries
    }
    for (const [name, valuesOf] of Object.entries(CHOICES)) {
      const values = [...new Set(this.data.cases.flatMap(valuesOf))].sort(COLLATOR.compare);
      if (values.length > 1 || (name === "tag" && values.length)) {
        this.selects[name] = this.select(name, [["", `all ${name}s`], ...values.map((value) => [value, value])]);
      }
    }
    const isOffered = (/** @type {string} */ name) =>
      (name !== "change" || this.isCompared) && (name !== "judge" || this.grades.toJudge.size > 0);
    const hasWeights = new Set(this.data.cases.map((item) => item.weight ?? 1)).size > 1;
    const orders = Object.entries(ORDERS).filter(([name]) => isOffered(name));
    this.selects.sort = this.select(
      "sort",
      orders.map(([name, { label }]) => [name, !name && hasWeights ? `${label}, by drop \u00d7 weight` : label]),
    );
    this.controls.replaceChildren(this.chip, this.filters, ...Object.values(this.selects), this.search);
    this.controls.hidden = false;
  }

  /** Let the heads of the first columns sort the list, and sort it anew as "worst first" if they are used again. */
  sortByHeads() {
    const heads = this.table.querySelectorAll("thead th");
    for (const [index, name] of ["query", this.isCompared ? "change" : "score"].entries()) {
      const sort = () => this.go({ sort: this.state.sort === name ? "" : name });
      const title = `sort by ${ORDERS[name].label}`;
      const head = button(heads[index].textContent ?? "", sort, { class: "sort", title, "data-sort": name });
      heads[index].replaceChildren(head);
    }
  }

  /** Show the filters that find something, with how many queries each finds. @param {string} chosen */
  renderFilters(chosen) {
    const buttons = Object.entries(SHOWN).map(([name, { label, hint = false }]) => {
      const choose = () => this.go({ show: name, all: name === "", finding: "" });
      const isChosen = name === chosen;
      const show = button(`${label} `, choose, { "data-show": name, title: hint, "aria-pressed": String(isChosen) });
      const count = this.data.counts[name] ?? this.counts[name];
      show.append(make("b", {}, count.toLocaleString("en")));
      show.hidden = !count && name !== "" && !isChosen;
      return show;
    });
    const focused = document.activeElement?.getAttribute("data-show");
    this.filters.replaceChildren(...buttons);
    buttons.find((each) => each.getAttribute("data-show") === focused)?.focus();
  }

  /** Return a select that changes the state. Options are pairs of value and label. @param {string} name @param {string[][]} options @returns {HTMLSelectElement} */
  select(name, options) {
    const select = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": name }));
    for (const [value, label] of options) {
      select.append(make("option", { value }, visible(label)));
    }
    select.addEventListener("change", () => this.go({ [name]: select.value }));
    return select;
  }

  /** Find the cases of a state. @param {State} state */
  find(state) {
    this.items = matching(this.data, state, this.grades);
    this.found = CaseList.keyOf(state);
  }

  /** Whether the cases that were found last are those of a state. @param {State} state */
  isOf(state) {
    return this.found === CaseList.keyOf(state);
  }

  /** Return the part of a state that decides which cases it shows. @param {State} state */
  static keyOf(state) {
    return stateHash({ ...state, open: "", all: false });
  }

  /** Show the cases of a state, and the state in the controls. @param {State} state @param {string} [node] a query whose row is to be shown, however far down it is */
  render(state, node = "") {
    if (this.search.value !== state.text) {
      this.search.value = state.text;
    }
    for (const [name, select] of Object.entries(this.selects)) {
      select.value = String(state[/** @type {keyof State} */ (name)]);
    }
    const finding = this.data.findings[Number(state.finding)];
    this.chip.hidden = !state.finding || !finding;
    this.chip.replaceChildren(finding ? userText(finding.text) : "", " \u00d7");
    this.renderFilters(state.show);
    for (const head of this.table.querySelectorAll("button.sort")) {
      const isSorted = head.getAttribute("data-sort") === state.sort;
      head.parentElement?.setAttribute("aria-sort", isSorted ? "ascending" : "none");
    }
    this.state = state;
    this.find(state);
    const isStart = stateHash({ ...state, open: "" }) === stateHash(START);
    const first = this.isDead ? 0 : FIRST_ROWS; // a dead search has its error on the first screen
    const few = isStart && (this.isDead || this.items.length > FEW_CASES) ? first : ROWS_AT_ONCE;
    const place = node ? this.items.findIndex((item) => item.node === node) : -1;
    const most = Math.max(few, place + 1);
    this.table.hidden = !most;
    this.table.tBodies[0].replaceChildren(...this.items.slice(0, most).map((item) => this.row(item)));
    this.shown = Math.min(most, this.items.length);
    this.renderNote();
  }

  /** Say below the list how many cases it shows, with a button for more. */
  renderNote() {
    const count = this.items.length;
    const total = count.toLocaleString("en");
    if (!count) {
      const isEmpty = !this.data.cases.length;
      this.note.replaceChildren(isEmpty ? "No query to show." : "No query is like that.");
    } else if (this.shown < ROWS_AT_ONCE && count > this.shown) {
      const all = button(`show all ${total}`, () => this.go({ all: true }));
      this.note.replaceChildren(all, ` ${this.shown} of ${total} queries`);
    } else if (this.shown < count) {
      this.note.replaceChildren(
        button("show more", () => this.showMore()),
        ` ${this.shown.toLocaleString("en")} of ${total} queries`,
      );
    } else {
      this.note.replaceChildren(`${total} of ${this.data.cases.length.toLocaleString("en")} queries`);
    }
  }

  /** Add the next rows to the list. */
  showMore() {
    const next = this.items.slice(this.shown, this.shown + ROWS_AT_ONCE);
    this.table.tBodies[0].append(...next.map((item) => this.row(item)));
    this.shown += next.length;
    this.renderNote();
  }

  /** Return the row of a case. @param {Case} item */
  row(item) {
    return queryRow(item, this.grades, this.state);
  }

  /** The node id of the row that the keys have marked, or "". */
  get marked() {
    return this.table.querySelector("tr.current")?.getAttribute("data-case") ?? "";
  }

  /** Move the mark of the keys by so many rows; without a mark, to the first row. @param {number} by */
  mark(by) {
    const rows = [...this.table.tBodies[0].rows];
    const place = rows.findIndex((row) => row.classList.contains("current"));
    const next = rows[Math.max(0, Math.min(rows.length - 1, place + by))];
    if (next) {
      this.markNode(next.getAttribute("data-case") ?? "");
    }
  }

  /** Mark the row of a case, give it the focus, and take the mark from all other rows. @param {string} node */
  markNode(node) {
    for (const row of this.table.tBodies[0].rows) {
      const isMarked = row.getAttribute("data-case") === node;
      row.classList.toggle("current", isMarked);
      if (isMarked) {
        row.scrollIntoView({ block: "nearest" });
        row.querySelector("a")?.focus({ preventScroll: true });
      }
    }
  }
}
