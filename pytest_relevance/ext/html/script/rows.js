// @ts-check
/*
 * A row of the list of queries. Python has made it (`query_rows.py`), as it makes the first rows, which are there without
 * scripts.
 */

/** Return the query of a case, and after it the id if that is another text. @param {Case} item @returns {[Node, ...(Node | string)[]]} */
function queryParts(item) {
  const id = item.id === item.query ? [] : [" ", make("span", { class: "id", dir: "auto" }, visible(item.id))];
  return [userText(item.query || item.id), ...id];
}

/** Return the row of a case, with a link to the case. @param {Case} item @param {Grades} grades @param {State} state */
function queryRow(item, grades, state) {
  const row = built(item.row);
  const query = /** @type {HTMLElement} */ (row.querySelector(".query"));
  query.replaceWith(make("a", { href: stateHash({ ...state, open: item.node }), class: "query" }, ...query.childNodes));
  row.querySelector("th")?.append(...factsOf(item, grades, state));
  return row;
}

/** Return what depends on the reader's grades, and the value that the list is sorted by, if no column has it. @param {Case} item @param {Grades} grades @param {State} state @returns {(Node | string)[]} */
function factsOf(item, grades, state) {
  const own = grades.of(item).size;
  const open = state.sort === "judge" ? openOf(grades, item).length : 0;
  const facts = [
    own && make("span", { class: "variant" }, `${counted(own, "grade", "grades")} of yours, not in the score`),
    state.sort === "latency" && item.latency !== undefined && make("span", { class: "variant" }, latencyText(item)),
    open && make("span", { class: "variant" }, `${open} to judge`),
  ];
  return facts.flatMap((fact) => (fact ? [" ", fact] : []));
}
