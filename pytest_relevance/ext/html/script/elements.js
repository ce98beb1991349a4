// @ts-check
/*
 * Elements of the page, and the text in them. Text of users is only ever set as text.
 */

const SVG = "http://www.w3.org/2000/svg";
const ARROW = "\u2192";

/** The attributes of a bar that is as wide as its container. */
const STRETCHED = { preserveAspectRatio: "none", "aria-hidden": "true" };

/** Attributes that a reader sees or hears. */
const SHOWN_ATTRIBUTES = new Set(["title", "aria-label", "placeholder"]);

/** Return the value of an attribute. If readers see or hear it, characters that reorder text are escaped. @param {string} name @param {string} value */
function attributeText(name, value) {
  return SHOWN_ATTRIBUTES.has(name) ? visible(value) : value;
}

/**
 * A new element with attributes, classes and children; text is always text.
 * @param {string} name @param {Record<string, string | boolean>} [attributes] true: without a value; false: left out
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== false) {
      element.setAttribute(key, attributeText(key, value));
    }
  }
  element.append(...children);
  return element;
}

/**
 * A new element of a drawing.
 * @param {string} name @param {Record<string, string | number>} attributes @param {...SVGElement} children
 */
function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, attributeText(key, String(value)));
  }
  element.append(...children);
  return element;
}

const SVG_NAMES = new Set(["svg", "rect"]);

/** Return the element that Python has made. Its texts are text. @param {Tree} tree @returns {HTMLElement | SVGElement} */
function built([name, attributes, children]) {
  const nodes = children.map((child) => (typeof child === "string" ? child : built(child)));
  const element = SVG_NAMES.has(name) ? draw(name, attributes) : make(name, attributes);
  element.append(...nodes);
  return element;
}

/** Return a button that calls `act`. @param {string} text @param {() => void} act @param {Record<string, string | boolean>} [attributes] */
function button(text, act, attributes = {}) {
  const element = /** @type {HTMLButtonElement} */ (make("button", { type: "button", ...attributes }, text));
  element.addEventListener("click", act);
  return element;
}

/** A table. Columns whose name begins with "#" have figures. @param {string[]} heads @param {HTMLElement[]} rows */
function table(heads, rows) {
  const cells = heads.map((name) =>
    name.startsWith("#")
      ? make("th", { scope: "col", class: "number" }, name.slice(1))
      : make(name ? "th" : "td", { scope: name ? "col" : false }, name),
  );
  return make("table", {}, make("thead", {}, make("tr", {}, ...cells)), make("tbody", {}, ...rows));
}

/** A cell of figures. @param {string} text */
function figures(text) {
  return make("td", { class: "number" }, text);
}

/** What the reader opened or closed, by title. @type {Map<string, boolean>} */
const unfolded = new Map();

/** The parts that are closed at first on a phone. */
const FOLDED = new Set(["before", "Breakdown"]);

/** Return a part of the opened query that can be closed. It then stays closed for other queries. @param {string} title @param {...HTMLElement} content */
function details(title, ...content) {
  const isFolded = FOLDED.has(title) && matchMedia("(max-width: 45rem)").matches;
  return foldable(title, !isFolded, ...content);
}

/** Return a part that can be opened and closed. It then stays so for other queries. @param {string} title @param {boolean} isOpenAtFirst @param {...HTMLElement} content */
function foldable(title, isOpenAtFirst, ...content) {
  const isOpen = unfolded.get(title) ?? isOpenAtFirst;
  const summary = make("summary", {}, title);
  const part = /** @type {HTMLDetailsElement} */ (make("details", { open: isOpen }, summary, ...content));
  summary.addEventListener("click", () => unfolded.set(title, !part.open));
  return part;
}

/** A button that copies a text. @param {string} label @param {() => string} text @param {string} id */
function copyButton(label, text, id) {
  const copied = () => (copy.textContent = "copied");
  const copy = button(label, () => navigator.clipboard?.writeText(text()).then(copied), { id });
  return copy;
}

/** Hand a text to the browser as a file. @param {string} name @param {string} type @param {string} text */
function saveFile(name, type, text) {
  const link = /** @type {HTMLAnchorElement} */ (make("a", { download: name }));
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Characters that control, hide or reorder text, as `harmless` in _text.py has them; joiners are part of words. */
const HARMFUL = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** @type {Record<string, string>} */
const NAMED_ESCAPES = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Text with characters that control, hide or reorder text as visible escapes, the same as in other reports. @param {string} text */
function visible(text) {
  return text.replace(HARMFUL, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const [mark, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return NAMED_ESCAPES[character] ?? `\\${mark}${code.toString(16).padStart(digits, "0")}`;
  });
}

/** Text of a user in its own direction. @param {string} text */
function userText(text) {
  return make("bdi", {}, visible(text));
}

/** Return text as a link if the address is one of the web, else the text alone. @param {string | undefined} address @param {Node} text */
function webLink(address, text) {
  const link = { href: address ?? "", rel: "noopener noreferrer", target: "_blank" };
  return isWeb(address) ? make("a", link, text) : text;
}

/** Whether an address begins with http:// or https://. @param {string | undefined} address */
function isWeb(address) {
  return /^https?:\/\/[^\s]+$/i.test(address ?? "");
}

/** Return a score with three decimals; "n/a" if it is not defined. @param {number | undefined} score */
function scoreText(score) {
  return score === undefined || Number.isNaN(score) ? "n/a" : score.toFixed(3);
}

/** Write `0.764 -> 0.312`, or the only score that there is. @param {number | undefined} before @param {string} after */
function changeText(before, after) {
  return before === undefined || Number.isNaN(before) ? after : `${scoreText(before)} ${ARROW} ${after}`;
}

/** A difference with its sign. @param {number} value */
function signed(value) {
  const text = value.toFixed(3);
  return Number(text) > 0 ? `+${text}` : Number(text) < 0 ? text : "0.000";
}

/** A number without zeros at its end. @param {number} value */
function short(value) {
  return String(Number(value.toFixed(3)));
}

/** `1 query`, `2 queries`. @param {number} number @param {string} one @param {string} several */
function counted(number, one, several) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
}

/** Return the title of a document, or its id without one. @param {Case} item @param {string} name */
function titleOf(item, name) {
  return lookUp(item.titles, name) || name;
}

/** What became of a case, in words, and how sure it is. @param {Case} item */
function statusText(item) {
  return item.said ?? item.status;
}

/** Why there are no results: the search failed, or returned none. @param {Case} item */
function emptyText(item) {
  const failed = { error: "the search failed", "not searched": "not searched" }[item.status];
  return failed ?? "nothing returned";
}

/** Why a query that was searched has no nDCG. */
const NO_SCORE = "no relevant judgment";

/** Say whether the search of a case returned, even if it returned nothing. @param {Case} item */
function isSearched(item) {
  return item.status !== "error" && item.status !== "not searched";
}

/** Return text quoted as one word of a shell. @param {string} text */
function shellQuoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
