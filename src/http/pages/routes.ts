import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import { CHECK_SEGMENT, UNIQUE_KEY_SEGMENT, UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Route } from '../route.ts';
import type { PageFile, PageFiles } from './page-files.ts';

/** The addresses of pages. Which page an address shows is known to the page itself. */
export const PAGES = [
  '/',
  '/all-checks/',
  '/accounts/:page(^(?:login|sign-in|sign-up|password|setup|email|invitation|second-factor|profile)$)/',
  '/integrations/:way/',
  '/integrations/:channel/verify/:token/',
  '/accounts/profile/:section(^(?:sessions|tokens|look|reports|log|close)$)/',
  '/admin/',
  '/admin/:section(^(?:settings|accounts|projects)$)/',
  '/wall/:token(^hcd_[A-Za-z0-9]{28}$)/',
  `/checks/${CHECK_SEGMENT}/:page(^(?:details|edit|log)$)/`,
  ...[
    'checks/',
    'checks/new/',
    'timeline/',
    'integrations/',
    'integrations/:channel/',
    'integrations/new/:kind/',
    'status-pages/',
    'status-pages/:page/',
    'badges/',
    'settings/',
    'settings/:section(^(?:alerts|keys|team|audit-log|deleted-checks|danger)$)/',
  ].map((page) => `/projects/:project(${UUID_PATTERN})/${page}`),
];

/** The page loads scripts, styles, fonts and pictures of this site, and talks to this site. Nothing in it runs inline. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const A_YEAR = 31_536_000;

/** The document of all pages. With 404 it says that there is nothing at the address. */
export function documentAnswer(pages: PageFiles, status: 200 | 404 = 200): Answer {
  return {
    status,
    bytes: pages.document,
    contentType: 'text/html; charset=utf-8',
    headers: { 'cache-control': 'no-cache', 'content-security-policy': POLICY },
  };
}

/** The pages of the dashboard, and the files that they load. */
export function pageRoutes(pages: PageFiles): Route[] {
  const document = documentAnswer(pages);
  const topFiles = [...pages.files.keys()].filter((path) => !path.includes('/'));
  return [
    ...PAGES.map((path) => openRoute(path, async () => document)),
    openRoute(`/checks/${CHECK_SEGMENT}/`, async () => ({ status: 302, headers: { location: 'details/' } })),
    openRoute(`/cloaked/${UNIQUE_KEY_SEGMENT}/`, async ({ params }) => pageOf(params.check ?? '')),
    ...topFiles.map((path) => openRoute(`/${path}`, async ({ headers }) => fileOf(pages, path, headers))),
    openRoute('/assets/:file', async ({ params, headers }) =>
      fileOf(pages, `assets/${params.file ?? ''}`, headers),
    ),
  ];
}

/** Messages name a check by its unique key. The location is relative, because the site may have a path of its own. */
function pageOf(uniqueKey: string): Answer {
  return { status: 302, headers: { location: `../../checks/${uniqueKey}/details/` } };
}

type Handle = (request: {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}) => Promise<Answer>;

function openRoute(path: string, handle: Handle): Route {
  return {
    path,
    // There is nothing shorter than the first page.
    isExact: path === '/',
    cors: false,
    likeGet: ['HEAD'],
    operations: { GET: { auth: 'none', handle } },
  };
}

function fileOf(pages: PageFiles, path: string, headers: IncomingHttpHeaders): Answer {
  const file = pages.files.get(path);
  if (file === undefined) throw new AppError('not_found');
  const caching = {
    'cache-control': file.isHashed ? `public, max-age=${A_YEAR}, immutable` : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  };
  if (headers['if-none-match'] === file.etag) return { status: 304, headers: caching };
  return { status: 200, contentType: file.contentType, ...encoded(file, headers, caching) };
}

function encoded(file: PageFile, { 'accept-encoding': header = '' }: IncomingHttpHeaders, caching: object) {
  const accepted = String(header).split(/[\s,;]+/);
  const encoding = file.encodings.find(({ name }) => accepted.includes(name));
  if (encoding === undefined) return { bytes: file.bytes, headers: { ...caching } };
  return { bytes: encoding.bytes, headers: { ...caching, 'content-encoding': encoding.name } };
}
