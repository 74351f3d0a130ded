/* Wires the page of experiments: learning curves to choose from, and their values as a table. */
"use strict";

(function () {
  const selects = ["experiment", "base", "setting"].map(byId);
  const hidden = new Set(); // curves by name, switched off in the legend
  let shown = null;

  const onDark = (hex) => { // half way to white, so that even black is seen
    const half = (start) => Math.round((parseInt(hex.slice(start, start + 2), 16) + 255) / 2);
    const channels = [1, 3, 5].map(half);
    return "rgb(" + channels.join(",") + ")";
  };
  const colorOf = (curve) => (root.dataset.theme === "dark" ? onDark(curve.color) : curve.color);
  const scaled = (n) => (shown.logarithmic ? Math.log10(n) : n);
  const visible = () => shown.curves.filter((curve) => !hidden.has(curve.name));
  const perPoint = (value) => visible().flatMap((curve) => curve.x.map((_, i) => value(curve, i)));

  const withError = (curve, i) => curve.y[i].toFixed(4) + " ± " + curve.errors[i].toFixed(4);
  const constraintCounts = () => { // all numbers of constraints, in order
    const counts = shown.curves.flatMap((curve) => curve.x);
    return Array.from(new Set(counts)).sort((a, b) => a - b);
  };

  function ticks([low, high]) { // five round numbers or so
    const roughStep = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(roughStep));
    const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= roughStep);
    const first = Math.ceil(low / step);
    const length = Math.max(0, Math.floor(high / step) - first + 1);
    const values = Array.from({ length: length }, (_, index) => (first + index) * step);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return values.map((value) => [value, value.toFixed(digits)]);
  }

  const scene = {
    margin: { left: 60, right: 12, top: 8, bottom: 44 },
    points: () => ({
      x: perPoint((curve, index) => scaled(curve.x[index])),
      y: perPoint((curve, index) => curve.y[index]),
    }),
    extent: () => {
      const ofPoint = (y, error) => [y - error, y + error];
      const ofCurve = (curve) => curve.y.flatMap((y, index) => ofPoint(y, curve.errors[index]));
      const ends = shown.curves.flatMap(ofCurve);
      const xs = shown.curves.flatMap((curve) => curve.x).map(scaled);
      return { x: [Math.min(...xs), Math.max(...xs)], y: [Math.min(...ends), Math.max(...ends)] };
    },
    tell: (index) => perPoint((curve, i) => [
      curve.name, curve.x[i] + " constraints", "F = " + withError(curve, i),
      curve.trials[i] + " trials",
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
      let freeFrom = left; // where the next number has room
      const countTicks = () => constraintCounts().map((n) => [scaled(n), String(n)]);
      (shown.logarithmic ? countTicks() : ticks(plot.span.x)).forEach(([x, text]) => {
        const [across] = plot.toPixels(x, plot.span.y[0]);
        if (across < left || across > left + width) { return; }
        line(across, top, across, top + height);
        const half = pen.measureText(text).width / 2;
        if (across - half >= freeFrom) {
          pen.fillText(text, across, top + height + 6);
          freeFrom = across + half + 6;
        }
      });
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      ticks(plot.span.y).forEach(([y, text]) => {
        const [, down] = plot.toPixels(plot.span.x[0], y);
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
      visible().forEach((curve) => {
        const points = curve.x.map((n, index) => plot.toPixels(scaled(n), curve.y[index]));
        pen.strokeStyle = colorOf(curve);
        pen.lineWidth = 2;
        pen.beginPath();
        points.forEach(([left, top]) => { pen.lineTo(left, top); });
        pen.stroke();
        pen.lineWidth = 1;
        curve.x.forEach((n, index) => {
          const [left, low] = plot.toPixels(scaled(n), curve.y[index] - curve.errors[index]);
          const [, high] = plot.toPixels(scaled(n), curve.y[index] + curve.errors[index]);
          pen.strokeRect(left, high, 0, low - high);
          mark(pen, new Path2D(curve.shape), points[index], 0.6, colorOf(curve));
        });
      });
      if (plot.ratio) { paintLegend(pen, plot.frame); } // a saved picture is all that there is
    },
  };

  function paintLegend(pen, { left, top }) {
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = color("ink");
    visible().forEach((curve, index) => {
      const middle = top + 14 + 18 * index;
      mark(pen, new Path2D(curve.shape), [left + 16, middle], 0.6, colorOf(curve));
      pen.fillText(curve.name, left + 28, middle);
    });
  }

  function fillLegend() {
    byId("methods").replaceChildren(...shown.curves.map((curve) => {
      const button = element("button", "");
      const make = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
      const swatch = button.appendChild(make("svg")), path = swatch.appendChild(make("path"));
      swatch.setAttribute("viewBox", "-9 -9 18 18");
      swatch.setAttribute("class", "swatch");
      swatch.setAttribute("aria-hidden", "true");
      path.setAttribute("d", curve.shape);
      path.style.fill = colorOf(curve);
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
    constraintCounts().forEach((n) => {
      const row = body.insertRow();
      element("th", String(n), row).scope = "row";
      shown.curves.forEach((curve) => {
        const index = curve.x.indexOf(n);
        element("td", index < 0 ? "–" : withError(curve, index), row);
      });
    });
  }

  /* each list offers what there is under the choices before it, and keeps its own choice */
  function choose() {
    let curves = data.curves;
    selects.forEach((select) => {
      const offered = Array.from(new Set(curves.map((curve) => curve[select.id])));
      const chosen = offered.includes(select.value) ? select.value : offered[0];
      const options = offered.map((text) => new Option(text, text, false, text === chosen));
      select.replaceChildren(...options);
      curves = curves.filter((curve) => curve[select.id] === chosen);
    });
    shown = curves[0];
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
    curves: visible,
    place: (curve, i) => plot.toPixels(scaled(visible()[curve].x[i]), visible()[curve].y[i]),
  };
  new MutationObserver(fillLegend).observe(root, { attributeFilter: ["data-theme"] });
})();
