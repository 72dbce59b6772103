"use strict";
// Lays out the account of the daemon, as of each look: JSON that it sends over a stream. Every word
// that says something about a thing is the account's. Texts get into the page as text alone.
(() => {
  const retryEvery = 2000; // ms
  const silentFor = 25000; // ms: a stream that works has something every 15 s
  const lateAfter = 3000; // ms after the time of a scheduled look
  const answerWithin = 10000; // ms
  const day = 86400000; // ms
  const $ = (id) => document.getElementById(id);
  let account = null; // of the last look
  let past = null; // what was stopped in the last 24 hours
  let heard = 0; // when the daemon said something last, ms
  let lost = false; // nobody answers: what is shown is old, and stands still
  let asking = false; // whether the daemon is asked if it still answers
  let asked = 0; // when that was last, ms
  let stream = null; // ends the stream
  let query = ""; // what is looked for
  let refolds = false; // fold and unfold, since the query has changed

  // plain replaces characters that cannot be seen and may reorder others.
  function plain(text) {
    return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\ufffd]/gu, "?");
  }

  // h is an element with attributes and children; a text child is text. Nothing is left out for "" and null.
  function h(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== false) e.setAttribute(key, value === true ? "" : plain(value));
    }
    for (const child of children.flat()) {
      if (child !== null && child !== "") e.append(child.nodeType ? child : plain(child));
    }
    return e;
  }

  // span writes a duration in its two largest units.
  function span(ms) {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    const units = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
    const i = units.findIndex(([length]) => seconds >= length);
    if (i < 0) return "0s";
    const [length, letter] = units[i];
    const [next, small] = units[i + 1] || [1, ""];
    const rest = i + 1 < units.length ? Math.floor((seconds % length) / next) : 0;
    return Math.floor(seconds / length) + letter + (rest > 0 ? " " + rest + small : "");
  }

  const toGo = (ms) => span(Math.ceil(Math.max(0, ms) / 1000) * 1000);

  // bytes writes a size.
  function bytes(n) {
    if (!n) return "";
    let unit = 0;
    for (; n >= 999.5 && unit < 5; unit++) n /= 1000;
    return (unit > 0 && n < 9.95 ? n.toFixed(1) : Math.round(n)) + " " + ["B", "kB", "MB", "GB", "TB", "PB"][unit];
  }

  // clock writes a moment: its time, and its day if that is not today.
  function clock(at) {
    const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    if (at.toDateString() === new Date().toDateString()) return time;
    return at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" }) + " " + time;
  }

  // text are the parts of a text of the account: words, times and paths. Times go on by themselves.
  function text(parts) {
    return (parts || []).map((part) => {
      if (part.since) return moving("since", part.since);
      if (part.until) return moving("until", part.until);
      if (part.clock) return clock(new Date(part.clock));
      if (part.date) return new Date(part.date).toLocaleString("en-GB");
      return part.path || part.text || "";
    });
  }

  function moving(way, at) {
    const e = h("span", { ["data-" + way]: Date.parse(at) });
    count(e);
    return e;
  }

  function count(e) {
    const { since, until } = e.dataset;
    const now = until ? toGo(Number(until) - Date.now()) : span(Date.now() - Number(since));
    if (e.textContent !== now) e.textContent = now;
  }

  // morph makes one element equal to another. It keeps elements with an id, their focus and folds.
  function morph(from, to) {
    const keeps = (name) => name === "open" && !refolds;
    for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && !keeps(name)) from.removeAttribute(name);
    for (const { name, value } of to.attributes) {
      if (!keeps(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
    morphBelow(from, [...to.childNodes]);
  }

  // morphBelow makes the children of an element equal to others.
  function morphBelow(from, children) {
    const byId = new Map();
    for (const child of from.children) if (child.id) byId.set(child.id, child);
    let at = from.firstChild;
    for (const next of children) {
      const same = next.id ? byId.get(next.id) : at && !at.id && at.nodeName === next.nodeName ? at : null;
      if (!same || same.nodeName !== next.nodeName) {
        from.insertBefore(next, at);
        continue;
      }
      if (same === at) at = at.nextSibling;
      else from.insertBefore(same, at);
      if (same.nodeType === Node.ELEMENT_NODE) morph(same, next);
      else if (same.data !== next.data) same.data = next.data;
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }

  // show puts children into an element, and gives the focus back if that was lost.
  function show(e, ...children) {
    const focused = document.activeElement;
    morphBelow(e, children.flat().filter((child) => child !== null));
    if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  const called = (t) => [t.name || "process", t.handle].filter(Boolean).join(" ");

  // matches tells whether one of some texts has what is looked for.
  function matches(...texts) {
    return texts.flat().some((t) => t !== undefined && String(t).toLowerCase().includes(query));
  }

  // rowOf is a row of the tree with its things; null if what is looked for is not in it.
  function rowOf(row, things, fate) {
    const all = row.things.map((id) => things.get(id)).filter((t) => t && !t.held);
    const whole = matches(row.title, row.place);
    const found = whole ? all : all.filter((t) => matches(t.name, t.handle, t.cwd, t.argv, t.pids, t.image, t.container_name, t.user));
    if (query && !whole && found.length === 0) return null;
    const session = account.sessions.find((s) => s.id === row.id);
    const isAlone = row.things.length < 2 && (row.things[0] || session?.id) === row.id;
    const cells = [
      h("b", {}, isAlone ? about(row.id, row.title) : row.title), h("span", {}, row.place || ""), h("span", { class: "state " + fate.replace(" ", "-") }, text(row.state)),
      h("i", {}, row.servers || ""), h("i", {}, bytes(row.memory_bytes)),
    ];
    const list = isAlone ? [] : found.map((t) => thingOf(t));
    if (session && !isAlone && !row.things.includes(session.id)) list.unshift(h("li", {}, about(session.id, "all about " + row.title)));
    const e = list.length === 0 ? h("div", { id: "row:" + fate + row.id, class: "row alone" }, cells)
      : h("details", { id: "row:" + fate + row.id, open: query !== "" || fate === "leaked" && row.things.length <= 7 },
        h("summary", { class: "row" }, cells), h("ul", {}, list));
    return { e, found: found.length };
  }

  // thingOf is one thing in the list of its row.
  function thingOf(t) {
    return h("li", { id: "thing:" + t.id }, about(t.id, called(t)),
      h("span", {}, t.reason || ""), h("b", { class: t.fate.replace(" ", "-") }, t.fate), h("i", {}, bytes(t.memory_bytes)));
  }

  // about is a link that opens the sheet of a thing or session.
  function about(id, name) {
    return h("a", { id: "about:" + id, href: "?about=" + encodeURIComponent(id) }, name);
  }

  // sectionOf is one part of the tree.
  function sectionOf(section, things, sum) {
    const rows = section.rows.map((row) => rowOf(row, things, section.fate)).filter(Boolean);
    for (const row of rows) sum.found += row.found;
    if (rows.length === 0) return null;
    const id = section.fate.replace(" ", "-");
    return h("section", { id: "section:" + id, "aria-labelledby": id },
      h("h2", { id }, section.fate[0].toUpperCase() + section.fate.slice(1)),
      h("p", { class: "row heads", "aria-hidden": "true" }, h("span"), h("span"), h("span"), h("i", {}, "servers"), h("i", {}, "memory")),
      rows.map((row) => row.e));
  }

  const remark = (note) => h("p", { class: "alarm" }, note.text, note.remedy ? ": " : "", note.remedy ? h("code", {}, note.remedy) : "");

  // render lays out the account.
  function render() {
    if (!account) return;
    const things = new Map((account.targets || []).map((t) => [t.id, t]));
    const sum = { found: 0 };
    const tree = (account.sections || []).map((section) => sectionOf(section, things, sum));
    const before = $("headline")?.textContent;
    show($("page"),
      account.premise ? h("p", { id: "premise" }, text(account.premise)) : null,
      h("p", { id: "headline" }, text(account.headline)),
      ...(account.remarks || []).map(remark),
      query ? h("p", { id: "found", role: "status" }, sum.found + (sum.found === 1 ? " thing" : " things") + " found for “" + query + "”") : null,
      ...tree);
    refolds = false;
    performance.mark("shown");
    const now = $("headline").textContent;
    if (before && shape(before) !== shape(now)) $("said").textContent = now;
    $("host").textContent = plain(account.host?.hostname || "");
    document.title = (account.summary?.leaked ? "(" + account.summary.leaked + ") " : "") + "reaperd";
    show($("foot"), ...footOf());
  }

  // shape is a text without its numbers: those alone are no news for who listens to the page.
  const shape = (said) => said.replace(/\d+[dhms]( \d+[hms])?/g, "");

  // footOf tells who decides, and by what.
  function footOf() {
    const { decider, policy, taken_at: at } = account;
    const build = decider.daemon?.build?.version;
    return [h("p", {}, ["reaperd", build, decider.pid ? "process " + decider.pid : "", decider.user].filter(Boolean).join(" · ")),
      policy.source ? h("p", {}, "policy " + policy.source + (policy.sha256 ? " " + policy.sha256.slice(0, 12) : "")) : null,
      h("p", {}, "looked at " + new Date(at).toLocaleTimeString("en-GB"))];
  }

  // renderPast lays out what was stopped in the last 24 hours: a drawing by hours, and a list.
  function renderPast() {
    const lines = past.lines || [];
    show($("past"), h("h2", { id: "day" }, "Last 24 hours"), h("p", { id: "sum" }, sumOf(past.summary)), drawing(),
      h("ul", { class: "lines" }, lines.map((line) => h("li", {}, h("time", { datetime: line.at }, clock(new Date(line.at))), h("span", {}, line.text)))));
  }

  const sumOf = (sums) => !sums?.reaped ? "Nothing was stopped." : sums.reaped + " stopped" + (sums.freed_bytes ? ", " + bytes(sums.freed_bytes) + " freed" : "");

  // drawing has a bar for each hour in which something was stopped.
  function drawing() {
    const hours = new Array(24).fill(0);
    for (const act of past.entries || []) {
      const hour = 23 - Math.floor((Date.now() - Date.parse(act.time)) / 3600000);
      if (hour >= 0 && hour < 24) hours[hour]++;
    }
    const most = Math.max(...hours);
    if (most === 0) return null;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 240 44");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "what was stopped, by hours");
    hours.forEach((n, i) => {
      if (n === 0) return;
      const bar = document.createElementNS(svg.namespaceURI, "rect");
      const height = Math.max(2, 40 * n / most);
      for (const [key, value] of Object.entries({ x: i * 10, y: 44 - height, width: 8, height })) bar.setAttribute(key, value);
      svg.append(bar);
    });
    return svg;
  }

  class Failed extends Error {}

  // ask asks for a JSON document. The error says why there is none, with commands between backticks.
  async function ask(path, signal) {
    let response;
    try {
      response = await fetch(path, { cache: "no-store", signal: signal || AbortSignal.timeout(answerWithin) });
    } catch (error) {
      throw new Failed(error.name === "TimeoutError" ? "the daemon does not answer; `reaperd status` says more" : "`reaperd page` has ended; start it again for a new address");
    }
    if (response.ok) return response;
    const said = await response.text();
    throw new Failed(response.status === 502 ? unanswered(said) : refused(said));
  }

  // unanswered is why there is no answer, and what to do: the first paragraphs of a text. A command
  // has three spaces behind it.
  function unanswered(said) {
    const [why, hint] = said.split("\n\n");
    return hint ? why + "; " + hint.split("; ").map((part) => part.replace(/^(.+?) {3,}/, "`$1` ")).join("; ") : why;
  }

  function refused(said) {
    try {
      const { error, hint } = JSON.parse(said);
      return error + (hint ? "; " + hint : "");
    } catch {
      return said.trim();
    }
  }

  // told are the parts of a text with commands between backticks.
  const told = (said) => said.split("`").map((part, i) => i % 2 ? h("code", {}, part) : plain(part));

  // follow shows each look that the daemon sends, until the stream ends.
  async function follow() {
    stream = new AbortController();
    try {
      const response = await ask("v1/follow", stream.signal);
      const lines = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { value, done } = await lines.read();
        if (done) break;
        heard = Date.now();
        const parts = (rest + value).split("\n");
        rest = parts.pop();
        const last = parts.filter(Boolean).pop();
        if (last) take(JSON.parse(last));
      }
      await ask("v1/hello"); // the error says who does not answer
    } catch (error) {
      if (!lost) disconnected(error instanceof Failed ? error.message : "the connection to the daemon has broken");
    }
    setTimeout(follow, retryEvery);
  }

  function take(fresh) {
    account = fresh;
    connected();
    render();
    remember();
    if (shown() && $("about").open) explain(shown());
  }

  // remember asks what was stopped.
  async function remember() {
    try {
      const period = JSON.stringify({ since: new Date(Date.now() - day).toISOString() });
      past = await (await ask("v1/history?period=" + encodeURIComponent(period))).json();
      renderPast();
    } catch (error) {
      if (!past && error instanceof Failed) show($("past"), h("h2", { id: "day" }, "Last 24 hours"), h("p", {}, told(error.message)));
    }
  }

  function connected() {
    lost = false;
    $("lost").hidden = true;
    document.body.classList.remove("old");
    $("live").textContent = "live";
  }

  // disconnected says since when what is shown is old, and why.
  function disconnected(why) {
    lost = true;
    const since = new Date().toLocaleTimeString("en-GB");
    const taken = account ? " What follows is of the look of " + new Date(account.taken_at).toLocaleTimeString("en-GB") + "." : "";
    $("live").textContent = "not live";
    $("lost").replaceChildren(...["Not live since " + since + ": ", ...told(why), "." + taken]);
    $("lost").hidden = false;
    document.body.classList.add("old");
  }

  // watch asks a daemon that hangs: it keeps its connection, and sends nothing.
  async function watch() {
    const next = Date.parse(account?.decider.next_look || "") || Infinity;
    const now = Date.now();
    const isLate = now > next + lateAfter && heard < next + lateAfter || now - heard > silentFor;
    if (lost || asking || !isLate || now < asked + retryEvery) return;
    asking = true;
    asked = now;
    try {
      await ask("v1/hello");
    } catch (error) {
      disconnected(error.message);
      stream.abort();
    }
    asking = false;
  }

  function tick() {
    watch();
    if (!lost) document.querySelectorAll("[data-until], [data-since]").forEach(count);
  }

  // shown is the id that this entry of the browser's history has a sheet of.
  const shown = () => history.state?.about;

  // open opens a sheet as a page of its own to the browser's history: Back closes it.
  function open(id) {
    if (shown()) history.replaceState({ about: id }, "");
    else history.pushState({ about: id }, "");
    explain(id);
  }

  // explain shows all that is known of a thing, unless the reader went back before it was there.
  async function explain(id) {
    let sheet;
    try {
      sheet = sheetOf(id, await (await ask("v1/explain?word=" + encodeURIComponent(id))).json());
    } catch (error) {
      sheet = [titleOf(id), h("p", {}, "It cannot be shown: ", told(error.message), ".")];
    }
    if (shown() !== id) return;
    show($("sheet"), sheet);
    if ($("about").open) return;
    $("about").returnValue = "";
    $("about").showModal();
    $("about-title").focus(); // not the button: the key that opened the sheet would press it
  }

  // titleOf names what a sheet is about; what has ended keeps its name.
  function titleOf(id) {
    const t = [...(account?.targets || []), ...(account?.sessions || [])].find((one) => one.id === id);
    const before = $("about").dataset.of === id ? $("about-title")?.textContent : "";
    $("about").dataset.of = id;
    const name = t ? [t.name || "process", t.handle || t.pid].join(" ") : before || id;
    return h("h1", { id: "about-title", tabindex: "-1" }, name);
  }

  function sheetOf(id, told) {
    const facts = (told.facts || []).map((fact) => h("div", {}, h("dt", {}, fact.about || ""), h("dd", {}, text(fact.text))));
    const commands = (told.commands || []).map((c) => h("p", {}, c.what + ": ", h("code", {}, c.line)));
    return [titleOf(id), h("p", {}, text(told.answer)), h("div", { class: "commands" }, commands), h("dl", { class: "facts" }, facts)];
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="?about="]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(decodeURIComponent(link.getAttribute("href").slice("?about=".length)));
  });
  $("about").querySelector("button").addEventListener("click", () => $("about").close());
  // The event of a close comes later than the close: by then a reader may have gone forward again.
  $("about").addEventListener("close", () => {
    if (!$("about").open && $("about").returnValue !== "back" && shown()) history.back();
  });
  addEventListener("popstate", () => {
    if (shown()) explain(shown());
    else $("about").close("back");
  });

  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  $("q").addEventListener("input", () => {
    refolds = true;
    query = $("q").value.trim().toLowerCase();
    history.replaceState(history.state, "", query ? "?q=" + encodeURIComponent(query) : location.pathname);
    render();
  });

  const given = new URLSearchParams(location.search);
  $("q").value = given.get("q") || "";
  query = $("q").value.trim().toLowerCase();
  if (given.has("about")) history.replaceState({ about: given.get("about") }, "", location.pathname);
  if (shown()) explain(shown()); // loaded again
  setInterval(tick, 1000);
  follow();
})();
