/* What the pages of questions and of corrections share: making elements, and sending one thing at a
   time. All text goes through textContent, so that no id or name is ever taken for markup. A page
   defines show, taken, stale, finished, and its KEYS, of which pressed does its own. */
"use strict";

const at = (id) => document.getElementById(id);
let state = null; // as the server told it last
let unsent = null; // what could not be sent: {name, body, words}
let busy = false; // one request is sent at a time
let unanswered = false; // the problem that is shown is that nothing could be fetched

function make(tag, attributes = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else if (value !== null) one.setAttribute(name, value);
  }
  one.append(...children); // texts become text nodes
  return one;
}

const quoted = (text) => `“${text}”`;
const counted = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
const key = (name) => make("kbd", {}, name);

/* ---- what is sent ---- */

async function say(name, body, words, tried = false) {
  if (busy) return undefined;
  if (unsent && unsent.body !== body) return remind();
  setBusy(true);
  // a second try says what was seen at the first
  const version = body.version ?? state.status.version;
  unsent = { name, body: Object.assign(body, { version }), words, tried };
  try {
    const response = await fetch(name, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const told = await response.json().catch(() => null);
    if (response.status === 403 || response.status === 404) restarted();
    else if (response.status === 503) gone();
    else if (response.status === 409) stale(told);
    else if (!response.ok)
      refused(told ? told.error : `The server refused it (${response.status}).`);
    else if (name === "finish") finished(told);
    else taken(told);
  } catch {
    gone();
  } finally {
    setBusy(false);
  }
  return undefined;
}

/* Tell why what a page did not know the state for was not taken; it may have arrived before. */
function notTaken(done, words, perhaps) {
  const fate = perhaps ? "Perhaps this had arrived" : "Not taken";
  const why = `Something else was ${done} since this page was loaded; here is the present state.`;
  return `${why} ${fate}: ${words}.`;
}

function setBusy(on) {
  busy = on;
  document.body.classList.toggle("busy", on);
}

function refused(message) {
  unsent = null;
  problem(message);
}

function gone() {
  unsentProblem(`The server is gone. Start ${document.title} again, which shows a new address.`);
}

function restarted() {
  unsentProblem("The server was started anew, with another address: open the one that it shows.");
}

function unsentProblem(what) {
  const again = make(
    "button",
    { onclick: retry, "aria-keyshortcuts": "r" },
    key("r"),
    " Try this one again",
  );
  problem(`${what} Not sent: ${unsent.words}. `, again);
  again.focus(); // keys are not typed into a name any more
}

/* Nothing else is taken before what could not be sent. */
function remind() {
  at("problem").querySelector("button")?.focus();
}

function retry() {
  const { name, body, words } = unsent;
  say(name, body, words, true);
}

function problem(...content) {
  unanswered = false;
  at("problem").replaceChildren(...content);
  at("problem").hidden = content[0] === "";
  if (content[0] !== "") at("problem").scrollIntoView({ block: "nearest" });
}

/* Show what comes next; the page does nothing any more. */
function ended(what, command, ending) {
  unsent = state = null;
  document
    .querySelector("main")
    .replaceChildren(
      make("h1", { tabindex: -1 }, "Finished"),
      make("p", {}, what),
      make("p", {}, make("code", {}, command)),
      make("p", { class: "soft" }, ending),
    );
  document.querySelector("h1").focus();
}

/* Return what gives the focus to what takes the place of the list's entry that has it, if any. */
function placeOfFocus() {
  const item = document.activeElement.closest("li");
  const list = item?.parentElement;
  const place = item && [...list.children].indexOf(item);
  return () => {
    const next = list?.children[place]?.querySelector("button, input");
    next?.focus({ preventScroll: true });
    return Boolean(next);
  };
}

/* A form that renames `id`, which sentences call `words`. */
function renameForm(id, label, words) {
  const input = make("input", {
    maxlength: state.most_letters,
    autocomplete: "off",
    required: "",
    "aria-label": `New name of ${label}`,
  });
  const send = (event) => {
    event.preventDefault();
    const name = input.value.trim();
    say("answer", { id, answer: `rename:${name}` }, `${words} is now called ${quoted(name)}`);
  };
  return make("form", { onsubmit: send }, input, make("button", {}, "Rename"));
}

let seen = null; // the state at the first click of several

/* The second click of a double click is not meant for what has taken the place of the first. */
document.addEventListener(
  "click",
  (event) => {
    if (event.detail < 2) seen = state;
    if (seen === state) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

const LONG = 80; // characters of a value that may have to be scrolled, so that keys must reach it

/* Tell whether a key is meant as a command: not held down, not with another, not in a field. */
function isCommand(event) {
  const withAnother = event.ctrlKey || event.altKey || event.metaKey;
  const inField = event.target.matches("input:not([type=checkbox]), select");
  return !event.repeat && !withAnother && !inField;
}

function press(name) {
  if (unsent) return name === "r" ? retry() : remind();
  if (!state || busy) return undefined;
  if (name === "p") return say("answer", { id: "", answer: "undo" }, "undo");
  return name === "f" ? say("finish", {}, "finish") : pressed(name);
}

document.addEventListener("keydown", (event) => {
  if (!isCommand(event) || !KEYS.test(event.key)) return;
  event.preventDefault();
  press(event.key.toLowerCase());
});
for (const one of document.querySelectorAll("[data-key]"))
  one.addEventListener("click", () => press(one.dataset.key));

/* Objects as examples, each of which may have several rows. */
function exemplars(objects) {
  const shown = (rows) => rows.map((row) => shownRow(row));
  const each = objects.map((rows) => make("div", { class: "exemplar" }, ...shown(rows)));
  return make("div", { class: "exemplars" }, ...each);
}

function shownRow(row, heading = "h3") {
  const value = (text) => make("dd", text.length > LONG ? { tabindex: 0 } : {}, text);
  return make(
    "article",
    { class: "row" },
    make(heading, {}, make("span", {}, `${row.view} `), row.id),
    ...row.images.map((number) =>
      make("img", { src: `image/${number}`, alt: `Picture of ${row.id}` }),
    ),
    ...(row.values.length
      ? [
          make(
            "dl",
            { tabindex: 0 },
            ...row.values.flatMap(([name, text]) => [make("dt", {}, name), value(text)]),
          ),
        ]
      : []),
    ...(row.bars.length ? [bars(row.bars)] : []),
  );
}

function bars(values) {
  const most = Math.max(3, ...values.map(([, , z]) => Math.abs(z)));
  return make(
    "table",
    { class: "bars" },
    make("caption", {}, "Values, and standard deviations from the mean"),
    ...values.map(([name, value, z]) => {
      const bar = make("span", z < 0 ? { class: "below" } : {});
      const width = (50 * Math.abs(z)) / most;
      bar.style.width = `${width}%`;
      bar.style.left = `${z < 0 ? 50 - width : 50}%`;
      const number = `${z < 0 ? "−" : "+"}${Math.abs(z).toFixed(1)}`;
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, name),
        make("td", {}, value),
        make("td", {}, make("div", { class: "bar" }, bar)),
        make("td", {}, number),
      );
    }),
  );
}

async function get(name) {
  if (unsent) return remind();
  const response = await fetch(name).catch(() => null);
  const told = response && (await response.json().catch(() => null));
  if (response && response.ok) {
    if (unanswered) problem("");
    return told;
  }
  problem(
    (told && told.error) ||
      `The server is gone, or has another address now. Start ${document.title} again.`,
  );
  unanswered = true;
  return null;
}
