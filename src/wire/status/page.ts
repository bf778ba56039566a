import { createHash } from 'node:crypto';
import type { PageState, StatusPage } from '../../domain/public/status-page.ts';
import {
  groupsOf,
  noticesByPhase,
  type StatusView,
  stateOf,
  type ViewedComponent,
  type ViewedNotice,
} from '../../domain/public/status-view.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { ageText } from '../../lib/text/ages.ts';
import {
  affectedWords,
  barWords,
  COMPONENT_WORDS,
  dateWords,
  HEADLINES,
  noticeWords,
  timeWords,
  UPDATE_WORDS,
  uptimeWords,
} from './words.ts';

/** The files that the page loads, and the page of the service that watches. All addresses are relative. */
export interface StatusPageFiles {
  readonly style: string;
  readonly script: string;
}

/** The public page as a document. */
export function statusPageHtml(view: StatusView, files: StatusPageFiles, siteName: string): string {
  const { page } = view;
  const title = `${HEADLINES[stateOf(view)]} – ${page.title}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f6f5f2" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0b0d10" media="(prefers-color-scheme: dark)">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files.style}">
<link rel="alternate" type="application/rss+xml" title="${escapeHtml(page.title)}" href="feed.xml">
<script src="${files.script}" defer></script>
</head>
<body>
<main>${statusPageBody(view, siteName)}</main>
</body>
</html>
`;
}

/** The content of the page, which the editor shows as well. */
export function statusPageBody(view: StatusView, siteName: string): string {
  const { page, now } = view;
  const { open, planned, over } = noticesByPhase(view);
  const notices = [...open, ...planned].map((notice) => noticeHtml(notice, view));
  return `<div class="status">
${GLYPHS}
<header class="top"><span class="brand">${LOGO}${escapeHtml(page.title)}</span><a class="button" href="feed.xml">${RSS}Subscribe</a></header>
${bannerHtml(view)}
${page.about === '' ? '' : `<p class="about">${paragraph(page.about)}</p>`}
${notices.join('\n')}
${groupsOf(view.components)
  .map(({ name, components }) => groupHtml(name, components, view))
  .join('\n')}
${pastHtml(over, view)}
<footer><span>As of <time datetime="${toIsoSeconds(now)}">${timeWords(now, now, page.tz)}</time>.</span> <span>Times in ${escapeHtml(page.tz)}.</span><span class="by">Watched by ${escapeHtml(siteName)}</span></footer>
</div>`;
}

const TONES: Readonly<Record<PageState, string>> = {
  works: 'up',
  late: 'late',
  partly_down: 'late',
  down: 'down',
  unknown: 'none',
};

function bannerHtml(view: StatusView): string {
  const state = stateOf(view);
  const tone = TONES[state];
  return `<div class="banner ${tone}">${glyph(tone)}<div><h1>${HEADLINES[state]}</h1>${
    affectedWords(view) === '' ? '' : `<p>${escapeHtml(affectedWords(view))}</p>`
  }</div></div>`;
}

function noticeHtml(notice: ViewedNotice, view: StatusView): string {
  const { startsAt, endsAt, title, kind } = notice;
  const isOpen = kind === 'incident' && endsAt === null;
  const lasted = isOpen ? `<span class="sub">${ageText(view.now - startsAt)}</span>` : '';
  return `<section class="card notice" id="${anchorOf(notice)}"><header><h2>${escapeHtml(title)}</h2>${lasted}</header>
<p class="sub">${escapeHtml(noticeWords(notice, view))}${touchedWords(notice, view)}</p>
${updatesHtml(notice, view)}</section>`;
}

function touchedWords({ componentIds }: ViewedNotice, { components }: StatusView): string {
  const names = components.filter(({ id }) => componentIds.includes(id)).map(({ name }) => escapeHtml(name));
  return names.length === 0 ? '' : ` · ${names.join(', ')}`;
}

function updatesHtml({ updates }: ViewedNotice, { now, page: { tz } }: StatusView): string {
  const items = updates.map(({ state, text, createdAt, isDraft = false }) => {
    const word = state === 'note' ? '' : `<b>${UPDATE_WORDS[state]}</b> `;
    const time = isDraft ? '<span class="chip">not published</span>' : timeHtml(createdAt, now, tz);
    return `<li${isDraft ? ' class="draft"' : ''}><div>${word}${time}</div><p>${paragraph(text)}</p></li>`;
  });
  return `<ol class="updates">${items.join('')}</ol>`;
}

function groupHtml(name: string, components: readonly ViewedComponent[], view: StatusView): string {
  const title = name === '' ? '' : `<h2 class="group">${escapeHtml(name)}</h2>`;
  return `${title}<ul class="card">${components.map((one) => componentHtml(one, view)).join('')}</ul>`;
}

function componentHtml(component: ViewedComponent, view: StatusView): string {
  const { name, state } = component;
  const tone = state === 'works' ? 'up' : state === 'unknown' ? 'none' : state;
  return `<li class="comp"><div class="row"><b>${escapeHtml(name)}</b><span class="pill ${tone}">${glyph(tone)}${COMPONENT_WORDS[state]}</span></div>
<div class="days"><svg viewBox="0 0 ${BAR * component.days.length - GAP} 28" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(barWords(component, view))}">${barsSvg(component, view)}</svg></div>
${endsHtml(component, view)}</li>`;
}

/** The width of a bar with the space after it, as in the patterns of `GLYPHS`. */
const BAR = 8;
const GAP = 2;

/** Neighbouring days that look the same are one rectangle, filled with a pattern of bars. */
function barsSvg({ days, state }: ViewedComponent, { dayStarts, now, page: { tz } }: StatusView): string {
  const kinds = days.map((down, index) => {
    if (down === null) return 'n';
    if (down > 0) return 'd';
    return state === 'late' && index === days.length - 1 ? 'l' : 'o';
  });
  const rects: string[] = [];
  for (let first = 0; first < kinds.length; ) {
    const kind = kinds[first];
    let end = first + 1;
    // A day with trouble has words of its own.
    while (kind !== 'd' && kinds[end] === kind) end++;
    const box = `x="${first * BAR}" width="${(end - first) * BAR - GAP}" height="28" fill="url(#bar-${kind})"`;
    const start = dayStarts[first];
    const words =
      kind === 'd' && start !== undefined
        ? `<title>${dateWords(start, now, tz)}: down ${ageText(days[first] ?? 0)}</title>`
        : '';
    rects.push(words === '' ? `<rect ${box}/>` : `<rect ${box}>${words}</rect>`);
    first = end;
  }
  return rects.join('');
}

/** The line below the bars. Narrow pages show the last half of the bars. */
function endsHtml({ days, uptime }: ViewedComponent, { dayStarts, now, page: { tz } }: StatusView): string {
  const first = days.findIndex((day) => day !== null);
  const half = Math.floor(days.length / 2);
  const since = (from: number) => {
    const start = dayStarts[first];
    return first > from && start !== undefined
      ? `since ${dateWords(start, now, tz)}`
      : `${days.length - from} days ago`;
  };
  const known = uptime === null ? 'no data yet' : uptimeWords(uptime);
  return `<div class="ends"><span><span class="wide">${since(0)}</span><span class="narrow">${since(half)}</span></span><span>${known}</span><span>today</span></div>`;
}

function pastHtml(over: readonly ViewedNotice[], view: StatusView): string {
  if (over.length === 0) return '';
  const { now, page } = view;
  const byDay = Map.groupBy(over, ({ startsAt }) => dateWords(startsAt, now, page.tz));
  const days = Array.from(byDay, ([day, notices]) => {
    const items = notices.map(
      (notice) =>
        `<li id="${anchorOf(notice)}"><h4>${escapeHtml(notice.title)}</h4><p class="sub">${escapeHtml(noticeWords(notice, view))}</p>${updatesHtml(notice, view)}</li>`,
    );
    return `<h3>${day}</h3><ul>${items.join('')}</ul>`;
  });
  return `<section class="past"><h2 class="group">Past incidents</h2>${days.join('')}</section>`;
}

/** Names a notice or an update in public, and tells nothing of its id. */
export function anchorOf({ uuid }: Pick<StatusPage, 'uuid'>): string {
  return `n${createHash('sha256').update(`status ${uuid}`).digest('hex').slice(0, 12)}`;
}

function timeHtml(at: Instant, now: Instant, tz: string): string {
  return `<time class="sub" datetime="${toIsoSeconds(at)}">${timeWords(at, now, tz)}</time>`;
}

function paragraph(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

function glyph(tone: string): string {
  return `<svg class="g ${tone}" viewBox="0 0 16 16" aria-hidden="true"><use href="#s-${tone}"/></svg>`;
}

const LOGO =
  '<svg class="logo" viewBox="0 0 22 22" aria-hidden="true"><path d="M3 16.5c1.700-1.500 2.300-3.700 2.300-7a5.700 5.700 0 0 1 11.400 0c0 3.300.6 5.500 2.300 7z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/><path d="M11 1.500v19" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/></svg>';

const RSS =
  '<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.500a4.500 4.500 0 0 1 4.500 4.500M3 4a9 9 0 0 1 9 9M3.700 12.500h.01" fill="none" stroke="currentColor" stroke-width="1.800" stroke-linecap="round"/></svg>';

const GLYPHS = `<svg class="defs" width="0" height="0" aria-hidden="true"><defs>
<pattern id="bar-o" width="8" height="28" patternUnits="userSpaceOnUse"><rect class="ok" width="6" height="28" rx="1.5"/><rect class="cap" width="6" height="3" rx="1"/></pattern>
<pattern id="bar-n" width="8" height="28" patternUnits="userSpaceOnUse"><rect class="none" y="27" width="6" height="1"/></pattern>
<pattern id="bar-l" width="8" height="28" patternUnits="userSpaceOnUse"><rect class="ok" width="6" height="14" rx="1"/><rect class="late" y="14" width="6" height="14" rx="1"/></pattern>
<pattern id="bar-d" width="8" height="28" patternUnits="userSpaceOnUse"><rect class="down" width="6" height="28" rx="1.5"/></pattern></defs>
<symbol id="s-down" viewBox="0 0 16 16"><path d="M5.2.9h5.6l4.3 4.3v5.6l-4.3 4.3H5.2L.9 10.8V5.2z" fill="currentColor" stroke="none"/><path d="m5.5 5.5 5 5m0-5-5 5" fill="none"/></symbol>
<symbol id="s-late" viewBox="0 0 16 16"><path d="M6.9 1.9a1.3 1.3 0 0 1 2.2 0l6 10.6a1.3 1.3 0 0 1-1.1 1.9H2a1.3 1.3 0 0 1-1.1-1.9z" fill="currentColor" stroke="none"/><path d="M8 5.6v3.6M8 11.8v.01" fill="none"/></symbol>
<symbol id="s-up" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor" stroke="none"/><path d="m4.9 8.3 2.2 2.2 4.1-4.7" fill="none"/></symbol>
<symbol id="s-none" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.6 2.6"/></symbol></svg>`;
