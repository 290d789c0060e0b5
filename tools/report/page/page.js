"use strict";
(function (page) {
  var data = JSON.parse(document.getElementById("document").textContent);
  var parts = d3.select("#parts"), contents = d3.select("#contents");
  d3.select("#title").text("Made from " + data.title);

  function section(id, title) {
    var made = parts.append("section").attr("id", id);
    made.append("h2").text(title);
    contents.append("a").attr("href", "#" + id).text(title);
    return made;
  }
  function heading(into, view) {
    var made = into.append("h3");
    made.append("span").text(view.file + " (" + view.kind + (view.machine ? ", " + view.machine : "") + (view.workers ? ", " + view.workers + " workers" : "") + (view.policy ? ", policy " + view.policy : "") + ") ");
    if (view.simulated) made.append("span").attr("class", "mark").text("simulated");
  }
  // A part of all views that have it: act(into, view, number of the view).
  function part(id, title, has, act) {
    if (!data.views.some(has)) return;
    var into = section(id, title);
    data.views.forEach(function (view, i) {
      if (!has(view)) return;
      heading(into, view);
      act(into, view, i);
    });
  }

  var answer = section("answer", "The answer").append("ol").attr("class", "answer");
  [["How fast", data.answer[0]], ["What holds it back", data.answer[1]], ["What to do", data.answer[2]]].forEach(function (line) {
    var item = answer.append("li");
    item.append("b").text(line[0]);
    item.append("span").text(" " + line[1]);
  });
  data.notes.forEach(function (note) { d3.select("#answer").append("p").attr("class", "note").text(note); });
  if (data.advice.length > 0) page.advice(section("advice", "Advice"), data.advice);

  part("timeline", "Timeline", function (view) { return view.timeline; }, function (into, view, i) { page.timeline(into.append("div"), "timeline-" + i); });
  part("iterations", "Iterations", function (view) { return view.courses.length > 0; }, function (into, view) {
    var drawn = page.iterations(into, view);
    page.table(into, "Mean: of the iterations that are neither profile nor trial", ["region or policy", "iterations", "mean time", "the last plan and why"], view.courses.map(function (one) {
      return [one.name, page.count_cell(one.ran), page.time_cell(one.each_ns), one.why.join("; ")];
    }));
    if (!drawn) into.append("p").attr("class", "soft").text("This file has no times of single iterations; a trace has.");
  });
  part("counters", "Counters", function (view) { return view.counters.length > 0; }, function (into, view) {
    view.counters.forEach(function (one) { page.counter(into, one); });
  });
  part("pages", "Where pages lie", function (view) { return view.pages.length > 0 || view.page_maps.length > 0; }, function (into, view) {
    view.page_maps.forEach(function (one) { page.page_map(into, one); });
    view.pages.forEach(function (one) { page.pages(into, one); });
  });
  part("steals", "Steals and traffic", function (view) { return view.matrices.length > 0; }, function (into, view) {
    view.matrices.forEach(function (one) { page.matrix(into, one); });
  });
  // A simulation repeats what its recording says of itself.
  var recorded = data.views.some(function (view) { return view.kind === "recording" && view.brackets.length > 0; });
  part("span", "Work, span and parallelism", function (view) { return view.brackets.length > 0 && !(recorded && view.simulated); }, function (into, view) { page.brackets(into, view.brackets); });
  part("workers", "Where the time of workers went", function (view) { return view.worker_times.length > 0; }, function (into, view) {
    page.worker_times(into, view.worker_times);
    var counted = view.worker_times.some(function (one) { return one.stall_ns !== undefined; });
    if (!view.simulated && !counted) into.append("p").attr("class", "soft").text("Stalls on memory are part of work: this file does not count them.");
  });
  part("tree", "Task tree", function (view) { return view.trees.length > 0; }, function (into, view) {
    view.trees.forEach(function (one) { page.tree(into, one); });
  });
  part("what-if", "What-if: other policies and machines", function (view) { return view.what_if.length > 0; }, function (into, view) {
    into.append("p").append("span").attr("class", "mark").text("simulated");
    page.bars(into, view.what_if.map(function (one, i) { return { name: one.machine + ", " + one.workers + " workers, " + one.policy, value: one.time_ns, group: 0 }; }), "Simulated time of an iteration");
    page.table(into, "All times are simulated. Gain: less time than under random on the same machine.", ["machine", "workers", "policy", "an iteration", "gain over random", "speed-up over the recorded time"], view.what_if.map(function (one) {
      return [one.machine, page.count_cell(one.workers), one.policy, page.time_cell(one.time_ns), page.part_cell(one.gain), one.speed_up === undefined ? null : { value: one.speed_up, text: one.speed_up.toFixed(2) + "x" }];
    }));
  });
  part("contenders", "Contenders", function (view) { return view.contenders.length > 0; }, function (into, view) {
    var workloads = Array.from(new Set(view.contenders.map(function (one) { return one.workload; })));
    page.bars(into, view.contenders.map(function (one) {
      return { name: one.workload + ": " + one.name + ", " + one.workers + " workers", value: one.median_ns, least: one.least_ns, most: one.most_ns, group: workloads.indexOf(one.workload) };
    }), "Median time of each contender, and from the least to the most");
    page.table(into, "", ["workload", "contender", "workers", "median", "least", "most", "wrong answers"], view.contenders.map(function (one) {
      return [one.workload, one.name, page.count_cell(one.workers), page.time_cell(one.median_ns), page.time_cell(one.least_ns), page.time_cell(one.most_ns), page.count_cell(one.wrong)];
    }));
  });
  part("degradations", "What the system refused", function (view) { return view.degradations.length > 0; }, function (into, view) {
    page.table(into, "", ["what", "where", "why", "what to do"], view.degradations.map(function (one) { return [one.what, one.where, one.why, one.remedy]; }));
  });
  part("facts", "Facts", function (view) { return view.facts.length > 0; }, function (into, view) {
    page.table(into, "", ["fact", ""], view.facts.map(function (one) { return [one.name, one.text]; }));
  });
  if (data.missing.length > 0)
    page.table(section("missing", "Not in these files"), "", ["part", "how to get it"], data.missing.map(function (one) { return [one.part, one.remedy]; }));
  document.body.dataset.ready = Math.round(performance.now());
})(nearfork);
