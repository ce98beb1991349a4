// @ts-check
/*
 * The table of queries with its search, filters and order.
 */

const FIRST_ROWS = 10;
const FEW_CASES = 20;
const ROWS_AT_ONCE = 200;

/**
 * A new element with attributes, classes and children; text is always text.
 * @param {string} name @param {Record<string, string | boolean>} [attributes] @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== false) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children);
  return element;
}

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** Text of a user in its own direction, with control characters and those that reorder text as visible escapes. @param {string} text */
function userText(text) {
  const shown = text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return make("bdi", {}, shown);
}

/** @param {number | undefined} score */
function scoreText(score) {
  return score === undefined ? "n/a" : score.toFixed(3);
}

/** The title of a document, its id where it has none. @param {Case} item @param {string} document */
function titleOf(item, document) {
  return item.titles?.[document] || document;
}

class CaseList {
  /**
   * @param {PageData} data
   * @param {(change: Partial<State>, replaces?: boolean) => void} go changes the state
   */
  constructor(data, go) {
    this.data = data;
    this.go = go;
    this.table = /** @type {HTMLTableElement} */ (document.getElementById("list"));
    this.controls = /** @type {HTMLElement} */ (document.getElementById("controls"));
    this.note = document.querySelector("#queries .more") ?? make("p", { class: "more" });
    this.table.after(this.note);
    this.isCompared = data.cases.some((item) => item.before !== undefined);
    /** @type {Case[]} */
    this.items = [];
    this.shown = 0;
    /** What the list shows, which a link to a query keeps: it is what the reader returns to. */
    this.state = START;
    this.search = /** @type {HTMLInputElement} */ (
      make("input", { type: "search", id: "search", placeholder: "query, title, tag", "aria-label": "search" })
    );
    this.search.addEventListener("input", () => this.go({ text: this.search.value }, true));
    /** @type {Record<string, HTMLSelectElement>} */
    this.selects = {};
    this.buildControls();
    this.table.addEventListener("click", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      const row = target.closest("tr[data-case]");
      const isLink = target.closest("a") !== null; // opened by itself, in a tab of its own if the reader wants that
      if (row && !isLink) {
        this.go({ open: row.getAttribute("data-case") ?? "" });
      }
    });
  }

  buildControls() {
    const counts = Object.entries(SHOWN).map(([name, { label, includes }]) => {
      const count = this.data.cases.filter(includes).length;
      const button = make("button", { type: "button", "data-show": name }, `${label} `, make("b", {}, String(count)));
      button.addEventListener("click", () => this.go({ show: name, all: name === "" }));
      return count || name === "" ? button : "";
    });
    const values = {
      tag: new Set(this.data.cases.flatMap((item) => item.tags ?? [])),
      suite: new Set(this.data.cases.map((item) => item.file)),
      variant: new Set(this.data.cases.map((item) => item.variant ?? "")),
    };
    for (const [name, found] of Object.entries(values)) {
      if (found.size > 1 || (name === "tag" && found.size)) {
        const all = { tag: "all tags", suite: "all suites", variant: "all variants" }[name] ?? "";
        this.selects[name] = this.select(name, [["", all], ...[...found].sort().map((value) => [value, value])]);
      }
    }
    const orders = Object.entries(ORDERS).filter(([name]) => name !== "change" || this.isCompared);
    this.selects.sort = this.select("sort", orders.map(([name, { label }]) => [name, label]));
    const buttons = make("div", { class: "filters", role: "group", "aria-label": "filters" }, ...counts);
    this.controls.replaceChildren(buttons, ...Object.values(this.selects), this.search);
    this.controls.hidden = false;
  }

  /** @param {string} name @param {string[][]} options @returns {HTMLSelectElement} */
  select(name, options) {
    const select = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": name }));
    for (const [value, label] of options) {
      select.append(make("option", { value }, label));
    }
    select.addEventListener("change", () => this.go({ [name]: select.value }));
    return select;
  }

  /** @param {State} state */
  render(state) {
    this.state = state;
    if (this.search.value !== state.text) {
      this.search.value = state.text;
    }
    for (const [name, select] of Object.entries(this.selects)) {
      select.value = String(state[/** @type {keyof State} */ (name)]);
    }
    for (const button of this.controls.querySelectorAll("button[data-show]")) {
      button.setAttribute("aria-pressed", String(button.getAttribute("data-show") === state.show));
    }
    this.items = matching(this.data, state);
    const isStart = !state.all && !state.text && !state.show && !state.tag && !state.suite && !state.variant && !state.sort;
    const most = isStart && this.items.length > FEW_CASES ? FIRST_ROWS : ROWS_AT_ONCE;
    const body = this.table.tBodies[0];
    body.replaceChildren(...this.items.slice(0, most).map((item) => this.row(item)));
    this.shown = Math.min(most, this.items.length);
    this.renderNote();
  }

  renderNote() {
    const more = this.items.length - this.shown;
    if (!this.items.length) {
      this.note.replaceChildren("No query is like that.");
    } else if (more > 0) {
      const button = make("button", { type: "button" }, this.shown === FIRST_ROWS ? `show all ${this.items.length}` : "show more");
      button.addEventListener("click", () => (this.shown === FIRST_ROWS ? this.go({ all: true }) : this.showMore()));
      this.note.replaceChildren(button, ` ${this.shown} of ${this.items.length} queries`);
    } else {
      this.note.replaceChildren(`${this.items.length} of ${this.data.cases.length} queries`);
    }
  }

  showMore() {
    const next = this.items.slice(this.shown, this.shown + ROWS_AT_ONCE);
    this.table.tBodies[0].append(...next.map((item) => this.row(item)));
    this.shown += next.length;
    this.renderNote();
  }

  /** @param {Case} item @returns {HTMLElement} */
  row(item) {
    const open = make("a", { href: stateHash({ ...this.state, open: item.node }), class: "query" }, userText(item.label));
    const head = make("th", { scope: "row" }, open);
    if (item.variant) {
      head.append(" ", make("span", { class: "variant" }, userText(item.variant)));
    }
    const after = item.score === undefined ? item.status : scoreText(item.score);
    const scores = item.before === undefined ? after : `${scoreText(item.before)} \u2192 ${after}`;
    const lost = make("td");
    if (item.lost) {
      lost.append(userText(titleOf(item, item.lost.document)));
      if (item.lost.from !== null) {
        lost.append(" ", make("span", { class: "place" }, `${item.lost.from} \u2192 ${item.lost.to ?? "gone"}`));
      }
    }
    const onTop = make("td", {}, ...(item.onTop === undefined ? [] : [userText(titleOf(item, item.onTop))]));
    const cells = [head, make("td", { class: "scores" }, scores), lost, onTop];
    return make("tr", { "data-case": item.node, class: item.status.replace(" ", "-") }, ...cells);
  }
  /** The node id of the row that the keys are at, or "". */
  get marked() {
    return this.table.querySelector("tr.current")?.getAttribute("data-case") ?? "";
  }

  /** Move the mark of the keys by so many rows. @param {number} by */
  mark(by) {
    const rows = [...this.table.tBodies[0].rows];
    const place = rows.findIndex((row) => row.classList.contains("current"));
    const next = rows[Math.max(0, Math.min(rows.length - 1, place + by))];
    if (next) {
      this.markNode(next.getAttribute("data-case") ?? "");
    }
  }

  /** @param {string} node */
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
