"use strict";
// Numbers in words, and the colours. All text gets to the page as text, never as HTML.
var nearfork = { faults: [] };
window.addEventListener("error", function (fault) {
  nearfork.faults.push(String(fault.message));
  document.body.dataset.faults = nearfork.faults.join("; ");
  var told = document.createElement("p");
  told.className = "note";
  told.textContent = "A part of this page could not be drawn: " + fault.message + ". nearfork report --json has its numbers.";
  document.getElementById("parts").appendChild(told);
});

(function (page) {
  function scaled(value, step, units) {
    var unit = 0;
    while (Math.abs(value) >= step * 0.99995 && unit + 1 < units.length) { value /= step; ++unit; }
    var digits = unit === 0 || Math.abs(value) >= 100 ? 0 : Math.abs(value) < 10 ? 2 : 1;
    return value.toFixed(digits) + " " + units[unit];
  }
  page.time = function (ns) { return scaled(ns, 1000, ["ns", "us", "ms", "s"]); };
  page.count = function (value) {
    return Number.isInteger(value) ? value.toLocaleString("en-GB") : value.toLocaleString("en-GB", { maximumFractionDigits: 1 });
  };
  page.part = function (fraction) { return (100 * fraction).toFixed(1) + "%"; };

  // Okabe and Ito's colours, which people with any colour vision tell apart; each is also named beside its use.
  page.colours = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C"];
  page.colour_of = function (number) { return page.colours[number % page.colours.length]; };
  page.dark = window.matchMedia("(prefers-color-scheme: dark)");
  page.prints = false;
  page.style = function (name) {
    if (page.prints) return { "--ink": "#000000", "--paper": "#ffffff", "--soft": "#444444", "--line": "#bbbbbb", "--shade": "#f3f3f3" }[name];
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  };
  page.on_colours = [];  // called when the colours change
  function change() { page.on_colours.forEach(function (act) { act(); }); }
  page.dark.addEventListener("change", change);
  window.addEventListener("beforeprint", function () { page.prints = true; change(); });
  window.addEventListener("afterprint", function () { page.prints = false; change(); });
})(nearfork);
