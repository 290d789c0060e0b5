"use strict";
(function (page) {
  // Numbers keep their exact value in data-value.
  page.table = function (into, caption, heads, rows) {
    var table = into.append("div").attr("class", "wide").append("table");
    if (caption) table.append("caption").text(caption);
    table.append("thead").append("tr").selectAll("th").data(heads).enter().append("th").attr("scope", "col")
      .text(function (head) { return head; });
    var body = table.append("tbody");
    rows.forEach(function (cells) {
      var row = body.append("tr");
      cells.forEach(function (cell, i) {
        var at = row.append(i === 0 ? "th" : "td");
        if (i === 0) at.attr("scope", "row");
        if (cell === null || cell === undefined) at.text("-");
        else if (typeof cell === "object") {
          at.classed("number", i > 0).attr("data-value", cell.value).text(cell.text);
          if (cell.heat !== undefined) at.style("background", "rgba(var(--heat), " + (0.55 * cell.heat).toFixed(3) + ")");
        } else at.text(cell);
      });
    });
    return table;
  };
  page.time_cell = function (ns) { return ns === undefined ? null : { value: ns, text: page.time(ns) }; };
  page.count_cell = function (value) { return value === undefined ? null : { value: value, text: page.count(value) }; };
  page.part_cell = function (value) { return value === undefined ? null : { value: value, text: page.part(value) }; };

  page.matrix = function (into, matrix) {
    var most = d3.max(matrix.cells, function (row) { return d3.max(row); }) || 1;
    var rows = matrix.rows.map(function (name, i) {
      return [name].concat(matrix.cells[i].map(function (value) {
        return { value: value, text: page.count(value), heat: value / most };
      }));
    });
    var corner = matrix.row_is ? matrix.row_is + " \\ " + matrix.column_is : matrix.column_is;
    page.table(into, matrix.title, [corner].concat(matrix.columns), rows);
  };

  // Blocks by node: pages before and after, and the tasks beside them. Each row has its own scale: blocks differ in size.
  page.page_map = function (into, map) {
    into.append("p").attr("class", "soft").text("Block by node, " + map.from + ". The darker, the larger the part of the block.");
    var box = into.append("div").attr("class", "beside");
    [map.before, map.after, map.tasks].filter(function (matrix) { return matrix.rows.length > 0; }).forEach(function (matrix) {
      page.table(box, matrix.title, [matrix.row_is + " \\ " + matrix.column_is].concat(matrix.columns), matrix.rows.map(function (name, i) {
        var all = d3.sum(matrix.cells[i]) || 1;
        return [name].concat(matrix.cells[i].map(function (value) {
          return { value: value, text: page.count(value), heat: value / all };
        }));
      }));
    });
  };

  page.advice = function (into, items) {
    var heads = ["what to do", "why", "expected gain", "known from", "command"];
    var table = page.table(into, "Sorted by expected gain: the part of the time that would go", heads, items.map(function (one) {
      return [one.what, one.evidence, one.gain === undefined ? "not known" : page.part_cell(one.gain), one.gain_from, one.command];
    })).attr("class", "advice");
    table.selectAll("tbody tr").each(function () {
      d3.select(this).selectAll("th, td").attr("data-head", function (_, i) { return heads[i]; })
        .classed("empty", function () { return this.textContent === ""; });
    });
  };
})(nearfork);
