// What a page does beyond being read: it follows what happens, sends forms without losing its place, lets the clock tick.
"use strict";

const REST = 1000; // milliseconds between two looks at most, however much happens
const TICK = 250;
const SLOW_LOOK = 5000;
const LONGEST_REST = 5000; // also where a look takes long: somebody is waiting for the page

let looking = false;
let wanted = false;
let rest = REST;
let last = -Infinity;
let timer = 0;
let polling = 0;
let shownAt = whereabouts();
let born = performance.now();

function whereabouts() {
  return location.pathname + location.search;
}

function keyOf(element) {
  if (element.id) return "#" + CSS.escape(element.id);
  const href = element.getAttribute("href");
  if (href) return `a[href="${CSS.escape(href)}"]`;
  return null;
}

// Replaces what differs, and leaves alone what somebody is typing in, has opened or has focused.
function renew(place, fresh) {
  if (place.innerHTML === fresh.innerHTML) return;
  const active = document.activeElement;
  const within = place.contains(active);
  if (within && /^(INPUT|SELECT|TEXTAREA)$/.test(active.tagName)) return;
  const key = within ? keyOf(active) : null;
  const open = new Map([...place.querySelectorAll("details[id]")].map((one) => [one.id, one.open]));
  const known = new Set([...place.querySelectorAll("tr[id]")].map((one) => one.id));
  const scrolled = [...place.querySelectorAll(".scroll, pre, .diff")].map((one) => [one.scrollTop, one.scrollLeft]);
  place.replaceChildren(...fresh.cloneNode(true).childNodes);
  for (const one of place.querySelectorAll("details[id]")) if (open.has(one.id)) one.open = open.get(one.id);
  if (known.size) for (const one of place.querySelectorAll("tr[id]")) one.classList.toggle("new", !known.has(one.id));
  [...place.querySelectorAll(".scroll, pre, .diff")].forEach((one, at) => {
    if (scrolled[at]) [one.scrollTop, one.scrollLeft] = scrolled[at];
  });
  if (key) place.querySelector(key)?.focus({ preventScroll: true });
}

function takeClock(page) {
  document.body.dataset.now = page.body.dataset.now;
  document.body.dataset.rate = page.body.dataset.rate;
  if (page.body.dataset.poll !== document.body.dataset.poll) {
    if (page.body.dataset.poll) document.body.dataset.poll = page.body.dataset.poll;
    else delete document.body.dataset.poll;
    poll();
  }
  born = performance.now();
}

async function look() {
  looking = true;
  wanted = false;
  const began = performance.now();
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const place of document.querySelectorAll("[data-live]")) {
        const fresh = page.getElementById(place.id);
        if (fresh) renew(place, fresh);
      }
      takeClock(page);
    }
  } catch (error) {
    // The server is gone for the moment; the next news brings another look.
  }
  last = performance.now();
  rest = Math.min(Math.max(REST, 4 * (last - began)), LONGEST_REST);
  looking = false;
  if (wanted) soon();
}

// At most one look at a time, and none sooner than the rest after the one before; a hidden page waits until it is seen.
function soon() {
  wanted = true;
  if (looking || timer || document.hidden) return;
  timer = setTimeout(() => {
    timer = 0;
    if (wanted && !looking && !document.hidden) look();
  }, Math.max(50, last + rest - performance.now()));
}

function follow(url) {
  const sign = document.getElementById("live");
  const stream = new EventSource(url);
  const show = (on) => { sign.hidden = false; sign.classList.toggle("off", !on); };
  stream.onopen = () => { show(true); soon(); };
  stream.onerror = () => show(false);
  for (const kind of ["news", "clock", "changed", "reset"]) stream.addEventListener(kind, soon);
}

// Pages about what the stream does not tell, such as a run, look again and again while they say so.
function poll() {
  clearInterval(polling);
  const pause = Number(document.body.dataset.poll);
  if (pause) polling = setInterval(soon, pause);
}

function tick() {
  const rate = Number(document.body.dataset.rate);
  if (!rate) return;
  const now = new Date(Number(document.body.dataset.now) + rate * (performance.now() - born));
  const text = now.toISOString().slice(0, 19).replace("T", " ");
  for (const one of document.querySelectorAll("time.now")) one.textContent = text;
}

function show(page, url) {
  document.title = page.title;
  takeClock(page);
  for (const part of [".bar", "#main"]) {
    const fresh = page.querySelector(part);
    if (fresh) document.querySelector(part)?.replaceWith(fresh);
  }
  if (url.pathname !== location.pathname) {
    history.pushState(null, "", url);
    document.getElementById("main").focus({ preventScroll: true });
    scrollTo(0, 0);
  } else {
    history.replaceState(null, "", url);
    document.querySelector("main > .notice")?.scrollIntoView({ block: "nearest" });
  }
  shownAt = whereabouts();
}

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  for (const one of form.querySelectorAll("button")) one.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body });
    const url = new URL(answer.url);
    url.searchParams.delete("note");
    show(new DOMParser().parseFromString(await answer.text(), "text/html"), url);
    poll();
    soon();
  } catch (error) {
    for (const one of form.querySelectorAll("button")) one.disabled = false;
  }
}

async function copy(link) {
  const answer = await fetch(link.href);
  await navigator.clipboard.writeText(await answer.text());
  const text = link.textContent;
  link.textContent = `✓ ${link.dataset.copy}`;
  setTimeout(() => { link.textContent = text; }, 2000);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sure && !confirm(form.dataset.sure)) {
    event.preventDefault();
  } else if (form.dataset.plain === undefined) {
    event.preventDefault();
    send(form, event.submitter);
  }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-copy]");
  if (!link || !navigator.clipboard) return;
  event.preventDefault();
  copy(link).catch(() => location.assign(link.href));
});

document.addEventListener("visibilitychange", () => { if (!document.hidden && wanted) soon(); });
setInterval(tick, TICK);
if (document.body.dataset.stream) {
  follow(document.body.dataset.stream);
  setInterval(() => { if (Number(document.body.dataset.rate)) soon(); }, SLOW_LOOK);
}
poll();
addEventListener("popstate", () => { if (whereabouts() !== shownAt) location.reload(); }); // not for a mere anchor
