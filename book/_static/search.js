// Live search by section, over http. A page opened from a folder may not read the index; there the theme's own
// search page answers.
(() => {
  "use strict";
  if (location.protocol === "file:") return;

  const ROOT = new URL(document.documentElement.dataset.content_root ?? "./", location.href);
  const MOST_PAGES = 6, MOST_SECTIONS = 3;

  let engine = null;
  const load = () => (engine ??= import(new URL("pagefind/pagefind.js", ROOT)));

  function entry(section, page) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = new URL(section.url.replace(/^\//, ""), ROOT);
    link.textContent = section.title === page.meta.title ? page.meta.title : `${page.meta.title}: ${section.title}`;
    const words = document.createElement("p");
    words.innerHTML = section.excerpt; // escaped by pagefind, which marks what was found
    item.append(link, words);
    return item;
  }

  function attach(form) {
    const field = form.querySelector("input[type=search]");
    const list = document.createElement("ol");
    const status = document.createElement("p");
    list.className = "search-live";
    status.className = "search-status";
    status.setAttribute("role", "status");
    form.after(status, list);

    async function search() {
      const asked = field.value.trim();
      const { debouncedSearch } = await load();
      const found = asked ? await debouncedSearch(asked, {}, 120) : { results: [] };
      if (found === null || field.value.trim() !== asked) return; // the reader has typed on
      const pages = await Promise.all(found.results.slice(0, MOST_PAGES).map((one) => one.data()));
      const items = pages.flatMap((page) => page.sub_results.slice(0, MOST_SECTIONS).map((one) => entry(one, page)));
      list.replaceChildren(...items);
      status.textContent = !asked ? "" : items.length ? `${items.length} sections` : "Nothing found";
    }

    field.setAttribute("autocomplete", "off");
    field.addEventListener("focus", load, { once: true });
    field.addEventListener("input", search);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.focus();
    });
    if (field.value) search();
  }

  addEventListener("DOMContentLoaded", () => {
    const asked = new URLSearchParams(location.search).get("q");
    const theirs = document.getElementById("search-results");
    if (theirs) theirs.style.display = "none"; // it shows the source of formulas
    for (const form of document.querySelectorAll("form.bd-search")) {
      if (asked) form.querySelector("input").value = asked;
      attach(form);
    }
  });
})();
