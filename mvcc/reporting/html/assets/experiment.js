/* Wires the page of experiments: learning curves to choose from, and their values as a table. */
"use strict";

(function () {
  const selects = ["experiment", "base", "setting"].map(byId);
  const hidden = new Set(); // curves by name, switched off in the legend
  let shown = null;

  const onDark = (hex) => { // half way to white, so that even black is seen
    const half = (at) => Math.round((parseInt(hex.slice(at, at + 2), 16) + 255) / 2);
    const parts = [1, 3, 5].map(half);
    return "rgb(" + parts.join(",") + ")";
  };
  const own = (curve) => (root.dataset.theme === "dark" ? onDark(curve.color) : curve.color);
  const place = (n) => (shown.logarithmic ? Math.log10(n) : n);
  const seen = () => shown.curves.filter((curve) => !hidden.has(curve.name));
  const every = (part) => seen().flatMap((curve) => curve.x.map((_, index) => part(curve, index)));

  const withError = (curve, at) => curve.y[at].toFixed(4) + " ± " + curve.errors[at].toFixed(4);
  const schedule = () => { // all numbers of constraints, in order
    const numbers = shown.curves.flatMap((curve) => curve.x);
    return Array.from(new Set(numbers)).sort((a, b) => a - b);
  };

  function steps([low, high]) { // five round numbers or so
    const rough = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((times) => times * unit >= rough);
    const first = Math.ceil(low / step);
    const length = Math.max(0, Math.floor(high / step) - first + 1);
    const found = Array.from({ length: length }, (_, index) => (first + index) * step);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return found.map((value) => [value, value.toFixed(digits)]);
  }

  const scene = {
    margin: { left: 60, right: 12, top: 8, bottom: 44 },
    points: () => ({
      x: every((curve, index) => place(curve.x[index])),
      y: every((curve, index) => curve.y[index]),
    }),
    extent: () => {
      const ofPoint = (y, error) => [y - error, y + error];
      const ofCurve = (curve) => curve.y.flatMap((y, index) => ofPoint(y, curve.errors[index]));
      const ends = shown.curves.flatMap(ofCurve);
      const n = shown.curves.flatMap((curve) => curve.x).map(place);
      return { x: [Math.min(...n), Math.max(...n)], y: [Math.min(...ends), Math.max(...ends)] };
    },
    tell: (index) => every((curve, at) => [
      curve.name, curve.x[at] + " constraints", "F = " + withError(curve, at),
      curve.trials[at] + " trials",
    ])[index],

    paintAxes: (pen, plot) => {
      const { left, top, width, height } = plot.frame;
      pen.strokeStyle = color("grid");
      pen.fillStyle = color("ink");
      pen.lineWidth = 1;
      pen.textAlign = "center";
      pen.textBaseline = "top";
      const line = (fromX, fromY, toX, toY) => {
        pen.beginPath();
        pen.moveTo(fromX, fromY);
        pen.lineTo(toX, toY);
        pen.stroke();
      };
      let free = left; // where the next number has room
      const numbers = () => schedule().map((n) => [place(n), String(n)]);
      (shown.logarithmic ? numbers() : steps(plot.span.x)).forEach(([x, text]) => {
        const [across] = plot.at(x, plot.span.y[0]);
        if (across < left || across > left + width) { return; }
        line(across, top, across, top + height);
        const half = pen.measureText(text).width / 2;
        if (across - half >= free) {
          pen.fillText(text, across, top + height + 6);
          free = across + half + 6;
        }
      });
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      steps(plot.span.y).forEach(([y, text]) => {
        const [, down] = plot.at(plot.span.x[0], y);
        line(left, down, left + width, down);
        pen.fillText(text, left - 6, down);
      });
      pen.textAlign = "center";
      pen.fillText(shown.axis, left + width / 2, top + height + 32);
      pen.save();
      pen.translate(12, top + height / 2);
      pen.rotate(-Math.PI / 2);
      pen.fillText("Pairwise F-measure", 0, 0);
      pen.restore();
    },

    paint: (pen, plot) => {
      seen().forEach((curve) => {
        const places = curve.x.map((n, index) => plot.at(place(n), curve.y[index]));
        pen.strokeStyle = own(curve);
        pen.lineWidth = 2;
        pen.beginPath();
        places.forEach(([left, top]) => { pen.lineTo(left, top); });
        pen.stroke();
        pen.lineWidth = 1;
        curve.x.forEach((n, index) => {
          const [left, low] = plot.at(place(n), curve.y[index] - curve.errors[index]);
          const [, high] = plot.at(place(n), curve.y[index] + curve.errors[index]);
          pen.strokeRect(left, high, 0, low - high);
          mark(pen, new Path2D(curve.shape), places[index], 0.6, own(curve));
        });
      });
      if (plot.ratio) { paintLegend(pen, plot.frame); } // a saved picture is all that there is
    },
  };

  function paintLegend(pen, { left, top }) {
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = color("ink");
    seen().forEach((curve, line) => {
      const middle = top + 14 + 18 * line;
      mark(pen, new Path2D(curve.shape), [left + 16, middle], 0.6, own(curve));
      pen.fillText(curve.name, left + 28, middle);
    });
  }

  function fillLegend() {
    byId("methods").replaceChildren(...shown.curves.map((curve) => {
      const button = element("button", "");
      const drawn = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
      const sign = button.appendChild(drawn("svg")), path = sign.appendChild(drawn("path"));
      sign.setAttribute("viewBox", "-9 -9 18 18");
      sign.setAttribute("class", "swatch");
      sign.setAttribute("aria-hidden", "true");
      path.setAttribute("d", curve.shape);
      path.style.fill = own(curve);
      button.append(" " + curve.name);
      button.type = "button";
      button.className = "cluster";
      button.setAttribute("aria-pressed", String(!hidden.has(curve.name)));
      button.addEventListener("click", () => {
        if (!hidden.delete(curve.name)) { hidden.add(curve.name); }
        button.setAttribute("aria-pressed", String(!hidden.has(curve.name)));
        plots[0].draw();
      });
      return button;
    }));
  }

  function fillTable() {
    const table = byId("values");
    table.replaceChildren();
    const head = table.createTHead().insertRow();
    element("th", "constraints", head).scope = "col";
    shown.curves.forEach((curve) => { element("th", curve.name, head).scope = "col"; });
    const body = table.createTBody();
    schedule().forEach((n) => {
      const row = body.insertRow();
      element("th", String(n), row).scope = "row";
      shown.curves.forEach((curve) => {
        const at = curve.x.indexOf(n);
        element("td", at < 0 ? "–" : withError(curve, at), row);
      });
    });
  }

  /* each list offers what there is under the choices before it, and keeps its own choice */
  function choose() {
    let left = data.curves;
    selects.forEach((select) => {
      const offered = Array.from(new Set(left.map((one) => one[select.id])));
      const kept = offered.includes(select.value) ? select.value : offered[0];
      const options = offered.map((text) => new Option(text, text, false, text === kept));
      select.replaceChildren(...options);
      left = left.filter((one) => one[select.id] === kept);
    });
    shown = left[0];
    byId("chosen").textContent = [shown.experiment, shown.base, shown.setting].join(", ");
    fillLegend();
    fillTable();
    plots.forEach((plot) => { plot.showAll(); });
  }

  selects.forEach((select) => { select.addEventListener("change", choose); });
  choose();
  const plot = new Plot(document.querySelector(".chart"), scene, "learning_curves");
  plots.push(plot);
  window.report = { // what may be asked from outside
    curves: seen,
    place: (curve, index) => plot.at(place(seen()[curve].x[index]), seen()[curve].y[index]),
  };
  new MutationObserver(fillLegend).observe(root, { attributeFilter: ["data-theme"] });
})();
