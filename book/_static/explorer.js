// Plays the frames that a chapter's Python computed: no kernel, no network, nothing to configure.
// Each figure.studio-explorer carries its controls and its data; see chapters_src/studio/playback.py.
(() => {
  "use strict";

  const STEP = 50; // milliseconds a step while time plays …
  const LOOP = 1600; // … but a whole round takes at least this long …
  const REST = 900; // … and rests at its end
  const REACH = 24; // pixels by which a click may miss
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  function enliven(figure) {
    const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    const controls = [...figure.querySelectorAll(".studio-control input, .studio-control select")];
    const texts = controls.map((control) => control.dataset.texts && JSON.parse(control.dataset.texts));
    const words = figure.querySelector(".studio-words");
    const slots = data.slots.map((_, i) => figure.querySelector(`g[data-slot="${i}"]`));
    const shown = data.slots.map(() => -1);
    const time = data.trail ? data.trail.control : -1; // this control chooses no frame
    const reveals = new Map(); // of the lines of a trail
    const followers = []; // told of every frame
    let said = -1;

    const positions = () => controls.map((control) => Number(control.value));
    const frameAt = (at) => at.reduce((frame, value, i) => (i === time ? frame : frame * data.sizes[i] + value), 0);

    function fill(i, svg) {
      if (slots[i]) slots[i].innerHTML = svg;
    }

    // Shows where the controls stand, a fraction of a step further along a trail.
    function paint(fraction = 0) {
      const at = positions();
      const frame = frameAt(at);
      data.slots.forEach(([table, index], i) => {
        if (index[frame] === shown[i]) return;
        shown[i] = index[frame];
        fill(i, table[shown[i]]);
        reveals.delete(i);
      });
      if (data.trail) walk(frame, at[time] + fraction);
      const sentence = data.words[1][time < 0 ? frame : frame * data.sizes[time] + at[time]];
      if (sentence !== said) words.textContent = data.words[0][(said = sentence)];
      for (const follow of followers) follow(at, frame);
    }

    function walk(frame, step) {
      for (const i of data.trail.lines) {
        if (!slots[i]) continue;
        if (!reveals.has(i)) reveals.set(i, revealer(slots[i]));
        reveals.get(i)(step);
      }
      for (const [i, table, index] of data.trail.points) {
        const way = table[index[frame]];
        const k = Math.min(Math.floor(step), way.length / 2 - 1);
        const next = Math.min(k + 1, way.length / 2 - 1);
        const [dx, dy] = [0, 1].map((axis) =>
          Math.round(way[2 * k + axis] + (step - k) * (way[2 * next + axis] - way[2 * k + axis]) - way.at(axis - 2)),
        );
        slots[i]?.setAttribute("transform", `translate(${dx} ${dy})`);
      }
    }

    // Between two frames: whatever only changes its place is on the way, the rest waits for the next frame.
    function between(control, fraction) {
      const at = positions();
      const here = frameAt(at);
      at[controls.indexOf(control)] += 1;
      const next = frameAt(at);
      data.slots.forEach(([table, index], i) => {
        if (index[here] === index[next]) return;
        const mix = mixer(table[index[here]], table[index[next]]);
        if (!mix) return;
        fill(i, mix(fraction));
        shown[i] = -1;
      });
    }

    function label(i) {
      const control = controls[i];
      if (!texts[i]) return;
      control.setAttribute("aria-valuetext", texts[i][control.value]);
      control.parentElement.querySelector("output").textContent = texts[i][control.value];
    }

    // Asking what is at a point makes the browser lay out what has changed at once, while it would wait for the
    // next frame anyway; left to that frame, the same work would delay it.
    function moveTo(values) {
      for (const [i, value] of values) {
        controls[i].value = value;
        label(i);
      }
      paint();
      document.elementFromPoint(0, 0);
    }

    // The words are announced when a movement ends, not at each step of it.
    function hush(quiet) {
      words.setAttribute("aria-live", quiet ? "off" : "polite");
      if (!quiet) requestAnimationFrame(() => words.replaceChildren(data.words[0][said]));
    }

    const explorer = { figure, data, controls, time, positions, frameAt, moveTo, paint, between, hush, followers };
    controls.forEach((control, i) => control.addEventListener("input", () => moveTo([[i, control.value]])));
    for (const button of figure.querySelectorAll(".studio-play")) addPlay(explorer, button);
    for (const handle of data.handles ?? []) addHandle(explorer, handle);
    for (const pick of data.picks ?? []) addPick(explorer, pick);
    // A browser that restores a form after "back" restores the controls, not the drawing.
    controls.forEach((_, i) => label(i));
    paint();
  }

  // Returns a function that shows the first steps of a drawn line: its segments, and its markers.
  function revealer(group) {
    const shows = [];
    const line = [...group.querySelectorAll("path")].find((path) => /^M[^Mzcqh]*$/.test(path.getAttribute("d")));
    const numbers = line ? line.getAttribute("d").match(/-?\d+/g).map(Number) : [];
    if (line) {
      shows.push((step) => {
        const whole = Math.min(Math.floor(step), numbers.length / 2 - 1);
        const path = numbers.slice(2, 2 * whole + 2);
        const part = step - whole;
        if (part < 1 && 2 * whole + 2 < numbers.length)
          path.push(Math.round(part * numbers[2 * whole + 2]), Math.round(part * numbers[2 * whole + 3]));
        line.setAttribute("d", `M${numbers[0]} ${numbers[1]}${path.length ? `l${path.join(" ")}` : ""}`);
      });
    }
    for (const path of group.querySelectorAll("path")) {
      if (path === line) continue;
      const marks = path.getAttribute("d").split(/(?=M)/);
      const each = line ? marks.length / (numbers.length / 2) : 1;
      shows.push((step) => path.setAttribute("d", marks.slice(0, each * (Math.floor(step) + 1)).join("")));
    }
    const copies = [...group.querySelectorAll("use")];
    shows.push((step) => copies.forEach((copy, k) => (copy.style.display = k > step ? "none" : "")));
    return (step) => shows.forEach((show) => show(step));
  }

  const PLACE = /( (?:d|x|y|width|height)="[^"]*")/;
  const NUMBER = /-?\d+(?:\.\d+)?/g;
  const bare = (text) => text.replace(NUMBER, "#");

  // Returns a function that mixes two drawings which differ in places alone, or null.
  function mixer(from, to) {
    const [a, b] = [from.split(PLACE), to.split(PLACE)];
    const alike = (part, i) => (i % 2 ? bare(part) === bare(b[i] ?? "") : part === b[i]);
    if (a.length !== b.length || !a.every(alike)) return null;
    return (fraction) =>
      a
        .map((part, i) => {
          if (i % 2 === 0 || part === b[i]) return part;
          const ends = b[i].match(NUMBER);
          let k = 0;
          return part.replace(NUMBER, (start) => Math.round(Number(start) + fraction * (ends[k++] - start)));
        })
        .join("");
  }

  function addPlay(explorer, button) {
    const slider = button.parentElement.querySelector("input");
    const index = explorer.controls.indexOf(slider);
    const end = Number(slider.max);
    const pace = Math.max(STEP, LOOP / end);
    let playing = null;

    function stop() {
      if (playing === null) return;
      cancelAnimationFrame(playing);
      playing = null;
      button.setAttribute("aria-pressed", "false");
      explorer.paint();
      explorer.hush(false);
    }

    function play() {
      let from = Number(slider.value) < end ? Number(slider.value) : 0;
      let began = performance.now();
      explorer.hush(true);
      button.setAttribute("aria-pressed", "true");
      const tick = (now) => {
        playing = requestAnimationFrame(tick);
        let reached = from + Math.max(now - began, 0) / pace;
        if (reached > end + REST / pace) [from, began, reached] = [0, now, 0];
        const step = Math.min(Math.floor(reached), end);
        if (step !== Number(slider.value)) explorer.moveTo([[index, step]]);
        if (step < end && index === explorer.time) explorer.paint(reached - step);
        else if (step < end) explorer.between(slider, reached - step);
      };
      playing = requestAnimationFrame(tick);
    }

    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      if (playing !== null) stop();
      else if (still.matches) explorer.moveTo([[index, (Number(slider.value) + 1) % (end + 1)]]);
      else play();
    });
    slider.addEventListener("pointerdown", stop);
    slider.addEventListener("keydown", stop);
    new IntersectionObserver(([seen]) => seen.isIntersecting || stop()).observe(explorer.figure);
  }

  // Where a pointer is in a drawing, and how many of its units are a pixel.
  function within(svg, event) {
    const box = svg.viewBox.baseVal;
    const rect = svg.getBoundingClientRect();
    const unit = box.width / rect.width;
    return [box.x + (event.clientX - rect.left) * unit, box.y + (event.clientY - rect.top) * unit, unit];
  }

  function addHandle(explorer, { panel, controls, spots }) {
    const holder = explorer.figure.querySelector(`[data-panel="${panel}"]`);
    const svg = holder.querySelector("svg");
    const box = svg.viewBox.baseVal;
    const names = controls.map((i) => explorer.controls[i].labels[0].textContent).join(" and ");
    const knob = document.createElement("button");
    knob.type = "button";
    knob.className = "studio-handle";
    knob.setAttribute("aria-label", `Drag to set ${names}; the arrow keys move it too`);
    holder.append(knob);

    const spot = (frame) => [spots[2 * frame], spots[2 * frame + 1]];
    explorer.followers.push((_, frame) => {
      const [x, y] = spot(frame);
      knob.style.left = `${(100 * (x - box.x)) / box.width}%`;
      knob.style.top = `${(100 * (y - box.y)) / box.height}%`;
    });

    // Every position of the handle while the other controls stay: their values, and where it would be.
    function reachable() {
      let found = [explorer.positions()];
      for (const i of controls)
        found = found.flatMap((at) => Array.from({ length: explorer.data.sizes[i] }, (_, value) => Object.assign([...at], { [i]: value })));
      return found.map((at) => [at, spot(explorer.frameAt(at))]);
    }

    function choose(cost) {
      const now = explorer.positions();
      let [best, least] = [now, Infinity];
      for (const [at, place] of reachable()) {
        const far = controls.reduce((sum, i) => sum + Math.abs(at[i] - now[i]), 0);
        const price = cost(place, far) + 1e-3 * far; // of two equally near the one that moves less
        if (price < least) [best, least] = [at, price];
      }
      if (controls.some((i) => best[i] !== now[i])) explorer.moveTo(controls.map((i) => [i, best[i]]));
    }

    // A ring with one control slides along a curve. Where the curve is steep, the nearest point of it hardly
    // moves with the hand; what counts is the axis along which the ring goes one way only.
    function weights() {
      if (controls.length > 1) return [1, 1];
      const places = reachable().map(([, place]) => place);
      const reach = [0, 1].map((axis) => {
        const steps = places.slice(1).map((place, k) => place[axis] - places[k][axis]);
        const oneWay = steps.every((step) => step > 0) || steps.every((step) => step < 0);
        return oneWay ? Math.abs(steps.reduce((sum, step) => sum + step, 0)) : 0;
      });
      if (!Math.max(...reach)) return [1, 1];
      return reach[0] >= reach[1] ? [1, 0.01] : [0.01, 1];
    }

    function towards(x, y) {
      const [across, up] = weights();
      choose(([px, py]) => Math.hypot(across * (px - x), up * (py - y)));
    }
    let grip = null; // from the pointer to the middle of the ring
    knob.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const [x, y] = within(svg, event);
      const [px, py] = spot(explorer.frameAt(explorer.positions()));
      grip = [px - x, py - y];
      knob.setPointerCapture(event.pointerId);
      explorer.hush(true);
    });
    knob.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const [x, y] = within(svg, event);
      towards(x + grip[0], y + grip[1]);
    });
    knob.addEventListener("lostpointercapture", () => {
      grip = null;
      explorer.hush(false);
    });
    const AIMS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    knob.addEventListener("keydown", (event) => {
      const aim = AIMS[event.key];
      if (!aim) return;
      event.preventDefault();
      const [x, y] = spot(explorer.frameAt(explorer.positions()));
      const [across, up] = weights();
      const oneWay = across !== up && (aim[0] ? across : up) === 1; // on a curve, however steep it is
      choose(([px, py], far) => {
        const [along, aside] = [(px - x) * aim[0] + (py - y) * aim[1], (px - x) * aim[1] + (py - y) * aim[0]];
        if (far === 0) return 1e9;
        return far === 1 && along > (oneWay ? 0 : Math.abs(aside)) ? along : Infinity;
      });
    });
    if (explorer.data.handles.filter((other) => other.panel === panel).length === 1)
      svg.addEventListener("click", (event) => {
        if (event.defaultPrevented) return;
        const [x, y] = within(svg, event);
        towards(x, y);
      });
  }

  function addPick(explorer, { panel, control, targets }) {
    const svg = explorer.figure.querySelector(`[data-panel="${panel}"] svg`);
    const box = svg.viewBox.baseVal;
    const frames = ["studio-picked", "studio-pickable"].map((name) => {
      const frame = document.createElement("span");
      frame.className = name;
      svg.after(frame);
      return frame;
    });

    function surround(frame, index) {
      frame.hidden = index < 0;
      if (index < 0) return;
      const [xs, ys] = [0, 1].map((axis) => targets[index][1].filter((_, k) => k % 2 === axis));
      const [x, y] = [Math.min(...xs), Math.min(...ys)];
      frame.classList.toggle("studio-spot", xs.length === 1);
      frame.style.left = `${(100 * (x - box.x)) / box.width}%`;
      frame.style.top = `${(100 * (y - box.y)) / box.height}%`;
      frame.style.width = `${(100 * (Math.max(...xs) - x)) / box.width}%`;
      frame.style.height = `${(100 * (Math.max(...ys) - y)) / box.height}%`;
      frame.hidden = xs.length > 2;
    }

    function nearest(event) {
      const [x, y, unit] = within(svg, event);
      let [best, least] = [-1, REACH * unit];
      targets.forEach(([kind, points], index) => {
        const away = distance(kind, points, x, y);
        if (away < least) [best, least] = [index, away];
      });
      return best;
    }

    svg.addEventListener("pointermove", (event) => {
      const index = nearest(event);
      svg.style.cursor = index < 0 ? "" : "pointer";
      surround(frames[1], index);
    });
    svg.addEventListener("pointerleave", () => surround(frames[1], -1));
    svg.addEventListener("click", (event) => {
      const index = nearest(event);
      if (index < 0) return;
      event.preventDefault();
      explorer.moveTo([[control, index]]);
    });
    surround(frames[1], -1);
    explorer.followers.push((at) => surround(frames[0], at[control]));
  }

  function distance(kind, points, x, y) {
    if (kind === "box") {
      const [x0, y0, x1, y1] = points;
      const outside = (value, a, b) => Math.max(Math.min(a, b) - value, value - Math.max(a, b), 0);
      return Math.hypot(outside(x, x0, x1), outside(y, y0, y1));
    }
    let least = Math.hypot(x - points[0], y - points[1]);
    for (let k = 2; k < points.length; k += 2) {
      const [ax, ay, bx, by] = points.slice(k - 2, k + 2);
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const share = length ? Math.min(Math.max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0), 1) : 0;
      least = Math.min(least, Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay)));
    }
    return least;
  }

  const start = () => document.querySelectorAll("figure.studio-explorer").forEach(enliven);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
