import { AppError } from '../../domain/errors.ts';
import { statusPage } from '../../reading/status-pages.ts';
import type { Deps } from '../../services/core/deps.ts';
import { PublicStatusPages } from '../../services/public/public-status.ts';
import { FOR_EVER, fileAnswer, type StaticFile, staticFile } from '../docs/static-file.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest, Route } from '../route.ts';
import { STATUS_SCRIPT, STATUS_STYLE } from './style.ts';

const SLUG = '^[a-z0-9-]+$';
/** For so long a browser or a proxy may show the page without asking. */
const BRIEFLY = 'public, max-age=5';

/** The page loads its own style and script, and nothing runs inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES = { html: 'text/html; charset=utf-8', rss: 'application/rss+xml; charset=utf-8' } as const;

/** Names of the files; each contains a hash. */
interface Files {
  readonly names: { readonly style: string; readonly script: string };
  readonly byName: ReadonlyMap<string, StaticFile>;
}

/** Public status pages, for everybody. */
export function statusRoutes(deps: Deps): Route[] {
  let loading: Promise<Files> | undefined;
  const loaded = () => {
    loading ??= loadFiles();
    return loading;
  };
  const pages = new PublicStatusPages(
    deps,
    (wanted) => deps.reads.ask(statusPage, wanted),
    (form, bytes) => staticFile(TYPES[form], Buffer.from(bytes)),
  );
  const page = async (request: OpenRequest, form: 'html' | 'rss'): Promise<Answer> => {
    const { names: files } = await loaded();
    const file = await pages.get({ slug: request.params.slug ?? '', form, files });
    if (file === null) throw new AppError('not_found');
    const answer = fileAnswer(request, file, BRIEFLY);
    return { ...answer, headers: { ...answer.headers, 'content-security-policy': POLICY } };
  };
  const route = (path: string, handle: (request: OpenRequest) => Promise<Answer>): Route => ({
    path,
    cors: false,
    likeGet: ['HEAD'],
    operations: { GET: { auth: 'none', handle } },
  });
  return [
    route(`/status/:slug(${SLUG})/`, (request) => page(request, 'html')),
    route(`/status/:slug(${SLUG})/feed.xml`, (request) => page(request, 'rss')),
    route('/status-files/:file', async (request) => {
      const file = (await loaded()).byName.get(request.params.file ?? '');
      if (file === undefined) throw new AppError('not_found');
      return fileAnswer(request, file, FOR_EVER);
    }),
    // The preview of the dashboard does not know the hash.
    route('/status-files/style.css', async (request) => {
      const { byName, names } = await loaded();
      const file = byName.get(names.style.replace(/^.*\//, ''));
      if (file === undefined) throw new AppError('not_found');
      return fileAnswer(request, file, 'no-cache');
    }),
  ];
}

async function loadFiles(): Promise<Files> {
  const style = await staticFile('text/css; charset=utf-8', STATUS_STYLE);
  const script = await staticFile('text/javascript; charset=utf-8', STATUS_SCRIPT);
  const names = { style: `style.${style.hash}.css`, script: `script.${script.hash}.js` };
  const path = (name: string) => `../../status-files/${name}`;
  return {
    names: { style: path(names.style), script: path(names.script) },
    byName: new Map([
      [names.style, style],
      [names.script, script],
    ]),
  };
}
