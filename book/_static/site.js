// What a reader's page needs a script for: contents that follow, progress, links that land, and search.
(() => {
  "use strict";

  // The fonts are in the style sheet; the page is shown when they are unpacked, or soon in any case.
  const FONTS = ['1em "Source Sans Pro"', '600 1em "Source Sans Pro"', 'italic 1em "Source Sans Pro"', '1em "STIX Two Math"'];
  const soon = new Promise((late) => setTimeout(late, 1000));
  document.documentElement.classList.add("unpacking");
  Promise.race([Promise.all(FONTS.map((font) => document.fonts.load(font))), soon]).finally(() =>
    document.documentElement.classList.remove("unpacking"),
  );

  // A page opened from a folder may not read other pages, so search shows titles without excerpts there.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  // Heights off the screen are guesses (see site.css). As what is above a link's target is laid out, the target
  // moves; it is brought back until it stays.
  async function land() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let still = 0;
    for (let last = NaN, frame = 0; frame < 30 && still < 3; frame++) {
      target.scrollIntoView({ behavior: "instant" });
      await new Promise(requestAnimationFrame);
      const at = target.getBoundingClientRect().top;
      still = Math.abs(at - last) < 1 ? still + 1 : 0;
      last = at;
    }
  }

  // The contents mark the section that is being read and keep the mark in view.
  function follow(bar) {
    const links = [...document.querySelectorAll(".bd-toc-nav a.nav-link[href^='#']")];
    const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    const pane = document.querySelector(".bd-sidebar-secondary");
    let current = null;

    function update() {
      const line = innerHeight * 0.35;
      const { scrollHeight, clientHeight } = document.documentElement;
      const atEnd = scrollY > 0 && scrollY + clientHeight >= scrollHeight - 2;
      const last = sections.findLastIndex((section) => section && section.getBoundingClientRect().top <= line);
      // A section that was asked for is marked, also if a heading inside it stands right below.
      const asked = links.findIndex((one) => one.hash === location.hash);
      const top = sections[asked]?.getBoundingClientRect().top ?? Infinity;
      const read = top >= -5 && top <= line ? asked : last;
      const link = links.at(atEnd ? -1 : read === -1 ? links.length : read) ?? null;
      bar.style.scale = `${Math.min(1, scrollY / Math.max(1, scrollHeight - clientHeight))} 1`;
      if (link === current) return;
      current?.removeAttribute("aria-current");
      current = link;
      if (!link) return;
      link.setAttribute("aria-current", "location");
      const [box, around] = [link.getBoundingClientRect(), pane.getBoundingClientRect()];
      if (box.top < around.top || box.bottom > around.bottom) pane.scrollTop += box.top - around.top - around.height / 3;
    }

    let waiting = false;
    addEventListener(
      "scroll",
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          update();
        });
      },
      { passive: true },
    );
    update();
  }

  // What scrolls must be reachable with the keyboard. Only what comes into view is measured.
  const WIDE = "div.math, pre, .cell_output > .output";

  function makeReachable() {
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        if (target.scrollWidth > target.clientWidth + 1 || target.scrollHeight > target.clientHeight + 1) target.tabIndex = 0;
        else if (target.tagName !== "PRE") target.removeAttribute("tabindex");
      }
    });
    for (const wide of document.querySelectorAll(innerWidth < 700 ? `${WIDE}, span.math` : WIDE)) {
      if (wide.tagName === "PRE") wide.tabIndex = 0; // always: its width changes with fonts and folds
      seen.observe(wide);
    }
  }

  addEventListener("DOMContentLoaded", () => {
    // The search page has a field of its own; the style sheet hides the other one.
    if (document.getElementById("search-results")) document.body.classList.add("searching");
    const bar = document.createElement("div");
    bar.className = "reading-progress";
    bar.setAttribute("aria-hidden", "true");
    document.body.prepend(bar);
    follow(bar);
    makeReachable();
    land();
  });
  addEventListener("hashchange", land);
})();
