// The page of "kubectl curfew timeline". Whatever comes from the cluster goes into the page as text, never as markup.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);

  // el makes an element. Its text is text.
  const el = (tag, className, ...content) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    e.append(...content);
    return e;
  };

  // What each kind of bar is called, and the sign that tells it from the others without its colour.
  const KINDS = {
    normal: ["normal", ""], down: ["down", ""], up: ["scaled up", "↑"], override: ["override", "◆"], contested: ["contested", "!"],
    invalid: ["invalid", "✕"], paused: ["paused", "‖"], waiting: ["waiting", "…"], alone: ["not Curfew’s", ""], unknown: ["too many changes to show", "?"],
  };
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

  let model = null; // what is shown
  let received = 0; // when it came, by a clock that nobody sets
  const view = { range: document.body.dataset.range, from: document.body.dataset.from, zone: "" };

  // ---- time: with the clocks that came with the model, so that the page agrees with Curfew about them

  const clock = (zone, at) => model.clocks[zone].findLast((c) => c.at <= at) || model.clocks[zone][0];
  const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (n) => String(n).padStart(2, "0");
  const time = (d) => two(d.getUTCHours()) + ":" + two(d.getUTCMinutes()) + (d.getUTCSeconds() ? ":" + two(d.getUTCSeconds()) : "");
  const date = (d) => `${DAYS[d.getUTCDay()]} ${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]}`;
  const local = (zone, at) => {
    const c = zone === "UTC" ? { offset: 0, name: "UTC" } : clock(zone, at);
    const d = new Date((at + c.offset) * 1000);
    return { date: date(d), time: time(d), name: c.name };
  };
  const between = (a, b) => `${a.date} ${a.time}${a.name === b.name ? "" : " " + a.name} – ${b.date === a.date ? "" : b.date + " "}${b.time} ${b.name}`;
  const span = (zone, s) => between(local(zone, s.at), local(zone, s.to));
  const spanHere = (s) => {
    const f = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
    return f.formatRange(s.at * 1000, s.to * 1000);
  };
  const lasts = (seconds) => {
    const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = seconds % 60;
    return [h && h + " h", m && m + " min", s && s + " s"].filter(Boolean).join(" ") || "0 s";
  };
  const now = () => model.now + Math.floor((performance.now() - received) / 1000);
  const minute = (at) => local(model.zone, at).time.slice(0, 5);
  const hours = (seconds) => {
    const h = seconds / 3600;
    return h.toLocaleString("en", { maximumFractionDigits: Math.abs(h) < 100 && h % 1 ? 1 : 0 });
  };
  const percent = (at) => (100 * (at - model.from)) / (model.to - model.from) + "%";

  // ---- what a bar says

  const spansOf = (row) => row.spans.map((s, i) => ({ ...s, to: row.spans[i + 1]?.at ?? model.to, rule: row.texts?.[s.rule - 1] || "", note: row.texts?.[s.note - 1] || "" }));
  // amount is a size of a row in a word: 3, of what has a maximum as well 3..10, and of what is on or off that.
  const amount = (row, size, max) => row.switch ? (size ? "running" : "suspended") : max ? `${size}..${max}` : String(size);
  const replicas = (row, size, max) => amount(row, size, max) + (row.switch ? "" : size === 1 && !max ? " replica" : " replicas");
  const says = (row, s) => {
    const name = KINDS[s.kind][0];
    if (s.kind === "unknown") return name;
    if (s.kind === "alone" && row.optedOut) return "opted out";
    const whole = s.size === row.normal && (s.max || 0) === (row.normalMax || 0);
    return whole || row.switch ? `${name}, ${replicas(row, s.size, s.max)}` : `${name}, ${amount(row, s.size, s.max)} of ${replicas(row, row.normal, row.normalMax)}`;
  };
  const clipped = (s) => [(s.at === model.from || s.at === model.now) && "it may have begun earlier", s.to === model.to && "it may go on"].filter(Boolean).join(", and ");
  const details = (row, s) => {
    const list = [];
    if (s.rule) list.push(["Rule", s.rule]);
    else if (s.kind === "normal") list.push(["Rule", "none holds"]);
    list.push([row.zone, span(row.zone, s)]);
    if (row.zone !== "UTC") list.push(["UTC", span("UTC", s)]);
    if (here !== row.zone && here !== "UTC") list.push([`Here (${here})`, spanHere(s)]);
    list.push(["Lasts", lasts(s.to - s.at) + (clipped(s) && `; ${clipped(s)}`)]);
    if (s.note) list.push(["Note", s.note]);
    if (row.autoscaler) list.push(["Autoscaler", row.autoscaler]);
    return list;
  };
  const sumText = (sum) => {
    const share = sum.alwaysOn ? ` (${Math.round((100 * sum.saved) / sum.alwaysOn)} %)` : "";
    return [`${hours(Math.abs(sum.saved))}`, ` of ${hours(sum.alwaysOn)} replica-hours ${sum.saved < 0 ? "more than normal" : "saved"}${share}`];
  };
  const savedCell = (sum, cut) => {
    const cell = el("div", "saved", sum.uncounted ? "–" : cut ? "?" : sum.saved <= -180 ? `+${hours(-sum.saved)} h` : `${hours(sum.saved)} h`);
    if (!cut && !sum.uncounted && Math.abs(sum.saved) >= 180) cell.classList.add(sum.saved < 0 ? "more" : "less");
    cell.title = sum.uncounted ? "Its size is no number of pods" : cut ? "There are too many changes to add up" : sumText(sum).join("");
    cell.setAttribute("role", "gridcell");
    cell.setAttribute("aria-label", cell.title);
    return cell;
  };

  // ---- rows. A row is always there; its bars only while it is near what can be seen

  const rows = new Map(); // by namespace, kind and name
  let order = []; // the rows that are shown, from top to bottom
  let current = null; // the bar that the Tab key comes to: {key, at}

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const r = entry.target.shown;
      if (entry.isIntersecting) fill(r);
      else if (current?.key !== r.key) empty(r);
    }
  }, { rootMargin: "400px 0px" });

  const fill = (r) => {
    if (r.bars) return;
    const width = $("lines").clientWidth;
    const spans = spansOf(r.row);
    const most = Math.max(r.row.normal, ...spans.map((s) => s.size), 1);
    r.bars = spans.map((s) => {
      const bar = el("div", "bar " + s.kind);
      bar.setAttribute("role", "gridcell");
      bar.setAttribute("aria-label", `${says(r.row, s)}, ${details(r.row, s).map(([k, v]) => `${k}: ${v}`).join("; ")}`);
      bar.tabIndex = current?.key === r.key && current.at === s.at ? 0 : -1;
      bar.style.left = percent(s.at);
      const share = (s.to - s.at) / (model.to - model.from);
      bar.style.width = 100 * share + "%";
      bar.style.setProperty("--h", s.size / most);
      if (s.size / most < 0.58) bar.classList.add("low"); // too low for a label within
      const text = label(r.row, s, share * width);
      if (text) bar.append(el("span", "", text));
      bar.shown = { r, s };
      return bar;
    });
    r.lane.replaceChildren(...r.bars);
  };
  const empty = (r) => {
    r.bars = null;
    r.lane.replaceChildren();
  };
  // label is what fits on a bar.
  const label = (row, s, width) => {
    const [name, sign] = KINDS[s.kind];
    const size = s.kind === "unknown" ? "" : amount(row, s.size, s.max);
    const tries = s.kind === "alone" ? [row.optedOut ? "opted out" : name] : sign ? [`${sign} ${name} ${size}`, `${sign} ${size}`, sign] : [size];
    return tries.find((t) => t.length * 6.6 + 9 < width) || "";
  };

  const rowFor = (namespace, row, several) => {
    const key = [namespace, row.kind, row.name].join("/");
    const text = JSON.stringify([row, several, model.from, model.to]);
    let r = rows.get(key);
    if (r?.text === text) return r;
    if (!r) {
      r = { key, namespace, element: el("div", "row"), name: el("div", "name"), lane: el("div", "lane") };
      r.element.setAttribute("role", "row");
      r.name.setAttribute("role", "rowheader");
      r.lane.setAttribute("role", "presentation");
      r.element.shown = r;
      rows.set(key, r);
      near.observe(r.element);
    }
    const full = r.bars !== null && r.bars !== undefined;
    const is = amount(row, row.size, row.max), usual = amount(row, row.normal, row.normalMax);
    const size = el("span", "size", is === usual || row.switch ? is : `${is} of ${usual}`);
    size.title = row.switch ? `It is ${is} now; normal is ${usual}.` : `It asks for ${replicas(row, row.size, row.max)} now; normal is ${usual}.`;
    const title = el("span", "text", row.name);
    title.title = `${row.kind} ${row.name}`;
    if (several) title.append(el("span", "kind", row.kind));
    r.name.replaceChildren(title, size);
    Object.assign(r, { text, row, haystack: [key, ...row.spans.map((s) => KINDS[s.kind][0]), ...(row.texts || []), row.zone].join("\n").toLowerCase() });
    r.element.replaceChildren(r.name, r.lane, savedCell(row, row.cut));
    r.bars = null;
    if (full) fill(r);
    return r;
  };

  // ---- the whole

  const render = () => {
    const held = document.activeElement?.shown?.s && { r: document.activeElement.shown.r, at: document.activeElement.shown.s.at };
    const seen = new Set();
    const several = new Set(model.groups.flatMap((g) => g.rows.map((row) => row.kind))).size > 1;
    const groups = model.groups.map((g) => ({ g, rows: g.rows.map((row) => rowFor(g.namespace, row, several)) }));
    for (const { rows } of groups) for (const r of rows) seen.add(r.key);
    for (const [key, r] of rows) if (!seen.has(key)) {
      near.unobserve(r.element);
      rows.delete(key);
    }
    const sections = groups.map(({ g, rows }) => {
      const section = el("div", "namespace");
      section.setAttribute("role", "rowgroup");
      const head = el("div", "group");
      head.setAttribute("role", "row");
      const name = el("div", "name", g.namespace, el("span", "", ""));
      name.setAttribute("role", "rowheader");
      name.title = g.namespace;
      head.append(name, el("div"), el("div", "saved"));
      section.append(head, ...rows.map((r) => r.element));
      section.shown = { head, name, rows };
      return section;
    });
    $("rows").replaceChildren(...sections);
    document.title = `${model.title} · Curfew timeline`;
    $("title").textContent = model.title;
    for (const b of document.querySelectorAll("#ranges button")) b.setAttribute("aria-pressed", String(b.value === model.range));
    zones();
    axis();
    drawNow();
    filter();
    if (held && order.includes(held.r)) barAt(held.r, held.at)?.focus({ preventScroll: true });
  };

  const axis = () => {
    const labels = [], lines = [];
    const days = model.ticks.filter((t) => t.day);
    const labelled = model.ticks.filter((t) => t.label);
    const width = (ticks, i) => (100 * ((ticks[i + 1]?.at ?? model.to) - ticks[i].at)) / (model.to - model.from) + "%";
    for (const t of model.ticks) {
      if (t.label) {
        const label = el("div", "tick" + (t.day ? " day" : ""), t.label);
        if (t.below) label.append(el("small", "", t.below));
        label.style.left = percent(t.at);
        label.style.width = width(labelled, labelled.indexOf(t));
        labels.push(label);
      }
      const line = el("div", "tick" + (t.day ? " day" : ""));
      line.style.left = percent(t.at);
      lines.push(line);
    }
    days.forEach((t, i) => {
      if (!t.weekend) return;
      const band = el("div", "weekend");
      band.style.left = percent(t.at);
      band.style.width = width(days, i);
      lines.unshift(band);
    });
    $("lines").replaceChildren(...lines);
    $("ticks").replaceChildren(...labels, el("div", "now"));
  };

  const drawNow = () => {
    const at = now();
    const inside = at >= model.from && at < model.to;
    const flag = document.querySelector(".axis .now");
    $("now-line").hidden = flag.hidden = !inside;
    $("now-line").style.left = flag.style.left = percent(at);
    flag.textContent = minute(at);
  };

  const zones = () => {
    if (!$("zone")) {
      $("zone-name").textContent = model.zone;
      return;
    }
    const names = [...new Set([model.zone, ...Object.keys(model.clocks), "UTC", here])].sort();
    $("zone").replaceChildren(...names.map((n) => new Option(n === here ? `${n} (here)` : n, n, false, n === model.zone)));
  };

  // ---- filter

  const matches = (r) => words().every((w) => r.haystack.includes(w));
  const words = () => $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const filter = () => {
    order = [];
    const total = { saved: 0, alwaysOn: 0 };
    for (const section of $("rows").children) {
      const sum = { saved: 0, alwaysOn: 0 };
      let shown = 0;
      for (const r of section.shown.rows) {
        r.element.hidden = !matches(r);
        if (r.element.hidden) continue;
        order.push(r);
        shown++;
        if (r.row.cut) continue;
        sum.saved += r.row.saved;
        sum.alwaysOn += r.row.alwaysOn;
      }
      section.hidden = shown === 0;
      section.shown.name.lastChild.textContent = String(shown);
      section.shown.head.lastChild.replaceWith(savedCell(sum));
      total.saved += sum.saved;
      total.alwaysOn += sum.alwaysOn;
    }
    const [number, rest] = sumText(total);
    $("sum").replaceChildren(el("b", "", number), rest, el("span", "quiet", ` · ${order.length}${order.length < rows.size ? ` of ${rows.size}` : ""} ${rows.size === 1 ? "workload" : "workloads"}${model.others ? `, ${model.others} without rules left out` : ""}`));
    $("empty").hidden = order.length > 0;
    $("empty").textContent = rows.size ? "Nothing matches the filter. Esc clears it." :
      `Nothing here has rules${model.others ? `, of ${model.others} that there are` : ""}. Give one the annotation curfew/windows, or look in every namespace with -A.`;
    if (!current || !order.some((r) => r.key === current.key)) {
      current = order.length ? { key: order[0].key, at: order[0].row.spans[0]?.at } : null;
      const bar = current && order[0].bars?.[0];
      if (bar) bar.tabIndex = 0;
    }
    if (!$("table").hidden) table();
  };

  // ---- keyboard: one bar can be reached with Tab, the arrow keys lead to the others

  const barAt = (r, at) => {
    fill(r);
    return r.bars.findLast((b) => b.shown.s.at <= at) || r.bars[0];
  };
  const go = (bar) => {
    if (!bar) return;
    bar.focus({ preventScroll: true });
    bar.scrollIntoView({ block: "nearest" });
  };
  let column = null; // where up and down stay
  $("rows").addEventListener("keydown", (e) => {
    const bar = e.target;
    if (!bar.shown?.s || e.ctrlKey || e.altKey || e.metaKey) return;
    const { r, s } = bar.shown;
    const i = r.bars.indexOf(bar), j = order.indexOf(r);
    const vertical = (step) => {
      column ??= (s.at + s.to) / 2;
      for (let k = j + step; k >= 0 && k < order.length; k += step) if (order[k].row.spans.length) return barAt(order[k], column);
      return null;
    };
    let to;
    switch (e.key) {
      case "ArrowRight": to = r.bars[i + 1]; break;
      case "ArrowLeft": to = r.bars[i - 1]; break;
      case "Home": to = r.bars[0]; break;
      case "End": to = r.bars.at(-1); break;
      case "ArrowDown": to = vertical(1); break;
      case "ArrowUp": to = vertical(-1); break;
      default: return;
    }
    if (!e.key.endsWith("Down") && !e.key.endsWith("Up")) column = null;
    e.preventDefault();
    go(to);
  });
  $("rows").addEventListener("focusin", (e) => {
    if (!e.target.shown?.s) return;
    const { r, s } = e.target.shown;
    for (const b of document.querySelectorAll('.bar[tabindex="0"]')) b.tabIndex = -1;
    current = { key: r.key, at: s.at };
    e.target.tabIndex = 0;
    show(e.target);
  });
  $("rows").addEventListener("focusout", () => hide());
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.ctrlKey && !e.altKey && !e.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      e.preventDefault();
      $("filter").focus();
      $("filter").select();
    } else if (e.key === "Escape") {
      if (!$("tip").hidden) hide();
      else if ($("filter").value) {
        $("filter").value = "";
        filter();
      }
    }
  });
  $("filter").addEventListener("input", filter);

  // ---- the box beside a bar

  const tip = $("tip");
  const show = (bar, x) => {
    const { r, s } = bar.shown;
    const list = el("dl");
    for (const [k, v] of details(r.row, s)) list.append(el("dt", "", k), k === "Rule" && s.rule ? el("dd", "", el("code", "", v)) : el("dd", "", v));
    tip.replaceChildren(el("p", "what", `${r.row.name}: ${says(r.row, s)}`), list);
    tip.hidden = false;
    const box = bar.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const left = (x ?? Math.max(box.left, 0)) - 12;
    tip.style.left = Math.max(8, Math.min(left, document.documentElement.clientWidth - size.width - 8)) + "px";
    const below = box.bottom + 6;
    tip.style.top = (below + size.height < innerHeight ? below : Math.max(8, box.top - size.height - 6)) + "px";
  };
  const hide = () => { tip.hidden = true; };
  $("rows").addEventListener("pointerover", (e) => {
    const bar = e.target.closest(".bar");
    if (bar) show(bar, e.clientX);
  });
  document.addEventListener("pointerover", (e) => {
    if (!tip.hidden && !e.target.closest(".bar, #tip") && !document.activeElement?.shown?.s) hide();
  });
  addEventListener("scroll", hide, { passive: true });

  // ---- the same as a table

  const MOST = 500;
  const COLUMNS = ["Namespace", "Kind", "Name", "State", "Size", "Local time", "UTC", "Rule or note"];
  const table = (most = MOST) => {
    const body = el("tbody");
    let count = 0;
    for (const r of order) for (const s of spansOf(r.row)) {
      if (++count > most) continue;
      const name = el("th", "", r.row.name);
      name.scope = "row";
      const why = el("td", "why");
      if (s.rule) why.append(el("code", "", s.rule));
      if (s.rule && s.note) why.append(el("br"));
      why.append(s.note);
      body.append(el("tr", "", el("td", "", r.namespace), el("td", "", r.row.kind), name, el("td", "short", KINDS[s.kind][0]), el("td", "short", s.kind === "unknown" ? "" : r.row.switch ? amount(r.row, s.size) : `${amount(r.row, s.size, s.max)} of ${amount(r.row, r.row.normal, r.row.normalMax)}`),
        el("td", "short", span(r.row.zone, s)), el("td", "short", span("UTC", s)), why));
    }
    const head = el("tr", "", ...COLUMNS.map((c) => {
      const th = el("th", "", c);
      th.scope = "col";
      return th;
    }));
    const t = el("table", "", el("caption", "", `${model.title}: the size of each workload, and why`), el("thead", "", head), body);
    $("table").replaceChildren(t);
    if (count > most) {
      const more = el("button", "", `Show ${count - most} more`);
      more.type = "button";
      more.addEventListener("click", () => table(Infinity));
      $("table").append(more);
    }
  };
  const as = (bars) => {
    $("as-bars").setAttribute("aria-pressed", String(bars));
    $("as-table").setAttribute("aria-pressed", String(!bars));
    $("chart").hidden = !bars;
    $("table").hidden = bars;
    if (!bars && model) table();
  };
  $("as-bars").addEventListener("click", () => as(true));
  $("as-table").addEventListener("click", () => as(false));

  $("legend").append(...Object.keys(KINDS).filter((k) => k !== "unknown").map((k) => {
    const bar = el("span", "bar " + k, el("span", "", KINDS[k][1]));
    bar.style.setProperty("--h", { down: 0, up: 1, alone: 0.6 }[k] ?? 0.7);
    bar.setAttribute("aria-hidden", "true");
    return el("li", "", bar, KINDS[k][0]);
  }));

  let resized;
  addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => {
      if (!model) return;
      for (const r of rows.values()) if (r.bars && current?.key !== r.key) {
        empty(r);
        near.unobserve(r.element);
        near.observe(r.element);
      }
    }, 150);
  });

  // ---- where the model comes from

  const take = (text) => {
    model = JSON.parse(text);
    received = performance.now();
    render();
  };
  const frozen = $("model");
  if (frozen) {
    take(frozen.textContent);
    const t = local(model.zone, model.now);
    $("state").textContent = `as of ${t.date} ${minute(model.now)} ${t.name}`;
    return;
  }

  let source = null;
  const state = (name, text) => {
    $("state").className = name;
    $("state").title = "";
    $("state").textContent = text;
  };
  const connect = () => {
    source?.close();
    history.replaceState(null, "", "#" + new URLSearchParams(view));
    source = new EventSource("events?" + new URLSearchParams(view));
    source.onmessage = (e) => {
      take(e.data);
      if (!model.trouble) return state("live", "live");
      state("lost", `Cluster out of reach since ${minute(now())}; what you see is no longer current. Trying again …`);
      $("state").title = model.trouble;
    };
    source.onerror = () => {
      const when = model ? ` since ${minute(now())}` : "";
      if ($("state").className === "lost" && source.readyState === EventSource.CONNECTING) return;
      if (source.readyState === EventSource.CLOSED) state("lost", `Connection refused${when}; start kubectl curfew timeline again`);
      else state("lost", `Connection lost${when}; what you see is no longer current. Trying again …`);
    };
  };
  const recall = () => {
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (Object.hasOwn(view, key)) view[key] = value;
  };
  recall();
  addEventListener("hashchange", () => {
    recall();
    connect();
  });
  const look = (change) => {
    Object.assign(view, change);
    connect();
  };
  $("previous").addEventListener("click", () => model && look({ from: model.previous }));
  $("next").addEventListener("click", () => model && look({ from: model.next }));
  $("now").addEventListener("click", () => look({ from: "" }));
  $("ranges").addEventListener("click", (e) => {
    if (!e.target.value || !model) return;
    const at = now();
    look({ range: e.target.value, from: at >= model.from && at < model.to ? "" : view.from });
  });
  $("zone").addEventListener("change", (e) => look({ zone: e.target.value }));
  setInterval(() => {
    if (!model) return;
    if (!view.from && now() >= model.to) connect(); // the next day has begun
    drawNow();
  }, 5000);
  state("", "connecting …");
  connect();
})();
