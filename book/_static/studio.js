// Derivations whose lines can be opened, and the small cards that appear beside a line or a claimed number.
(() => {
  "use strict";

  const PAUSE = 150; // milliseconds: a pointer that only passes by opens nothing, and may travel onto the card

  // One card for the whole page; it hangs in the body, where no block can cut it off.
  const card = document.createElement("div");
  card.className = "studio-tip";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  let owner = null;
  let waiting;

  function place(beside) {
    const at = beside.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(at.left, width - card.offsetWidth - 8));
    const below = at.bottom + card.offsetHeight + 8 < innerHeight || at.top < card.offsetHeight + 8;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${scrollY + (below ? at.bottom + 6 : at.top - card.offsetHeight - 6)}px`;
  }

  function show(trigger, contents, beside) {
    clearTimeout(waiting);
    if (owner === trigger) return;
    const copies = contents.filter(Boolean).map((one) => one.cloneNode(true));
    for (const copy of copies) {
      copy.hidden = false;
      copy.removeAttribute("id");
      for (const inner of copy.querySelectorAll("[id]")) inner.removeAttribute("id");
    }
    card.replaceChildren(...copies);
    card.hidden = false;
    owner = trigger;
    place(beside);
  }

  function hide() {
    clearTimeout(waiting);
    card.hidden = true;
    owner = null;
  }

  function soon(action) {
    clearTimeout(waiting);
    waiting = setTimeout(action, PAUSE);
  }

  const isMouse = (event) => event.pointerType === "mouse";

  function hover(element, action) {
    element.addEventListener("pointerenter", (event) => isMouse(event) && soon(action));
    element.addEventListener("pointerleave", (event) => isMouse(event) && soon(hide));
  }

  // A tick behind a number: what was claimed, what came out, and the code.
  function enlivenTick(tick) {
    const contents = () => tick.dataset.claims.split(" ").map((id) => document.getElementById(id));
    const open = () => show(tick, contents(), tick.parentElement);
    hover(tick.parentElement, open);
    tick.addEventListener("focus", () => tick.matches(":focus-visible") && open());
    tick.addEventListener("blur", hide);
    tick.addEventListener("click", () => (owner === tick && !card.hidden ? hide() : open()));
  }

  function toggle(button, panel) {
    const open = panel.hidden;
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    return open;
  }

  // A line of a derivation: pointing at it shows its values, opening it everything.
  function enlivenLine(line) {
    const look = line.querySelector(".studio-look");
    const inside = line.querySelector(".studio-inside");
    const values = () => inside.hidden && show(line, [inside.querySelector(".studio-values")], look);
    hover(line, values);
    look.addEventListener("focus", () => look.matches(":focus-visible") && values());
    look.addEventListener("blur", hide);
    line.addEventListener("click", (event) => {
      if (event.target.closest(".studio-inside, a") || String(getSelection())) return;
      hide();
      line.classList.toggle("studio-open", toggle(look, inside));
    });
    const breaks = inside.querySelector(".studio-break");
    breaks?.addEventListener("click", () => toggle(breaks, inside.querySelector(".studio-broken")));
  }

  const isCut = (element) => element.scrollWidth > element.clientWidth + 1;

  // Formulas that leave no room for the reasons beside them get these underneath. What comes near is measured.
  function stack(blocks) {
    const near = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) continue;
          near.unobserve(target);
          if ([target, ...target.querySelectorAll(".studio-reason, .studio-reason .math")].some(isCut))
            target.classList.add("studio-stacked");
        }
      },
      { rootMargin: "600px 0px" },
    );
    for (const block of blocks) near.observe(block);
  }

  function start() {
    document.body.append(card);
    card.addEventListener("pointerenter", () => clearTimeout(waiting));
    card.addEventListener("pointerleave", () => soon(hide));
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
    document.addEventListener("pointerdown", (event) => {
      if (owner && !card.contains(event.target) && !owner.contains(event.target)) hide();
    });
    addEventListener("resize", hide);
    document.querySelectorAll(".studio-tick").forEach(enlivenTick);
    document.querySelectorAll(".studio-line").forEach(enlivenLine);
    stack(document.querySelectorAll(".studio-lines, .studio-lined"));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
