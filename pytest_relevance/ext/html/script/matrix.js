// @ts-check
/*
 * The matrix of a run with several variants of a search: a row for each query of the list, a column for each variant. At
 * first it has only the queries whose scores differ, the largest difference first.
 */

const MATRIX_ROWS = 40;

/** A query in all variants: its cases by variant, and the difference of its highest and its lowest score. @typedef {{first: Case, cases: Map<string, Case>, spread: number}} MatrixRow */

/** The matrix, which is made when the reader opens it. */
class Matrix {
  /** @param {PageData} data */
  constructor(data) {
    this.variants = [...new Set(data.cases.flatMap((item) => item.variant ?? []))];
    this.isAll = false;
    this.shown = MATRIX_ROWS;
    this.rows = [...grouped(data.cases, countedAs).values()].map((items) => this.rowOf(items));
    this.rows.sort((one, other) => other.spread - one.spread);
    /** The cases that the list shows: the matrix has their queries. */
    this.listed = new Set(data.cases);
    const summary = make("summary", {}, "Queries by variant");
    this.part = /** @type {HTMLDetailsElement} */ (make("details", { id: "matrix" }, summary));
    this.part.hidden = this.variants.length < 2;
    this.part.addEventListener("toggle", () => this.render());
  }

  /** Return a row of the matrix. @param {Case[]} items the cases of a query, one for each variant @returns {MatrixRow} */
  rowOf(items) {
    const scores = items.map((item) => item.score ?? 0);
    const cases = new Map(items.map((item) => [item.variant ?? "", item]));
    return { first: items[0], cases, spread: Math.max(...scores) - Math.min(...scores) };
  }

  /** Show the queries of these cases. @param {Case[]} items the cases that the list shows */
  list(items) {
    this.listed = new Set(items);
    this.shown = MATRIX_ROWS;
    this.render();
  }

  /** Show the first rows, and a button for more, if the matrix is open. */
  render() {
    if (!this.part.open) {
      return;
    }
    const listed = this.rows.filter(({ cases }) => [...cases.values()].some((item) => this.listed.has(item)));
    const differing = listed.filter(({ spread }) => spread >= LEAST_CHANGE);
    const rows = this.isAll ? listed : differing;
    const only = button(`only what differs (${differing.length.toLocaleString("en")})`, () => this.show(!this.isAll), {
      "aria-pressed": String(!this.isAll),
    });
    const heads = ["query", ...this.variants.map((variant) => `#${visible(variant)}`)];
    const shown = rows.slice(0, this.shown).map((row) => this.row(row));
    const wide = make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "queries by variant" });
    wide.append(table(heads, shown));
    const parts = [make("p", {}, only), wide];
    if (rows.length > this.shown) {
      const more = button("show more", () => this.showMore());
      const count = `${shown.length.toLocaleString("en")} of ${counted(rows.length, "query", "queries")}`;
      parts.push(make("p", { class: "more" }, more, ` ${count}`));
    }
    this.part.replaceChildren(/** @type {Element} */ (this.part.firstElementChild), ...parts);
  }

  /** Show the queries that differ, or all. @param {boolean} isAll whether queries with the same score everywhere are shown too */
  show(isAll) {
    this.isAll = isAll;
    this.shown = MATRIX_ROWS;
    this.render();
  }

  /** Show more rows. */
  showMore() {
    this.shown += MATRIX_ROWS;
    this.render();
  }

  /** Return a row as an element. Each score opens the query in its variant, and the query opens the first of these. @param {MatrixRow} row */
  row({ first, cases, spread }) {
    const state = readState(location.hash);
    const best = Math.max(...[...cases.values()].map((item) => item.score ?? 0));
    const cells = this.variants.map((variant) => {
      const item = cases.get(variant);
      if (!item) {
        return make("td", { class: "number place" }, "\u2013");
      }
      const isBest = spread >= LEAST_CHANGE && item.score === best;
      const text = item.score === undefined ? statusText(item) : scoreText(item.score);
      const link = make("a", { href: stateHash({ ...state, open: item.node }) }, isBest ? make("b", {}, text) : text);
      return make("td", { class: "number" }, link);
    });
    const query = make("a", { href: stateHash({ ...state, open: first.node }) }, ...queryParts(first));
    return make("tr", {}, make("th", { scope: "row" }, query), ...cells);
  }
}
