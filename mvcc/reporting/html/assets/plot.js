/* Draws one plot on a canvas: moved by dragging and arrow keys, zoomed by buttons, keys, two
   fingers, and Ctrl with the wheel. */
"use strict";

const NEAR = 14; // pixels from the pointer within which a point is meant
const STILL = 4; // pixels that a click may move
const ROOM = 0.05; // of the extent that is left free on each side
const STEP = 0.15; // of the window, by an arrow key
const ON_PAPER = 3; // dots per pixel, in print and in saved pictures

/* A scene says what there is to draw:
     margin                 pixels around the plot, { left, right, top, bottom }
     points()               { x, y } of what can be pointed at
     extent()               { x: [low, high], y: [low, high] } of all that there is
     paint(pen, plot)       draws within the frame
     paintAxes(pen, plot)   draws around it, if there are axes
     tell(index)            lines about a point
     choose(index)          what a click does, if it does anything */
class Plot {
  constructor(chart, scene, filename) {
    // no window shows all, and no ratio takes the dots per pixel of the screen
    Object.assign(this, { chart: chart, scene: scene, window: null, ratio: 0 });
    this.canvas = chart.appendChild(document.createElement("canvas"));
    this.tip = chart.appendChild(document.createElement("div"));
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.planned = 0;
    new ResizeObserver(() => { this.draw(); }).observe(chart);
    this.wirePointer();
    this.wireKeys();
    this.wireButtons(filename);
    this.draw();
  }

  /* ---- places ---- */

  get span() { return this.window || Plot.whole(this.scene.extent()); }

  static whole(extent) {
    const widened = ([low, high]) => {
      const room = ROOM * (high - low) || 1;
      return [low - room, high + room];
    };
    return { x: widened(extent.x), y: widened(extent.y) };
  }

  get frame() { // in pixels of the chart
    const { left, right, top, bottom } = this.scene.margin;
    const width = this.chart.clientWidth, height = this.chart.clientHeight;
    return {
      left: left, top: top,
      width: Math.max(width - left - right, 1), height: Math.max(height - top - bottom, 1),
    };
  }

  toPixels(x, y) {
    const { frame, span } = this;
    return [
      frame.left + (frame.width * (x - span.x[0])) / (span.x[1] - span.x[0]),
      frame.top + frame.height - (frame.height * (y - span.y[0])) / (span.y[1] - span.y[0]),
    ];
  }

  nearest(left, top) { // the number of the point that a pointer means, or -1
    const { x, y } = this.scene.points();
    let best = -1, least = NEAR * NEAR;
    for (let index = 0; index < x.length; index += 1) {
      const [across, down] = this.toPixels(x[index], y[index]);
      const distance = (across - left) ** 2 + (down - top) ** 2;
      if (distance <= least) { best = index; least = distance; }
    }
    return best;
  }

  /* ---- drawing ---- */

  draw() {
    if (!this.planned) {
      this.planned = requestAnimationFrame(() => { this.planned = 0; this.drawNow(); });
    }
  }

  drawNow() {
    const ratio = this.ratio || window.devicePixelRatio || 1;
    const width = Math.round(this.chart.clientWidth * ratio);
    const height = Math.round(this.chart.clientHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width: width, height: height });
    }
    const pen = this.canvas.getContext("2d");
    const frame = this.frame;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = color("paper");
    pen.fillRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    if (this.scene.paintAxes) { this.scene.paintAxes(pen, this); }
    pen.save();
    pen.beginPath();
    pen.rect(frame.left, frame.top, frame.width, frame.height);
    pen.clip();
    this.scene.paint(pen, this);
    pen.restore();
    this.chart.dataset.drawn = Number(this.chart.dataset.drawn || 0) + 1;
  }

  drawOn(ratio) { // at once: for paper
    this.ratio = ratio;
    this.drawNow();
  }

  /* ---- zoom ---- */

  move(factor, across, up, about) {
    const span = this.span;
    const rescaled = ([low, high], step, share) => {
      const middle = low + share * (high - low);
      return [middle - share * factor * (high - low), middle + (1 - share) * factor * (high - low)]
        .map((end) => end + step * (high - low));
    };
    const [left, top] = about || [0.5, 0.5];
    this.window = { x: rescaled(span.x, across, left), y: rescaled(span.y, up, 1 - top) };
    this.chart.classList.add("zoomed"); // where a finger moves the plot, not the page
    this.draw();
  }

  showAll() {
    this.window = null;
    this.chart.classList.remove("zoomed");
    this.draw();
  }

  wireKeys() {
    const keys = {
      ArrowLeft: () => this.move(1, -STEP, 0), ArrowRight: () => this.move(1, STEP, 0),
      ArrowUp: () => this.move(1, 0, STEP), ArrowDown: () => this.move(1, 0, -STEP),
      "+": () => this.move(1 / 1.5, 0, 0), "=": () => this.move(1 / 1.5, 0, 0),
      "-": () => this.move(1.5, 0, 0), 0: () => this.showAll(),
    };
    this.chart.addEventListener("keydown", (event) => {
      if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        keys[event.key]();
      }
    });
  }

  wireButtons(filename) {
    const does = {
      in: () => this.move(1 / 1.5, 0, 0), out: () => this.move(1.5, 0, 0),
      all: () => this.showAll(), save: () => this.save(filename),
    };
    all("[data-zoom]", this.chart.parentElement).forEach((button) => {
      button.addEventListener("click", does[button.dataset.zoom]);
    });
  }

  save(filename) {
    this.drawOn(ON_PAPER);
    this.canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = filename + ".png";
      link.click();
      setTimeout(() => { URL.revokeObjectURL(link.href); }, 1000);
      this.drawOn(0);
    });
  }

  /* ---- pointer ---- */

  wirePointer() {
    const chart = this.chart;
    let drag = null; // where a drag began, and how far it went
    const positionOf = (event) => {
      const box = chart.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const fingers = new Map(); // where each one is
    chart.addEventListener("touchstart", (event) => {
      if (event.touches.length > 1) { event.preventDefault(); } // or the page would be scrolled
    }, { passive: false });
    chart.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && event.isPrimary) { drag = { last: positionOf(event), moved: 0 }; }
      if (event.pointerType === "touch") { fingers.set(event.pointerId, positionOf(event)); }
    });
    chart.addEventListener("pointermove", (event) => {
      const [left, top] = positionOf(event);
      if (fingers.size > 1) {
        this.pinch(fingers, event.pointerId, [left, top]);
        drag = null; // not a click
        return;
      }
      if (!drag || !event.buttons) { this.showTip(left, top); return; }
      const across = left - drag.last[0], down = top - drag.last[1];
      drag.moved += Math.abs(across) + Math.abs(down);
      drag.last = [left, top];
      const mayMove = event.pointerType === "mouse" || chart.classList.contains("zoomed");
      if (drag.moved > STILL && mayMove) {
        if (!chart.hasPointerCapture(event.pointerId)) { chart.setPointerCapture(event.pointerId); }
        this.showTip(-1, -1);
        this.moveBy(1, across, down);
      }
    });
    chart.addEventListener("click", (event) => {
      const index = this.nearest(...positionOf(event));
      const isMeant = index >= 0 && drag && drag.moved <= STILL;
      if (isMeant && this.scene.choose) { this.scene.choose(index); }
      drag = null;
    });
    ["pointerup", "pointercancel"].forEach((name) => {
      chart.addEventListener(name, (event) => { fingers.delete(event.pointerId); });
    });
    chart.addEventListener("pointercancel", () => { drag = null; });
    chart.addEventListener("pointerleave", () => { this.showTip(-1, -1); });
    chart.addEventListener("dblclick", () => { this.showAll(); });
    chart.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) { return; } // it scrolls the page
      event.preventDefault();
      this.moveBy(Math.exp(event.deltaY / 300), 0, 0, positionOf(event));
    }, { passive: false });
  }

  pinch(fingers, pointerId, position) { // zooms by the distance of two fingers, about their middle
    const measure = () => {
      const [first, second] = fingers.values();
      return {
        distance: Math.hypot(first[0] - second[0], first[1] - second[1]),
        middle: [(first[0] + second[0]) / 2, (first[1] + second[1]) / 2],
      };
    };
    const before = measure();
    fingers.set(pointerId, position);
    const after = measure();
    const [across, down] = after.middle.map((end, axis) => end - before.middle[axis]);
    this.moveBy(before.distance / Math.max(after.distance, 1), across, down, before.middle);
  }

  moveBy(factor, across, down, about) { // the same as move, in pixels
    const { left, top, width, height } = this.frame;
    const shares = about && [(about[0] - left) / width, (about[1] - top) / height];
    this.move(factor, (-across / width) * factor, (down / height) * factor, shares);
  }

  showTip(left, top) { // tells of what is below the pointer
    const index = left < 0 ? -1 : this.nearest(left, top);
    this.tip.hidden = index < 0;
    this.chart.style.cursor = index >= 0 && this.scene.choose ? "pointer" : "";
    if (index < 0) { return; }
    const { x, y } = this.scene.points();
    const [across, down] = this.toPixels(x[index], y[index]);
    this.tip.replaceChildren(...this.scene.tell(index).map((line) => element("div", line)));
    const room = this.chart.clientWidth - this.tip.offsetWidth;
    const above = down - this.tip.offsetHeight - 12;
    this.tip.style.left = Math.max(0, Math.min(across - this.tip.offsetWidth / 2, room)) + "px";
    this.tip.style.top = (above >= 0 ? above : down + 12) + "px";
  }
}
