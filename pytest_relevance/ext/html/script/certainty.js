// @ts-check
/*
 * Whether a query got worse for certain, with the grades that a reader gave in the page. The same definitions as in
 * results/certainty.py and results/settling.py; a test holds both to each other.
 */

const ROUNDING = 1e-9;

/** What became of a query that got worse: it did for certain, it may have, or with the reader's grades it did not. @typedef {"certain" | "open" | "excused"} Certainty */

/**
 * A document in the top k of either ranking. `factor` is 1 / discount at its rank now less that at its rank before. The
 * document adds its gain times the factor to the change of DCG.
 * @typedef {{document: string, grade: Grade, factor: number}} DocumentChange
 */

/** Return nDCG@k of the accepted ranking with the reader's grades, `own`. @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own */
function scoreBefore(data, item, own) {
  if (!own.size || item.before === undefined || !item.accepted) {
    return item.before;
  }
  return measureOf(data, item).ndcg(gradedRanking(asAccepted(item), own), item.k);
}

/** Return {document: 1 / discount at its first rank} for the top k. @param {Measure} measure @param {string[] | undefined} ranking @param {number} k */
function factorsOf(measure, ranking, k) {
  /** @type {Map<string, number>} */
  const factors = new Map();
  (ranking ?? []).slice(0, k).forEach((document, index) => {
    if (!factors.has(document)) {
      factors.set(document, 1 / measure.discounts[index]);
    }
  });
  return factors;
}

/** Return the documents in the top k of either ranking. @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own @returns {DocumentChange[]} */
function documentChanges(data, item, own) {
  const measure = measureOf(data, item);
  const before = factorsOf(measure, item.accepted, item.k);
  const after = factorsOf(measure, item.documents, item.k);
  const changes = [];
  for (const document of new Set([...before.keys(), ...after.keys()])) {
    const factor = (after.get(document) ?? 0) - (before.get(document) ?? 0);
    const grade = own.get(document) ?? judgmentOf(item, document);
    changes.push({ document, grade, factor });
  }
  return changes;
}

/** Return the greatest change of DCG that grades for unjudged documents can give. @param {PageData} data @param {Case} item @param {DocumentChange[]} changes */
function greatestChange(data, item, changes) {
  const measure = measureOf(data, item);
  const [least, most] = measure.extremeGrades(item.lowest, item.highest).map((grade) => measure.gain(grade));
  let sum = 0;
  for (const { grade, factor } of changes) {
    const gain = grade !== null ? measure.gain(grade) : factor > 0 ? most : least;
    sum += gain * factor;
  }
  return sum;
}

/** Whether nDCG@k falls by more than the tolerance, or below the floor. @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own */
function isWorse(data, item, own) {
  const before = scoreBefore(data, item, own) ?? NaN;
  const after = scoreOf(data, item, own).score;
  if (Number.isNaN(before) || Number.isNaN(after)) {
    return false;
  }
  if (before - after > item.tolerance + ROUNDING) {
    return true;
  }
  return item.floor !== undefined && after < item.floor && item.floor <= before;
}

/**
 * Return what a query that got worse is with the reader's grades; undefined if it did not get worse.
 * @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own @returns {Certainty | undefined}
 */
function certaintyWith(data, item, own) {
  if (!item.isCertain && !item.isOpen) {
    return undefined;
  }
  if (item.isDecided || !own.size) {
    return item.isCertain ? "certain" : "open";
  }
  if (!isWorse(data, item, own)) {
    return "excused";
  }
  const changes = documentChanges(data, item, own);
  const { ideal, unjudged } = data.settings[item.settings];
  if (ideal !== "judged" || unjudged !== "zero") {
    return changes.every(({ grade }) => grade !== null) ? "certain" : "open";
  }
  return greatestChange(data, item, changes) < -ROUNDING ? "certain" : "open";
}

/**
 * Return the fewest grades that can settle a query that needs grades; 0 if no grades can.
 * @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own
 */
function fewestGrades(data, item, own) {
  const isToJudge = new Set(unjudgedOf(item).filter((name) => !own.has(name)));
  const unjudged = documentChanges(data, item, own).filter((each) => each.factor && isToJudge.has(each.document));
  unjudged.sort((one, other) => Math.abs(other.factor) - Math.abs(one.factor));
  let fewest = 0;
  for (const isInFavour of [false, true]) {
    const grades = new Map(own);
    for (const [index, { document, factor }] of unjudged.entries()) {
      grades.set(document, factor > 0 === isInFavour ? item.highest : item.lowest);
      if (certaintyWith(data, item, grades) !== "open") {
        fewest = Math.min(fewest || Infinity, index + 1);
        break;
      }
    }
  }
  return fewest;
}
