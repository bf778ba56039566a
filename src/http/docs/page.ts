import { demonstrationHtml } from '../../wire/demonstration.ts';

/** The names of the page's files. Each contains a hash. */
export interface PageFiles {
  readonly viewerScript: string;
  readonly viewerStyle: string;
  readonly startScript: string;
  readonly pageStyle: string;
}

/** All addresses are relative, so the page works under any prefix and host. */
export function pageHtml(
  files: PageFiles,
  documentUrl: string,
  groups: readonly string[],
  isDemonstration: boolean,
): string {
  // The viewer defines the ids.
  const links = groups.map((group) => `<a href="#operations-tag-${group}">${group}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tocsin API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files.viewerStyle}">
<link rel="stylesheet" href="${files.pageStyle}">
<script src="${files.viewerScript}" defer></script>
<script src="${files.startScript}" defer></script>
</head>
<body>
${demonstrationHtml(isDemonstration)}<nav aria-label="Groups of operations"><a href="../">Documentation</a>${links.join('')}</nav>
<main id="reference" data-document="${documentUrl}"></main>
<noscript>This page needs JavaScript. The same for programs: <a href="${documentUrl}">openapi.json</a>.</noscript>
</body>
</html>
`;
}

/** The viewer has a dark mode, but ignores the reader's preference. */
export const START_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
const place = document.getElementById('reference');
SwaggerUIBundle({
  domNode: place,
  url: new URL(place.dataset.document, location.href).pathname,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  validatorUrl: null,
});
`;

/** Corrects the viewer's style for long lines, big headings, narrow screens and dark labels. */
export const PAGE_STYLE = `body { margin: 0; background: #fff; }
.demonstration { margin: 0; padding: 6px 16px; background: #1c2022; color: #fff; font: 12px/16px sans-serif; text-align: center; }
nav {
  position: sticky; top: 0; z-index: 2; display: flex; gap: 1.25rem; overflow-x: auto; padding: 0.75rem 20px;
  background: #fff; border-bottom: 1px solid #d8dde1; font: 600 14px sans-serif;
}
nav a { color: #3b4151; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .opblock-tag { padding-top: 3.5rem; }
.swagger-ui .info .description p { max-width: 80ch; margin-left: 0; }
.swagger-ui :is(.markdown, .renderedMarkdown) p, .swagger-ui .info table td { line-height: 1.5; }
.swagger-ui .info .description h1 { font-size: 20px; margin: 1.75rem 0 0.5rem; }
.swagger-ui .info .description table { display: block; overflow-x: auto; padding: 0; }
.swagger-ui .info table tbody tr td:first-of-type, .swagger-ui .info table tbody tr td, .swagger-ui .info table th {
  min-width: 0; padding: 0.35rem 1.5rem 0.35rem 0; vertical-align: top;
}
.swagger-ui .info code { white-space: nowrap; }
.swagger-ui .responses-table .response-col_links { display: none; }
.swagger-ui .response-col_description { width: 100%; }
@media (max-width: 640px) {
  nav { gap: 0.6rem; padding: 0.75rem 12px; font-size: 13px; }
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .responses-table :is(tbody, tr, td) { display: block; }
  .swagger-ui .responses-table thead { display: none; }
  .swagger-ui .responses-table .response-col_status { padding: 1rem 0 0; font-weight: 700; }
  .swagger-ui .responses-table .response-col_description { padding: 0.25rem 0 0; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 64px; padding: 6px 0; }
}
@media (prefers-color-scheme: dark) {
  body, nav { background: #1c2022; }
  nav { border-color: #3b4246; }
  nav a { color: #e4e6e6; }
  .demonstration { background: #e4e6e6; color: #1c2022; }
  .swagger-ui .examples__section-header, .swagger-ui .examples-select__section-label { color: #e4e6e6; }
}
`;
