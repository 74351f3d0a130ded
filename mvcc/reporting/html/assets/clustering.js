/* Wires the page of a clustering: its maps, the selected row, the search. Texts of users get into
   the page as text only, never as markup. */
"use strict";

(function () {
  const LISTED = 20; // constraints or counterparts of a row
  const IN_TIP = 5; // counterparts, beside the pointer
  const SHORT = 60; // characters of a value that shares its line with others
  const OFFERED = 50; // names, while one is typed
  const MANY = 3000; // points; more are smaller, and have no edges
  const DIM = 0.08;
  const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

  const shapes = data.shapes.map((path) => new Path2D(path));
  const coloring = byId("coloring");
  const status = byId("selection");
  const constraints = byId("selection-constraints");
  let selected = null; // view and row
  let opener = null; // what had the focus when a row was selected
  let alone = null; // the id of the cluster that is seen alone
  let marked = data.views.map(() => []); // rows with a ring

  data.views.forEach(function (view, number) {
    view.apart = data.apart ? data.apart[number] : "";
    view.place = view.rows && new Map(view.rows.map((row, place) => [row, place]));
    view.moved = new Map(view.moved);
    view.rowOf = new Map();
    view.ids.forEach(function (id, row) { if (!view.rowOf.has(id)) { view.rowOf.set(id, row); } });
  });

  /* ---- maps ---- */

  function viridis(share) {
    const place = share * (VIRIDIS.length - 1);
    const low = Math.min(Math.floor(place), VIRIDIS.length - 2);
    const [from, to] = VIRIDIS.slice(low, low + 2);
    const parts = from.map((part, at) => Math.round(part + (place - low) * (to[at] - part)));
    return "rgb(" + parts.join(",") + ")";
  }

  function colorOf(view) { // of a row
    const palette = Array.from({ length: data.nColors }, (_, number) => color("c" + number));
    const unknown = color("unknown");
    const valuesBy = { cluster: view.labels, class: view.classes, stability: view.stability };
    const values = valuesBy[coloring.value];
    if (!values) { return () => unknown; }
    if (coloring.value === "stability") { return (row) => viridis(values[row]); }
    return (row) => (values[row] === null ? unknown : palette[values[row] % data.nColors]);
  }

  function checked(kind) {
    const box = byId("kinds").querySelector('[value="' + kind + '"]');
    return Boolean(box && box.checked);
  }

  const kindOf = (mustLink) => (mustLink ? "must-link" : "cannot-link");

  function paintLinks(pen, plot, view, links, width, opacity) {
    const { x, y } = view;
    const must = color("must"), cannot = color("cannot");
    pen.save();
    pen.globalAlpha = opacity;
    links.forEach(function ([i, j, mustLink]) {
      pen.strokeStyle = mustLink ? must : cannot;
      pen.setLineDash(mustLink ? [] : [3 * width, 2 * width]);
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(...plot.at(x[i], y[i]));
      pen.lineTo(...plot.at(x[j], y[j]));
      pen.stroke();
    });
    pen.restore();
  }

  function paint(view, number, pen, plot) {
    const dim = alone === null ? 1 : 0.2;
    if (checked("violated")) {
      const violated = view.constraints.given.filter((link) => link[4] === "violated");
      paintLinks(pen, plot, view, violated, 6, 0.3 * dim);
    }
    Object.entries(view.constraints).forEach(function ([name, links]) {
      const drawn = links.filter((link) => checked(name + " " + kindOf(link[2])));
      const [width, opacity] = name === "given" ? [2, 1] : [1, 0.55];
      paintLinks(pen, plot, view, drawn, width, opacity * dim);
    });
    paintRows(pen, plot, view);
    const touched = Object.values(view.constraints).flat()
      .filter(([i, j]) => marked[number].includes(i) || marked[number].includes(j));
    paintLinks(pen, plot, view, touched, 3, 1);
    pen.strokeStyle = color("ink");
    pen.lineWidth = 3;
    marked[number].forEach(function (row) {
      pen.beginPath();
      pen.arc(...plot.at(view.x[row], view.y[row]), 9, 0, 7);
      pen.stroke();
    });
    paintNumbers(pen, plot, view);
  }

  function paintRows(pen, plot, view) {
    const many = view.labels.length > MANY;
    const fill = colorOf(view), edge = many ? null : color("paper");
    view.labels.forEach(function (label, row) {
      const seen = alone === null || alone === view.apart + label;
      pen.globalAlpha = seen ? 0.85 : DIM;
      const place = plot.at(view.x[row], view.y[row]);
      mark(pen, shapes[label % shapes.length], place, many ? 0.4 : 0.65, fill(row), seen && edge);
    });
    pen.globalAlpha = 1;
  }

  function paintNumbers(pen, plot, view) {
    pen.font = "bold 13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const taken = []; // one that would hide another waits for a larger map
    view.centers.forEach(function (center, cluster) {
      if (!center || (alone !== null && alone !== view.apart + cluster)) { return; }
      const [left, middle] = plot.at(...center);
      // beside it: rows of a clear group may all be at the center
      const top = middle > 36 ? middle - 18 : middle + 18;
      const width = pen.measureText(cluster).width + 8;
      if (taken.some(([x, y]) => Math.abs(x - left) < width && Math.abs(y - top) < 18)) { return; }
      taken.push([left, top]);
      pen.globalAlpha = 0.85;
      pen.fillStyle = color("paper");
      pen.fillRect(left - width / 2, top - 9, width, 18);
      pen.globalAlpha = 1;
      pen.fillStyle = color("ink");
      pen.fillText(cluster, left, top + 1);
    });
  }

  function draw() { plots.forEach((plot) => { plot.draw(); }); }

  function showAlone(cluster) {
    alone = cluster;
    all("button.cluster").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.dataset.cluster === alone));
    });
    draw();
  }

  /* ---- a row in words ---- */

  function related(number, row) {
    const found = data.views.map(() => []);
    data.relations.forEach(function (relation) {
      const [first, second] = relation.views;
      relation.pairs.forEach(function ([i, j]) {
        if (first === number && i === row) { found[second].push(j); }
        if (second === number && j === row) { found[first].push(i); }
      });
    });
    return found;
  }

  function listed(texts, most) {
    const more = texts.length - most;
    return texts.slice(0, most).join(", ") + (more > 0 ? " and " + more + " more" : "");
  }

  function clusterOf(view, row) {
    const name = view.names[view.labels[row]];
    return "cluster " + view.labels[row] + (name ? " (" + name + ")" : "");
  }

  function facts(view, row) { // of a row, beside its cluster
    const found = [];
    if (view.classes && view.classes[row] !== null) {
      found.push("label: " + data.classNames[view.classes[row]]);
    }
    if (view.stability) {
      found.push("stability: " + Math.round(100 * view.stability[row]) + " %");
    }
    return found;
  }

  function moved(view, row) {
    return view.moved.has(row) ? ["moved here by constraints, " + view.moved.get(row)] : [];
  }

  function counterparts(others, words, most) {
    const found = others.flatMap(function (rows, other) {
      const there = data.views[other];
      const told = () => listed(rows.map((row) => words(there, row)), most);
      return rows.length ? ["in " + there.name + ": " + told()] : [];
    });
    return found.length || !data.relations.length ? found : ["no match"];
  }

  function tell(number, row) {
    const view = data.views[number];
    const matched = counterparts(related(number, row), (there, other) => there.ids[other], IN_TIP);
    return [
      view.ids[row], clusterOf(view, row), ...moved(view, row), ...facts(view, row), ...matched,
    ];
  }

  function describe(number, row, others) {
    const view = data.views[number];
    const called = (there, other) => "“" + there.ids[other] + "” (" + clusterOf(there, other) + ")";
    const matched = counterparts(others, called, LISTED);
    const said = [clusterOf(view, row), ...moved(view, row), ...facts(view, row), ...matched];
    return "“" + view.ids[row] + "” of " + view.name + ": " + said.join("; ") + ".";
  }

  function listConstraints(number, row) {
    const view = data.views[number];
    const items = [];
    Object.entries(view.constraints).forEach(function ([name, links]) {
      links.forEach(function ([i, j, mustLink, reason, note]) {
        if (i === row || j === row) {
          const kind = data.told[name] + " " + kindOf(mustLink);
          const other = view.ids[i === row ? j : i];
          items.push(kind + " with “" + other + "”" + (note && ", " + note) + ": " + reason);
        }
      });
    });
    const more = items.length > LISTED ? ["… and " + (items.length - LISTED) + " more"] : [];
    constraints.replaceChildren();
    const shown = [...items.slice(0, LISTED), ...more, ...view.cuts];
    shown.forEach((text) => element("li", text, constraints));
  }

  function listValues(number, row) {
    const view = data.views[number];
    byId("selection-values").replaceChildren(...view.values.map(function ([column, values]) {
      const entry = document.createElement("div");
      const text = values[row] === null ? "see " + view.source : values[row] || "–";
      element("dt", column, entry);
      element("dd", text, entry);
      entry.classList.toggle("long", text.length > SHORT);
      return entry;
    }));
  }

  /* ---- the selected row ---- */

  function show(some) { // the panel is there where it has something to say
    byId("panel").classList.toggle("hidden", !some);
    root.classList.toggle("docked", some);
    byId("go").hidden = byId("clear").disabled = !selected;
    byId("clear").hidden = byId("clear").disabled;
    status.tabIndex = some ? 0 : -1; // on a telephone it may be scrolled
    byId("found").hidden = !selected;
    byId("found").tabIndex = selected ? 0 : -1;
    byId("found").scrollTop = 0;
  }

  function select(number, row) {
    const others = related(number, row);
    const focused = document.activeElement;
    if (!byId("panel").contains(focused)) {
      opener = focused === document.body ? plots[number].chart : focused;
    }
    selected = [number, row];
    marked = others.map((rows, other) => (other === number ? [row] : rows));
    status.textContent = describe(number, row, others);
    listValues(number, row);
    listConstraints(number, row);
    show(true);
    draw();
  }

  function clear() {
    const within = byId("panel").contains(document.activeElement);
    selected = null;
    marked = data.views.map(() => []);
    status.textContent = "No row is selected.";
    constraints.replaceChildren();
    if (within) { (opener || name).focus({ preventScroll: true }); }
    show(false);
    draw();
  }

  /* ---- search ---- */

  const name = byId("row-name");
  const where = byId("row-view");

  function searched() {
    return where && where.value ? [Number(where.value)] : [...data.views.keys()];
  }

  function* matches(text) {
    const wanted = text.toLowerCase();
    for (const test of [(id) => id.startsWith(wanted), (id) => id.indexOf(wanted) > 0]) {
      for (const number of searched()) {
        const ids = data.views[number].ids;
        for (let row = 0; row < ids.length; row += 1) {
          if (test(ids[row].toLowerCase())) { yield [number, row]; }
        }
      }
    }
  }

  function suggest() {
    const offered = new Set();
    for (const [number, row] of matches(name.value.trim())) {
      offered.add(data.views[number].ids[row]);
      if (offered.size === OFFERED) { break; }
    }
    byId("row-names").replaceChildren(...Array.from(offered, (id) => new Option("", id)));
  }

  function find(event) {
    event.preventDefault();
    const text = name.value;
    const exact = searched().find((number) => data.views[number].rowOf.has(text));
    if (exact !== undefined) { select(exact, data.views[exact].rowOf.get(text)); return; }
    const near = text.trim() ? matches(text.trim()).next().value : undefined;
    if (near) { select(...near); return; }
    clear();
    show(true);
    const none = "No row has “" + text + "” in its name.";
    status.textContent = text.trim() ? none : "Type the name of a row first.";
  }

  name.addEventListener("input", suggest);
  name.addEventListener("focus", suggest);
  if (where) { where.addEventListener("change", suggest); }
  byId("find").addEventListener("submit", find);
  byId("clear").addEventListener("click", clear);
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") {
      clear();
      if (alone !== null) { showAlone(null); }
    }
  });
  document.addEventListener("click", function (event) {
    const button = event.target.closest("button.row");
    if (button) {
      const { place } = data.views[Number(button.dataset.view)];
      const row = Number(button.dataset.row);
      select(Number(button.dataset.view), place ? place.get(row) : row);
    }
  });
  byId("go").addEventListener("click", function () {
    plots[selected[0]].chart.closest("figure").scrollIntoView();
  });

  /* ---- one cluster at a time: its section opens, and another is closed ---- */

  all("button.cluster").forEach(function (button) {
    button.addEventListener("click", function () {
      const { cluster } = button.dataset;
      showAlone(cluster === alone ? null : cluster);
      if (alone !== null) {
        all("details.cluster").forEach((one) => {
          one.open = one.querySelector(".alone").dataset.cluster === cluster;
        });
      }
    });
  });
  all("button.alone").forEach(function (button) {
    button.addEventListener("click", function () {
      showAlone(button.dataset.cluster);
      byId("map").scrollIntoView();
    });
  });

  /* ---- what is drawn ---- */

  byId("kinds").addEventListener("change", draw);
  function recolor() {
    all("[data-coloring]").forEach(function (one) {
      one.hidden = one.dataset.coloring !== coloring.value;
    });
    draw();
  }
  coloring.addEventListener("change", recolor);
  window.addEventListener("pageshow", recolor); // what was chosen is chosen again

  all(".chart").forEach(function (chart, number) {
    const view = data.views[number];
    const wider = ([low, high], value) => [Math.min(low, value), Math.max(high, value)];
    const ends = (values) => values.reduce(wider, [Infinity, -Infinity]);
    const extent = { x: ends(view.x), y: ends(view.y) };
    plots.push(new Plot(chart, {
      margin: { left: 1, right: 1, top: 1, bottom: 1 },
      points: () => view,
      extent: () => extent,
      paint: (pen, plot) => { paint(view, number, pen, plot); },
      tell: (row) => tell(number, row),
      choose: (row) => { select(number, row); },
    }, view.name));
  });
  window.report = { // what may be asked from outside
    place: (number, row) => plots[number].at(data.views[number].x[row], data.views[number].y[row]),
    span: (number) => plots[number].span,
    marked: () => marked,
    alone: () => alone,
  };
})();
