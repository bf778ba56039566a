import { MONO_FONT, SYSTEM_FONT, TOKENS_STYLE } from '../public/tokens-style.ts';

/** The look of the documentation. */
export const DOCS_STYLE = `${TOKENS_STYLE}
html { scroll-padding-top: 72px; }
body { color: var(--ink); font: 400 14px/22px ${SYSTEM_FONT}; font-feature-settings: "cv05", "ss03";
  -webkit-font-smoothing: antialiased; }
a { color: var(--link); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 5px; }
code, pre { font-family: ${MONO_FONT}; font-feature-settings: "zero", "calt" 0; }
.skip { position: fixed; left: 8px; top: -80px; z-index: 3; padding: 8px 12px; background: var(--surface); }
.skip:focus-visible { top: 8px; }
.demonstration { margin: 0; padding: 6px 16px; background: var(--ink); color: var(--surface); font-size: 12px; line-height: 16px; text-align: center; }
.top { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 16px; height: 56px; padding: 0 24px;
  background: var(--canvas); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 10px; min-width: 0; color: var(--ink); font-weight: 600; text-decoration: none; }
.brand span:not(.docs) { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.logo { flex: none; width: 22px; height: 22px; }
.docs { color: var(--ink-2); font-weight: 400; }
.top form { flex: 1; max-width: 400px; margin: 0 0 0 auto; min-width: 90px; }
input { width: 100%; height: 36px; padding: 0 12px; border: 1px solid var(--control); border-radius: 8px; background: var(--surface);
  color: var(--ink); font: inherit; }
input::placeholder { color: var(--ink-3); opacity: 1; }
.home { flex: none; color: var(--ink-2); text-decoration: none; }
.home:hover { color: var(--ink); text-decoration: underline; }
.frame { display: grid; grid-template-columns: 232px minmax(0, 720px) 200px; justify-content: center; gap: 0 40px; padding: 0 24px; }
.side, .aside > nav { position: sticky; top: 57px; max-height: calc(100dvh - 57px); overflow-y: auto; padding: 24px 0; }
nav p { margin: 20px 8px 4px; color: var(--ink-3); font-size: 12px; font-weight: 500; line-height: 16px; }
nav p:first-child { margin-top: 0; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 5px 8px; border-radius: 6px; color: var(--ink-2); font-size: 13px; line-height: 20px; text-decoration: none; }
nav a:hover { color: var(--ink); text-decoration: underline; }
nav a[aria-current] { background: var(--surface); color: var(--ink); font-weight: 600; box-shadow: inset 0 0 0 1px var(--line-2); }
.aside nav a { padding: 3px 8px; }
.menu { display: none; }
main { min-width: 0; padding: 28px 0 80px; outline: none; overflow-wrap: break-word; }
h1, h2, h3 { font-weight: 600; letter-spacing: -.011em; }
h1 { margin: 0 0 16px; font-size: 26px; line-height: 34px; letter-spacing: -.016em; }
h2 { margin: 40px 0 10px; font-size: 18px; line-height: 26px; }
h3 { margin: 28px 0 8px; font-size: 15px; line-height: 22px; }
:is(h2, h3) > a { color: inherit; text-decoration: none; }
:is(h2, h3) > a:hover { text-decoration: underline; text-decoration-color: var(--control); }
main :is(p, ul, ol) { margin: 0 0 14px; color: var(--ink-2); }
main :is(ul, ol) { padding-left: 22px; } main li { margin: 4px 0; } main li::marker { color: var(--ink-3); }
main strong { color: var(--ink); font-weight: 600; }
main code { padding: 1px 4px; border-radius: 4px; background: var(--quiet-t); color: var(--ink); font-size: 12.5px; }
.code { position: relative; margin: 0 0 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
.code pre { margin: 0; padding: 12px 14px; overflow-x: auto; border-radius: 8px; font-size: 12.5px; line-height: 20px; }
.code code { padding: 0; background: none; font-size: inherit; }
.copy { position: absolute; top: 6px; right: 6px; height: 28px; padding: 0 10px; border: 1px solid var(--line-2); border-radius: 6px;
  background: var(--surface); color: var(--ink-2); font: 500 12px/16px ${SYSTEM_FONT}; cursor: pointer; opacity: 0; }
.code:is(:hover, :focus-within) .copy { opacity: 1; } .copy:hover { color: var(--ink); border-color: var(--control); }
.table { margin: 0 0 16px; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
table { width: 100%; border-collapse: collapse; font-size: 13px; line-height: 20px; }
:is(th, td) { padding: 8px 12px; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
thead :is(th, td) { border-top: 0; background: var(--sunken); color: var(--ink-3); font-size: 12px; font-weight: 500; line-height: 16px; }
td { color: var(--ink-2); } td:first-child { color: var(--ink); }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.lead { font-size: 16px; line-height: 26px; }
.note { padding: 12px 14px; border-radius: 8px; background: var(--quiet-t); color: var(--ink); }
.note.missing { background: var(--late-t); color: var(--late); }
.note.missing code { background: none; color: inherit; padding: 0; font-weight: 600; }
.found { margin: 0; padding: 0; list-style: none; } .found li { margin: 0 0 20px; } .found p { margin: 2px 0 0; }
.found a { font-weight: 600; } .found mark { background: var(--late-t); color: var(--late); padding: 0 1px; border-radius: 3px; }
.tester { display: grid; grid-template-columns: minmax(0, 1fr) 200px auto; gap: 10px; align-items: end; margin: 0 0 16px; }
.tester label { display: grid; gap: 4px; font-size: 12px; font-weight: 500; line-height: 16px; color: var(--ink-2); }
.tester input { font-family: ${MONO_FONT}; font-size: 13px; }
.button { height: 36px; padding: 0 14px; border: 1px solid var(--line-2); border-radius: 8px; background: var(--surface); color: var(--ink);
  font: 500 13px/20px ${SYSTEM_FONT}; cursor: pointer; }
.button:hover { border-color: var(--control); }
#common-schedules + .table td:first-child { white-space: nowrap; }
.fault { color: var(--down); font-weight: 500; }
@media (max-width: 1180px) { .frame { grid-template-columns: 208px minmax(0, 760px); gap: 0 32px; } .aside { display: none; } }
@media (max-width: 760px) {
  .top { gap: 10px; padding: 0 16px; } .frame { display: block; padding: 0 16px; } .side { display: none; } .docs { display: none; }
  .menu { display: block; margin-top: 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
  .menu summary { min-height: 44px; padding: 11px 12px; font-weight: 500; cursor: pointer; }
  .menu nav { padding: 0 4px 12px; } .menu nav a { padding: 12px 8px; } .menu nav a[aria-current] { background: var(--quiet-t); box-shadow: none; }
  main { padding-top: 20px; } h1 { font-size: 22px; line-height: 30px; } input, .button { height: 44px; font-size: 16px; }
  .code { padding-top: 34px; } .code pre { padding-top: 2px; white-space: pre-wrap; overflow-wrap: anywhere; } .copy { opacity: 1; } .tester { grid-template-columns: minmax(0, 1fr); }
  .table td { min-width: 96px; } .wide thead { display: none; }
  .wide :is(table, tbody, tr, td) { display: block; } .wide tr { padding: 10px 12px; border-top: 1px solid var(--line); } .wide tr:first-child { border-top: 0; }
  .wide td { padding: 0; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; } .wide td:empty { display: none; }
  .wide td:first-child { font-weight: 500; } .wide td[data-column]::before { content: attr(data-column) ": "; color: var(--ink-3); }
}
@media print { .top, .side, .menu, .aside, .copy { display: none; } .frame { display: block; } }
`;
