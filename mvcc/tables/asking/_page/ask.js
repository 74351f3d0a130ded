/* The page of questions: shows what the server tells, and sends what the person says. */
"use strict";

const SHOWN = 4; // groups, before more are asked for
let showsAll = false;

function showTaken(reply, words) {
  show(reply);
  byId("told").textContent = outcomeInWords(reply, words);
}

function outcomeInWords({ undone, told }, words) {
  if (!told) return undone ? `Taken back: the answer to ${undone}.` : "Taken back.";
  const { id, answer, guessed } = told;
  if (isAboutGroups(answer)) return `You said ${words}; p takes it back.`;
  const guess = guessed ? "That was the first guess." : "The first guess was another group.";
  const sentence = `You said ${inWords(answer)} about ${id}; p takes it back.`;
  return guessed === null ? sentence : `${sentence} ${guess}`;
}

function showStale(reply, words, isRetry, body) {
  const isOfRow = body.answer !== "undo" && !isAboutGroups(body.answer);
  const present = reply.said.find((given) => given.id === body.id);
  const knownAnswers = [...state.groups.map((group) => group.name), "unsure", "outlier"];
  const isSame =
    present &&
    (body.answer === "new"
      ? !knownAnswers.includes(present.answer)
      : present.answer === body.answer.replace(/^new:/, ""));
  // its response was lost: what was said since, and nothing else, is this answer
  const hasArrived = isOfRow && reply.status.version === body.version + 1 && isSame;
  show(reply);
  showProblem(hasArrived ? "" : notTaken("said", words, isRetry && !isOfRow));
  byId("told").textContent = hasArrived ? `Had arrived: ${words}.` : "";
}

const isAboutGroups = (answer) => /^(merge|rename):/.test(answer);

function answer(value, words) {
  const { id, second_look } = state.card;
  say("answer", { id, answer: value, again: second_look !== null }, `${id}: ${words}`);
}

const chooseGroup = ({ name }) => answer(name, quoted(name));

function openGroup(name) {
  // it may not be shown, or have been overlooked
  if (state.groups.some((group) => group.name === name)) return chooseGroup({ name });
  return answer(name ? `new:${name}` : "new", name ? `new group ${quoted(name)}` : "a new group");
}

/* ---- what is shown ---- */

function show(newState) {
  const idBefore = state?.card?.id;
  const refocus = rememberFocus();
  state = newState;
  byId("name").maxLength = newState.most_letters;
  byId("status").textContent = statusLine(newState.status);
  showNaming(false);
  explain(false);
  showCard(newState.card);
  showGroups();
  showSaid();
  if (idBefore !== undefined && newState.card?.id !== idBefore) {
    byId("thing").focus({ preventScroll: true });
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
  byId("thing").textContent = card ? card.id : "Nothing is left to ask about.";
  for (const part of document.querySelectorAll("section > :not(h1), .answers :not([data-key=p])")) {
    part.classList.toggle("gone", !card);
  }
  if (!card) return;
  byId("look").hidden = card.second_look === null;
  byId("look").textContent = (card.second_look ?? "").replace("you", "You");
  byId("rows").replaceChildren(...card.rows.map((row) => shownRow(row, "h2")));
  byId("which").textContent = card.groups.length
    ? "Which of these is it like?"
    : "There is no group yet. What is this? Press n to name the first group.";
  byId("none").textContent = card.groups.length ? "None of these" : "A new group";
  byId("why").textContent = `Asked because ${card.why}.`;
  showOffers();
}

function offerItem(group) {
  const nameButton = make(
    "button",
    { onclick: () => chooseGroup(group), "aria-keyshortcuts": group.key || null },
    group.key && key(group.key),
    " ",
    make("strong", group.name),
    " ",
    soft(`(${group.size})`),
  );
  return make("li", nameButton, exemplars(group.exemplars));
}

function showOffers() {
  const { groups } = state.card;
  byId("groups").replaceChildren(
    ...groups.slice(0, showsAll ? groups.length : SHOWN).map(offerItem),
  );
  const more = document.querySelector("[data-key=m]");
  more.hidden = groups.length <= SHOWN;
  more.setAttribute("aria-expanded", showsAll);
  more.querySelector("span").textContent = showsAll
    ? "Fewer groups"
    : `${groups.length - SHOWN} more`;
}

function showGroups() {
  byId("all-groups").replaceChildren(
    ...state.groups.map((group) => {
      const item = make("li", `${group.name} (${group.size}) `);
      item.append(button("Rename", () => renaming(item, group), group.name));
      return item;
    }),
  );
  const options = () =>
    state.groups.map((group) => make("option", { value: group.name }, group.name));
  byId("kept").replaceChildren(...options());
  byId("gone").replaceChildren(...options());
  if (state.groups.length > 1) byId("gone").selectedIndex = 1;
  byId("merging").hidden = state.groups.length < 2;
}

function renaming(item, group) {
  putInto(item, renameForm(group.name, group.name, quoted(group.name)));
}

function showSaid() {
  byId("said").replaceChildren(
    ...state.said
      .toReversed()
      .map((given) =>
        make(
          "li",
          `${given.id}: ${inWords(given.answer)} `,
          soft(`${given.title} `),
          button("Change", () => changing(given), given.id),
        ),
      ),
  );
}

async function changing({ id, answer }) {
  const reply = await get(`card?id=${encodeURIComponent(id)}`);
  if (!reply) return;
  show({ ...state, card: reply.card });
  reply.card.second_look ??= ""; // so that the answer is sent as one given again
  byId("look").hidden = false;
  byId("look").replaceChildren(`You said ${inWords(answer)}. `, button("Keep it", loadState));
}

function showFinished(reply) {
  document.querySelector("header button").hidden = true;
  showEnd(
    `${counted(reply.status.n_answers, "answer")} kept. ${reply.what}:`,
    reply.then,
    "The server has ended; this page can be closed. Run mvcc ask again to resume.",
  );
}

/* ---- on demand ---- */

function explain(isOn) {
  byId("explained").hidden = !isOn;
  document.querySelector("[aria-controls=explained]").setAttribute("aria-expanded", isOn);
}

function showNaming(isOn) {
  byId("naming").hidden = !isOn;
  byId("name").value = "";
  if (isOn) byId("name").focus();
}

function cancelNaming() {
  showNaming(false);
  document.querySelector("[data-key=n]").focus();
}

async function toggleWhy() {
  if (!byId("explained").hidden) return explain(false);
  const { id } = state.card;
  const reply = await get(`nearest?id=${encodeURIComponent(id)}`);
  if (!reply || state.card?.id !== id) return undefined; // another card may have come
  byId("nearest").replaceChildren(
    ...reply.views.map(({ view, rows, points, marked }) =>
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
  const dots = (positions) => positions.map(([x, y]) => `M${x} ${-y}h0`).join("");
  const label = `The rows of ${view} in a plane; ${marked.length} marked`;
  return make(
    "svg",
    { viewBox: "-53 -53 106 106", role: "img", "aria-label": label },
    make("path", { d: dots(points) }),
    make("path", { d: dots(marked), class: "marked" }),
  );
}

function nearRow({ id, title, group, answered }) {
  const guess = group && `; most like ${quoted(group)}`;
  const groupInWords = answered ? `in ${quoted(group)}` : `not asked${guess}`;
  return make("li", `${id} ${title} `, soft(groupInWords));
}

const ACTIONS = {
  n: () => showNaming(true),
  u: () => answer("unsure", "unsure"),
  o: () => answer("outlier", "fits nowhere"),
  m: () => {
    showsAll = !showsAll;
    showOffers();
  },
  "?": toggleWhy,
};

const KEYS = /^[1-9a-z?]$/i;

function pressOwnKey(name) {
  if (!state.card) return undefined;
  if (Object.hasOwn(ACTIONS, name)) return ACTIONS[name]();
  const group = state.card.groups.find((offered) => offered.key === name); // also one not shown
  return group && chooseGroup(group);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !byId("naming").hidden) cancelNaming();
});
byId("unnamed").addEventListener("click", cancelNaming);
byId("naming").addEventListener("submit", () => openGroup(byId("name").value.trim()));
byId("merging").addEventListener("submit", () => {
  const [kept, id] = [byId("kept").value, byId("gone").value];
  say("answer", { id, answer: `merge:${kept}` }, `${quoted(id)} into ${quoted(kept)}`);
});
loadState();
