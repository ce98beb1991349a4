// @ts-check
/*
 * The opened query as a searcher saw it: the first results before and now, as two shelves, and one sentence on what left
 * and what came. No metric, so that everybody understands it. It can be saved as a picture (SVG), without a network.
 */

const SHELF_LENGTH = 5;

/**
 * A result on a shelf. `text` is its text in pieces, plain and marked in turn; `became` says what became of it; `kind` is
 * "left", "came" or "".
 * @typedef {{title: string, text: string[], facts: string[], url?: string, image?: string, became: string, kind: string}} Card
 */

/** The cards of a ranking; `empty` says why there are none. @typedef {{name: string, cards: Card[], empty: string}} Shelf */

/** The two shelves of a query. @typedef {{query: string, sentence: string, shelves: Shelf[]}} Shelves */

/** Return the shelves of a case; null without an earlier ranking. @param {PageData} data @param {Case} item @returns {Shelves | null} */
function shelvesOf(data, item) {
  const length = Math.min(SHELF_LENGTH, item.k);
  const before = (item.accepted ?? []).slice(0, length);
  const now = (item.documents ?? []).slice(0, length);
  if (!before.length) {
    return null;
  }
  const card = (/** @type {string} */ name, /** @type {string[]} */ text, /** @type {string[]} */ [became, kind]) => {
    const { url, image, fields } = shownOf(data, item, name);
    const facts = fields.map(([, field]) => field);
    return { title: titleBeside(item, name, text), text, facts, url, image, became, kind };
  };
  const ofBefore = before.map((name, index) => {
    const rank = index + 1;
    const to = rankOf(item, name);
    const kind = now.includes(name) ? "" : "left";
    const became = to === null ? "not found now" : to === rank ? "" : `now ${to}`;
    return card(name, item.acceptedTexts?.[index] ?? [], [became, kind]);
  });
  const ofNow = now.map((name, index) => {
    const rank = index + 1;
    const from = rankIn(item.accepted, name);
    const kind = before.includes(name) ? "" : "came";
    const became = from === null ? "new" : from === rank ? "" : `was ${from}`;
    return card(name, item.texts?.[index] ?? [], [became, kind]);
  });
  const shelves = [
    { name: "before", cards: ofBefore, empty: "" },
    { name: "now", cards: ofNow, empty: emptyText(item) },
  ];
  return { query: item.query || item.id, sentence: shelfSentence(item, before, now), shelves };
}

/** Return the title of a document; "" if it is the beginning of its text, which stands beside it. @param {Case} item @param {string} name @param {string[]} text */
function titleBeside(item, name, text) {
  const title = titleOf(item, name);
  return text.length && text.join("").startsWith(title.replace(/\.\.\.$/, "")) ? "" : title;
}

/** Say what left the shelf and what came. @param {Case} item @param {string[]} before @param {string[]} now */
function shelfSentence(item, before, now) {
  const lost = lostPassages(item);
  return lost ? `${lost} ${rankingSentence(item, before, now)}` : rankingSentence(item, before, now);
}

/** Say which passages were in the first results before and are not now. @param {Case} item */
function lostPassages(item) {
  const [first, ...others] = item.lostPassages ?? [];
  if (first === undefined) {
    return "";
  }
  const more = others.length ? ` and ${others.length} more` : "";
  return `The first ${item.k} results no longer have "${first}"${more}.`;
}

/** Say in one sentence which results left and which came. @param {Case} item @param {string[]} before @param {string[]} now */
function rankingSentence(item, before, now) {
  const first = titleOf(item, before[0]);
  if (!now.length) {
    const found = isSearched(item) ? "Nothing is found now" : `Now: ${emptyText(item)}`;
    return `${found}. Before, "${first}" came first.`;
  }
  const left = before.filter((name) => !now.includes(name));
  const came = now.filter((name) => !before.includes(name));
  const count = Math.max(before.length, now.length);
  if (!left.length && !came.length) {
    const isSame = before.every((name, index) => name === now[index]);
    const order = isSame ? "in the same order" : "in another order";
    return `The first ${counted(count, "result is", "results are")} the same, ${order}.`;
  }
  const named = (/** @type {string[]} */ names) =>
    `"${titleOf(item, names[0])}"${names.length > 1 ? ` and ${names.length - 1} more` : ""}`;
  const gone = left.length ? [`${named(left)} left the first ${before.length}`] : [];
  const arrived = came.length ? [`${named(came)} came`] : [];
  return `${[...gone, ...arrived].join("; ")}.`;
}

/** Return the part of an opened query with its shelves. @param {PageData} data @param {Case} item @param {boolean} isOpen whether it is unfolded at first @returns {HTMLElement[]} */
function shelvesPart(data, item, isOpen) {
  const found = shelvesOf(data, item);
  if (!found) {
    return [];
  }
  const { query, sentence, shelves } = found;
  const searched = make("p", { class: "searched" }, "You searched ", make("b", {}, userText(query)), ". ");
  searched.append(userText(sentence));
  const save = button("save as a picture", () => savePicture(found), { class: "save" });
  const rows = shelves.map(({ name, cards, empty }) => {
    const items = cards.map((card) => cardPart(card));
    const list = cards.length
      ? make("ol", { role: "list", "aria-label": `shelf ${name}`, tabindex: "0" }, ...items)
      : make("p", { class: "empty" }, empty);
    const hasTexts = cards.some(({ text }) => text.length);
    return make("div", { class: hasTexts ? "shelf texts" : "shelf" }, make("h2", {}, name), list);
  });
  return [foldable("As a searcher saw it", isOpen, searched, ...rows, save)];
}

/** Return a card as an element of its shelf. @param {Card} card */
function cardPart({ title, text, facts, url, image, became, kind }) {
  /** @type {HTMLElement[]} */
  const parts = [...pictures(image)];
  if (title) {
    parts.push(make("span", { class: "title" }, webLink(url, userText(title))));
  }
  if (text.length) {
    const pieces = text.map((piece, index) => (isMark(index) ? make("mark", {}, visible(piece)) : visible(piece)));
    parts.push(make("span", { class: "text" }, make("bdi", {}, ...pieces)));
  }
  for (const fact of facts) {
    parts.push(make("span", { class: "field" }, webLink(fact, userText(fact))));
  }
  parts.push(make("span", { class: "became" }, became));
  return make("li", { class: `card ${kind}` }, ...parts);
}

/** Whether a piece of a text is marked: every second one is. @param {number} index */
function isMark(index) {
  return index % 2 === 1;
}

// --- the picture ---------------------------------------------------------------------

const [CARD_WIDTH, GAP, MARGIN, LINE_HEIGHT] = [180, 12, 24, 18];
const [TITLE_LINES, TITLE_LENGTH, TEXT_LINES, TEXT_LENGTH] = [3, 22, 7, 25]; // lengths in characters
const WORDS_BEFORE = 4; // how many words of a text stay before its first quote

/** A part of a line: its text, and whether it is marked. @typedef {{text: string, isMarked: boolean}} Run */
const PICTURE_STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1c2330; }
  .query { font-weight: 700; font-size: 20px; }
  .quiet { fill: #596273; font-size: 12px; }
  rect { fill: #fff; stroke: #dfe3ea; }
  .ground { stroke: none; }
  .left { stroke: #7d8696; stroke-dasharray: 4 3; }
  .came { stroke: #2456c9; stroke-width: 2; }
  .small { font-size: 12px; }
  .marked { fill: #136c3b; font-weight: 700; }
`;

/** Return the words of a text as runs, each with the space before it. If many words stand before the first marked one, the first words are left out. @param {string[]} pieces plain and marked ones in turn @returns {Run[]} */
function wordsOf(pieces) {
  let space = ""; // at the end of the piece before
  const words = pieces.flatMap((piece, index) => {
    const text = space + visible(piece);
    space = /\s*$/.exec(text)?.[0] ?? "";
    return (text.match(/\s*\S+/g) ?? []).map((word) => ({ text: word, isMarked: isMark(index) }));
  });
  const left = words.findIndex((word) => word.isMarked) - WORDS_BEFORE;
  return left > 0 ? [{ text: "\u2026", isMarked: false }, ...words.slice(left)] : words;
}

/** Return a text in lines of at most so many characters; what does not fit is cut. @param {string[]} pieces plain and marked ones in turn @param {number} length @param {number} most @returns {Run[][]} */
function wrapped(pieces, length, most) {
  /** @type {Run[][]} */
  const lines = [];
  let room = 0;
  for (const { text, isMarked } of wordsOf(pieces)) {
    if (text.length > room) {
      lines.push([]);
      room = length;
    }
    const isFirst = room === length;
    const word = isFirst ? shortened(text.trimStart(), length) : text;
    lines[lines.length - 1].push({ text: word, isMarked });
    room -= word.length;
  }
  if (lines.length > most) {
    const last = lines[most - 1].map(({ text }) => text).join("");
    const end = { text: `${last.slice(0, length - 1)}\u2026`, isMarked: lines[most - 1][0].isMarked };
    return [...lines.slice(0, most - 1), [end]];
  }
  return lines;
}

/** Return a text of at most so many characters. @param {string} text @param {number} length */
function shortened(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}\u2026` : text;
}

/** Return a line of text in the picture. @param {string | Run[]} text @param {number} x @param {number} y @param {string} [kind] */
function pictureText(text, x, y, kind = "") {
  const element = draw("text", { x, y, class: kind });
  if (typeof text === "string") {
    element.textContent = text;
  } else if (text.some((run) => run.isMarked)) {
    element.append(...text.map(runPart));
  } else {
    element.textContent = text.map((run) => run.text).join("");
  }
  return element;
}

/** Return a part of a line in the picture. @param {Run} run */
function runPart({ text, isMarked }) {
  const part = draw("tspan", isMarked ? { class: "marked" } : {});
  part.textContent = text;
  return part;
}

/** Return the lines in the card of a picture: its title, and its text or else its first fact. @param {Card} card @param {number} x @param {number} y */
function cardLines({ title, text, facts }, x, y) {
  const titles = wrapped([title], TITLE_LENGTH, TITLE_LINES);
  const others = text.length ? wrapped(text, TEXT_LENGTH, TEXT_LINES) : wrapped(facts.slice(0, 1), TEXT_LENGTH, 1);
  return [...titles, ...others].map((line, place) => {
    const kind = place < titles.length ? "" : "small";
    return pictureText(line, x, y + LINE_HEIGHT * place, kind);
  });
}

/** Return the shelves as a picture. @param {Shelves} found */
function shelfPicture({ query, sentence, shelves }) {
  const width = 2 * MARGIN + SHELF_LENGTH * (CARD_WIDTH + GAP) - GAP;
  const parts = [pictureText(`You searched ${visible(query)}`, MARGIN, 40, "query")];
  const said = wrapped([sentence], 120, 3);
  said.forEach((line, index) => parts.push(pictureText(line, MARGIN, 64 + 20 * index)));
  let top = 64 + 20 * said.length + 8;
  const hasTexts = shelves.some(({ cards }) => cards.some(({ text }) => text.length));
  const height = 22 + LINE_HEIGHT * (TITLE_LINES + (hasTexts ? TEXT_LINES : 1)) + 18;
  for (const { name, cards, empty } of shelves) {
    parts.push(pictureText(name, MARGIN, top, "quiet"));
    if (!cards.length) {
      parts.push(pictureText(empty, MARGIN, top + 30));
    }
    cards.forEach((card, index) => {
      const x = MARGIN + index * (CARD_WIDTH + GAP);
      const y = top + 10;
      parts.push(draw("rect", { x, y, width: CARD_WIDTH, height, rx: 6, class: card.kind }));
      parts.push(...cardLines(card, x + 8, y + 22), pictureText(card.became, x + 8, y + height - 10, "quiet"));
    });
    top += height + 36;
  }
  const style = draw("style", {});
  style.textContent = PICTURE_STYLE;
  const ground = draw("rect", { width, height: top, class: "ground" });
  const frame = { xmlns: SVG, width, height: top, viewBox: `0 0 ${width} ${top}` };
  return draw("svg", frame, style, ground, ...parts);
}

/** Hand the shelves to the browser as an SVG file. @param {Shelves} found */
function savePicture(found) {
  const words = found.query.match(/[\p{L}\p{N}]+/gu) ?? ["query"];
  const text = new XMLSerializer().serializeToString(shelfPicture(found));
  saveFile(`${words.join("-")}.svg`, "image/svg+xml", text);
}
