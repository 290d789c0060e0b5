"use strict";
(function (page) {
  var shapes = { plain: "symbolCircle", profile: "symbolTriangle", trial: "symbolSquare", steady: "symbolDiamond", recorded: "symbolCircle" };
  var kind_colours = { plain: "#0072B2", profile: "#D55E00", trial: "#E69F00", steady: "#009E73", recorded: "#0072B2" };

  function canvas(into, width, height, label) {
    return into.append("div").attr("class", "wide").append("svg").attr("viewBox", "0 0 " + width + " " + height).attr("width", width).attr("height", height)
      .attr("role", "img").attr("aria-label", label);
  }
  function legend(into, items) {
    var list = into.append("div").attr("class", "legend");
    items.forEach(function (one) {
      var entry = list.append("span");
      entry.append("svg").attr("width", 14).attr("height", 14).append("path").attr("transform", "translate(7,7)")
        .attr("d", d3.symbol().type(d3[one.shape || "symbolSquare"]).size(70)()).attr("fill", one.colour);
      entry.append("span").text(one.name);
    });
  }
  page.legend = legend;

  // A value holds until the next one.
  page.counter = function (into, counter) {
    var width = 960, height = 120, left = 90, right = 20, top = 8, bottom = 24;
    var points = counter.at_ns.map(function (at, i) { return [at, counter.values[i]]; });
    var x = d3.scaleLinear().domain([0, d3.max(counter.at_ns) || 1]).range([left, width - right]);
    var least = Math.min(0, d3.min(counter.values)), most = Math.max(0, d3.max(counter.values));
    var y = d3.scaleLinear().domain(least === most ? [0, 1] : [least, most]).range([height - bottom, top]).nice();
    into.append("p").attr("class", "soft").text(counter.name);
    var svg = canvas(into, width, height, counter.name + " over time");
    svg.append("g").attr("class", "axis").attr("transform", "translate(0," + (height - bottom) + ")").call(d3.axisBottom(x).ticks(8).tickFormat(page.time));
    svg.append("g").attr("class", "axis").attr("transform", "translate(" + left + ",0)").call(d3.axisLeft(y).ticks(3, "~s"));
    svg.append("path").datum(points).attr("fill", "none").attr("stroke", page.colours[0]).attr("stroke-width", 1.5)
      .attr("d", d3.line().x(function (one) { return x(one[0]); }).y(function (one) { return y(one[1]); }).curve(d3.curveStepAfter));
  };

  var most_points = 3000;  // with a shape each
  page.iterations = function (into, view) {
    var courses = view.courses.filter(function (one) { return one.iterations.length > 0; });
    if (courses.length === 0) return false;
    var width = 960, height = 260, left = 70, right = 130, top = 12, bottom = 36;
    var all = d3.merge(courses.map(function (one) { return one.iterations; }));
    var x = d3.scaleLinear().domain(d3.extent(all, function (one) { return one.number; })).range([left, width - right]);
    if (x.domain()[0] === x.domain()[1]) x.domain([x.domain()[0] - 1, x.domain()[1] + 1]);
    var y = d3.scaleLinear().domain([0, d3.max(all, function (one) { return one.time_ns; }) || 1]).range([height - bottom, top]).nice();
    var svg = canvas(into, width, height, "Time of each iteration");
    var whole = d3.format("d");
    svg.append("g").attr("class", "axis").attr("transform", "translate(0," + (height - bottom) + ")")
      .call(d3.axisBottom(x).ticks(10).tickFormat(function (at) { return Number.isInteger(at) ? whole(at) : ""; }));
    svg.append("g").attr("class", "grid").attr("transform", "translate(" + left + ",0)").call(d3.axisLeft(y).ticks(5).tickSize(left + right - width).tickFormat(""));
    svg.append("g").attr("class", "axis").attr("transform", "translate(" + left + ",0)").call(d3.axisLeft(y).ticks(5).tickFormat(page.time));
    svg.append("text").attr("x", left).attr("y", height - 4).text("iteration");
    var line = d3.line().x(function (one) { return x(one.number); }).y(function (one) { return y(one.time_ns); });
    var kinds = {}, changes = [], ends = [];
    courses.forEach(function (course, i) {
      var colour = page.colour_of(i);
      svg.append("path").datum(course.iterations).attr("d", line).attr("fill", "none").attr("stroke", colour)
        .attr("stroke-width", 1.5).attr("stroke-dasharray", i < page.colours.length ? null : "5 3");
      ends.push({ name: course.name, y: y(course.iterations[course.iterations.length - 1].time_ns), colour: colour });
      course.iterations.forEach(function (one) {
        kinds[one.kind] = true;
        if (one.why) changes.push({ course: course.name, number: one.number, kind: one.kind, why: one.why, time_ns: one.time_ns });
      });
      if (all.length <= most_points)
        svg.append("g").selectAll("path").data(course.iterations).enter().append("path")
          .attr("transform", function (one) { return "translate(" + x(one.number) + "," + y(one.time_ns) + ")"; })
          .attr("d", function (one) { return d3.symbol().type(d3[shapes[one.kind] || "symbolCircle"]).size(38)(); })
          .attr("fill", function (one) { return kind_colours[one.kind] || colour; })
          .append("title").text(function (one) {
            return course.name + ", iteration " + one.number + " (" + one.kind + "): " + page.time(one.time_ns) + (one.why ? "\n" + one.why : "");
          });
    });
    ends.sort(function (a, b) { return a.y - b.y; });
    ends.forEach(function (one, i) {
      one.y = i > 0 ? Math.max(one.y, ends[i - 1].y + 13) : one.y;
      svg.append("text").attr("x", width - right + 8).attr("y", one.y + 4).text(one.name);
      svg.append("rect").attr("x", width - right + 1).attr("y", one.y - 5).attr("width", 5).attr("height", 10).attr("fill", one.colour);
    });
    changes.forEach(function (one) {
      svg.append("line").attr("class", "rule").attr("x1", x(one.number)).attr("x2", x(one.number)).attr("y1", top).attr("y2", height - bottom)
        .attr("stroke-dasharray", "2 3").append("title").text(one.course + ", before iteration " + one.number + ": " + one.why);
    });
    legend(into, Object.keys(kinds).map(function (kind) { return { name: kind, shape: shapes[kind], colour: kind_colours[kind] || "#8C8C8C" }; }));
    if (changes.length > 0) {
      var details = into.append("details").attr("open", changes.length <= 12 ? "" : null);
      details.append("summary").text("Changes of plans and why (" + changes.length + ")");
      page.table(details, "", ["region or policy", "before iteration", "kind", "time", "why"], changes.map(function (one) {
        return [one.course, page.count_cell(one.number), one.kind, page.time_cell(one.time_ns), one.why];
      }));
    }
    return true;
  };

  var most_bars = 128;
  page.worker_times = function (into, rows) {
    rows.forEach(function (one) { one.apart_ns = one.work_ns - (one.stall_ns || 0); });
    var stalls = rows.some(function (one) { return one.stall_ns !== undefined; });
    var parts = [["apart_ns", stalls ? "work without stalls" : "work", "#0072B2"], ["stall_ns", "stalls on memory", "#CC79A7"], ["search_ns", "search or wait", "#E69F00"], ["parked_ns", "parked", "#8C8C8C"]];
    if (!stalls) parts.splice(1, 1);
    var shown = rows.slice(0, most_bars);
    var width = 960, left = 250, step = 18, height = shown.length * step + 24;
    var x = d3.scaleLinear().domain([0, d3.max(rows, function (one) { return one.work_ns + one.search_ns + (one.parked_ns || 0); }) || 1]).range([left, width - 20]);
    var svg = canvas(into, width, height, "Where the time of workers went");
    shown.forEach(function (one, i) {
      svg.append("text").attr("x", left - 8).attr("y", i * step + 13).attr("text-anchor", "end").text(one.name);
      var from = 0;
      parts.forEach(function (part) {
        var value = one[part[0]] || 0;
        svg.append("rect").attr("x", x(from)).attr("y", i * step + 2).attr("width", Math.max(0, x(from + value) - x(from))).attr("height", step - 4)
          .attr("fill", part[2]).append("title").text(one.name + ": " + part[1] + " " + page.time(value));
        from += value;
      });
    });
    svg.append("g").attr("class", "axis").attr("transform", "translate(0," + (shown.length * step) + ")").call(d3.axisBottom(x).ticks(6).tickFormat(page.time));
    legend(into, parts.map(function (part) { return { name: part[1], colour: part[2] }; }));
    var details = into.append("details");
    details.append("summary").text("The numbers (" + rows.length + " workers)");
    page.table(details, "", ["worker", "domain", "work", "stalls on memory, in work", "search or wait", "parked"], rows.map(function (one) {
      return [one.name, page.count_cell(one.domain), page.time_cell(one.work_ns), page.time_cell(one.stall_ns), page.time_cell(one.search_ns), page.time_cell(one.parked_ns)];
    }));
  };

  function least(one, workers) { return Math.max(one.span_ns, one.work_ns / workers); }
  page.brackets = function (into, rows) {
    page.table(into, "Least: the larger of work/P and span. Most: work/P + span (greedy scheduling; memory and scheduling come on top).",
      ["region", "iteration", "tasks", "work", "span", "parallelism", "workers", "least", "most", "measured"], rows.slice(0, 200).map(function (one) {
        return [one.region, page.count_cell(one.iteration), page.count_cell(one.tasks), page.time_cell(one.work_ns), page.time_cell(one.span_ns),
          { value: one.work_ns / Math.max(one.span_ns, 1), text: (one.work_ns / Math.max(one.span_ns, 1)).toFixed(1) }, page.count_cell(one.workers),
          page.time_cell(least(one, one.workers)), page.time_cell(one.work_ns / one.workers + one.span_ns), page.time_cell(one.time_ns)];
      }));
    var heavy = rows.reduce(function (a, b) { return b.work_ns > a.work_ns ? b : a; });
    if (!(heavy.work_ns > 0)) return;
    var width = 960, height = 230, left = 70, right = 20, top = 10, bottom = 36;
    var workers = [1, 2, 4, 8, 16, 32, 64, 128, 256];
    var x = d3.scaleLog().base(2).domain([1, 256]).range([left, width - right]);
    var y = d3.scaleLog().domain([Math.min(least(heavy, 256), heavy.time_ns || Infinity) * 0.8, Math.max(heavy.work_ns + heavy.span_ns, heavy.time_ns) * 1.2]).range([height - bottom, top]);
    var svg = canvas(into, width, height, "Least and most time by number of workers");
    svg.append("g").attr("class", "axis").attr("transform", "translate(0," + (height - bottom) + ")").call(d3.axisBottom(x).tickValues(workers).tickFormat(d3.format("d")));
    svg.append("g").attr("class", "axis").attr("transform", "translate(" + left + ",0)").call(d3.axisLeft(y).ticks(5, page.time));
    svg.append("text").attr("x", left).attr("y", height - 4).text("workers (region " + heavy.region + ", iteration " + heavy.iteration + ")");
    svg.append("path").datum(workers).attr("fill", "#56B4E9").attr("fill-opacity", 0.35).attr("stroke", "#0072B2").attr("d", d3.area()
      .x(function (p) { return x(p); }).y0(function (p) { return y(least(heavy, p)); }).y1(function (p) { return y(heavy.work_ns / p + heavy.span_ns); }));
    if (heavy.time_ns > 0)
      svg.append("path").attr("transform", "translate(" + x(heavy.workers) + "," + y(heavy.time_ns) + ")").attr("fill", "#D55E00")
        .attr("d", d3.symbol().type(d3.symbolDiamond).size(90)()).append("title").text("measured: " + page.time(heavy.time_ns));
    legend(into, [{ name: "between the least and the most time", colour: "#56B4E9" }, { name: "measured", colour: "#D55E00", shape: "symbolDiamond" }]);
  };

  page.pages = function (into, one) {
    var heads = ["node"], sums = [];
    if (one.before.length > 0) heads.push("pages after the first iteration");
    heads.push("pages at the end");
    if (one.work_ns.length > 0) heads.push("work of the tasks beside it, last iteration");
    [one.before, one.after, one.work_ns].forEach(function (column) { sums.push(d3.sum(column) || 1); });
    page.table(into, one.what, heads, one.nodes.map(function (node, i) {
      var row = [node];
      if (one.before.length > 0) row.push({ value: one.before[i], text: page.count(one.before[i]), heat: one.before[i] / sums[0] });
      row.push({ value: one.after[i], text: page.count(one.after[i]), heat: one.after[i] / sums[1] });
      if (one.work_ns.length > 0) row.push({ value: one.work_ns[i], text: page.time(one.work_ns[i]), heat: one.work_ns[i] / sums[2] });
      return row;
    }));
  };

  page.bars = function (into, rows, label) {  // of {name, value, least, most}
    var shown = rows.slice(0, most_bars);
    var width = 960, left = 300, step = 20, height = shown.length * step + 24;
    var x = d3.scaleLinear().domain([0, d3.max(rows, function (one) { return one.most || one.value; }) || 1]).range([left, width - 90]);
    var svg = canvas(into, width, height, label);
    shown.forEach(function (one, i) {
      svg.append("text").attr("x", left - 8).attr("y", i * step + 14).attr("text-anchor", "end").text(one.name);
      svg.append("rect").attr("x", left).attr("y", i * step + 3).attr("width", Math.max(0, x(one.value) - left)).attr("height", step - 6).attr("fill", page.colour_of(one.group || 0));
      if (one.most) svg.append("line").attr("class", "rule").attr("x1", x(one.least)).attr("x2", x(one.most)).attr("y1", i * step + step / 2).attr("y2", i * step + step / 2);
      svg.append("text").attr("x", x(one.most || one.value) + 6).attr("y", i * step + 14).text(page.time(one.value));
    });
    svg.append("g").attr("class", "axis").attr("transform", "translate(0," + (shown.length * step) + ")").call(d3.axisBottom(x).ticks(6).tickFormat(page.time));
  };
})(nearfork);
