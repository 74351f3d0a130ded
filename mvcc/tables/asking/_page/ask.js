/* The page of questions: shows what the server tells, and sends what the person says. */
"use strict";

const SHOWN = 4; // groups, before more are asked for
let showsAll = false;

function taken(told, words) {
  show(told);
  at("told").textContent = whatCame(told, words);
}

function whatCame({ undone, told }, words) {
  if (!told) return undone ? `Taken back: the answer to ${undone}.` : "Taken back.";
  const { id, answer, guessed } = told;
  if (isAboutGroups(answer)) return `You said ${words}; p takes it back.`;
  const guess = guessed ? "That was the first guess." : "The first guess was another group.";
  const said = `You said ${inWords(answer)} about ${id}; p takes it back.`;
  return guessed === null ? said : `${said} ${guess}`;
}

function stale(told, words, tried, body) {
  const isOfRow = body.answer !== "undo" && !isAboutGroups(body.answer);
  const now = told.said.find((one) => one.id === body.id);
  const known = [...state.groups.map((group) => group.name), "unsure", "outlier"];
  const same =
    now &&
    (body.answer === "new"
      ? !known.includes(now.answer)
      : now.answer === body.answer.replace(/^new:/, ""));
  const arrived = isOfRow && told.status.version === body.version + 1 && same;
  show(told);
  problem(arrived ? "" : notTaken("said", words, tried && !isOfRow));
  at("told").textContent = arrived ? `Had arrived: ${words}.` : "";
}

const isAboutGroups = (answer) => /^(merge|rename):/.test(answer);

function answer(value, words) {
  const { id, second_look } = state.card;
  say("answer", { id, answer: value, again: second_look !== null }, `${id}: ${words}`);
}

const choice = ({ name }) => answer(name, quoted(name));

function openGroup(name) {
  // it may not be shown, or have been overlooked
  if (state.groups.some((group) => group.name === name)) return choice({ name });
  return answer(name ? `new:${name}` : "new", name ? `new group ${quoted(name)}` : "a new group");
}

/* ---- what is shown ---- */

function show(told) {
  const before = state?.card?.id;
  const refocus = placeOfFocus();
  state = told;
  at("name").maxLength = told.most_letters;
  at("status").textContent = statusLine(told.status);
  naming(false);
  explain(false);
  showCard(told.card);
  showGroups();
  showSaid();
  if (before !== undefined && told.card?.id !== before) {
    at("thing").focus({ preventScroll: true });
    scrollTo(0, 0);
  } else refocus();
}

function statusLine(status) {
  const parts = [`${status.n_answers} answered`, counted(status.n_groups, "group")];
  if (status.moved !== null)
    parts.push(`the last 10 answers moved ${Math.round(100 * status.moved)} % of the rows`);
  if (status.n_answers)
    parts.push(
      `guessed ${status.guessed_of_last_ten} of your last ${Math.min(10, status.n_answers)}`,
    );
  if (status.settled) parts.push(`k = ${status.n_clusters_hint} is settled`);
  return parts.join(" · ");
}

function showCard(card) {
  showsAll = false;
  at("thing").textContent = card ? card.id : "Nothing is left to ask about.";
  for (const one of document.querySelectorAll("section > :not(h1), .answers :not([data-key=p])")) {
    one.classList.toggle("gone", !card);
  }
  if (!card) return;
  at("look").hidden = card.second_look === null;
  at("look").textContent = (card.second_look ?? "").replace("you", "You");
  at("rows").replaceChildren(...card.rows.map((row) => shownRow(row, "h2")));
  at("which").textContent = card.groups.length
    ? "Which of these is it like?"
    : "There is no group yet. What is this? Press n to name the first group.";
  at("none").textContent = card.groups.length ? "None of these" : "A new group";
  at("why").textContent = `Asked because ${card.why}.`;
  showOffers();
}

function offer(group) {
  const choose = make(
    "button",
    { onclick: () => choice(group), "aria-keyshortcuts": group.key || null },
    group.key && key(group.key),
    " ",
    make("strong", group.name),
    " ",
    soft(`(${group.size})`),
  );
  return make("li", choose, exemplars(group.exemplars));
}

function showOffers() {
  const { groups } = state.card;
  at("groups").replaceChildren(...groups.slice(0, showsAll ? groups.length : SHOWN).map(offer));
  const more = document.querySelector("[data-key=m]");
  more.hidden = groups.length <= SHOWN;
  more.setAttribute("aria-expanded", showsAll);
  more.querySelector("span").textContent = showsAll
    ? "Fewer groups"
    : `${groups.length - SHOWN} more`;
}

function showGroups() {
  at("all-groups").replaceChildren(
    ...state.groups.map((group) => {
      const item = make("li", `${group.name} (${group.size}) `);
      item.append(act("Rename", () => renaming(item, group), group.name));
      return item;
    }),
  );
  const options = () =>
    state.groups.map((group) => make("option", { value: group.name }, group.name));
  at("kept").replaceChildren(...options());
  at("gone").replaceChildren(...options());
  if (state.groups.length > 1) at("gone").selectedIndex = 1;
  at("merging").hidden = state.groups.length < 2;
}

function renaming(item, group) {
  const form = renameForm(group.name, group.name, quoted(group.name));
  inside(item, form);
  form[0].value = group.name;
  form[0].select();
}

function showSaid() {
  at("said").replaceChildren(
    ...state.said
      .toReversed()
      .map((one) =>
        make(
          "li",
          `${one.id}: ${inWords(one.answer)} `,
          soft(`${one.title} `),
          act("Change", () => changing(one), one.id),
        ),
      ),
  );
}

async function changing({ id, answer }) {
  const told = await get(`card?id=${encodeURIComponent(id)}`);
  if (!told) return;
  show({ ...state, card: told.card });
  told.card.second_look ??= "";
  at("look").hidden = false;
  at("look").replaceChildren(`You said ${inWords(answer)}. `, act("Keep it", back));
}

async function back() {
  const told = await get("state");
  if (told) show(told);
}

function finished(told) {
  document.querySelector("header button").hidden = true;
  ended(
    `${counted(told.status.n_answers, "answer")} kept. ${told.what}:`,
    told.then,
    "The server has ended; this page can be closed. Run mvcc ask again to resume.",
  );
}

/* ---- on demand ---- */

function explain(on) {
  at("explained").hidden = !on;
  document.querySelector("[aria-controls=explained]").setAttribute("aria-expanded", on);
}

function naming(on) {
  at("naming").hidden = !on;
  at("name").value = "";
  if (on) at("name").focus();
}

function unnamed() {
  naming(false);
  document.querySelector("[data-key=n]").focus();
}

async function why() {
  if (!at("explained").hidden) return explain(false);
  const { id } = state.card;
  const told = await get(`nearest?id=${encodeURIComponent(id)}`);
  if (!told || state.card?.id !== id) return undefined;
  at("nearest").replaceChildren(
    ...told.views.map(({ view, rows, points, marked }) =>
      make(
        "div",
        make("h3", `Nearest in ${view}`),
        make("ul", ...rows.map(nearRow)),
        plot(view, points, marked),
      ),
    ),
  );
  return explain(true);
}

function plot(view, points, marked) {
  const dots = (places) => places.map(([x, y]) => `M${x} ${-y}h0`).join("");
  const label = `The rows of ${view} in a plane; ${marked.length} marked`;
  return make(
    "svg",
    { viewBox: "-53 -53 106 106", role: "img", "aria-label": label },
    make("path", { d: dots(points) }),
    make("path", { d: dots(marked), class: "marked" }),
  );
}

function nearRow({ id, title, group, answered }) {
  const like = group && `; most like ${quoted(group)}`;
  const where = answered ? `in ${quoted(group)}` : `not asked${like}`;
  return make("li", `${id} ${title} `, soft(where));
}

const DOES = {
  n: () => naming(true),
  u: () => answer("unsure", "unsure"),
  o: () => answer("outlier", "fits nowhere"),
  m: () => {
    showsAll = !showsAll;
    showOffers();
  },
  "?": why,
};

const KEYS = /^[1-9a-z?]$/i;

function pressed(name) {
  if (!state.card) return undefined;
  if (Object.hasOwn(DOES, name)) return DOES[name]();
  const group = state.card.groups.find((one) => one.key === name); // also one that is not shown
  return group && choice(group);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !at("naming").hidden) unnamed();
});
at("unnamed").addEventListener("click", unnamed);
at("naming").addEventListener("submit", () => openGroup(at("name").value.trim()));
at("merging").addEventListener("submit", () => {
  const [kept, id] = [at("kept").value, at("gone").value];
  say("answer", { id, answer: `merge:${kept}` }, `${quoted(id)} into ${quoted(kept)}`);
});
back();
