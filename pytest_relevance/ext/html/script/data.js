// @ts-check
"use strict";

/*
 * The data of the page as `page_data.py` writes them, and those of a case as `case_data.py` does. Fields of a case that are
 * empty, false or null are left out.
 */

/** A document: its grade, or null for an unjudged one. @typedef {number | null} Grade */

/**
 * Conventions of a score. `gains` are pairs of a grade and its gain.
 * @typedef {object} Settings
 * @property {string} text
 * @property {[number, number][]} gains
 * @property {string} gain "exponential", "linear" or "mapping"
 * @property {boolean} increasing whether a higher grade never has a lower gain
 * @property {string} discount "log2" or "ln"
 * @property {string} ideal "judged", "returned" or "max"
 * @property {string} unjudged "zero" or "skip"
 * @property {string} negative "keep" or "zero"
 * @property {string} undefined "nan" or "zero"
 * @property {number | null} maxGrade
 */

/** The grades that a result may be given, the lowest first, with names or "". @typedef {{grades: [number, string][]}} Scale */

/**
 * What a document costs of nDCG@k, or several documents together that were not returned.
 * @typedef {object} Loss
 * @property {string | null} document null: any of several
 * @property {number} grade
 * @property {number | null} rank null: not returned
 * @property {number} loss of nDCG@k
 * @property {number} places how many ranks of the ideal ranking the candidates share
 * @property {number} candidates how many documents there are for these ranks
 */

/**
 * A passage, and where it is in the rankings. Texts are words for the reader, or "".
 * @typedef {object} Passage
 * @property {string} quote
 * @property {number} grade
 * @property {string} place where it is
 * @property {string} near what nearly holds it
 * @property {string} was where it was in the accepted ranking
 * @property {number} cost what its place costs of nDCG@k
 * @property {boolean} isMissing whether no result in the top k holds it
 */

/** An element that Python has made, as `reports/html/elements.py` writes it. @typedef {[string, Record<string, string>, (string | Tree)[]]} Tree */

/**
 * An unjudged result, and what a grade for it may change.
 * @typedef {object} ToJudge
 * @property {string} document
 * @property {number} worth by how much nDCG@k would change with a plausible grade
 * @property {number} move by how much nDCG@k would change with the highest grade
 * @property {number} chance that its grade settles whether the case got worse; 0 if it cannot
 */

/**
 * A document that moved, or that changed nDCG@k.
 * @typedef {object} Move
 * @property {string} document
 * @property {number | null} rankBefore null: not returned before
 * @property {number | null} rankNow null: not returned now
 * @property {number} change of nDCG@k
 */

/**
 * One case in one variant of its search.
 * @typedef {object} Case
 * @property {string} node pytest's node id; with a number if several checks of one test share it
 * @property {string} [test] pytest's node id, if `node` has a number
 * @property {string} id
 * @property {string} query
 * @property {string} label the id and the query, or the query alone if they are equal
 * @property {string} file
 * @property {string} place file and line
 * @property {Tree} row its row in the list
 * @property {string} search
 * @property {string} [variant] only if there are several
 * @property {string[]} [tags]
 * @property {number} [weight] 1 if left out
 * @property {Record<string, string>} [params]
 * @property {string} [note]
 * @property {string} status of the case in its run
 * @property {string} tone the class of the style that has the colour of its outcome
 * @property {string} [said] what became of it and how sure that is, for example "got worse, certain"; the status if left out
 * @property {boolean} [gotWorse] whether it got worse
 * @property {boolean} [isCertain] whether it got worse under every grading of its unjudged results
 * @property {boolean} [isOpen] whether it got worse, and unjudged results may explain it
 * @property {boolean} [isDecided] whether no grade can change that it got worse
 * @property {number} [fewest] how many grades can settle whether it got worse, at least; 0 if none can
 * @property {Certainty} [certainty] what it is with the reader's grades, if it got worse: `Verdict` sets it
 * @property {boolean} [gotBetter] whether it got better
 * @property {boolean} [failedBefore] whether it fails, and the accepted ranking misses the same
 * @property {boolean} [hasOtherRanking] whether the search returned other results than before, or another order
 * @property {number} k
 * @property {string} [metric] the metric of a known item, whose other results nobody judges; nDCG@k if left out
 * @property {number} [floor]
 * @property {number} tolerance by how much nDCG@k may fall
 * @property {number} [score] nDCG@k
 * @property {number} [lower]
 * @property {number} [upper]
 * @property {ToJudge[]} [toJudge] the unjudged results in the top k, each once, in the order of judging
 * @property {boolean} [undecided] whether grades decide if it got worse, meets its floor, or has enough judged results
 * @property {number} [before] nDCG@k of the accepted ranking under the judgments of today
 * @property {number} [latency] seconds
 * @property {boolean} [isShare] whether the latency is the share of a batch
 * @property {boolean} [isRecorded] whether no search was called, and the latency is that of a record
 * @property {number} settings index in `PageData.settings`
 * @property {number} scale index in `PageData.scales`
 * @property {number} lowest
 * @property {number} highest
 * @property {string[]} [documents] the ranking, best first
 * @property {Grade[]} [grades] one for each document; null also for a later copy
 * @property {(number | null)[]} [scores] the engine's
 * @property {Record<string, number>} [deeper] ranks of documents below `documents`
 * @property {number} [returned]
 * @property {[number, number][]} [judgments] how many judgments there are of each grade, pairs of grade and count
 * @property {[string, number][]} [missing] judged documents that are not in `documents`, with grades
 * @property {string[]} [accepted] the ranking of the baseline
 * @property {Grade[]} [acceptedGrades]
 * @property {Move[]} [moves] the largest change first
 * @property {string[]} [stale] what changed since the ranking was accepted
 * @property {Record<string, string>} [titles]
 * @property {Record<string, Record<string, string>>} [fields] further fields of documents
 * @property {Record<string, string>} [notes] of judgments, by document
 * @property {Record<string, string>} [filled] by document: who graded it, for a grade that is not of people
 * @property {string[]} [notInIndex]
 * @property {string[]} [notInCatalogue]
 * @property {Loss[]} [losses]
 * @property {Passage[]} [passages] in place of judged documents: then there are no grades, and nothing is judged
 * @property {string[]} [lostPassages] the quotes that only the earlier ranking has in its first k results
 * @property {string[]} [held] for each document the numbers of the passages that it holds, "-" for none
 * @property {string[]} [acceptedHeld] the same for `accepted`
 * @property {string[][]} [texts] the texts of the first documents, if they are known; each in pieces, plain and marked in turn
 * @property {string[][]} [acceptedTexts] the same for `accepted`; empty for a document whose text is not known
 * @property {string[]} [reasons]
 * @property {{text: string, frame: string}} [error]
 * @property {Record<string, string>} [explanations]
 * @property {string} [unstable]
 * @property {string} [ties] between which scores nDCG@k lies, if the order of equal scores decides about the floor
 */

/** The mean of the run by a metric, `after`, and of the reference, over cases with this total of weights. @typedef {{metric: string, before?: number, after: number, weight: number}} Mean */

/**
 * @typedef {object} PageData
 * @property {string} record a name that no other run has
 * @property {string[]} columns of the worklist that readers download
 * @property {string} formula the beginning of a cell that a spreadsheet would calculate, as a regular expression
 * @property {Record<string, number[]>} discounts of ranks 1, 2, ...
 * @property {Settings[]} settings
 * @property {Scale[]} scales
 * @property {Record<string, number>} counts how many queries a filter shows, as the first screen counts them
 * @property {boolean} canFail whether cases fail: not in a comparison of two runs
 * @property {Mean} [mean]
 * @property {Finding[]} findings the gates and diagnoses of the first screen
 * @property {Record<string, Record<string, string>>} addresses by file: the field with the `url` of a document, and with an `image` to show
 * @property {Case[]} cases in the order of the run
 * @property {number[]} worstFirst the indexes of the cases in the order of the list, the worst first
 */

/** A line of the first screen, with the indexes of its cases; `items` has the cases once they are looked up. @typedef {{text: string, cases: number[], items?: Set<Case>}} Finding */

/**
 * Return the value of a name in a record; undefined without one. A name that every object inherits, for example
 * "constructor", does not count: an id or a word of an address may be such a name.
 * @template Value
 * @param {Record<string, Value> | undefined} record @param {string} name @returns {Value | undefined}
 */
function lookUp(record, name) {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Return items by their key, in their order. @template Item @param {Item[]} items @param {(item: Item) => string} keyOf @returns {Map<string, Item[]>} */
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key) ?? [];
    group.push(item);
    groups.set(key, group);
  }
  return groups;
}

/**
 * Read the data that the page carries.
 * @returns {Promise<PageData>}
 */
async function readData() {
  const element = /** @type {HTMLElement} */ (document.getElementById("data"));
  const text = element.textContent ?? "";
  if (element.dataset.encoding !== "gzip") {
    return JSON.parse(text);
  }
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) {
    bytes[index] = binary.charCodeAt(index);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
