// @ts-check
/*
 * nDCG@k of a case and its interval, with the grades that a reader gave in the page. The same definitions, in the same
 * order of summation, as metrics/ndcg.py; a test holds both to each other.
 */

/**
 * A ranking with grades in place of documents: the grade at each rank (null: unjudged, or a later copy), the indexes of
 * later copies, and the grades of all judgments of the query.
 * @typedef {{grades: Grade[], repeated: Set<number>, judged: number[]}} GradedRanking
 */

/** @typedef {{score: number, lower: number, upper: number}} Scored nDCG@k (NaN: not defined) and its interval */

/**
 * Return the graded ranking of a case. The reader's grades, `own`, replace those of the judgments.
 * @param {Case} item
 * @param {ReadonlyMap<string, number>} own grades by document
 * @returns {GradedRanking}
 */
function gradedRanking(item, own) {
  const documents = item.documents ?? [];
  const grades = [...(item.grades ?? [])];
  const judged = (item.judgments ?? []).flatMap(([grade, count]) => Array(count).fill(grade));
  const repeated = new Set();
  const seen = new Set();
  documents.forEach((document, index) => {
    if (seen.has(document)) {
      repeated.add(index);
      return;
    }
    seen.add(document);
    grades[index] = own.get(document) ?? grades[index];
  });
  for (const [document, grade] of own) {
    const judgment = judgmentOf(item, document);
    judged.splice(judgment === null ? judged.length : judged.indexOf(judgment), 1, grade);
  }
  return { grades, repeated, judged };
}

/** How nDCG is computed under one set of settings. */
class Measure {
  /**
   * @param {Settings} settings
   * @param {number[]} discounts of ranks 1, 2, ...
   */
  constructor(settings, discounts) {
    this.settings = settings;
    this.discounts = discounts;
    /** @type {Map<Grade, number>} */
    this.gains = new Map(settings.gains);
    this.gains.set(null, 0);
  }

  /** Return the gain of a grade; 0 for an unjudged result. @param {Grade} grade @returns {number} */
  gain(grade) {
    let gain = this.gains.get(grade);
    if (gain === undefined) {
      gain = this.formula(/** @type {number} */ (grade));
      this.gains.set(grade, gain);
    }
    return gain;
  }

  /** Return the gain of a grade that is not in the data. @param {number} grade @returns {number} */
  formula(grade) {
    const { gain, negative } = this.settings;
    if (gain === "mapping") {
      throw new Error(`grade ${grade} has no gain`);
    }
    if (grade < 0 && negative === "zero") {
      return 0;
    }
    return gain === "linear" ? grade : 2 ** grade - 1;
  }

  /** Return the grades of a scale with the least and the greatest gain. @param {number} lowest @param {number} highest */
  extremeGrades(lowest, highest) {
    if (this.settings.increasing) {
      return [lowest, highest];
    }
    const scale = this.settings.gains.map(([grade]) => grade).filter((grade) => grade >= lowest && grade <= highest);
    scale.sort((one, other) => this.gain(one) - this.gain(other));
    return [scale[0], scale[scale.length - 1]];
  }

  /** Return the DCG of grades in the order of their ranks. @param {Grade[]} grades @returns {number} */
  dcg(grades) {
    let sum = 0;
    grades.forEach((grade, index) => (sum += this.gain(grade) / this.discounts[index]));
    return sum;
  }

  /**
   * The 0-based indexes of the results that are scored.
   * @param {GradedRanking} ranking @returns {number[]}
   */
  scoredIndexes(ranking) {
    const { unjudged, negative } = this.settings;
    const isScored = (/** @type {Grade} */ grade) =>
      unjudged === "zero" || (grade !== null && (negative !== "zero" || grade >= 0));
    return ranking.grades.flatMap((grade, index) => (isScored(grade) ? [index] : []));
  }

  /**
   * The grades of the ideal ranking, best first, cut at k, without documents that have no gain.
   * @param {GradedRanking} ranking @param {number} k @returns {number[]}
   */
  idealGrades(ranking, k) {
    const { ideal, maxGrade } = this.settings;
    if (ideal === "max") {
      const top = maxGrade ?? (ranking.judged.length ? Math.max(...ranking.judged) : null);
      return top === null || this.gain(top) <= 0 ? [] : Array(k).fill(top);
    }
    const returned = ranking.grades.filter((grade) => grade !== null);
    const pool = /** @type {number[]} */ (ideal === "returned" ? returned : ranking.judged);
    return pool
      .filter((grade) => this.gain(grade) > 0)
      .sort((one, other) => this.gain(other) - this.gain(one) || other - one)
      .slice(0, k);
  }

  /** nDCG@k, NaN where it is not defined. @param {GradedRanking} ranking @param {number} k @returns {number} */
  ndcg(ranking, k) {
    const best = this.idealGrades(ranking, k);
    const hasGain = ranking.judged.some((grade) => this.gain(grade) > 0);
    if (this.settings.ideal === "judged" ? !best.length : !hasGain) {
      return NaN;
    }
    if (!best.length) {
      return 0;
    }
    const scored = this.scoredIndexes(ranking).slice(0, k);
    return this.dcg(scored.map((index) => ranking.grades[index])) / this.dcg(best);
  }

  /**
   * Return nDCG@k, and its lowest and highest value under any grades of the unjudged results.
   * @param {GradedRanking} ranking @param {number} k @param {number} lowest @param {number} highest grades of the scale
   * @returns {Scored}
   */
  interval(ranking, k, lowest, highest) {
    const { ideal: kind, unjudged, undefined: ifUndefined } = this.settings;
    let score = this.ndcg(ranking, k);
    if (Number.isNaN(score) && ifUndefined === "zero") {
      score = 0;
    }
    const grades = ranking.grades.slice(0, k);
    const holes = grades.flatMap((grade, index) => (grade === null && !ranking.repeated.has(index) ? [index] : []));
    const ideal = this.idealGrades(ranking, k);
    if (!holes.length || kind !== "judged" || unjudged !== "zero" || !ideal.length) {
      return { score, lower: score, upper: score };
    }
    const [least, most] = this.extremeGrades(lowest, highest);
    const filled = (/** @type {number} */ deepest) => {
      const filling = holes.map((_, number) => (number >= holes.length - deepest ? most : least));
      const all = [...grades];
      holes.forEach((index, number) => (all[index] = filling[number]));
      return { grades: all, repeated: new Set(), judged: [...ranking.judged, ...filling] };
    };
    const allBest = filled(holes.length);
    const best = this.dcg(allBest.grades);
    const upper = best / this.dcg(best < 0 ? /** @type {Grade[]} */ (this.idealGrades(allBest, k)) : ideal);
    // The worst case: the last unjudged results have the greatest gain, those above them the least. How many are the last?
    let lower = score;
    for (let deepest = 0; deepest <= holes.length; deepest += 1) {
      const worst = filled(deepest);
      lower = Math.min(lower, this.dcg(worst.grades) / this.dcg(this.idealGrades(worst, k)));
    }
    return { score, lower, upper: Math.max(Math.min(1, upper), score) };
  }
}

/**
 * The present nDCG@k of a case with the grades that a reader gave, and its interval.
 * @param {PageData} data @param {Case} item @param {ReadonlyMap<string, number>} own @returns {Scored}
 */
function scoreOf(data, item, own) {
  if (item.passages || item.metric) {
    const score = item.score ?? NaN; // nobody judges passages, or known items, in the page
    return { score, lower: score, upper: score };
  }
  return measureOf(data, item).interval(gradedRanking(item, own), item.k, item.lowest, item.highest);
}
