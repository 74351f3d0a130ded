/* Wires the controls of a report to its plots. Texts of users get into the page as text only, never as markup. */
(function () {
  "use strict";

  const data = JSON.parse(document.getElementById("report-data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const color = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const coarse = matchMedia("(pointer: coarse)").matches; // there a finger on a plot scrolls the page
  const WITHOUT_BAR = { displayModeBar: false, responsive: true, doubleClick: "reset" };
  const MOST_BY_CARD = 5; // plots: each takes three of the sixteen contexts that a browser gives to a page
  const PAPER = { width: 660, height: 420 };

  function themed(layout) {
    const axis = { color: color("ink"), gridcolor: color("grid"), linecolor: color("rule"), tickcolor: color("rule") };
    return Object.assign({}, layout, {
      paper_bgcolor: color("paper"),
      plot_bgcolor: color("paper"),
      font: { color: color("ink"), family: "system-ui, sans-serif", size: 12 },
      hoverlabel: { bgcolor: color("panel"), bordercolor: color("soft"), font: { color: color("ink") }, align: "left" },
      dragmode: coarse ? false : "zoom",
      xaxis: Object.assign({}, layout.xaxis, axis),
      yaxis: Object.assign({}, layout.yaxis, axis),
    });
  }

  function hasWebGL() {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl");
    if (context) {
      const freed = context.getExtension("WEBGL_lose_context");
      if (freed) { freed.loseContext(); } // a page may have a few contexts only
    }
    return Boolean(context);
  }

  /* ---- light, dark, paper ---- */

  const system = matchMedia("(prefers-color-scheme: dark)");
  const theme = byId("theme");
  let chosen = null; // by the button: it outlasts changes of the system
  let draw = function () {}; // what the page has to draw anew in other colors
  let resize = function () {};

  function applyTheme(forced) {
    const name = forced || chosen || (system.matches ? "dark" : "light");
    if (root.dataset.theme === name) { return; }
    root.dataset.theme = name;
    theme.textContent = name === "dark" ? "Light colors" : "Dark colors";
    draw();
  }

  theme.addEventListener("click", function () {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    applyTheme();
  });
  system.addEventListener("change", function () { applyTheme(); });

  let closed = []; // what was folded before printing
  window.addEventListener("beforeprint", function () {
    closed = all("details:not([open])");
    closed.forEach(function (one) { one.open = true; });
    applyTheme("light");
    resize(PAPER);
  });
  window.addEventListener("afterprint", function () {
    closed.forEach(function (one) { one.open = false; });
    resize({ width: null, height: null });
    applyTheme();
  });

  /* ---- zoom: buttons and keys, for whatever plot has them ---- */

  function span(axis) { return axis.range.map(Number); }

  function zoom(plot, factor, across, up) {
    const update = {};
    [["xaxis", across || 0], ["yaxis", up || 0]].forEach(function ([name, step]) {
      const [low, high] = span(plot._fullLayout[name]);
      const middle = (low + high) / 2 + step * (high - low);
      const half = ((high - low) / 2) * factor;
      update[name + ".range"] = [middle - half, middle + half];
    });
    Plotly.relayout(plot, update);
  }

  function showAll(plot) { Plotly.relayout(plot, { "xaxis.autorange": true, "yaxis.autorange": true }); }

  const KEYS = {
    ArrowLeft: (plot) => zoom(plot, 1, -0.15, 0),
    ArrowRight: (plot) => zoom(plot, 1, 0.15, 0),
    ArrowUp: (plot) => zoom(plot, 1, 0, 0.15),
    ArrowDown: (plot) => zoom(plot, 1, 0, -0.15),
    "+": (plot) => zoom(plot, 1 / 1.5),
    "=": (plot) => zoom(plot, 1 / 1.5),
    "-": (plot) => zoom(plot, 1.5),
    0: showAll,
  };

  function wireZoom(plot, filename) {
    plot.addEventListener("keydown", function (event) {
      const move = KEYS[event.key];
      if (move && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        move(plot);
      }
    });
    all("[data-zoom]", plot.parentElement).forEach(function (button) {
      button.addEventListener("click", function () {
        const what = button.dataset.zoom;
        if (what === "all") { showAll(plot); }
        else if (what === "save") { Plotly.downloadImage(plot, { format: "png", scale: 2, filename: filename }); }
        else { zoom(plot, what === "in" ? 1 / 1.5 : 1.5); }
      });
    });
  }

  /* ---- a clustering ---- */

  function clustering() {
    const plots = all(".chart");
    const many = data.views.filter((view) => view.figure.data.some((trace) => trace.type === "scattergl"));
    const byCard = new Set(many.length && hasWebGL() ? many.slice(0, MOST_BY_CARD) : []);
    const coloring = byId("coloring");
    const status = byId("selection");
    const constraints = byId("selection-constraints");
    const LISTED = 20;
    const SHORT = 60; // characters of a value that shares its line with others
    let selected = null;
    let opener = null; // what had the focus when a row was selected
    let alone = null; // the cluster that is seen alone

    data.views.forEach(function (view) {
      view.place = view.rows && new Map(view.rows.map((row, place) => [row, place]));
      view.traces = Object.fromEntries(view.figure.data.map((trace, number) => [trace.name, number]));
      view.rowOf = new Map();
      view.ids.forEach(function (id, row) { if (!view.rowOf.has(id)) { view.rowOf.set(id, row); } });
      if (!byCard.has(view)) { view.figure.data.forEach(function (trace) { trace.type = "scatter"; }); }
      view.figure.data.forEach(function (trace) {
        const box = kinds.find((one) => one.value === trace.name);
        if (box) { trace.visible = box.checked; }
      });
    });

    function pointColors(view) {
      const palette = Array.from({ length: data.nColors }, (_, number) => color("c" + number));
      const unknown = color("unknown");
      const cycle = (numbers) => numbers.map((number) => (number === null ? unknown : palette[number % data.nColors]));
      const values = { cluster: view.labels, class: view.classes, stability: view.stability }[coloring.value];
      if (values === null) { return { color: unknown }; }
      if (coloring.value === "stability") {
        return { color: values, colorscale: "Viridis", cmin: 0, cmax: 1, showscale: false };
      }
      return { color: cycle(values) };
    }

    function paint(view) {
      const dim = alone === null ? 1 : 0.2;
      view.figure.data.forEach(function (trace) {
        if (trace.name === "rows") {
          delete trace.selectedpoints;
          if (alone !== null) {
            trace.selectedpoints = Array.from(view.labels.keys()).filter((row) => view.labels[row] === alone);
          }
          const marker = trace.marker;
          trace.marker = Object.assign(
            { symbol: marker.symbol, size: marker.size, opacity: marker.opacity },
            { line: { width: marker.line.width, color: color("ink") } },
            pointColors(view)
          );
        } else if (trace.name === "selected") {
          trace.marker.color = color("ink");
        } else if (trace.name === "violated") {
          trace.line.color = color("bad");
          trace.opacity = 0.4 * dim;
        } else if (trace.name.startsWith("own ")) {
          trace.line.color = trace.marker.color = color(trace.name.endsWith("must-link") ? "must" : "cannot");
        } else {
          trace.line.color = color(trace.name.endsWith("must-link") ? "must" : "cannot");
          trace.opacity = (trace.name.startsWith("given") ? 1 : 0.55) * dim;
        }
      });
      view.figure.layout.annotations = view.centers.flatMap(function (center, cluster) {
        if (!center || (alone !== null && alone !== cluster)) { return []; }
        const [x, y] = center;
        return [{
          x: x, y: y, text: "<b>" + cluster + "</b>", showarrow: false, bgcolor: color("paper"), opacity: 0.8,
          borderpad: 1, font: { size: 13, color: color("ink") },
        }];
      });
    }

    function showAlone(cluster) {
      alone = cluster;
      all("button.cluster").forEach(function (button) {
        button.setAttribute("aria-pressed", String(Number(button.dataset.cluster) === alone));
      });
      draw();
    }

    function react(number) {
      const view = data.views[number];
      paint(view);
      return Plotly.react(plots[number], view.figure.data, themed(view.figure.layout), WITHOUT_BAR);
    }

    draw = function () { data.views.forEach((_, number) => { react(number); }); };
    resize = function (size) {
      plots.forEach(function (plot, number) {
        const layout = data.views[number].figure.layout;
        if (size.width === null) { delete layout.width; delete layout.height; layout.autosize = true; }
        else { Object.assign(layout, size); }
        react(number);
      });
    };

    /* selection */

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

    function mark(number, rows) {
      const view = data.views[number];
      const points = view.figure.data[view.traces.rows];
      const at = (places) => ({
        x: places.map((row) => (row === null ? null : points.x[row])),
        y: places.map((row) => (row === null ? null : points.y[row])),
      });
      const links = Object.values(view.constraints).flat().filter(([i, j]) => rows.includes(i) || rows.includes(j));
      const ends = (mustLink) => links.filter((link) => link[2] === mustLink).flatMap(([i, j]) => [i, j, null]);
      const shown = { "own must-link": at(ends(true)), "own cannot-link": at(ends(false)), selected: at(rows) };
      Object.entries(shown).forEach(([trace, where]) => { Object.assign(view.figure.data[view.traces[trace]], where); });
      const where = Object.values(shown);
      Plotly.restyle(
        plots[number],
        { x: where.map((one) => one.x), y: where.map((one) => one.y) },
        Object.keys(shown).map((trace) => view.traces[trace])
      );
    }

    function listed(texts) {
      const more = texts.length - LISTED;
      return texts.slice(0, LISTED).join(", ") + (more > 0 ? " and " + more + " more" : "");
    }

    function clusterOf(view, row) {
      const name = view.names[view.labels[row]];
      return "cluster " + view.labels[row] + (name ? " (" + name + ")" : "");
    }

    function describe(number, row, others) {
      const view = data.views[number];
      let text = "“" + view.ids[row] + "” of " + view.name + ": " + clusterOf(view, row);
      if (view.classes && view.classes[row] !== null) {
        text += ", reference label " + data.classNames[view.classes[row]];
      }
      if (view.stability) { text += ", stability " + Math.round(100 * view.stability[row]) + " %"; }
      text += ".";
      others.forEach(function (rows, other) {
        if (rows.length) {
          const there = data.views[other];
          text += " In " + there.name + ": ";
          text += listed(rows.map((one) => "“" + there.ids[one] + "” (" + clusterOf(there, one) + ")")) + ".";
        }
      });
      if (data.relations.length && !others.some((rows) => rows.length)) { text += " No counterpart is known."; }
      return text;
    }

    function listConstraints(number, row) {
      const view = data.views[number];
      const items = [];
      Object.entries(view.constraints).forEach(function ([name, links]) {
        links.forEach(function ([i, j, mustLink, reason, note]) {
          if (i === row || j === row) {
            const kind = name + (mustLink ? " must-link" : " cannot-link");
            items.push(kind + " with “" + view.ids[i === row ? j : i] + "”" + (note && ", " + note) + ": " + reason);
          }
        });
      });
      constraints.replaceChildren();
      items.slice(0, LISTED)
        .concat(items.length > LISTED ? ["… and " + (items.length - LISTED) + " more"] : [], view.cuts)
        .forEach(function (text) {
          const item = document.createElement("li");
          item.textContent = text;
          constraints.append(item);
        });
    }

    function listValues(number, row) {
      const view = data.views[number];
      byId("selection-values").replaceChildren(...view.values.map(function ([column, values]) {
        const entry = document.createElement("div");
        const [term, value] = ["dt", "dd"].map((tag) => entry.appendChild(document.createElement(tag)));
        term.textContent = column;
        const text = values[row];
        value.textContent = text === null ? "see " + view.source : text || "–";
        entry.classList.toggle("long", value.textContent.length > SHORT);
        return entry;
      }));
    }

    function show(some) { // the panel is there where it has something to say
      byId("panel").classList.toggle("hidden", !some);
      root.classList.toggle("docked", some);
      byId("go").hidden = byId("clear").disabled = !selected;
      byId("clear").hidden = byId("clear").disabled;
      byId("found").hidden = !selected;
      byId("found").tabIndex = selected ? 0 : -1;
      byId("found").scrollTop = 0;
    }

    function select(number, row) {
      const others = related(number, row);
      const focused = document.activeElement;
      if (!byId("panel").contains(focused)) { opener = focused === document.body ? plots[number] : focused; }
      selected = [number, row];
      data.views.forEach((_, other) => { mark(other, other === number ? [row] : others[other]); });
      status.textContent = describe(number, row, others);
      listValues(number, row);
      listConstraints(number, row);
      show(true);
    }

    function clear() {
      const within = byId("panel").contains(document.activeElement);
      if (selected) { data.views.forEach((_, number) => { mark(number, []); }); }
      selected = null;
      status.textContent = "No row is selected.";
      constraints.replaceChildren();
      if (within) { (opener || name).focus({ preventScroll: true }); }
      show(false);
    }

    /* search */

    const name = byId("row-name");
    const where = byId("row-view");
    const MATCHES = 50;

    function searched() { return where && where.value ? [Number(where.value)] : data.views.map((_, number) => number); }

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
        if (offered.size === MATCHES) { break; }
      }
      byId("row-names").replaceChildren(...Array.from(offered, function (id) {
        const option = document.createElement("option");
        option.value = id;
        return option;
      }));
    }

    function find(event) {
      event.preventDefault();
      const text = name.value;
      const exact = searched().find((number) => data.views[number].rowOf.has(text));
      if (exact !== undefined) { select(exact, data.views[exact].rowOf.get(text)); return; }
      const near = text.trim() ? matches(text.trim()).next().value : undefined;
      if (near) { select(near[0], near[1]); return; }
      clear();
      show(true);
      status.textContent = text.trim() ? "No row has “" + text + "” in its name." : "Type the name of a row first.";
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
    byId("go").addEventListener("click", function () { plots[selected[0]].closest("figure").scrollIntoView(); });

    /* one cluster at a time: its section opens, and another is closed */

    all("button.cluster").forEach(function (button) {
      button.addEventListener("click", function () {
        const cluster = Number(button.dataset.cluster);
        showAlone(cluster === alone ? null : cluster);
        if (alone !== null) {
          all("details.cluster").forEach((one) => { one.open = one.id === "cluster-" + cluster; });
        }
      });
    });
    all("button.alone").forEach(function (button) {
      button.addEventListener("click", function () {
        showAlone(Number(button.dataset.cluster));
        byId("pictures").scrollIntoView();
      });
    });

    /* what is drawn */

    kinds.forEach(function (box) {
      box.addEventListener("change", function () {
        data.views.forEach(function (view, number) {
          const trace = view.traces[box.value];
          view.figure.data[trace].visible = box.checked;
          Plotly.restyle(plots[number], { visible: box.checked }, [trace]);
        });
      });
    });
    coloring.addEventListener("change", function () {
      all("[data-coloring]").forEach(function (one) { one.hidden = one.dataset.coloring !== coloring.value; });
      draw();
    });

    plots.forEach(function (plot, number) {
      react(number);
      plot.on("plotly_click", function (event) {
        const hit = event.points.find((point) => point.data.name === "rows");
        if (hit) { select(number, hit.pointIndex); }
      });
      wireZoom(plot, data.views[number].name.replace(/[^\w-]+/g, "_"));
    });
  }

  /* ---- experiments ---- */

  function experiments() {
    const plot = document.querySelector(".chart");
    const selects = ["experiment", "base", "setting"].map(byId);
    let shown = null;

    function react() {
      const figure = shown.figure;
      const traces = figure.data.map(function (trace) {
        const own = root.dataset.theme === "dark" ? onDark(trace.line.color) : trace.line.color;
        return Object.assign({}, trace, {
          line: Object.assign({}, trace.line, { color: own }),
          marker: Object.assign({}, trace.marker, { color: own }),
        });
      });
      return Plotly.react(plot, traces, themed(figure.layout), WITHOUT_BAR);
    }

    function onDark(hex) { // half way to white, so that even black is seen
      const parts = [1, 3, 5].map((at) => Math.round((parseInt(hex.slice(at, at + 2), 16) + 255) / 2));
      return "rgb(" + parts.join(",") + ")";
    }

    function cell(tag, text, row) {
      const made = document.createElement(tag);
      made.textContent = text;
      row.append(made);
      return made;
    }

    function fillTable() {
      const table = byId("values");
      const traces = shown.figure.data;
      table.replaceChildren();
      const head = table.createTHead().insertRow();
      cell("th", "constraints", head).scope = "col";
      traces.forEach(function (trace) { cell("th", trace.name, head).scope = "col"; });
      const body = table.createTBody();
      const schedule = Array.from(new Set(traces.flatMap((trace) => trace.x))).sort((a, b) => a - b);
      schedule.forEach(function (n) {
        const row = body.insertRow();
        cell("th", String(n), row).scope = "row";
        traces.forEach(function (trace) {
          const at = trace.x.indexOf(n);
          const known = at >= 0 && trace.y[at] !== null;
          cell("td", known ? trace.y[at].toFixed(4) + " ± " + trace.error_y.array[at].toFixed(4) : "–", row);
        });
      });
    }

    function show() {
      react();
      fillTable();
      byId("chosen").textContent = shown.figure.layout.meta;
    }

    /* each list offers what there is under the choices before it, and keeps its own choice where it can */
    function choose() {
      let left = data.curves;
      selects.forEach(function (select) {
        const offered = Array.from(new Set(left.map((one) => one[select.id])));
        const kept = offered.includes(select.value) ? select.value : offered[0];
        select.replaceChildren(...offered.map((text) => new Option(text, text, false, text === kept)));
        left = left.filter((one) => one[select.id] === kept);
      });
      shown = left[0];
      show();
    }

    draw = function () { if (shown) { react(); } };
    resize = function (size) {
      const layout = shown.figure.layout;
      if (size.width === null) { delete layout.width; delete layout.height; } else { Object.assign(layout, size); }
      react();
    };
    selects.forEach(function (select) { select.addEventListener("change", choose); });
    choose();
    wireZoom(plot, "learning_curves");
    window.addEventListener("hashchange", unfold);
    unfold();
  }

  function unfold() { // a link to something folded opens it
    const target = location.hash && byId(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  }

  const kinds = all("input.kind");
  applyTheme();
  if (data.page === "clustering") { clustering(); } else { experiments(); }
})();
