// What needs a script: search from a folder, formulas wider than a phone, and rest for what is off the screen.
(() => {
  "use strict";

  // A page opened from a folder may not read other pages, so search shows titles without excerpts there.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  // The search page has a field of its own; the style sheet hides the other one.
  addEventListener("DOMContentLoaded", () => {
    if (document.getElementById("search-results")) document.body.classList.add("searching");
  });

  // What scrolls must be reachable with the keyboard.
  function reachable() {
    for (const formula of document.querySelectorAll('mjx-container[display="true"]')) {
      if (formula.scrollWidth > formula.clientWidth + 1) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  }

  // Off-screen blocks rest (see site.css). Each keeps its exact height, so that links and the scroll bar hold.
  function measure() {
    const blocks = [...document.querySelectorAll(".bd-article section > section, .bd-article div.cell")];
    document.documentElement.classList.remove("measured");
    for (const block of blocks) block.style.containIntrinsicHeight = ""; // forgets the height at another width
    reachable();
    const heights = blocks.map((block) => block.getBoundingClientRect().height);
    blocks.forEach((block, i) => (block.style.containIntrinsicHeight = `auto ${heights[i]}px`));
    document.documentElement.classList.add("measured");
  }

  let settling;
  function settle() {
    clearTimeout(settling);
    settling = setTimeout(measure, 300);
  }

  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    settle();
    addEventListener("resize", settle);
  });
})();
