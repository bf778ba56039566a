import { escapeHtml } from '../../lib/html-escape.ts';
import { demonstrationHtml } from '../demonstration.ts';
import { DOC_GROUPS } from './pages.ts';

/** Shared by all pages. Addresses begin with the path of the site. */
export interface DocsFrame {
  readonly siteName: string;
  /** The path of the documentation, with a slash at its end. */
  readonly base: string;
  readonly home: string;
  readonly style: string;
  readonly script: string;
  /** Sets the theme that the reader has chosen in the dashboard. Null if there is no dashboard. */
  readonly themeScript: string | null;
  readonly isDemonstration: boolean;
}

export interface DocsContent {
  /** Below `/docs/`. Null for a page that the navigation does not show. */
  readonly path: string | null;
  readonly title: string;
  readonly html: string;
  /** Sections to which the side leads. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  /** The searched text. */
  readonly search?: string;
}

const LOGO =
  '<svg class="logo" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M3 16.5c1.7-1.5 2.3-3.7 2.3-7a5.7 5.7 0 0 1 11.4 0c0 3.3.6 5.5 2.3 7z"/><path d="M11 1.5v19"/></svg>';

/** Fewer sections are seen at a glance. */
const MIN_LISTED_SECTIONS = 3;

/** A page of the documentation as a document. It needs no script. */
export function docsHtml(frame: DocsFrame, content: DocsContent): string {
  const { siteName, base, home, style, script, themeScript, isDemonstration } = frame;
  const { path, title, html, search = '' } = content;
  const theme = themeScript === null ? '' : `\n<script src="${escapeHtml(themeScript)}"></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(`${title} – ${siteName}`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(style)}">${theme}
<script src="${escapeHtml(script)}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${demonstrationHtml(isDemonstration)}<header class="top">
<a class="brand" href="${escapeHtml(base)}">${LOGO}<span>${escapeHtml(siteName)}</span> <span class="docs">Docs</span></a>
<form role="search" action="${escapeHtml(base)}search/"><input type="search" name="q" value="${escapeHtml(search)}" placeholder="Search" aria-label="Search the documentation" maxlength="100" autocomplete="off"></form>
<a class="home" href="${escapeHtml(home)}">Dashboard</a>
</header>
<div class="frame">
<details class="menu"><summary>All pages</summary>${navigation(frame, path, 'All pages')}</details>
<div class="side">${navigation(frame, path, 'Documentation')}</div>
<main id="content" tabindex="-1"><h1>${escapeHtml(title)}</h1>
${html}
</main>
${sectionList(content)}
</div>
</body>
</html>
`;
}

function navigation({ base }: DocsFrame, current: string | null, name: string): string {
  const groups = DOC_GROUPS.map(({ title, pages }) => {
    const links = pages.map(({ path, label }) => {
      // A page below another one has no entry of its own.
      const isHere = current === path;
      const isAbove = !isHere && path !== '' && (current?.startsWith(path) ?? false);
      const mark = isHere ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : '';
      return `<li><a href="${escapeHtml(base + path)}"${mark}>${escapeHtml(label)}</a></li>`;
    });
    return `<p>${escapeHtml(title)}</p><ul>${links.join('')}</ul>`;
  });
  return `<nav aria-label="${name}">${groups.join('\n')}</nav>`;
}

function sectionList({ sections }: DocsContent): string {
  if (sections.length < MIN_LISTED_SECTIONS) return '<div class="aside"></div>';
  const links = sections.map(
    ({ id, title }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`,
  );
  return `<div class="aside"><nav aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav></div>`;
}
