/** Colours of pages for outsiders, by the names of the dashboard's tokens. A test compares both. */
const LIGHT = `color-scheme: light;
--canvas: #f6f5f2; --surface: #ffffff; --sunken: #faf9f7; --line: #e7e5df; --line-2: #d3d0c8; --control: #8b8a84;
--ink: #17191e; --ink-2: #464b55; --ink-3: #686d77; --link: #3c4fd0; --focus: #3c4fd0;
--up-g: #179b73; --up-t: #e9f6f1; --late: #855000; --late-g: #c07a00; --late-t: #fdf3df;
--down: #b3261e; --down-g: #bd1e1c; --down-t: #fdeeec; --down-s: #c8241e; --quiet: #5d636e; --quiet-g: #717782; --quiet-t: #f1f0ed;
--bar-ok: #cfe6dd; --bar-cap: #179b73;`;

const DARK = `color-scheme: dark;
--canvas: #0b0d10; --surface: #121519; --sunken: #0f1215; --line: #22262d; --line-2: #343a43; --control: #6d7480;
--ink: #eceef2; --ink-2: #b6bcc7; --ink-3: #8e95a2; --link: #9aa8ff; --focus: #9aa8ff;
--up-g: #46c79b; --up-t: #0f241d; --late: #f0b445; --late-g: #f2b84b; --late-t: #2a2010;
--down: #ff8a80; --down-g: #f0524a; --down-t: #2d1513; --down-s: #cf3a32; --quiet: #9aa1ad; --quiet-g: #7d8490; --quiet-t: #1b1f25;
--bar-ok: #1c3a31; --bar-cap: #2f9e7a;`;

/** The theme of the reader's system, or the one that the page or an element around it asks for. */
export const TOKENS_STYLE = `:root, :host { ${LIGHT} }
@media (prefers-color-scheme: dark) { :root, :host { ${DARK} } }
:root[data-theme="light"], :host([data-theme="light"]) { ${LIGHT} }
:root[data-theme="dark"], :host([data-theme="dark"]) { ${DARK} }
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--canvas); }
body { margin: 0; -webkit-text-size-adjust: 100%; }
`;

export const SYSTEM_FONT = '"Inter Variable", "Inter", system-ui, -apple-system, "Segoe UI", sans-serif';
export const MONO_FONT =
  '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, "SF Mono", Menlo, monospace';
