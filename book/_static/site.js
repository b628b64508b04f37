// Small repairs that need a script: search from a folder, and formulas wider than a phone.
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

  addEventListener("load", () => window.MathJax?.startup?.promise?.then(reachable));
  addEventListener("resize", reachable);
})();
