"use strict";
// Keeps the page up to date: after each look of the daemon it fetches the live part and
// replaces the elements that have changed. Without this script the page reloads.
(() => {
  const retryEvery = 5000; // ms
  const lateAfter = 3000; // ms after the time of a scheduled look
  const answerWithin = 10000; // ms
  const $ = (id) => document.getElementById(id);
  let skew = 0; // this clock minus the daemon's, ms
  let lost = false; // nobody answers: what is shown is old, and stands still
  let asking = false;
  let again = false;
  let asked = 0; // when the daemon was asked last, ms on this clock
  let about = ""; // the address of the document in the dialog
  let searched = location.search; // the filter of the shown part
  let refolds = false; // fold as the server does, since the filter has changed

  // span writes a duration as the server does: in its two largest units.
  function span(ms) {
    const seconds = Math.max(0, Math.ceil(ms / 1000));
    const units = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
    for (let i = 0; i < units.length; i++) {
      const [length, letter] = units[i];
      if (seconds < length) continue;
      let text = Math.floor(seconds / length) + letter;
      if (i + 1 < units.length) {
        const [next, small] = units[i + 1];
        const rest = Math.floor((seconds % length) / next);
        if (rest > 0) text += " " + rest + small;
      }
      return text;
    }
    return "a moment";
  }

  function say(e, text) { if (e.textContent !== text) e.textContent = text; }

  // tell says a text with commands in it, between backticks.
  function tell(e, text) {
    if (e.dataset.told === text) return;
    e.dataset.told = text;
    e.replaceChildren(...text.split("`").map((part, i) => {
      if (i % 2 === 0) return part;
      const command = document.createElement("code");
      command.textContent = part;
      return command;
    }));
  }

  // isLate tells that a look is overdue, and that the daemon was not asked just now.
  function isLate() {
    const next = Number($("page").dataset.next) + skew;
    return !asking && next > skew && Date.now() > Math.max(next + lateAfter, asked + retryEvery);
  }

  function tick() {
    if (isLate()) refresh(); // a daemon that hangs keeps its connection and sends nothing
    if (lost) return;
    const now = Date.now() - skew;
    for (const e of document.querySelectorAll("[data-due]")) say(e, span(Number(e.dataset.due) - now));
    for (const e of document.querySelectorAll("[data-since]")) {
      say(e, span(Math.floor((now - Number(e.dataset.since)) / 1000) * 1000));
    }
  }

  // morph makes one element equal to another. It keeps elements with an id.
  function morph(from, to) {
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && (refolds || name !== "open")) from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if ((refolds || name !== "open") && from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
    if (from.nodeName === "INPUT") return; // somebody may be typing
    morphBelow(from, to);
  }

  // morphBelow makes what is below one element equal to what is below another.
  function morphBelow(from, to) {
    const byId = new Map();
    for (const child of from.children) if (child.id) byId.set(child.id, child);
    let at = from.firstChild;
    for (const next of [...to.childNodes]) {
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

  function parsed(text) { return new DOMParser().parseFromString(text, "text/html"); }

  const silent = "the daemon does not answer; `reaperd status` says more";

  // unanswered is why there is no answer, and what to do: the first paragraphs of a text. A command
  // has three spaces behind it.
  function unanswered(text) {
    const [why, hint] = text.split("\n\n");
    if (!hint) return silent;
    return why + "; " + hint.split("; ").map((part) => part.replace(/^(.+?) {3,}/, "`$1` ")).join("; ");
  }

  async function ask(path) {
    let response, text;
    try {
      response = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(answerWithin) });
      text = await response.text();
    } catch (error) {
      throw new Error(error.name === "TimeoutError" ? silent : "`reaperd page` has ended; start it again for a new address");
    }
    if (response.status === 502) throw new Error(unanswered(text));
    const isGone = response.status === 404; // and the document says so
    if (!response.ok && !isGone) throw new Error(text.trim());
    return Object.assign(parsed(text), { isGone });
  }

  // take shows the daemon's answer for a filter, and restores the focus if it was
  // lost.
  function take(fresh, search) {
    const before = $("headline").textContent;
    const focused = document.activeElement;
    refolds = search !== searched;
    searched = search;
    morph($("page"), fresh.getElementById("page"));
    skew = Date.now() - Number($("page").dataset.now);
    document.title = $("page").dataset.title;
    if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    if ($("headline").textContent !== before) $("said").textContent = $("headline").textContent;
    connected();
    tick();
  }

  async function refresh() {
    if (document.hidden) { again = true; return; }
    if (asking) { again = true; return; }
    asking = true;
    do {
      again = false;
      asked = Date.now();
      try {
        const search = location.search;
        take(await ask("part" + search), search);
        if (about && $("about").open) await show(about);
      } catch (error) {
        disconnected(error.message);
      }
    } while (again && !document.hidden);
    asking = false;
  }

  function connected() {
    lost = false;
    $("lost").hidden = true;
    $("page").classList.remove("old");
    $("live").textContent = "live";
  }

  // disconnected says since when what is shown is old, and why.
  function disconnected(why) {
    $("live").textContent = "not live";
    if (!lost) $("lost").dataset.at = new Date().toLocaleTimeString("en-GB");
    const taken = $("page").dataset.taken;
    tell($("lost"), "Not live since " + $("lost").dataset.at + ": " + why + ". What follows is " + (taken ? "of the look of " + taken : "as it was then") + ".");
    lost = true;
    $("lost").hidden = false;
    $("page").classList.add("old");
  }

  // listen hears of each look. The first event comes at once: it tells whether there was a
  // look since the page was written.
  function listen() {
    const source = new EventSource("live");
    source.addEventListener("look", (event) => {
      if (lost || event.data !== $("page").dataset.look) refresh();
    });
    source.onopen = () => { if (!lost) connected(); };
    source.onerror = () => {
      refresh(); // it says who does not answer
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, retryEvery);
    };
    addEventListener("pagehide", () => source.close(), { once: true });
  }

  // shown is the address of the node that this entry of the browser's history shows.
  function shown() { return history.state?.thing; }

  // open shows a node as a page of its own to the browser's history: Back closes it.
  function open(address) {
    if (shown()) history.replaceState({ thing: address }, "");
    else history.pushState({ thing: address }, "");
    show(address);
  }

  // show shows the document of one node in the dialog, unless the reader went back before it
  // was there.
  async function show(address) {
    let thing;
    try {
      const fresh = await ask(address);
      thing = fresh.getElementById("thing");
      if (fresh.isGone && about === address) thing.querySelector("h1").replaceWith($("about-title").cloneNode(true)); // which it was
      about = fresh.isGone ? "" : address;
    } catch (error) {
      thing = document.createElement("main");
      if (about === address) thing.append($("about-title").cloneNode(true));
      about = "";
      const why = document.createElement("p");
      tell(why, "It cannot be shown: " + error.message + ".");
      thing.append(why);
    }
    if (shown() !== address) return;
    morphBelow($("sheet"), thing);
    tick();
    if ($("about").open) return;
    $("about").returnValue = "";
    $("about").showModal();
    $("about-title")?.focus(); // not the button: the key that opened the sheet would press it
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="thing?"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(link.getAttribute("href"));
  });
  $("about").querySelector("button").addEventListener("click", () => $("about").close());
  // The event of a close comes later than the close: by then a reader may have gone forward
  // again.
  $("about").addEventListener("close", () => {
    if (!$("about").open && $("about").returnValue !== "back" && shown()) history.back();
  });
  addEventListener("popstate", () => {
    if (shown()) show(shown());
    else $("about").close("back");
  });

  let typing = 0;
  document.addEventListener("input", (event) => {
    if (event.target.id !== "q") return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      const q = event.target.value.trim();
      history.replaceState(null, "", q ? "?q=" + encodeURIComponent(q) : ".");
      refresh();
    }, 150);
  });
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); }); // back from another page
  document.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("visibilitychange", () => { if (!document.hidden && again) refresh(); });

  skew = Date.now() - Number($("page").dataset.now);
  $("live").textContent = "connecting";
  if (shown()) show(shown()); // loaded again
  requestAnimationFrame(() => setTimeout(() => { // when the page shows
    setInterval(() => { if (!document.hidden) tick(); }, 1000);
    listen();
  }));
})();
