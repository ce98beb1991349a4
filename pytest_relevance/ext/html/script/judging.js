// @ts-check
/*
 * Grading: which results are to be judged next, the buttons and the number field of a result, and the bar at the bottom
 * of the page with the progress, the reader's name and the download.
 */

/**
 * Return the results of a case that a reader is asked to grade, in the order of judging. A reader who judges blind is also
 * asked for unjudged results of the earlier ranking. The order is then drawn, and the same each time.
 * @param {Grades} grades @param {Case} item @returns {string[]}
 */
function askedOf(grades, item) {
  if (!grades.isBlind) {
    return unjudgedOf(item);
  }
  const before = (item.accepted ?? []).slice(0, item.k).filter((name) => judgmentOf(item, name) === null);
  const names = [...new Set([...unjudgedOf(item), ...before])];
  const lots = new Map(names.map((name) => [name, lotOf(JSON.stringify([grades.data.record, item.id, name]))]));
  return names.sort((one, other) => (lots.get(one) ?? 0) - (lots.get(other) ?? 0));
}

/** Return a number to put texts in a drawn order: the hash FNV-1a with 32 bits. @param {string} text */
function lotOf(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}

/** Return the results of a case to grade that have no answer, in the order of judging. @param {Grades} grades @param {Case} item */
function openOf(grades, item) {
  return askedOf(grades, item).filter((name) => grades.get(item, name) === undefined);
}

/**
 * Return the place of a case among those to judge, as in the worklist: first the cases that can be settled, those with the
 * highest chance before the others; then the undecided ones; then the rest. Within these, what is worth most comes first.
 * @param {Case} item @param {string[]} names its results to judge
 * @returns {number[]} a key that is compared number by number
 */
function judgingKey(item, names) {
  const open = (item.toJudge ?? []).filter((each) => names.includes(each.document));
  const chance = largest(open.map((each) => each.chance));
  const worth = open.reduce((sum, each) => sum + Math.abs(each.worth), 0) * (item.weight ?? 1);
  const group = chance ? 0 : item.undecided ? 1 : 2;
  return [names.length ? group : 3, -chance, -worth];
}

/** Sort cases by the order of judging. @param {Case[]} items @param {(item: Case) => string[]} namesOf the results to judge of a case */
function sortToJudge(items, namesOf) {
  const keys = new Map(items.map((item) => [item, judgingKey(item, namesOf(item))]));
  return items.sort((one, other) => {
    const [first, second] = [keys.get(one) ?? [], keys.get(other) ?? []];
    const differs = first.findIndex((number, place) => number !== second[place]);
    return differs < 0 ? 0 : first[differs] - second[differs];
  });
}

/** Say whether grades of a case are typed as numbers: its scale has many grades, or judgments have fractions. @param {PageData} data @param {Case} item */
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
  saveFile(grades.fileName, "text/csv", grades.toCsv());
  grades.isDownloaded = true;
}

/** Judging the open query: which result a key grades, the buttons for grades, and the bar below. */
class Judging {
  /**
   * @param {PageData} data
   * @param {Grades} grades
   * @param {Verdict} verdict
   * @param {() => void} goOn goes on to the next result or query to judge
   * @param {() => void} undo takes the last answer back, and shows where it was given
   */
  constructor(data, grades, verdict, goOn, undo) {
    this.data = data;
    this.grades = grades;
    this.verdict = verdict;
    /** @type {Case | null} */
    this.item = null;
    /** The unjudged document that a digit grades. */
    this.current = "";
    /** The document that a digit grades first: the one that was contested last, or that has the focus. */
    this.asked = "";
    /** Documents that nobody asks a grade for, and whose buttons for grades the reader opened. @type {Set<string>} */
    this.contested = new Set();
    this.bar = /** @type {HTMLElement} */ (document.getElementById("judging"));
    this.progress = make("strong");
    this.score = make("span", { class: "score", role: "status" });
    this.words = make("span", { class: "note" });
    this.rater = /** @type {HTMLInputElement} */ (
      make("input", { id: "rater", placeholder: "your name", "aria-label": "your name, for the column rater" })
    );
    this.rater.autocomplete = "off";
    this.rater.addEventListener("input", () => grades.setRater(this.rater.value));
    this.undo = button("undo", undo, { id: "undo" });
    this.download = button("", () => downloadGrades(grades), { id: "download", "data-download": true });
    this.skip = button("", goOn, { id: "next" });
    grades.addEventListener("loaded", () => this.leaveAnswered());
    const actions = [this.rater, this.undo, this.skip, this.download];
    this.bar.append(
      this.progress,
      this.score,
      verdict.short,
      this.words,
      make("span", { class: "actions" }, ...actions),
    );
  }

  /** Begin to judge a case; null if no case is open. @param {Case | null} item */
  show(item) {
    this.item = item;
    this.contested.clear();
    this.asked = "";
    this.current = item ? (openOf(this.grades, item)[0] ?? "") : "";
  }

  /** Answer for the current result, or for one that was clicked, and go on; a second click takes the answer back. @param {Answer} answer @param {string} [clicked] */
  answer(answer, clicked) {
    const { item, grades } = this;
    const chosen = clicked ?? this.asked;
    const name = chosen || this.current;
    this.asked = "";
    if (!name || !item) {
      return;
    }
    const isTakenBack = chosen !== "" && (grades.get(item, name) === answer || judgmentOf(item, name) === answer);
    if (isTakenBack) {
      this.contested.delete(name);
    }
    if (askedOf(grades, item).includes(name)) {
      this.current = isTakenBack ? name : this.openAfter(name);
    }
    grades.set(item, name, isTakenBack ? undefined : answer);
  }

  /** Return the switch for judging without hints; nothing for a query with nothing to grade. @param {Case} item @returns {HTMLElement[]} */
  blindSwitch(item) {
    const { grades } = this;
    if (!grades.isBlind && !askedOf(grades, item).length) {
      return [];
    }
    const title = "hide ranks, scores, verdicts, and which results are new, and show the results in a drawn order";
    const attributes = { id: "blind", title, "aria-pressed": String(grades.isBlind) };
    const change = () => {
      grades.setBlind(!grades.isBlind);
      this.show(item); // the first to grade is another one
      grades.dispatchEvent(new Event("change"));
    };
    return [button(grades.isBlind ? "judge blind: on" : "judge blind", change, attributes)];
  }

  /** Return the results behind a document that have no judgment and no answer, in the order of judging. @param {string} name */
  openBehind(name) {
    const names = this.item ? askedOf(this.grades, this.item) : [];
    const open = new Set(this.item ? openOf(this.grades, this.item) : []);
    return names.slice(names.indexOf(name) + 1).filter((other) => open.has(other));
  }

  /** Return the result to grade after a document: the next one, or else the first; "" if there is none. @param {string} name */
  openAfter(name) {
    const open = this.item ? openOf(this.grades, this.item) : [];
    return this.openBehind(name)[0] ?? open.find((other) => other !== name) ?? "";
  }

  /** Go on from the current result if another window has answered for it. */
  leaveAnswered() {
    if (this.item && this.current && this.grades.get(this.item, this.current) !== undefined) {
      this.current = this.openAfter(this.current);
    }
  }

  /** Go on to the next result without an answer. @returns {boolean} whether there is one in this query */
  next() {
    this.asked = "";
    const [next] = this.current ? this.openBehind(this.current) : [];
    this.current = next ?? this.current;
    return next !== undefined;
  }

  /** Let a digit grade this result: it has the focus, or its answer was undone. @param {string} name */
  goTo(name) {
    const isToJudge = this.item !== null && askedOf(this.grades, this.item).includes(name);
    this.asked = isToJudge ? "" : name;
    this.current = isToJudge ? name : this.current;
  }

  /**
   * Return the grades that a result may get, as buttons, or a number field if there are many. If no grade is wanted
   * (`isAsked` is false: it is judged, or is in the accepted ranking), return a button that shows them.
   * @param {string} name @param {boolean} isAsked @returns {HTMLElement[]}
   */
  choices(name, isAsked) {
    const { item, data, grades } = this;
    if (!item) {
      return [];
    }
    const given = grades.get(item, name);
    const judgment = judgmentOf(item, name);
    const title = titleOf(item, name);
    if (!isAsked && given === undefined && !this.contested.has(name)) {
      const show = () => {
        this.contested.add(name);
        this.asked = name;
        grades.dispatchEvent(new Event("change"));
        document.getElementById(`grade ${name} 0`)?.focus({ preventScroll: true });
      };
      const word = judgment === null ? "grade" : "disagree";
      return [
        button(word, show, { class: "contest", "aria-label": `${word}: ${title}`, title: "give it a grade of yours" }),
      ];
    }
    const group = make("div", { class: "grades", role: "group", "aria-label": `grade of ${title}` });
    /** @type {[Answer, string][]} */
    const answers = [...namedGrades(data.scales[item.scale].grades)];
    if (judgment === null) {
      answers.push([CANNOT_TELL, "cannot tell"]);
    } else {
      group.append(`judged ${judgment}, you say`);
    }
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
    if (judgment !== null) {
      const words = "If the case file has this judgment, it counts and yours does not: change it there.";
      group.append(make("span", { class: "place" }, words));
    }
    return [group];
  }

  /** Return a field for a grade as a number, in place of buttons. @param {Case} item @param {string} name @param {Answer | undefined} given */
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

  /** Show the bar if there is something to judge in the open query, or if the reader has judged. */
  renderBar() {
    const { item, grades } = this;
    const total = item ? askedOf(grades, item).length : 0;
    this.bar.hidden = !total && !grades.count;
    const [judged, all] =
      item && total ? [total - openOf(grades, item).length, total] : [grades.answered, grades.toJudge.size];
    const where = make("span", { class: "long" }, item && total ? " answered" : " answered in all queries");
    this.progress.replaceChildren(`${judged} of ${all.toLocaleString("en")}`, where);
    const said = make("span", {}, ...(item && !grades.isBlind ? this.moved(item) : []));
    if (this.score.textContent !== said.textContent) {
      this.score.replaceChildren(said); // which is read aloud
    }
    if (!grades.isKept) {
      this.words.replaceChildren("This browser keeps nothing for this page: download before you leave it.");
    } else {
      this.words.replaceChildren(...(item?.note ? ["note: ", userText(item.note)] : []));
    }
    this.words.className = grades.isKept ? "note" : "loss";
    this.rater.value = grades.rater;
    this.verdict.short.hidden = grades.isBlind;
    this.undo.disabled = !grades.steps.length;
    this.skip.textContent = item && openOf(grades, item).length ? "skip" : "go on";
    this.download.replaceChildren(
      "download ",
      make("span", { class: "long" }, counted(grades.count, "judgment", "judgments")),
    );
    this.download.disabled = !grades.count;
  }

  /** `your grades: 0.326 to 0.514, floor 0.850`: how the reader moved the score of the open query. @param {Case} item @returns {(Node | string)[]} */
  moved(item) {
    const own = this.grades.of(item);
    const after = scoreText(own.size ? scoreOf(this.data, item, own).score : item.score);
    const before = scoreText(item.score);
    const isDone = openOf(this.grades, item).length === 0;
    const [moved, stays] = isDone ? ["you moved it from", "it stays at"] : ["your grades:", `nDCG@${item.k}`];
    const long = (/** @type {string} */ text) => make("span", { class: "long" }, text);
    const floor = item.floor === undefined ? "" : `, floor ${scoreText(item.floor)}`;
    return [long(before === after ? `${stays} ` : `${moved} ${before} to `), after, long(floor)];
  }
}
