// Plays the frames that a chapter's Python computed: no kernel, no network, nothing to configure.
// Each figure.studio-explorer carries its controls and a JSON table; see chapters_src/studio/explorer.py.
(() => {
  "use strict";

  const PLAY_INTERVAL = 250; // milliseconds a step

  function enliven(figure) {
    const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    const controls = [...figure.querySelectorAll(".studio-control input, .studio-control select")];
    const words = figure.querySelector(".studio-words");
    const slots = [...figure.querySelectorAll("g[data-slot]")].sort((a, b) => a.dataset.slot - b.dataset.slot);
    const shown = new Array(data.tables.length).fill(-1);

    function paint() {
      const frame = controls.reduce((at, control, i) => at * data.sizes[i] + Number(control.value), 0);
      data.tables.forEach((table, i) => {
        const entry = data.indices[i][frame];
        if (entry === shown[i]) return;
        shown[i] = entry;
        if (i < slots.length) slots[i].innerHTML = table[entry];
        else words.textContent = table[entry];
      });
    }

    function moved(control) {
      if (control.dataset.texts) {
        const text = JSON.parse(control.dataset.texts)[control.value];
        control.setAttribute("aria-valuetext", text);
        control.parentElement.querySelector("output").textContent = text;
      }
      paint();
    }

    // Asking what is at a point makes the browser lay out what has changed at once, while it would wait for the
    // next frame anyway; left to that frame, the same work would delay it.
    function step(control) {
      moved(control);
      document.elementFromPoint(0, 0);
    }

    for (const control of controls) control.addEventListener("input", () => step(control));
    for (const button of figure.querySelectorAll(".studio-play")) addPlay(button, step);
    // A browser that restores a form after "back" restores the controls, not the drawing.
    for (const control of controls) moved(control);
  }

  function addPlay(button, moveTo) {
    const slider = button.parentElement.querySelector("input");
    let timer = null;

    function stop() {
      clearInterval(timer);
      timer = null;
      button.textContent = "▶";
      button.setAttribute("aria-pressed", "false");
    }

    function step() {
      if (Number(slider.value) >= Number(slider.max)) return stop();
      slider.value = Number(slider.value) + 1;
      moveTo(slider);
    }

    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      if (timer !== null) return stop();
      if (Number(slider.value) >= Number(slider.max)) slider.value = slider.min;
      moveTo(slider);
      timer = setInterval(step, PLAY_INTERVAL);
      button.textContent = "❚❚";
      button.setAttribute("aria-pressed", "true");
    });
    slider.addEventListener("pointerdown", stop);
  }

  const start = () => document.querySelectorAll("figure.studio-explorer").forEach(enliven);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
