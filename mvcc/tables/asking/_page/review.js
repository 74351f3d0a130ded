/* The page of corrections: shows clusters and doubtful rows, and sends one correction at a time. */
"use strict";

let selected = new Set(); // rows, as "view:id"
let opened = null; // the cluster whose rows are shown
let wanted = null; // the id whose rows are shown
const STILL = { preventScroll: true };

const fullName = ({ cluster, name }) => `${cluster} ${name}`.trim();
const rowsOf = (ids) => ids.map((id) => state.shown[id]);
const clusterOf = ({ view }, label) =>
  state.clusters.find(
    ({ cluster, rows }) => view in rows && String(cluster).split(":").pop() === String(label),
  );
const idOf = (row) => `${row.view}:${row.id}`;
const entry = (...content) => make("li", ...content);
const asRows = (rows) => make("div", { class: "rows" }, ...rows);

function correct(id, value, words) {
  say("answer", { id: String(id), answer: String(value) }, words);
}

function showTaken(reply) {
  selected.clear();
  showAnew(reply);
  const { said, n_moved, moved } = reply.told;
  if (n_moved > moved.length) moved.push(`and ${counted(n_moved - moved.length, "more row")}`);
  byId("told").replaceChildren(
    `${said} ${counted(n_moved, "row")} moved.`,
    make("details", make("summary", "Which ones"), make("ul", ...moved.map((text) => entry(text)))),
  );
  byId("told").querySelector("details").hidden = n_moved === 0;
}

function showStale(newState, words, isRetry) {
  showAnew(newState);
  showProblem(notTaken("corrected", words, isRetry));
  byId("told").replaceChildren();
}

function showFinished(reply) {
  document.querySelector("header").hidden = true;
  showEnd(
    `${reply.folder} has ${counted(reply.n, "correction")} in all.` +
      " They stay when the result is made anew with",
    `--continue ${reply.typed}`,
    "The server has ended; this page can be closed.",
  );
}

/* ---- what is shown ---- */

function showAnew(newState) {
  const refocus = rememberFocus();
  show(newState);
  if (!refocus()) document.querySelector(opened ? "#opened h2" : "h1").focus(STILL);
}

function show(newState) {
  state = newState;
  byId("status").textContent =
    counted(newState.clusters.length, "cluster") +
    ` · ${counted(newState.corrections.length, "correction")}`;
  byId("clusters").replaceChildren(...newState.clusters.map(clusterItem));
  showDoubts("disputed", "Different answers of several people", newState.disputed, disputedItem);
  showDoubts("between", "Rows between two clusters", newState.between, doubtfulItem);
  showDoubts("nowhere", "Rows that fit nowhere", newState.nowhere, doubtfulItem);
  showDoubts("violated", "Constraints that the clusters violate", newState.violated, violatedItem);
  showDoubts("matches", "Matches that seem to be wrong", newState.matches, matchItem);
  for (const name of ["disputed", "violated"])
    byId(`n-${name}`).parentElement.hidden = newState[name].n === 0;
  byId("corrections").replaceChildren(...newState.corrections.map((text) => entry(text)));
  if (newState.clusters.some((cluster) => String(cluster.cluster) === opened)) openRows(opened);
  else closeRows();
  if (wanted !== null) findRows(wanted);
  showSelection();
}

function showDoubts(name, title, doubts, itemOf) {
  byId(`n-${name}`).textContent = `${title} (${howMany(doubts)})`;
  byId(name).replaceChildren(...doubts.rows.map(itemOf));
}

function howMany({ n, rows }, order = "") {
  return n > rows.length ? `${n}, ${rows.length} of them${order}` : `${n}`;
}

function clusterItem(cluster) {
  const id = String(cluster.cluster);
  const sizes = Object.entries(cluster.rows).flatMap(([view, { size }], index) => [
    `${index ? ", " : ""}${size} `,
    make("bdi", view), // one from right to left would take the next number along
  ]);
  const typicalRows = Object.values(cluster.rows).flatMap((inView) => rowsOf(inView.typical));
  const item = make("li");
  const actions = {
    Rows: () => openRows(id).then(() => byId("opened").querySelector("h2")?.focus()),
    Rename: () => renaming(item, cluster),
    Merge: () => merging(item, cluster),
    Split: () => splitting(item, cluster),
  };
  item.append(
    make("h2", `${id}  `, cluster.name, " ", soft("(", ...sizes, ")")),
    exemplars(typicalRows.map((row) => [row])),
    buttonRow(
      ...Object.entries(actions).map(([text, action]) => button(text, action, fullName(cluster))),
    ),
  );
  return item;
}

function renaming(item, cluster) {
  putInto(item, renameForm(String(cluster.cluster), cluster.name, fullName(cluster)));
}

function option(cluster, chosen = "") {
  const selected = String(cluster.cluster) === chosen ? "" : null;
  return make("option", { value: cluster.cluster, selected }, fullName(cluster));
}

function merging(item, cluster) {
  const others = state.clusters.filter(
    (other) => other !== cluster && Object.keys(other.rows)[0] === Object.keys(cluster.rows)[0],
  );
  if (!others.length) {
    putInto(item, make("p", { role: "alert" }, "There is no other cluster to merge it into."));
    return;
  }
  const target = make("select", { "aria-label": "Into" }, ...others.map((other) => option(other)));
  const onsubmit = () => {
    const words = `${fullName(cluster)} into ${target.selectedOptions[0].textContent}`;
    correct(cluster.cluster, `merge:${target.value}`, words);
  };
  const merge = make("button", "Merge");
  putInto(item, make("form", { onsubmit }, "Put its rows into ", target, merge));
}

async function splitting(item, cluster) {
  const reply = await get(`parts?id=${encodeURIComponent(cluster.cluster)}`);
  if (!reply) return;
  const sections = reply.parts.map((part, index) =>
    make(
      "section",
      make("h3", `Part ${index + 1}: ${counted(part.n, "row")}`),
      exemplars(part.rows.map((row) => [row])),
    ),
  );
  const split = () => correct(cluster.cluster, "split", `split ${fullName(cluster)}`);
  putInto(item, asRows(sections), button("Split off part 2", split));
}

async function openRows(id) {
  const reply = await get(`rows?id=${encodeURIComponent(id)}`);
  const cluster = reply && state.clusters.find((one) => String(one.cluster) === id);
  if (!cluster) return; // it may be gone meanwhile
  opened = id;
  const closeAndReturn = () => {
    closeRows();
    const index = state.clusters.findIndex((one) => String(one.cluster) === id);
    byId("clusters").children[index].querySelector("button").focus();
  };
  const title = `Rows of ${fullName(cluster)} (${howMany(reply, ", the least sure first")}) `;
  const items = reply.rows.map((row) => entry(choosable(row)));
  showSection("opened", title, closeAndReturn, make("ul", { class: "rows" }, ...items));
}

/* Show content in a section, whose heading keeps the focus that was in it. */
function showSection(id, title, close, ...content) {
  const section = byId(id);
  const hadFocus = section.contains(document.activeElement);
  const heading = make("h2", { tabindex: -1 }, title, button("Close", close));
  section.replaceChildren(heading, ...content);
  section.hidden = false;
  if (hadFocus) heading.focus(STILL);
}

function closeRows() {
  opened = null;
  byId("opened").hidden = true;
}

async function findRows(text) {
  wanted = text;
  const reply = await get(`find?id=${encodeURIComponent(text)}`);
  if (wanted !== text || !state) return; // another one is looked for, or the page has ended
  if (!reply) {
    closeFound();
    return;
  }
  if (reply.version !== state.status.version) {
    await loadState(); // which looks for it again
    return;
  }
  Object.assign(state.shown, reply.shown);
  const closeAndReturn = () => {
    closeFound();
    byId("wanted").focus();
  };
  const items = make("ul", { class: "rows" }, ...reply.rows.map(doubtfulItem));
  const matches = make("ul", ...reply.matches.rows.map(matchItem));
  const nMatches = reply.matches.n ? make("h3", `Matches (${howMany(reply.matches)})`) : "";
  showSection("found", `Found (${howMany(reply)}) `, closeAndReturn, items, nMatches, matches);
  showSelection();
}

function closeFound() {
  wanted = null;
  byId("found").hidden = true;
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

function doubtfulItem({ id, cluster, second, probability, second_probability }) {
  const [row] = rowsOf([id]);
  const own = clusterOf(row, cluster);
  const other = second === cluster ? undefined : clusterOf(row, second);
  const chance = (share) => (share === null ? "" : ` (probability ${share})`);
  const place = own ? `In ${fullName(own)}${chance(probability)}` : "Left out";
  const choice = other ? `; second choice ${fullName(other)}${chance(second_probability)}` : "";
  const move = () => correct(id, second, `${id} to ${fullName(other)}`);
  const leaveOut = () => correct(id, "outlier", `${id} fits nowhere`);
  const buttons = buttonRow();
  if (other) buttons.append(button(`Move to ${fullName(other)}`, move, `(${id})`));
  if (own) buttons.append(button("Fits nowhere", leaveOut, `(${id})`));
  return entry(choosable(row), make("p", `${place}${choice}.`), buttons);
}

function disputedItem({ id, said }) {
  const rows = rowsOf(id.split("\n"));
  const rowNames = rows.map(idOf).join(" and ");
  const settle = (value, words) =>
    button(words, () => correct(id, value, `${rowNames}: ${words}`), `(${rowNames})`);
  const answeredClusters = said.map(({ cluster }) => clusterOf(rows[0], cluster));
  const choices = state.clusters.filter((cluster) => answeredClusters.includes(cluster));
  return entry(
    asRows(rows.map(choosable)),
    make("p", said.map(({ who, answer }) => `${who}: ${inWords(answer)}`).join("; ")),
    buttonRow(
      ...choices.map((cluster) => settle(cluster.cluster, `Put into ${fullName(cluster)}`)),
      settle("outlier", "Fits nowhere"),
    ),
  );
}

function violatedItem({ id, must_link, clusters, source }) {
  const rows = rowsOf(id.split("\n"));
  const [first, second] = clusters.map((label) => fullName(clusterOf(rows[0], label)));
  const finding = must_link
    ? `belong together, but they are in ${first} and in ${second}.`
    : `belong apart, but both are in ${first}.`;
  return entry(make("p", `By ${source}, these ${finding}`), asRows(rows.map(choosable)));
}

function matchItem({ id, used }) {
  const words = id.replace("\n", " and ");
  const deny = () => correct(id, "no match", `${words} are not the same`);
  const confirm = () => correct(id, "match", `${words} are the same`);
  return entry(
    asRows(rowsOf(id.split("\n")).map((row) => shownRow(row))),
    used ? "" : make("p", "This match was left out."),
    buttonRow(
      button("The same thing", confirm, `(${words})`),
      button("Wrong match", deny, `(${words})`),
    ),
  );
}

function showSelection() {
  const boxes = document.querySelectorAll("[data-row]");
  for (const box of boxes) box.checked = selected.has(box.dataset.row);
  byId("selection").hidden = selected.size === 0;
  byId("n-selected").textContent = `${counted(selected.size, "row")} selected`;
  const views = new Set([...selected].map((id) => id.split(":")[0]));
  document.querySelector("[value=match]").disabled = !(selected.size === 2 && views.size === 2);
  const chosen = byId("target").value;
  const targets = state.clusters.filter(({ rows }) =>
    [...views].every((view) => Object.hasOwn(rows, view)),
  );
  byId("target").replaceChildren(...targets.map((cluster) => option(cluster, chosen)));
  document.querySelector("[value=move]").disabled = targets.length === 0;
}

byId("selection").addEventListener("submit", (event) => {
  const ids = [...selected].join("\n");
  const rowCount = counted(selected.size, "row");
  const action = event.submitter.value;
  if (action === "clear") {
    selected.clear();
    showSelection();
  } else if (action === "move")
    correct(ids, byId("target").value, `${rowCount} to ${byId("target").value}`);
  else correct(ids, action, `${rowCount}: ${event.submitter.textContent}`);
});

byId("finding").addEventListener("submit", async () => {
  await findRows(byId("wanted").value);
  byId("found")?.querySelector("h2")?.focus();
});

const KEYS = /^[pfr]$/i;
const pressOwnKey = () => undefined; // there are no others
loadState();
