/* What the pages of questions and of corrections share: making elements, and sending one thing at a
   time. All text goes through textContent, so that no id or name is ever taken for markup. A page
   defines show, showTaken, showStale, showFinished, and its KEYS, whose own pressOwnKey does. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
let state = null; // as the server told it last
let unsent = null; // what could not be sent: {name, body, words}
let busy = false; // one request is sent at a time
let nFetching = 0; // requests for what is to be shown
let unanswered = false; // the problem that is shown is that nothing could be fetched

/* Make an element of children, and of attributes that may stand before them. */
function make(tag, ...content) {
  const isDrawn = tag === "svg" || tag === "path";
  const element = isDrawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  const attributes = content[0]?.constructor === Object ? content.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...content); // texts become text nodes
  return element;
}

const quoted = (text) => `“${text}”`;
const WORDS = { unsure: "unsure", outlier: "fits nowhere" }; // other answers are names
const inWords = (answer) => (Object.hasOwn(WORDS, answer) ? WORDS[answer] : quoted(answer));
const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const key = (name) => make("kbd", name);
const soft = (...content) => make("span", { class: "soft" }, ...content);
const buttonRow = (...buttons) => make("div", { class: "keys" }, ...buttons);

/* A button that does something, of one of several things if they are named. */
function button(text, onclick, subject = "") {
  const label = subject ? `${text} ${subject}` : null;
  return make("button", { type: "button", onclick, "aria-label": label }, text);
}

/* ---- what is sent ---- */

async function say(name, body, words, isRetry = false) {
  if (busy) return undefined;
  if (unsent && unsent.body !== body) return remind();
  setBusy(true);
  // a second try says what was seen at the first
  const version = body.version ?? state.status.version;
  unsent = { name, body: Object.assign(body, { version }), words };
  try {
    const response = await fetch(name, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const reply = await response.json().catch(() => null);
    if (response.status === 403 || response.status === 404) return tellRestarted();
    if (response.status === 503) return tellGone();
    unsent = null;
    if (response.status === 409) return showStale(reply, words, isRetry, body);
    showProblem(response.ok ? "" : (reply?.error ?? `The server refused it (${response.status}).`));
    if (response.ok) return name === "finish" ? showFinished(reply) : showTaken(reply, words);
  } catch {
    tellGone();
  } finally {
    setBusy(false);
  }
  return undefined;
}

/* Tell why what a page did not know the state for was not taken; it may have arrived before. */
function notTaken(verb, words, mayHaveArrived) {
  const fate = mayHaveArrived ? "Perhaps this had arrived" : "Not taken";
  const cause = `Something else was ${verb} since this page was loaded; here is the present state.`;
  return `${cause} ${fate}: ${words}.`;
}

function setBusy(isBusy) {
  busy = isBusy;
  countFetching(0);
}

function countFetching(more) {
  nFetching += more;
  document.body.classList.toggle("busy", busy || nFetching > 0);
}

function tellGone() {
  showUnsent(`The server is gone. Start ${document.title} again, which shows a new address.`);
}

function tellRestarted() {
  showUnsent("The server was started anew, with another address: open the one that it shows.");
}

function showUnsent(reason) {
  const attributes = { onclick: retry, "aria-keyshortcuts": "r" };
  const retryButton = make("button", attributes, key("r"), " Try this one again");
  showProblem(`${reason} Not sent: ${unsent.words}. `, retryButton);
  retryButton.focus(); // keys are not typed into a name any more
}

/* Nothing else is taken before what could not be sent. */
function remind() {
  byId("problem").querySelector("button")?.focus();
}

function retry() {
  const { name, body, words } = unsent;
  say(name, body, words, true);
}

function showProblem(...content) {
  unanswered = false;
  byId("problem").replaceChildren(...content);
  byId("problem").hidden = content[0] === "";
  if (content[0] !== "") byId("problem").scrollIntoView({ block: "nearest" });
}

/* Show what comes next; the page does nothing any more. */
function showEnd(summary, command, ending) {
  unsent = state = null;
  document
    .querySelector("main")
    .replaceChildren(
      make("h1", { tabindex: -1 }, "Finished"),
      make("p", summary),
      make("p", make("code", command)),
      make("p", { class: "soft" }, ending),
    );
  document.querySelector("h1").focus();
}

/* Return what gives the focus to what takes the place of the list's entry that has it, if any. */
function rememberFocus() {
  const item = document.activeElement.closest("li");
  const list = item?.parentElement;
  const index = item && [...list.children].indexOf(item);
  return () => {
    const next = list?.children[index]?.querySelector("button, input");
    next?.focus({ preventScroll: true });
    return Boolean(next);
  };
}

/* A form that renames `id`, called `name` so far; sentences call it `words`. */
function renameForm(id, name, words) {
  const input = make("input", {
    value: name,
    onfocus: () => input.select(),
    maxlength: state.most_letters,
    autocomplete: "off",
    required: "",
    "aria-label": `New name of ${words}`,
  });
  const onsubmit = () => {
    const newName = input.value.trim();
    say("answer", { id, answer: `rename:${newName}` }, `${words} is now called ${quoted(newName)}`);
  };
  return make("form", { onsubmit }, input, make("button", "Rename"));
}

/* Put content into an item of a list, with a button, and a key, that takes it away. */
function putInto(item, ...content) {
  item.querySelector(".doing")?.remove();
  const cancel = () => {
    box.remove();
    item.querySelector("button").focus();
  };
  const onkeydown = (event) => event.key === "Escape" && cancel();
  const box = make("div", { class: "doing", onkeydown }, ...content, " ", button("Cancel", cancel));
  item.append(box);
  box.querySelector("input, select, button").focus();
}

/* What a form says is sent by a script, and the page stays. */
document.addEventListener("submit", (event) => event.preventDefault());

let stateAtClick = null; // the state at the first click of several

/* The second click of a double click is not meant for what has taken the place of the first. */
document.addEventListener(
  "click",
  (event) => {
    if (event.detail < 2) stateAtClick = state;
    if (stateAtClick === state) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

const LONG = 80; // characters of a value that may have to be scrolled, so that keys must reach it

/* Tell whether a key is meant as a command: not held down, not with another, not in a field. */
function isCommand(event) {
  const hasModifier = event.ctrlKey || event.altKey || event.metaKey;
  const isInField = event.target.matches("input:not([type=checkbox]), select");
  return !event.repeat && !hasModifier && !isInField;
}

function press(name) {
  if (unsent) return name === "r" ? retry() : remind();
  if (!state || busy) return undefined;
  if (name === "p") return say("answer", { id: "", answer: "undo" }, "undo");
  return name === "f" ? say("finish", {}, "finish") : pressOwnKey(name);
}

document.addEventListener("keydown", (event) => {
  if (!isCommand(event) || !KEYS.test(event.key)) return;
  event.preventDefault();
  press(event.key.toLowerCase());
});
for (const keyButton of document.querySelectorAll("[data-key]")) {
  const name = keyButton.dataset.key;
  keyButton.setAttribute("aria-keyshortcuts", name);
  keyButton.prepend(key(name), " ");
  keyButton.addEventListener("click", () => press(name));
}

/* Objects as examples, each of which may have several rows. */
function exemplars(objects) {
  const articles = (rows) => rows.map((row) => shownRow(row));
  const examples = objects.map((rows) => make("div", { class: "exemplar" }, ...articles(rows)));
  return make("div", { class: "exemplars" }, ...examples);
}

function shownRow(row, heading = "h3") {
  const description = (text) => make("dd", text.length > LONG ? { tabindex: 0 } : {}, text);
  const entries = row.values.flatMap(([name, text]) => [make("dt", name), description(text)]);
  return make(
    "article",
    { class: "row" },
    make(heading, make("span", `${row.view} `), row.id),
    ...row.images.map((image) =>
      make("img", { src: `image/${image}`, alt: `Picture of ${row.id}` }),
    ),
    entries.length ? make("dl", { tabindex: 0 }, ...entries) : "",
    row.bars.length ? bars(row.bars) : "",
  );
}

function bars(values) {
  const largest = Math.max(3, ...values.map(([, , z]) => Math.abs(z)));
  return make(
    "table",
    { class: "bars" },
    make("caption", "Values, and standard deviations from the mean"),
    ...values.map(([name, value, z]) => {
      const bar = make("span", z < 0 ? { class: "below" } : {});
      const width = (50 * Math.abs(z)) / largest;
      bar.style.width = `${width}%`;
      bar.style.left = `${z < 0 ? 50 - width : 50}%`;
      const deviation = `${z < 0 ? "−" : "+"}${Math.abs(z).toFixed(1)}`;
      return make(
        "tr",
        make("th", { scope: "row" }, name),
        make("td", value),
        make("td", make("div", { class: "bar" }, bar)),
        make("td", deviation),
      );
    }),
  );
}

async function get(path) {
  if (unsent) return remind();
  countFetching(1);
  const response = await fetch(path).catch(() => null);
  const reply = response && (await response.json().catch(() => null));
  countFetching(-1);
  if (!byId("problem")) return null; // the page has ended meanwhile
  if (response && response.ok) {
    if (unanswered) showProblem("");
    return reply;
  }
  const remedy = `Start ${document.title} again.`;
  const gone = `The server is gone, or has another address now. ${remedy}`;
  showProblem(reply?.error || (response?.status === 414 ? "This is too long to be found." : gone));
  unanswered = true;
  return null;
}

async function loadState() {
  const newState = await get("state");
  if (newState) show(newState);
}
