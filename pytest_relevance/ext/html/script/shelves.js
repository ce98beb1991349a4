// @ts-check
/*
 * The opened query as a searcher saw it: the first results before and now, as two shelves, and one sentence on what left
 * and what came. No metric, so that everybody understands it. It can be saved as a picture (SVG), without a network.
 */

const SHELF_LENGTH = 5;

/** A result on a shelf. `mark` says what became of it; `kind` is "left", "came" or "". @typedef {{title: string, facts: string[], url?: string, image?: string, mark: string, kind: string}} Card */

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
  const cards = (/** @type {string[]} */ names, /** @type {(name: string, rank: number) => string[]} */ markOf) =>
    names.map((name, index) => {
      const [mark, kind] = markOf(name, index + 1);
      const { url, image, fields } = shownOf(data, item, name);
      const text = item.texts?.[(item.documents ?? []).indexOf(name)];
      const facts = [...(text ? [text] : []), ...fields.map(([, field]) => field)];
      return { title: titleOf(item, name), facts, url, image, mark, kind };
    });
  const ofBefore = cards(before, (name, rank) => {
    const to = rankOf(item, name);
    const kind = now.includes(name) ? "" : "left";
    return [to === null ? "not found now" : to === rank ? "" : `now ${to}`, kind];
  });
  const ofNow = cards(now, (name, rank) => {
    const from = rankIn(item.accepted, name);
    const kind = before.includes(name) ? "" : "came";
    return [from === null ? "new" : from === rank ? "" : `was ${from}`, kind];
  });
  const shelves = [
    { name: "before", cards: ofBefore, empty: "" },
    { name: "now", cards: ofNow, empty: emptyText(item) },
  ];
  return { query: item.query || item.id, sentence: shelfSentence(item, before, now), shelves };
}

/** Say in one sentence what left the shelf and what came. @param {Case} item @param {string[]} before @param {string[]} now */
function shelfSentence(item, before, now) {
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
    return make("div", { class: "shelf" }, make("h2", {}, name), list);
  });
  return [foldable("As a searcher saw it", isOpen, searched, ...rows, save)];
}

/** Return a card as an element of its shelf. @param {Card} card */
function cardPart({ title, facts, url, image, mark, kind }) {
  /** @type {HTMLElement[]} */
  const parts = [...pictures(image)];
  parts.push(make("span", { class: "title" }, webLink(url, userText(title))));
  for (const fact of facts) {
    parts.push(make("span", { class: "field" }, webLink(fact, userText(fact))));
  }
  parts.push(make("span", { class: "mark" }, mark));
  return make("li", { class: `card ${kind}` }, ...parts);
}

// --- the picture ---------------------------------------------------------------------

const [CARD_WIDTH, CARD_HEIGHT, GAP, MARGIN] = [180, 112, 12, 24];
const [TITLE_LINES, LINE_LENGTH] = [3, 24];
const PICTURE_STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1c2330; }
  .query { font-weight: 700; font-size: 20px; }
  .quiet { fill: #596273; font-size: 12px; }
  rect { fill: #fff; stroke: #dfe3ea; }
  .ground { stroke: none; }
  .left { stroke: #7d8696; stroke-dasharray: 4 3; }
  .came { stroke: #2456c9; stroke-width: 2; }
`;

/** Return a text in lines of at most so many characters; the last one is cut. @param {string} text @param {number} length @param {number} most */
function wrapped(text, length, most) {
  /** @type {string[]} */
  const lines = [];
  for (const word of visible(text).split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= length) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  const cut = lines.map((line) => (line.length > length ? `${line.slice(0, length - 1)}\u2026` : line));
  return cut.length > most ? [...cut.slice(0, most - 1), `${cut[most - 1].slice(0, length - 1)}\u2026`] : cut;
}

/** Return a line of text in the picture. @param {string} text @param {number} x @param {number} y @param {string} [kind] */
function pictureText(text, x, y, kind = "") {
  const element = draw("text", { x, y, class: kind });
  element.textContent = text;
  return element;
}

/** Return the shelves as a picture. @param {Shelves} found */
function shelfPicture({ query, sentence, shelves }) {
  const width = 2 * MARGIN + SHELF_LENGTH * (CARD_WIDTH + GAP) - GAP;
  const parts = [pictureText(`You searched ${visible(query)}`, MARGIN, 40, "query")];
  const said = wrapped(sentence, 120, 3);
  said.forEach((line, index) => parts.push(pictureText(line, MARGIN, 64 + 20 * index)));
  let top = 64 + 20 * said.length + 8;
  for (const { name, cards, empty } of shelves) {
    parts.push(pictureText(name, MARGIN, top, "quiet"));
    if (!cards.length) {
      parts.push(pictureText(empty, MARGIN, top + 30));
    }
    cards.forEach((card, index) => {
      const x = MARGIN + index * (CARD_WIDTH + GAP);
      const y = top + 10;
      parts.push(draw("rect", { x, y, width: CARD_WIDTH, height: CARD_HEIGHT, rx: 6, class: card.kind }));
      const title = wrapped(card.title, LINE_LENGTH, TITLE_LINES);
      title.forEach((line, place) => parts.push(pictureText(line, x + 8, y + 22 + 18 * place)));
      const [fact = ""] = card.facts.flatMap((text) => wrapped(text, LINE_LENGTH, 1));
      parts.push(pictureText(fact, x + 8, y + 82), pictureText(card.mark, x + 8, y + 102, "quiet"));
    });
    top += CARD_HEIGHT + 36;
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
