/* The page of corrections: shows clusters and doubtful rows, and sends one correction at a time. */
"use strict";

let selected = new Set(); // rows, as "view:id"
let opened = null; // the cluster whose rows are shown
const STILL = { preventScroll: true };

const called = ({ cluster, name }) => `${cluster} ${name}`.trim();
const shownIn = (ids) => ids.map((id) => state.shown[id]); // rows, several as one id or a list
const clusterOf = ({ view }, number) =>
  state.clusters.find(({ cluster }) => cluster === number || cluster === `${view}:${number}`);
const idOf = (row) => `${row.view}:${row.id}`;
const line = (...content) => make("li", ...content);
const asRows = (rows) => make("div", { class: "rows" }, ...rows);

function correct(id, value, words) {
  say("answer", { id: String(id), answer: String(value) }, words);
}

function taken(told) {
  selected.clear();
  showAnew(told);
  const { said, n_moved, moved } = told.told;
  if (n_moved > moved.length) moved.push(`and ${counted(n_moved - moved.length, "more row")}`);
  at("told").replaceChildren(
    `${said} ${counted(n_moved, "row")} moved.`,
    make("details", make("summary", "Which ones"), make("ul", ...moved.map((row) => line(row)))),
  );
  at("told").querySelector("details").hidden = n_moved === 0;
}

function stale(told, words, tried) {
  showAnew(told);
  problem(notTaken("corrected", words, tried));
}

function finished(told) {
  document.querySelector("header").hidden = true;
  ended(
    `${told.folder} has ${counted(told.n, "correction")} in all.` +
      " They stay when the result is made anew with",
    `--continue ${told.typed}`,
    "The server has ended; this page can be closed.",
  );
}

/* ---- what is shown ---- */

function showAnew(told) {
  const refocus = placeOfFocus();
  show(told);
  if (!refocus()) document.querySelector(opened ? "#opened h2" : "h1").focus(STILL);
}

function show(told) {
  state = told;
  at("status").textContent =
    counted(told.clusters.length, "cluster") +
    ` · ${counted(told.corrections.length, "correction")}`;
  at("clusters").replaceChildren(...told.clusters.map(shownCluster));
  list("disputed", "Different answers of several people", told.disputed, disputed);
  list("between", "Rows between two clusters", told.between, doubtful);
  list("nowhere", "Rows that fit nowhere", told.nowhere, doubtful);
  list("violated", "Constraints that the clusters violate", told.violated, violated);
  list("matches", "Matches that seem to be wrong", told.matches, doubtfulMatch);
  for (const name of ["disputed", "violated"])
    at(`n-${name}`).parentElement.hidden = told[name].n === 0;
  at("corrections").replaceChildren(...told.corrections.map((text) => line(text)));
  if (told.clusters.some((one) => String(one.cluster) === opened)) open(opened);
  else close();
  showSelection();
}

function list(name, title, told, shown) {
  at(`n-${name}`).textContent = `${title} (${howMany(told)})`;
  at(name).replaceChildren(...told.rows.map(shown));
}

function howMany({ n, rows }, order = "") {
  return n > rows.length ? `${n}, ${rows.length} of them${order}` : `${n}`;
}

function shownCluster(one) {
  const id = String(one.cluster);
  const sizes = Object.entries(one.rows).flatMap(([view, { size }], place) => [
    `${place ? ", " : ""}${size} `,
    make("bdi", view), // one from right to left would take the next number along
  ]);
  const typical = Object.values(one.rows).flatMap((own) => shownIn(own.typical));
  const item = make("li");
  const does = {
    Rows: () => open(id).then(() => at("opened").querySelector("h2")?.focus()),
    Rename: () => renaming(item, one),
    Merge: () => merging(item, one),
    Split: () => splitting(item, one),
  };
  item.append(
    make("h2", `${id}  `, one.name, " ", soft("(", ...sizes, ")")),
    exemplars(typical.map((row) => [row])),
    keys(...Object.entries(does).map(([text, run]) => act(text, run, called(one)))),
  );
  return item;
}

function renaming(item, one) {
  inside(item, renameForm(String(one.cluster), called(one), called(one)));
}

function option(one, chosen = "") {
  const selected = String(one.cluster) === chosen ? "" : null;
  return make("option", { value: one.cluster, selected }, called(one));
}

function merging(item, one) {
  const others = state.clusters.filter(
    (other) => other !== one && Object.keys(other.rows)[0] === Object.keys(one.rows)[0],
  );
  if (!others.length) {
    inside(item, make("p", { role: "alert" }, "There is no other cluster to merge it into."));
    return;
  }
  const into = make("select", { "aria-label": "Into" }, ...others.map((other) => option(other)));
  const onsubmit = () => {
    const words = `${called(one)} into ${into.selectedOptions[0].textContent}`;
    correct(one.cluster, `merge:${into.value}`, words);
  };
  const merge = make("button", "Merge");
  inside(item, make("form", { onsubmit }, "Put its rows into ", into, merge));
}

async function splitting(item, one) {
  const told = await get(`parts?id=${encodeURIComponent(one.cluster)}`);
  if (!told) return;
  const shown = told.parts.map((part, place) =>
    make(
      "section",
      make("h3", `Part ${place + 1}: ${counted(part.n, "row")}`),
      exemplars(part.rows.map((row) => [row])),
    ),
  );
  const send = () => correct(one.cluster, "split", `split ${called(one)}`);
  inside(item, ...shown, act("Split off part 2", send));
}

async function open(id) {
  const told = await get(`rows?id=${encodeURIComponent(id)}`);
  if (!told || !state) return;
  opened = id;
  const back = () => {
    close();
    const place = state.clusters.findIndex((one) => String(one.cluster) === id);
    at("clusters").children[place].querySelector("button").focus();
  };
  const focused = at("opened").contains(document.activeElement);
  at("opened").replaceChildren(
    make(
      "h2",
      { tabindex: -1 },
      `Rows of ${id} (${howMany(told, ", the least sure first")}) `,
      act("Close", back),
    ),
    make("ul", { class: "rows" }, ...told.rows.map((row) => line(choosable(row)))),
  );
  at("opened").hidden = false;
  if (focused) at("opened").querySelector("h2").focus(STILL);
}

function close() {
  opened = null;
  at("opened").hidden = true;
}

function choosable(row) {
  const id = idOf(row);
  const box = make("input", { type: "checkbox", "aria-label": `Select ${id}`, "data-row": id });
  box.checked = selected.has(id);
  box.addEventListener("change", () => {
    if (box.checked) selected.add(id);
    else selected.delete(id);
    showSelection();
  });
  return make("div", make("label", box, " Select"), shownRow(row));
}

function doubtful({ id, second }) {
  const [row] = shownIn([id]);
  const other = clusterOf(row, second);
  const move = () => correct(id, second, `${id} to ${called(other)}`);
  const leaveOut = () => correct(id, "outlier", `${id} fits nowhere`);
  const buttons = keys(act("Fits nowhere", leaveOut, `(${id})`));
  if (other) buttons.prepend(act(`Move to ${called(other)}`, move, `(${id})`));
  return line(choosable(row), buttons);
}

function disputed({ id, said }) {
  const rows = shownIn(id.split("\n"));
  const what = rows.map(idOf).join(" and ");
  const settle = (value, words) =>
    act(words, () => correct(id, value, `${what}: ${words}`), `(${what})`);
  const answered = said.map(({ cluster }) => clusterOf(rows[0], cluster));
  const moves = state.clusters.filter((one) => answered.includes(one));
  return line(
    asRows(rows.map(choosable)),
    make("p", said.map(({ who, answer }) => `${who}: ${inWords(answer)}`).join("; ")),
    keys(
      ...moves.map((one) => settle(one.cluster, `Put into ${called(one)}`)),
      settle("outlier", "Fits nowhere"),
    ),
  );
}

function violated({ id, must_link, clusters, source }) {
  const rows = shownIn(id.split("\n"));
  const [one, other] = clusters.map((number) => called(clusterOf(rows[0], number)));
  const said = must_link
    ? `belong together, but they are in ${one} and in ${other}.`
    : `belong apart, but both are in ${one}.`;
  return line(make("p", `By ${source}, these ${said}`), asRows(rows.map(choosable)));
}

function doubtfulMatch({ id, used }) {
  const words = id.replace("\n", " and ");
  const part = () => correct(id, "no match", `${words} are not the same`);
  const join = () => correct(id, "match", `${words} are the same`);
  const wrong = act(used ? "Wrong match" : "Left out already", part, `(${words})`);
  wrong.disabled = !used;
  return line(
    asRows(shownIn(id.split("\n")).map((row) => shownRow(row))),
    keys(act("The same thing", join, `(${words})`), wrong),
  );
}

function showSelection() {
  const known = document.querySelectorAll("[data-row]");
  for (const box of known) box.checked = selected.has(box.dataset.row);
  at("selection").hidden = selected.size === 0;
  at("n-selected").textContent = `${counted(selected.size, "row")} selected`;
  const views = new Set([...selected].map((id) => id.split(":")[0]));
  document.querySelector("[value=match]").disabled = !(selected.size === 2 && views.size === 2);
  const chosen = at("target").value;
  const targets = state.clusters.filter(({ rows }) =>
    [...views].every((view) => Object.hasOwn(rows, view)),
  );
  at("target").replaceChildren(...targets.map((one) => option(one, chosen)));
  document.querySelector("[value=move]").disabled = targets.length === 0;
}

at("selection").addEventListener("submit", (event) => {
  const ids = [...selected].join("\n");
  const what = counted(selected.size, "row");
  const does = event.submitter.value;
  if (does === "clear") {
    selected.clear();
    showSelection();
  } else if (does === "move")
    correct(ids, at("target").value, `${what} to ${at("target").value}`);
  else correct(ids, does, `${what}: ${event.submitter.textContent}`);
});

const KEYS = /^[pfr]$/i;
const pressed = () => undefined; // there are no others
get("state").then((told) => told && show(told));
