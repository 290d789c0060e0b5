"use strict";
// Millions of slices on a canvas: columns, and in each block of slices where the last one ends, so that a view touches
// what it shows.
(function (page) {
  var block_size = 1024, lane_height = 11, most_lanes = 5, top = 22;

  function sums(differences, tracks) {
    var made = new Float64Array(differences.length), sum = 0;
    for (var i = 0; i < differences.length; ++i) {
      if (i > 0 && tracks[i] !== tracks[i - 1]) sum = 0;
      sum += differences[i];
      made[i] = sum;
    }
    return made;
  }

  function load(id) {
    var at = document.getElementById(id), from = JSON.parse(at.textContent);
    at.textContent = "";
    var made = { length: Math.max(from.length_ns, 1), tracks: from.tracks, names: from.names, notes: from.notes };
    made.track = Uint32Array.from(from.track);
    made.begin = sums(from.begin, made.track);
    made.span = Float64Array.from(from.length);
    made.name = Uint32Array.from(from.name);
    made.note = Uint32Array.from(from.note);
    made.depth = Uint16Array.from(from.depth);
    made.instant_track = Uint32Array.from(from.instant_track);
    made.at = sums(from.at, made.instant_track);
    made.instant_name = Uint32Array.from(from.instant_name);
    made.instant_note = Uint32Array.from(from.instant_note);
    made.rows = made.tracks.map(function () { return { first: 0, end: 0, lanes: 1, first_instant: 0, end_instant: 0, y: 0 }; });
    var i, row;
    for (i = 0; i < made.track.length; ++i) {
      row = made.rows[made.track[i]];
      if (row.end === 0) row.first = i;
      row.end = i + 1;
      row.lanes = Math.max(row.lanes, Math.min(most_lanes, made.depth[i] + 1));
    }
    for (i = 0; i < made.instant_track.length; ++i) {
      row = made.rows[made.instant_track[i]];
      if (row.end_instant === 0) row.first_instant = i;
      row.end_instant = i + 1;
    }
    made.block_end = new Float64Array(Math.ceil(made.track.length / block_size));
    for (i = 0; i < made.track.length; ++i) {
      var block = Math.floor(i / block_size), end = made.begin[i] + made.span[i];
      if (end > made.block_end[block]) made.block_end[block] = end;
    }
    var y = top;
    made.rows.forEach(function (one) { one.y = y; y += one.lanes * lane_height + 7; });
    made.height = y;
    made.is_parked = made.names.map(function (name) { return name === "parked"; });
    made.is_region = made.names.map(function (name) { return name.indexOf("region ") === 0; });
    made.is_stolen = made.names.map(function (name) { return name === "stolen task"; });
    return made;
  }

  // Calls act(i) for the slices of the row that may be seen from `from` to `to`.
  function each_slice(line, row, from, to, act) {
    for (var i = row.first; i < row.end;) {
      var block = Math.floor(i / block_size), last = Math.min(row.end, (block + 1) * block_size);
      if (line.begin[i] > to) return;
      if (line.block_end[block] >= from)
        for (; i < last; ++i) {
          if (line.begin[i] > to) return;
          if (line.begin[i] + line.span[i] >= from) act(i);
        }
      i = last;
    }
  }

  page.timeline = function (into, id) {
    var line = load(id);
    var names = "Domains: " + Array.from(new Set(line.tracks.map(function (one) { return one.domain; }))).slice(0, 24).join(", ");
    into.append("p").attr("class", "soft").text(page.count(line.track.length) + " slices and " + page.count(line.at.length) + " instants of " +
      page.count(line.tracks.length) + " workers in " + page.time(line.length) + ". " + names + ".")
      .attr("data-slices", line.track.length).attr("data-instants", line.at.length);
    var buttons = into.append("div").attr("class", "buttons");
    var box = into.append("div").attr("class", "timeline");
    var canvas = box.append("canvas").attr("tabindex", 0).attr("role", "img").attr("aria-label",
      "Timeline of workers. Left and right pan, plus and minus zoom, 0 shows all, up and down choose a worker, n and p the next and the previous slice.");
    var tip = box.append("div").attr("class", "tip").attr("hidden", "");
    var said = into.append("p").attr("class", "said").attr("aria-live", "polite");
    page.legend(into, d3.range(Math.min(8, d3.max(line.tracks, function (one) { return one.domain; }) + 1)).map(function (domain) {
      return { name: "work in domain " + domain + (domain + 8 <= d3.max(line.tracks, function (one) { return one.domain; }) ? ", " + (domain + 8) + ", ..." : ""), colour: page.colour_of(domain) };
    }).concat([{ name: "region", colour: "#B8B8B8" }, { name: "parked (outline)", colour: "#DDDDDD" }, { name: "stolen: edge", colour: "currentColor" }, { name: "steal, plan change and other instants: ticks above", colour: "#D55E00" }]));

    var view = { from: 0, to: line.length }, selected = -1, node = canvas.node(), width = 900, left = 190, planned = false;
    function x_of(ns) { return left + (ns - view.from) / (view.to - view.from) * (width - left - 6); }
    function ns_of(x) { return view.from + (x - left) / (width - left - 6) * (view.to - view.from); }

    function draw() {
      planned = false;
      var ratio = window.devicePixelRatio || 1;
      width = Math.max(260, box.node().clientWidth || 900);
      left = width < 600 ? 84 : 190;
      node.width = Math.round(width * ratio);
      node.height = Math.round(line.height * ratio);
      node.style.height = line.height + "px";
      var to = node.getContext("2d");
      to.scale(ratio, ratio);
      var ink = page.style("--ink"), soft = page.style("--soft"), rule = page.style("--line"), paper = page.style("--paper");
      to.fillStyle = paper;
      to.fillRect(0, 0, width, line.height);
      to.font = "11px system-ui, sans-serif";
      to.textBaseline = "top";
      d3.scaleLinear().domain([view.from, view.to]).ticks(Math.max(2, Math.min(7, Math.floor((width - left) / 90)))).forEach(function (at) {
        to.fillStyle = rule;
        to.fillRect(x_of(at), 14, 1, line.height);
        to.fillStyle = soft;
        to.fillText(page.time(at), x_of(at) + 2, 2);
      });
      line.rows.forEach(function (row, track) {
        to.fillStyle = page.colour_of(line.tracks[track].domain);
        to.fillRect(0, row.y, 4, row.lanes * lane_height);
        to.fillStyle = ink;
        to.fillText(width < 600 ? line.tracks[track].name.replace(/^domain \d+ (node \d+ )?/, "") : line.tracks[track].name, 8, row.y, left - 14);
        draw_row(to, row, line.tracks[track].domain, ink);
      });
    }

    function to_read_on(colour) { return colour === "#0072B2" ? "#ffffff" : "#000000"; }
    function draw_row(to, row, domain, ink) {
      var drawn = new Float64Array(most_lanes).fill(-1), task = page.colour_of(domain);
      each_slice(line, row, view.from, view.to, function (i) {
        var lane = Math.min(line.depth[i], most_lanes - 1), begin = x_of(Math.max(line.begin[i], view.from));
        var end = x_of(Math.min(line.begin[i] + line.span[i], view.to));
        if (end < drawn[lane] + 0.5 && i !== selected) return;
        var wide = Math.max(end - begin, 1), y = row.y + lane * lane_height;
        drawn[lane] = begin + wide;
        if (line.is_parked[line.name[i]]) {
          to.strokeStyle = "#9a9a9a";
          to.strokeRect(begin + 0.5, y + 3.5, Math.max(wide - 1, 0.5), lane_height - 7);
        } else {
          to.fillStyle = line.is_region[line.name[i]] ? "#B8B8B8" : task;
          to.fillRect(begin, y, wide, lane_height - 1);
          if (line.is_stolen[line.name[i]] && wide > 3) { to.fillStyle = ink; to.fillRect(begin, y, 1.5, lane_height - 1); }
          if (wide > 60) {
            to.fillStyle = to_read_on(line.is_region[line.name[i]] ? "#B8B8B8" : task);
            to.fillText(line.names[line.name[i]].slice(0, Math.floor((wide - 6) / 6)), begin + 4, y - 0.5);
          }
        }
        if (i === selected) { to.strokeStyle = ink; to.lineWidth = 2; to.strokeRect(begin, y, wide, lane_height - 1); to.lineWidth = 1; }
      });
      var last = -2;
      to.fillStyle = "#D55E00";
      for (var i = lower(line.at, row.first_instant, row.end_instant, view.from); i < row.end_instant && line.at[i] <= view.to; ++i) {
        var x = x_of(line.at[i]);
        if (x < last + 1) continue;
        last = x;
        to.fillRect(x, row.y - 4, 1, 4);
      }
    }
    function lower(column, first, end, value) {
      while (first < end) { var middle = (first + end) >> 1; if (column[middle] < value) first = middle + 1; else end = middle; }
      return first;
    }
    function redraw() { if (!planned) { planned = true; window.requestAnimationFrame(draw); } }

    function tell_view() { node.dataset.from = view.from; node.dataset.to = view.to; }  // nanoseconds
    function show(from, to) {
      var size = Math.min(Math.max(to - from, 50), line.length);
      from = Math.max(0, Math.min(from, line.length - size));
      view = { from: from, to: from + size };
      tell_view();
      redraw();
    }
    function zoom(factor, around) {
      var at = around === undefined ? (view.from + view.to) / 2 : around;
      show(at - (at - view.from) * factor, at + (view.to - at) * factor);
    }
    function pan(part) { var by = (view.to - view.from) * part; show(view.from + by, view.to + by); }

    function words_of(i) {
      var place = line.tracks[line.track[i]], note = line.notes[line.note[i]];
      return line.names[line.name[i]] + "\n" + place.name + "\nfrom " + page.time(line.begin[i]) + ", " + page.time(line.span[i]) + " long" + (note ? "\nwhy here: " + note : "");
    }
    function row_at(y) {
      var found = -1;
      line.rows.forEach(function (row, track) { if (y >= row.y - 5 && y < row.y + row.lanes * lane_height + 2) found = track; });
      return found;
    }
    function words_at(x, y) {
      var track = row_at(y);
      if (track < 0 || x < left) return "";
      var row = line.rows[track], at = ns_of(x), slack = (view.to - view.from) / width, best = -1, i;
      if (y < row.y) {
        i = lower(line.at, row.first_instant, row.end_instant, at - 3 * slack);
        if (i < row.end_instant && line.at[i] <= at + 3 * slack)
          return line.names[line.instant_name[i]] + "\n" + line.tracks[track].name + "\nat " + page.time(line.at[i]) + (line.notes[line.instant_note[i]] ? "\n" + line.notes[line.instant_note[i]] : "");
      }
      var lane = Math.floor((y - row.y) / lane_height);
      each_slice(line, row, at - slack, at + slack, function (one) {
        if (Math.min(line.depth[one], most_lanes - 1) === lane) best = one;
      });
      return best < 0 ? "" : words_of(best);
    }
    function select(i) {
      if (i < 0 || i >= line.track.length) return;
      selected = i;
      said.text(words_of(i));
      var middle = line.begin[i] + line.span[i] / 2, size = view.to - view.from;
      if (middle < view.from || middle > view.to) show(middle - size / 2, middle + size / 2);
      else redraw();
    }
    function select_row(by) {
      var track = selected < 0 ? (by > 0 ? -1 : line.rows.length) : line.track[selected];
      for (track += by; track >= 0 && track < line.rows.length; track += by)
        if (line.rows[track].end > line.rows[track].first) { select(Math.min(line.rows[track].end - 1, lower(line.begin, line.rows[track].first, line.rows[track].end, view.from))); return; }
    }

    var keys = { ArrowLeft: function () { pan(-0.2); }, ArrowRight: function () { pan(0.2); }, "+": function () { zoom(0.6); }, "=": function () { zoom(0.6); },
      "-": function () { zoom(1 / 0.6); }, "0": function () { show(0, line.length); }, ArrowUp: function () { select_row(-1); }, ArrowDown: function () { select_row(1); },
      n: function () { select(selected + 1); }, p: function () { select(selected - 1); } };
    node.addEventListener("keydown", function (event) {
      if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
      keys[event.key]();
      event.preventDefault();
    });
    [["zoom in (+)", "+"], ["zoom out (-)", "-"], ["left", "ArrowLeft"], ["right", "ArrowRight"], ["all (0)", "0"]].forEach(function (one) {
      buttons.append("button").attr("type", "button").text(one[0]).node().addEventListener("click", keys[one[1]]);
    });
    buttons.append("span").attr("class", "soft").text("Drag to pan, Ctrl and wheel to zoom, hover for a task; keys: arrows, + - 0, n p");
    node.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.shiftKey) return;
      zoom((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, ns_of(event.offsetX));
      event.preventDefault();
    }, { passive: false });
    var held = null;
    node.addEventListener("pointerdown", function (event) { held = { x: event.offsetX, from: view.from, to: view.to }; node.setPointerCapture(event.pointerId); });
    node.addEventListener("pointerup", function () { held = null; });
    node.addEventListener("pointermove", function (event) {
      if (held) {
        var by = (held.x - event.offsetX) / (width - left - 6) * (held.to - held.from);
        show(held.from + by, held.to + by);
        return;
      }
      var words = words_at(event.offsetX, event.offsetY);
      tip.attr("hidden", words ? null : "").text(words).style("left", Math.min(event.offsetX + 14, width - 260) + "px").style("top", event.offsetY + 14 + "px");
    });
    node.addEventListener("pointerleave", function () { tip.attr("hidden", ""); });
    node.addEventListener("dblclick", function (event) { zoom(0.4, ns_of(event.offsetX)); });
    window.addEventListener("resize", redraw);
    page.on_colours.push(draw);
    tell_view();
    draw();
  };
})(nearfork);
