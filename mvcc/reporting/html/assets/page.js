/* What both reports share: data, colors, light and dark, paper, and links into folded parts. */
"use strict";

const data = JSON.parse(document.getElementById("report-data").textContent);
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
const plots = [];

function color(name) { return getComputedStyle(root).getPropertyValue("--" + name).trim(); }

function element(tag, text, parent) {
  const created = document.createElement(tag);
  created.textContent = text;
  if (parent) { parent.append(created); }
  return created;
}

function drawAll() { plots.forEach((plot) => { plot.draw(); }); }

/* Draws a shape of a square from -8 to 8 at a place. */
function mark(pen, shape, [left, top], scale, fill, edge) {
  pen.save();
  pen.translate(left, top);
  pen.scale(scale, scale);
  pen.fillStyle = fill;
  pen.fill(shape);
  if (edge) { pen.strokeStyle = edge; pen.lineWidth = 1; pen.stroke(shape); }
  pen.restore();
}

(function () {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = byId("theme");
  let chosen = null; // by the button: it outlasts changes of the system
  let folded = []; // what was folded before printing

  function apply(forced) {
    const theme = forced || chosen || (system.matches ? "dark" : "light");
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light colors" : "Dark colors";
    drawAll();
  }

  button.addEventListener("click", function () {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  system.addEventListener("change", function () { apply(); });

  window.addEventListener("beforeprint", function () {
    folded = all("details:not([open])");
    folded.forEach(function (details) { details.open = true; });
    root.classList.add("paper");
    apply("light");
    plots.forEach((plot) => { plot.drawOn(ON_PAPER); });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (details) { details.open = false; });
    root.classList.remove("paper");
    plots.forEach((plot) => { plot.ratio = 0; });
    apply();
  });

  function unfold() { // a link to something folded opens it
    const target = location.hash && byId(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", unfold);
  document.addEventListener("click", function (event) { // the same link again
    if (event.target.closest("a")?.hash === location.hash) { unfold(); }
  });
  addEventListener("DOMContentLoaded", unfold);
  apply();
})();
