"use strict";
(function (page) {
  // The task tree from the top down: a subtree is as wide as its work.
  page.tree = function (into, tree) {
    var width = 960, step = 20;
    var nodes = tree.nodes.map(function (one, i) { return { id: i, parent: i === 0 ? null : one.parent, one: one }; });
    var root = d3.stratify().id(function (one) { return one.id; }).parentId(function (one) { return one.parent; })(nodes);
    // What a task does itself is the width that its children leave.
    root.each(function (at) {
      at.own = Math.max(0, at.data.one.work_ns - d3.sum(at.children || [], function (child) { return child.data.one.work_ns; }));
    });
    root.sum(function (node) { return 0; });
    root.eachAfter(function (at) { at.value = at.own + d3.sum(at.children || [], function (child) { return child.value; }); });
    var depth = root.height + 1, height = depth * step;
    d3.partition().size([width, height])(root);
    into.append("p").attr("class", "soft").text("Region " + tree.region + ": " + page.count(tree.nodes.length) + " tasks and subtrees shown, " + page.count(tree.left_out) +
      " tasks below them. " + (tree.domains_from ? "Domains: " + tree.domains_from + "." : "No domain is known: nearfork report g.nfg simulates them."));
    var known = Array.from(new Set(tree.nodes.map(function (one) { return one.domain; }).filter(function (one) { return one !== undefined; }))).sort(function (a, b) { return a - b; });
    var svg = into.append("div").attr("class", "wide").append("svg").attr("class", "tree").attr("viewBox", "0 0 " + width + " " + height).attr("width", width).attr("height", height)
      .attr("role", "img").attr("aria-label", "Task tree; the numbers are in the table below");
    var bars = svg.selectAll("g").data(root.descendants()).enter().append("g");
    bars.append("rect").attr("height", step - 1).attr("fill", function (at) { return at.data.one.domain === undefined ? "#8C8C8C" : page.colour_of(at.data.one.domain); })
      .append("title").text(function (at) {
        return "task " + at.data.one.task + ": " + page.count(at.data.one.tasks) + " tasks, work " + page.time(at.data.one.work_ns) +
          (at.data.one.domain === undefined ? "" : ", begins in domain " + at.data.one.domain);
      });
    function show(focus) {
      var factor = width / Math.max(focus.x1 - focus.x0, 1e-9);
      bars.selectAll("rect").attr("y", function (at) { return at.y0; })
        .attr("x", function (at) { return Math.max(-1, Math.min(width + 1, (at.x0 - focus.x0) * factor)); })
        .attr("width", function (at) {
          var from = Math.max(0, (at.x0 - focus.x0) * factor), to = Math.min(width, (at.x1 - focus.x0) * factor);
          return Math.max(0, to - from);
        });
    }
    bars.nodes().forEach(function (one) {
      one.addEventListener("click", function () { var at = d3.select(one).datum(); show(at === root || !at.children ? at.parent || root : at); });
    });
    show(root);
    if (known.length > 0) page.legend(into, known.slice(0, 24).map(function (domain) { return { name: "domain " + domain, colour: page.colour_of(domain) }; }));
    var details = into.append("details");
    details.append("summary").text("The heaviest subtrees as a table");
    var heavy = tree.nodes.slice(1).sort(function (a, b) { return b.work_ns - a.work_ns; }).slice(0, 40);
    page.table(details, "", ["task", "tasks in its subtree", "work", "domain"], heavy.map(function (one) {
      return [String(one.task), page.count_cell(one.tasks), page.time_cell(one.work_ns), page.count_cell(one.domain)];
    }));
  };
})(nearfork);
