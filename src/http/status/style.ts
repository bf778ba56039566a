import { SYSTEM_FONT, TOKENS_STYLE } from '../public/tokens-style.ts';

/** The look of public status pages. The editor shows the same page in a narrow place, so it asks for its own width. */
export const STATUS_STYLE = `${TOKENS_STYLE}
:host { display: block; background: var(--canvas); }
body, :host { color: var(--ink); font: 400 13px/20px ${SYSTEM_FONT};
  font-feature-settings: "cv05", "ss03"; -webkit-font-smoothing: antialiased; container-type: inline-size; }
.status { max-width: 760px; margin: 0 auto; padding: 40px 24px 56px; overflow-wrap: anywhere; }
.status :is(h1, h2, h3, h4, p, ul, ol) { margin: 0; padding: 0; list-style: none; font-size: inherit; font-weight: inherit; }
.status :is(h1, h2, h3, h4) { font-weight: 600; letter-spacing: -.011em; }
.status .sub { color: var(--ink-3); font-size: 12px; line-height: 16px; }
.status svg.defs { position: absolute; }
.status .top { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-bottom: 24px; }
.status .brand { display: flex; align-items: center; gap: 10px; min-width: 0; font-size: 14px; font-weight: 600; }
.status .logo { flex: none; width: 22px; height: 22px; }
.status .button { display: inline-flex; flex: none; align-items: center; gap: 6px; height: 32px; padding: 0 10px; border: 1px solid var(--line-2);
  border-radius: 8px; background: var(--surface); color: inherit; font-size: 12px; font-weight: 500; text-decoration: none; }
.status .button:hover { border-color: var(--control); }
.status a:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.status .i { width: 14px; height: 14px; }
.status .g { flex: none; width: 14px; height: 14px; stroke: var(--knock, var(--surface)); stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.status .g.up { color: var(--up-g); } .status .g.late { color: var(--late-g); } .status .g.down { color: var(--down-g); } .status .g.none { color: var(--quiet-g); }
.status .banner { display: flex; align-items: center; gap: 14px; padding: 18px 20px; border: 1px solid var(--line-2); border-radius: 12px; background: var(--surface); }
.status .banner.up { --knock: var(--up-t); background: var(--up-t); border-color: color-mix(in oklab, var(--up-g) 30%, transparent); }
.status .banner.late { --knock: var(--late-t); background: var(--late-t); border-color: color-mix(in oklab, var(--late-g) 35%, transparent); }
.status .banner.down { --knock: var(--down-t); background: var(--down-t); border-color: color-mix(in oklab, var(--down-g) 35%, transparent); }
.status .banner .g { width: 28px; height: 28px; }
.status .banner h1 { font-size: 20px; line-height: 26px; letter-spacing: -.016em; }
.status .banner p, .status .about { color: var(--ink-2); }
.status .about { margin-top: 14px; font-size: 14px; line-height: 22px; }
.status .card { margin-top: 20px; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); overflow: hidden; }
.status .group { margin-top: 28px; font-size: 14px; } .status .group + .card { margin-top: 10px; }
.status .notice { padding: 14px 16px 16px; }
.status .notice header { display: flex; align-items: baseline; justify-content: space-between; gap: 12px; }
.status .notice h2 { font-size: 14px; line-height: 20px; } .status .notice header .sub { white-space: nowrap; }
.status .updates { display: grid; gap: 14px; margin: 14px 0 0 6px; padding-left: 18px; border-left: 1.5px solid var(--line-2); }
.status .updates li { position: relative; color: var(--ink-2); }
.status .updates b { color: var(--ink); margin-right: 4px; }
.status .updates li::before { content: ""; position: absolute; left: -23px; top: 6px; width: 8px; height: 8px; border-radius: 50%; background: var(--ink-3); outline: 3px solid var(--surface); }
.status .updates li.draft::before { background: var(--surface); border: 1.5px solid var(--ink-2); }
.status .chip { padding: 1px 6px; border-radius: 5px; background: var(--quiet-t); color: var(--ink-2); font-size: 11px; }
.status .comp { padding: 14px 20px; border-top: 1px solid var(--line); } .status .comp:first-child { border-top: 0; }
.status .row { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 22px; }
.status .row b { font-size: 14px; font-weight: 500; }
.status .pill { display: inline-flex; flex: none; align-items: center; gap: 6px; height: 22px; font-size: 12px; font-weight: 500; color: var(--ink-2); }
.status .pill.late { padding: 0 8px 0 6px; border-radius: 6px; background: var(--late-t); color: var(--late); --knock: var(--late-t); }
.status .pill.down { padding: 0 8px 0 6px; border-radius: 6px; background: var(--down-s); color: #fff; font-weight: 600; --knock: var(--down-s); }
.status .pill.down .g { color: #fff; }
.status .days { height: 28px; margin: 8px 0 4px; overflow: hidden; }
.status .days svg { display: block; width: 100%; height: 28px; shape-rendering: crispEdges; }
.status .ok { fill: var(--bar-ok); } .status .cap { fill: var(--bar-cap); } .status rect.none { fill: var(--control); }
.status rect.late { fill: var(--late-g); } .status rect.down { fill: var(--down-g); }
.status .ends { display: flex; justify-content: space-between; gap: 8px; color: var(--ink-3); font-size: 11px; line-height: 16px; }
.status .ends > :nth-child(2) { text-align: center; } .status .ends > * { flex: 1; } .status .ends > :last-child { text-align: right; }
.status .narrow { display: none; }
.status .past h3 { margin: 16px 0 6px; color: var(--ink-3); font-size: 12px; font-weight: 500; }
.status .past ul { display: grid; gap: 16px; } .status .past h4 { font-size: 14px; } .status .past .updates li::before { outline-color: var(--canvas); }
.status footer { display: flex; flex-wrap: wrap; gap: 2px 8px; margin-top: 24px; color: var(--ink-3); font-size: 12px; line-height: 16px; }
.status footer .by { margin-left: auto; }
@container (max-width: 640px) {
  .status { padding: 24px 16px 40px; } .status .comp { padding: 12px 16px; } .status .banner { padding: 14px; } .status .button { height: 44px; padding: 0 14px; }
  .status .wide { display: none; } .status .narrow { display: inline; }
  .status .days svg { width: 200.56%; margin-left: -100.56%; }
}
@media (forced-colors: active) { .status .ok, .status .cap { fill: GrayText; } .status rect.down, .status rect.late { fill: Highlight; } }
@media print { .status .button { display: none; } }
`;

/** Shows changes, once a minute, while somebody looks. The page works without it. */
export const STATUS_SCRIPT = `const refresh = async () => {
  if (document.hidden) return;
  try {
    const reply = await fetch(location.pathname, { headers: { accept: 'text/html' } });
    if (!reply.ok) return;
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    document.title = next.title;
    document.querySelector('main').replaceWith(next.querySelector('main'));
  } catch {}
};
setInterval(refresh, 60000);
document.addEventListener('visibilitychange', refresh);
`;
