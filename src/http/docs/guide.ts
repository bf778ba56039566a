import { AppError } from '../../domain/errors.ts';
import { MAX_EXPRESSION } from '../../domain/schedule/schedule.ts';
import { CHANNEL_KINDS, describeKinds, type InstanceOffer } from '../../integrations/registry.ts';
import { KeptResults } from '../../lib/kept-results.ts';
import { type DocsAsked, type DocsFiles, docsPage } from '../../reading/docs.ts';
import type { Reads } from '../../services/core/reads.ts';
import { DOC_PAGES, FORMER_PAGES, INTEGRATIONS_PAGE } from '../../wire/docs/pages.ts';
import { MAX_DOCS_QUERY } from '../../wire/docs/search.ts';
import type { PageFiles } from '../pages/page-files.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest, Route } from '../route.ts';
import { DOCS_SCRIPT } from './script.ts';
import { FOR_EVER, FOR_MINUTES, fileAnswer, type StaticFile, staticFile } from './static-file.ts';
import { DOCS_STYLE } from './style.ts';

const BASE = '/docs/';
const FILES = '/docs-files/';
const HTML = 'text/html; charset=utf-8';
/** No zone has a longer name. */
const MAX_ZONE = 100;

/** The page loads its own style and script, and nothing runs inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export interface GuideOptions {
  readonly reads: Reads;
  readonly offer: InstanceOffer;
  /** The path of the site. Empty if it has none. */
  readonly prefix: string;
  /** The pages of the dashboard, whose fonts and theme the documentation shares. */
  readonly pages: PageFiles | null;
  readonly isDemonstration: boolean;
}

interface Files {
  readonly names: DocsFiles;
  readonly byName: ReadonlyMap<string, StaticFile>;
}

/** The documentation for people. A thread writes each page once; answers to searches are written each time. */
export function guideRoutes(options: GuideOptions): Route[] {
  const { reads, offer, prefix, pages, isDemonstration } = options;
  const missing = Object.fromEntries(describeKinds(offer).map((kind) => [kind.kind, kind.missing]));
  let loading: Promise<Files> | undefined;
  const loaded = () => {
    loading ??= loadFiles(prefix, pages);
    return loading;
  };
  const write = async (asked: DocsAsked): Promise<Uint8Array> => {
    const { names: files } = await loaded();
    const { pieces } = await reads.ask(docsPage, { asked, files, isDemonstration, missing });
    return Buffer.concat(await Array.fromAsync(pieces));
  };
  const kept = new KeptResults<StaticFile>({ maxSize: PATHS.size + 1, isTrue: () => true });
  const page = async (request: OpenRequest, path: string): Promise<Answer> => {
    const isKnown = PATHS.has(path);
    const file = await kept.get(isKnown ? path : NOT_FOUND, async () =>
      staticFile(HTML, Buffer.from(await write(isKnown ? { page: path } : { notFound: true }))),
    );
    return isKnown ? withPolicy(fileAnswer(request, file, FOR_MINUTES)) : notFound(file);
  };
  const answered = async (asked: DocsAsked): Promise<Answer> =>
    withPolicy({
      status: 200,
      bytes: await write(asked),
      contentType: HTML,
      headers: { 'cache-control': 'no-cache' },
    });

  return [
    route(BASE, (request) => page(request, '')),
    route(`${BASE}search/`, ({ query }) =>
      answered({ search: (query.get('q') ?? '').slice(0, MAX_DOCS_QUERY) }),
    ),
    route(`${BASE}cron/`, (request) => {
      const schedule = request.query.get('schedule');
      if (schedule === null) return page(request, 'cron/');
      const tz = request.query.get('tz') ?? 'UTC';
      return answered({ schedule: schedule.slice(0, MAX_EXPRESSION + 1), tz: tz.slice(0, MAX_ZONE) });
    }),
    route(`${BASE}:page/`, async (request) => {
      const { page: name = '' } = request.params;
      const now = Object.hasOwn(FORMER_PAGES, name) ? FORMER_PAGES[name] : undefined;
      if (now !== undefined) return moved(`${prefix}${BASE}${now}`);
      return page(request, `${name}/`);
    }),
    // The router would take it for a kind without a name.
    route(`${BASE}${INTEGRATIONS_PAGE}`, (request) => page(request, INTEGRATIONS_PAGE)),
    route(`${BASE}${INTEGRATIONS_PAGE}:kind/`, (request) =>
      page(request, `${INTEGRATIONS_PAGE}${request.params.kind ?? ''}/`),
    ),
    // Healthchecks has a board there. Ours are wall displays.
    route('/tv/', async () => moved(`${prefix}${BASE}wall-displays/`)),
    route(`${FILES}:file`, async (request) => {
      const file = (await loaded()).byName.get(request.params.file ?? '');
      if (file === undefined) throw new AppError('not_found');
      return fileAnswer(request, file, FOR_EVER);
    }),
  ];
}

const NOT_FOUND = 'not-found';

/** All pages that the thread can write. */
const PATHS: ReadonlySet<string> = new Set([
  ...DOC_PAGES.flatMap(({ path, file }) => (file === null ? [] : [path])),
  ...CHANNEL_KINDS.map((kind) => `${INTEGRATIONS_PAGE}${kind}/`),
]);

function route(path: string, handle: (request: OpenRequest) => Promise<Answer>): Route {
  return { path, cors: false, likeGet: ['HEAD'], operations: { GET: { auth: 'none', handle } } };
}

function moved(location: string): Answer {
  return { status: 301, headers: { location } };
}

function withPolicy(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': POLICY } };
}

function notFound({ bytes }: StaticFile): Answer {
  return withPolicy({ status: 404, bytes, contentType: HTML, headers: { 'cache-control': 'no-cache' } });
}

async function loadFiles(prefix: string, pages: PageFiles | null): Promise<Files> {
  const paths = [...(pages?.files.keys() ?? [])];
  const style = await staticFile('text/css; charset=utf-8', fontFaces(paths) + DOCS_STYLE);
  const script = await staticFile('text/javascript; charset=utf-8', DOCS_SCRIPT);
  const names = { style: `style.${style.hash}.css`, script: `script.${script.hash}.js` };
  return {
    names: {
      style: `${prefix}${FILES}${names.style}`,
      script: `${prefix}${FILES}${names.script}`,
      themeScript: paths.includes('theme.js') ? `${prefix}/theme.js` : null,
    },
    byName: new Map([
      [names.style, style],
      [names.script, script],
    ]),
  };
}

const FONTS = [
  { family: 'Inter Variable', file: /^assets\/inter-latin-wght-normal-.*\.woff2$/ },
  { family: 'JetBrains Mono Variable', file: /^assets\/jetbrains-mono-latin-wght-normal-.*\.woff2$/ },
];

/** The fonts of the dashboard, for Latin letters. Other letters have the system's. */
function fontFaces(paths: readonly string[]): string {
  return FONTS.flatMap(({ family, file }) => {
    const path = paths.find((one) => file.test(one));
    return path === undefined
      ? []
      : `@font-face { font-family: "${family}"; font-weight: 100 900; font-display: swap; src: url("../${path}") format("woff2");
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215; }\n`;
  }).join('');
}
