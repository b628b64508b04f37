// Moves the first page's picture: a ball with momentum rolls down the loss of a line, and the line follows it.
// The map beside it lights up what a chapter needs.
(() => {
  "use strict";

  const RATE = 0.02, FRICTION = 0.96, REST = 90, TRAIL = 70;

  function roll(hero, button) {
    const { level, slope, spread, scale } = JSON.parse(hero.dataset.problem);
    const line = hero.querySelector("line");
    const [ball, trail] = [hero.querySelector(".hero-valley circle"), hero.querySelector("polyline")];
    let at, speed, seen, still, turn = Math.random() * 6;

    function start() {
      turn += 2.4;
      at = [level + 1.15 * Math.cos(turn), slope + 0.9 * Math.sin(turn)];
      speed = [0, 0];
      seen = [];
      still = 0;
    }

    function step() {
      const gradient = [at[0] - level, spread * (at[1] - slope)];
      speed = speed.map((v, i) => FRICTION * v - RATE * gradient[i] * 0.35);
      at = at.map((x, i) => x + speed[i]);
      seen = [...seen, `${scale * at[0]},${-scale * at[1]}`].slice(-TRAIL);
      still = Math.hypot(...speed, ...gradient) < 0.012 ? still + 1 : 0;
      if (still > REST) start();
    }

    function draw() {
      ball.setAttribute("cx", scale * at[0]);
      ball.setAttribute("cy", -scale * at[1]);
      trail.setAttribute("points", seen.join(" "));
      line.setAttribute("y1", -scale * at[0] + 170 * at[1]);
      line.setAttribute("y2", -scale * at[0] - 170 * at[1]);
    }

    let [paused, visible, waiting] = [matchMedia("(prefers-reduced-motion: reduce)").matches, true, false];

    function frame() {
      waiting = false;
      if (paused || !visible) return;
      step();
      draw();
      next();
    }

    function next() {
      if (!waiting) requestAnimationFrame(frame);
      waiting = true;
    }

    function say() {
      button.textContent = paused ? "Play the picture" : "Pause the picture";
    }

    start();
    button.hidden = false;
    button.addEventListener("click", () => {
      paused = !paused;
      say();
      next();
    });
    new IntersectionObserver(([entry]) => {
      visible = entry.isIntersecting;
      next();
    }).observe(hero);
    say();
  }

  function light(chapters) {
    for (const chapter of chapters) {
      const before = new Set(chapter.dataset.before.split(" "));
      const show = (on) =>
        chapters.forEach((one) => one.classList.toggle("needed", on && before.has(one.dataset.chapter)));
      for (const event of ["pointerenter", "focusin"]) chapter.addEventListener(event, () => show(true));
      for (const event of ["pointerleave", "focusout"]) chapter.addEventListener(event, () => show(false));
    }
  }

  addEventListener("DOMContentLoaded", () => {
    const hero = document.querySelector(".hero");
    if (!hero) return;
    roll(hero, document.querySelector(".hero-pause"));
    light([...document.querySelectorAll(".map-chapter")]);
  });
})();
