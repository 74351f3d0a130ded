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

  data.views.forEach(function (view, index) {
    view.apart = data.apart ? data.apart[index] : "";
    view.place = view.rows && new Map(view.rows.map((row, position) => [row, position]));
    view.moved = new Map(view.moved);
    view.rowOf = new Map();
    view.ids.forEach(function (id, row) { if (!view.rowOf.has(id)) { view.rowOf.set(id, row); } });
  });

  /* ---- maps ---- */

  function viridis(share) {
    const position = share * (VIRIDIS.length - 1);
    const low = Math.min(Math.floor(position), VIRIDIS.length - 2);
    const [from, to] = VIRIDIS.slice(low, low + 2);
    const rgb = from.map((part, i) => Math.round(part + (position - low) * (to[i] - part)));
    return "rgb(" + rgb.join(",") + ")";
  }

  function colorOf(view) { // of a row
    const palette = Array.from({ length: data.nColors }, (_, index) => color("c" + index));
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
      pen.moveTo(...plot.toPixels(x[i], y[i]));
      pen.lineTo(...plot.toPixels(x[j], y[j]));
      pen.stroke();
    });
    pen.restore();
  }

  function paint(view, viewIndex, pen, plot) {
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
    const ofMarked = Object.values(view.constraints).flat()
      .filter(([i, j]) => marked[viewIndex].includes(i) || marked[viewIndex].includes(j));
    paintLinks(pen, plot, view, ofMarked, 3, 1);
    pen.strokeStyle = color("ink");
    pen.lineWidth = 3;
    marked[viewIndex].forEach(function (row) {
      pen.beginPath();
      pen.arc(...plot.toPixels(view.x[row], view.y[row]), 9, 0, 7);
      pen.stroke();
    });
    paintNumbers(pen, plot, view);
  }

  function paintRows(pen, plot, view) {
    const many = view.labels.length > MANY;
    const fillOf = colorOf(view), edge = many ? null : color("paper");
    view.labels.forEach(function (label, row) {
      const seen = alone === null || alone === view.apart + label;
      pen.globalAlpha = seen ? 0.85 : DIM;
      const point = plot.toPixels(view.x[row], view.y[row]);
      mark(pen, shapes[label % shapes.length], point, many ? 0.4 : 0.65, fillOf(row), seen && edge);
    });
    pen.globalAlpha = 1;
  }

  function paintNumbers(pen, plot, view) {
    pen.font = "bold 13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const drawn = []; // one that would hide another waits for a larger map
    view.centers.forEach(function (center, cluster) {
      if (!center || (alone !== null && alone !== view.apart + cluster)) { return; }
      const [left, middle] = plot.toPixels(...center);
      // beside it: rows of a clear group may all be at the center
      const top = middle > 36 ? middle - 18 : middle + 18;
      const width = pen.measureText(cluster).width + 8;
      if (drawn.some(([x, y]) => Math.abs(x - left) < width && Math.abs(y - top) < 18)) { return; }
      drawn.push([left, top]);
      pen.globalAlpha = 0.85;
      pen.fillStyle = color("paper");
      pen.fillRect(left - width / 2, top - 9, width, 18);
      pen.globalAlpha = 1;
      pen.fillStyle = color("ink");
      pen.fillText(cluster, left, top + 1);
    });
  }

  function showAlone(cluster) {
    alone = cluster;
    all("button.cluster").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.dataset.cluster === alone));
    });
    drawAll();
  }

  /* ---- a row in words ---- */

  function related(viewIndex, row) {
    const rowsByView = data.views.map(() => []);
    data.relations.forEach(function (relation) {
      const [first, second] = relation.views;
      relation.pairs.forEach(function ([i, j]) {
        if (first === viewIndex && i === row) { rowsByView[second].push(j); }
        if (second === viewIndex && j === row) { rowsByView[first].push(i); }
      });
    });
    return rowsByView;
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
    const texts = [];
    if (view.classes && view.classes[row] !== null) {
      texts.push("label: " + data.classNames[view.classes[row]]);
    }
    if (view.stability) {
      texts.push("stability: " + Math.round(100 * view.stability[row]) + " %");
    }
    return texts;
  }

  function moved(view, row) {
    return view.moved.has(row) ? ["moved here by constraints, " + view.moved.get(row)] : [];
  }

  function counterparts(rowsByView, inWords, most) {
    const texts = rowsByView.flatMap(function (rows, viewIndex) {
      const view = data.views[viewIndex];
      const rowsInWords = () => listed(rows.map((row) => inWords(view, row)), most);
      return rows.length ? ["in " + view.name + ": " + rowsInWords()] : [];
    });
    return texts.length || !data.relations.length ? texts : ["no match"];
  }

  function tell(viewIndex, row) {
    const view = data.views[viewIndex];
    const matched = counterparts(related(viewIndex, row), (other, j) => other.ids[j], IN_TIP);
    return [
      view.ids[row], clusterOf(view, row), ...moved(view, row), ...facts(view, row), ...matched,
    ];
  }

  function describe(viewIndex, row, rowsByView) {
    const view = data.views[viewIndex];
    const nameOf = (other, j) => "“" + other.ids[j] + "” (" + clusterOf(other, j) + ")";
    const matched = counterparts(rowsByView, nameOf, LISTED);
    const parts = [clusterOf(view, row), ...moved(view, row), ...facts(view, row), ...matched];
    return "“" + view.ids[row] + "” of " + view.name + ": " + parts.join("; ") + ".";
  }

  function listConstraints(viewIndex, row) {
    const view = data.views[viewIndex];
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

  function listValues(viewIndex, row) {
    const view = data.views[viewIndex];
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

  function showPanel(hasText) { // the panel is there where it has something to say
    byId("panel").classList.toggle("hidden", !hasText);
    root.classList.toggle("docked", hasText);
    byId("go").hidden = byId("clear").disabled = !selected;
    byId("clear").hidden = byId("clear").disabled;
    status.tabIndex = hasText ? 0 : -1; // on a telephone it may be scrolled
    byId("found").hidden = !selected;
    byId("found").tabIndex = selected ? 0 : -1;
    byId("found").scrollTop = 0;
  }

  function select(viewIndex, row) {
    const rowsByView = related(viewIndex, row);
    const focused = document.activeElement;
    if (!byId("panel").contains(focused)) {
      opener = focused === document.body ? plots[viewIndex].chart : focused;
    }
    selected = [viewIndex, row];
    marked = rowsByView.map((rows, index) => (index === viewIndex ? [row] : rows));
    status.textContent = describe(viewIndex, row, rowsByView);
    listValues(viewIndex, row);
    listConstraints(viewIndex, row);
    showPanel(true);
    drawAll();
  }

  function clear() {
    const hadFocus = byId("panel").contains(document.activeElement);
    selected = null;
    marked = data.views.map(() => []);
    status.textContent = "No row is selected.";
    constraints.replaceChildren();
    if (hadFocus) { (opener || nameField).focus({ preventScroll: true }); }
    showPanel(false);
    drawAll();
  }

  /* ---- search ---- */

  const nameField = byId("row-name");
  const viewField = byId("row-view");

  function searchedViews() {
    return viewField && viewField.value ? [Number(viewField.value)] : [...data.views.keys()];
  }

  function* rowsNamed(text) {
    const wanted = text.toLowerCase();
    for (const test of [(id) => id.startsWith(wanted), (id) => id.indexOf(wanted) > 0]) {
      for (const viewIndex of searchedViews()) {
        const ids = data.views[viewIndex].ids;
        for (let row = 0; row < ids.length; row += 1) {
          if (test(ids[row].toLowerCase())) { yield [viewIndex, row]; }
        }
      }
    }
  }

  function suggest() {
    const offered = new Set();
    for (const [viewIndex, row] of rowsNamed(nameField.value.trim())) {
      offered.add(data.views[viewIndex].ids[row]);
      if (offered.size === OFFERED) { break; }
    }
    byId("row-names").replaceChildren(...Array.from(offered, (id) => new Option("", id)));
  }

  function find(event) {
    event.preventDefault();
    const text = nameField.value;
    const exact = searchedViews().find((view) => data.views[view].rowOf.has(text));
    if (exact !== undefined) { select(exact, data.views[exact].rowOf.get(text)); return; }
    const first = text.trim() ? rowsNamed(text.trim()).next().value : undefined;
    if (first) { select(...first); return; }
    clear();
    showPanel(true);
    const noRow = "No row has “" + text + "” in its name.";
    status.textContent = text.trim() ? noRow : "Type the name of a row first.";
  }

  nameField.addEventListener("input", suggest);
  nameField.addEventListener("focus", suggest);
  if (viewField) { viewField.addEventListener("change", suggest); }
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
      const { place: positions } = data.views[Number(button.dataset.view)];
      const row = Number(button.dataset.row);
      select(Number(button.dataset.view), positions ? positions.get(row) : row);
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
        all("details.cluster").forEach((section) => {
          section.open = section.querySelector(".alone").dataset.cluster === cluster;
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

  byId("kinds").addEventListener("change", drawAll);
  function recolor() {
    all("[data-coloring]").forEach(function (node) {
      node.hidden = node.dataset.coloring !== coloring.value;
    });
    drawAll();
  }
  coloring.addEventListener("change", recolor);
  window.addEventListener("pageshow", recolor); // what was chosen is chosen again

  all(".chart").forEach(function (chart, viewIndex) {
    const view = data.views[viewIndex];
    const wider = ([low, high], value) => [Math.min(low, value), Math.max(high, value)];
    const ends = (values) => values.reduce(wider, [Infinity, -Infinity]);
    const extent = { x: ends(view.x), y: ends(view.y) };
    plots.push(new Plot(chart, {
      margin: { left: 1, right: 1, top: 1, bottom: 1 },
      points: () => view,
      extent: () => extent,
      paint: (pen, plot) => { paint(view, viewIndex, pen, plot); },
      tell: (row) => tell(viewIndex, row),
      choose: (row) => { select(viewIndex, row); },
    }, view.name));
  });
  window.report = { // what may be asked from outside
    place: (view, row) => plots[view].toPixels(data.views[view].x[row], data.views[view].y[row]),
    span: (view) => plots[view].span,
    marked: () => marked,
    alone: () => alone,
  };
})();
