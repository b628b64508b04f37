"""What is wrong with the drawings of a page, asked in the browser: each gives a list, or how many."""

from __future__ import annotations

SMALL_TEXT = """() => [...document.querySelectorAll("figure svg text")].map((one) => {
  const { a, b } = one.getScreenCTM();
  return [parseFloat(getComputedStyle(one).fontSize) * Math.hypot(a, b), one.textContent];
}).filter(([size]) => size < 10.95)"""
CUT_OFF = """() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((one) => {
    if (!one.textContent.trim()) return false;
    const box = one.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  }).map((one) => one.textContent);
})"""
OUTSIDE = """() => [...document.querySelectorAll("figure svg, .studio-control > *")].filter((one) => {
  const box = one.getBoundingClientRect();
  return !one.closest(".studio-wide") && (box.left < 0 || box.right > document.documentElement.clientWidth);
}).length"""
