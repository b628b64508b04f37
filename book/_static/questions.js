// Questions that are answered on the page: the verdicts and hints of chapters_src/studio/questions.py, without a
// kernel. What is right stands, lightly wrapped, in the form's data; what may be said stands hidden inside it.
(() => {
  "use strict";

  const RAISED = { "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9", "⁻": "-", "⁺": "+", "−": "-" };
  const DECIMAL = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|[×x*·]10\^?[({]?([+-]?\d+)[)}]?)?$/;

  // A number as people type it; null if it cannot be read. The twin of read_number in reading.py.
  function readNumber(text, unit) {
    text = text.trim().replace(/(?<![\d.,×x*·\s])10(?=[⁻⁺]?[⁰¹²³⁴-⁹])/g, "1×10"); // 10²⁰ is no 1020
    let compact = text.replace(/[⁰¹²³⁴-⁹⁻⁺−]/g, (sign) => RAISED[sign]).replace(/\s/g, "");
    const suffix = unit.replace(/\s/g, "");
    if (suffix && compact.endsWith(suffix)) compact = compact.slice(0, -suffix.length);
    const percent = compact.endsWith("%");
    if (percent) compact = compact.slice(0, -1);
    compact = compact.replace(/\d{1,3}(,\d{3})+(?!\d)/g, (digits) => digits.replaceAll(",", ""));
    const parts = compact.split("/").map((part) => {
      const found = DECIMAL.exec(part);
      return found ? Number(`${found[1]}e${found[2] || found[3] || 0}`) : null;
    });
    if (parts.length > 2 || parts.includes(null) || (parts.length === 2 && parts[1] === 0)) return null;
    let value = parts.length === 1 ? parts[0] : parts[0] / parts[1];
    if (percent) value /= 100;
    return Number.isFinite(value) ? value : null;
  }

  const inside = ([low, high], value) => (low === null || low <= value) && (high === null || value <= high);

  const judges = {
    predict(data, answer) {
      const text = answer.trim();
      const value = readNumber(text, data.unit);
      if (value === null) return { finding: data.unreadable.replace("{}", () => text) };
      const at = data.ranges.findIndex((range) => inside(range, value));
      if (at === 0) return { accepted: true, key: "why" };
      const finding = data.wrong.replace("{}", () => text);
      return at > 0 ? { finding, key: `known-${at - 1}` } : { finding, unforeseen: true };
    },

    choose(data, answer) {
      const key = `why-${answer}`;
      return answer === data.right ? { accepted: true, key } : { finding: data.wrong, key };
    },

    order(data, answer) {
      const letters = [...answer];
      const starts = (place) => data.valid.some((right) => right.startsWith(answer.slice(0, place + 1)));
      const missing = (place) => ([first, later]) => later === letters[place] && !letters.slice(0, place).includes(first);
      const early = (_, place) => (data.valid.length ? !starts(place) : data.before.some(missing(place)));
      const place = letters.findIndex(early);
      if (place < 0) return { accepted: true, key: "why" };
      const finding = data.wrong.replace("{}", letters[place]);
      const turned = data.before.findIndex((pair) => pair[2] && missing(place)(pair));
      return turned < 0 ? { finding, unforeseen: true } : { finding, key: `known-${turned}` };
    },
  };

  // { accepted, attempted, finding, key, unforeseen }: the sentence found, and which hidden one goes with it.
  function judge(data, answer) {
    if (!answer.trim()) return { accepted: false, attempted: false, finding: data.blank };
    return { accepted: false, attempted: true, finding: data.accepted, ...judges[data.kind](data, answer) };
  }

  const unwrap = (packed) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))));

  const answerOf = {
    predict: (form) => form.querySelector("input").value,
    choose: (form) => form.querySelector("input:checked")?.value ?? "",
    order: (form) => [...form.querySelectorAll("[data-label]")].map((row) => row.dataset.label).join(""),
  };

  // What was solved is remembered in this browser, page by page, and goes nowhere else.
  const STORE = `every-line-runs:${location.pathname}`;
  let memory = {};
  try {
    memory = JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch {} // a browser that keeps nothing still checks answers

  function remember(form, state) {
    if (state === "solved" || !memory[form.id]) memory[form.id] = state;
    keep();
  }

  function keep() {
    try {
      if (Object.keys(memory).length) localStorage.setItem(STORE, JSON.stringify(memory));
      else localStorage.removeItem(STORE);
    } catch {}
    showProgress();
  }

  const forms = () => [...document.querySelectorAll("form.studio-question")];
  let line = null;

  function showProgress() {
    const all = forms();
    for (const form of all) form.dataset.state = memory[form.id] ?? "";
    const solved = all.filter((form) => memory[form.id] === "solved").length;
    line.firstChild.textContent = `${solved} of ${all.length} solved on this page`;
    line.lastChild.hidden = !Object.keys(memory).length;
  }

  function addProgress() {
    const last = forms().at(-1);
    let section = last.closest("section") ?? document.body;
    const above = () => section.parentElement?.closest("section");
    while (above() && above().parentElement.closest("section")) section = above(); // one below the page's own
    const first = forms().find((form) => section.contains(form));
    line = document.createElement("p");
    line.className = "studio-progress";
    const clear = document.createElement("button");
    clear.type = "button";
    clear.textContent = "clear";
    clear.setAttribute("aria-label", "Clear what this browser remembers of these exercises");
    clear.addEventListener("click", () => {
      memory = {};
      keep();
      line.focus();
    });
    line.tabIndex = -1;
    line.append(document.createElement("span"), clear);
    (first.closest("div.cell") ?? first).before(line);
  }

  function enliven(form) {
    const data = unwrap(form.dataset.answers);
    const verdict = form.querySelector(".studio-verdict");
    const hints = [...form.querySelectorAll(".studio-hints > li")];
    const more = form.querySelector(".studio-more");

    function showHint() {
      const next = hints.find((hint) => hint.hidden);
      if (next) next.hidden = false;
      hints[0].parentElement.hidden = false;
      const left = hints.filter((hint) => hint.hidden).length;
      more.textContent = "Another hint";
      more.hidden = !left;
    }

    function show(found) {
      const kind = found.accepted ? "accepted" : found.attempted ? "rejected" : "blank";
      verdict.className = `studio-verdict studio-${kind}`;
      verdict.querySelector(".studio-finding").textContent = found.finding;
      for (const text of verdict.querySelectorAll("[data-key]")) text.hidden = text.dataset.key !== found.key;
      verdict.hidden = false;
      if (found.unforeseen) showHint();
      if (found.attempted) remember(form, found.accepted ? "solved" : "tried");
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      show(judge(data, answerOf[data.kind](form)));
    });
    more.addEventListener("click", showHint);
    const list = form.querySelector(".studio-order");
    if (list) addMoves(list);
  }

  // Up and down by button, by keyboard on the button, and by dragging a line, with a finger too.
  function addMoves(list) {
    const rows = () => [...list.children];

    function ends() {
      rows().forEach((row, place, all) => {
        const [up, down] = row.querySelectorAll("[data-move]");
        up.setAttribute("aria-disabled", place === 0);
        down.setAttribute("aria-disabled", place === all.length - 1);
      });
    }

    function move(row, step) {
      const neighbour = step < 0 ? row.previousElementSibling : row.nextElementSibling;
      if (!neighbour) return;
      if (step < 0) neighbour.before(row);
      else neighbour.after(row);
      ends();
    }

    list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-move]");
      if (!button) return;
      move(button.closest("li"), Number(button.dataset.move));
      button.focus();
    });

    let held = null;
    const middle = (row) => row.getBoundingClientRect().top + row.getBoundingClientRect().height / 2;
    list.addEventListener("pointerdown", (event) => {
      // A finger that drags the letter moves the line; anywhere else it scrolls the page.
      const grip = event.pointerType === "mouse" ? "li" : ".studio-label";
      if (event.button || event.target.closest("button") || !event.target.closest(grip)) return;
      held = event.target.closest("li");
      list.setPointerCapture(event.pointerId);
      held.classList.add("studio-held");
      event.preventDefault();
    });
    list.addEventListener("pointermove", (event) => {
      if (!held) return;
      const above = held.previousElementSibling;
      const below = held.nextElementSibling;
      if (above && event.clientY < middle(above)) move(held, -1);
      else if (below && event.clientY > middle(below)) move(held, 1);
    });
    const drop = () => {
      held?.classList.remove("studio-held");
      held = null;
    };
    list.addEventListener("pointerup", drop);
    list.addEventListener("pointercancel", drop);
    ends();
  }

  function start() {
    if (!forms().length) return;
    addProgress();
    forms().forEach(enliven);
    showProgress();
  }

  window.everyLineRuns = { ...window.everyLineRuns, judge, unwrap };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
