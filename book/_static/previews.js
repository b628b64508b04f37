// Shows what a link leads to (an equation, a reference, a term) or what a letter means, on hover and on focus.
// The data are one script of the site, loaded when first needed: a page opened from a folder may load no other way.
(() => {
  "use strict";

  const WAIT = 150; // milliseconds: a pointer that only passes by opens nothing
  const ROOT = new URL(document.documentElement.dataset.content_root ?? "./", location.href);
  const PAGE = location.href.split(/[?#]/)[0].slice(ROOT.href.length);
  const LINKS = '.bd-article a[href*="#"]:not(.headerlink)';
  const LETTERS = ".bd-article math mi";

  let data = null;
  function load() {
    data ??= new Promise((loaded, failed) => {
      const script = document.createElement("script");
      script.src = new URL("_static/preview-data.js", ROOT);
      script.onload = () => loaded(window.previewData);
      script.onerror = failed;
      document.head.append(script);
    });
    return data;
  }

  function keyOf(link) {
    const url = new URL(link.href);
    return decodeURIComponent((url.origin + url.pathname + url.hash).slice((ROOT.origin + ROOT.pathname).length));
  }

  async function contentFor(target) {
    const { links, symbols } = await load();
    if (target.matches("a")) return links[keyOf(target)];
    const here = symbols[PAGE.replace(/\.html$/, "")] ?? {};
    return (here[target.textContent] ?? symbols[""][target.textContent])?.join("");
  }

  const box = document.createElement("div");
  box.className = "preview";
  box.id = "preview";
  box.setAttribute("role", "tooltip");
  let [shownFor, timer] = [null, null];

  function place(target) {
    const around = target.getBoundingClientRect();
    const left = Math.min(around.left, document.documentElement.clientWidth - box.offsetWidth - 8);
    const below = around.bottom + 6;
    const above = around.top - box.offsetHeight - 6;
    box.style.left = `${Math.max(8, left)}px`;
    box.style.top = `${below + box.offsetHeight > innerHeight && above > 0 ? above : below}px`;
  }

  async function show(target) {
    const content = await contentFor(target);
    if (!content || !target.isConnected) return;
    hide();
    box.innerHTML = content;
    document.body.append(box);
    place(target);
    shownFor = target;
    if (target.matches("a")) target.setAttribute("aria-describedby", box.id);
  }

  function hide() {
    clearTimeout(timer);
    shownFor?.removeAttribute("aria-describedby");
    shownFor = null;
    box.remove();
  }

  function later(action) {
    clearTimeout(timer);
    timer = setTimeout(action, WAIT);
  }

  addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch" || !(target instanceof Element)) return;
    const found = target.closest(LINKS) ?? target.closest(LETTERS);
    if (found && found !== shownFor) later(() => show(found));
    else if (found || box.contains(target)) clearTimeout(timer);
    else if (shownFor) later(hide);
    else clearTimeout(timer);
  });
  addEventListener("focusin", ({ target }) => {
    if (target.matches?.(LINKS) && target.matches(":focus-visible")) show(target);
    else if (shownFor) hide();
  });
  addEventListener("focusout", hide);
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
  addEventListener("scroll", hide, { passive: true });
})();
