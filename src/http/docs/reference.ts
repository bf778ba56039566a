import { readFile } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';
import type { Site } from '../../wire/site.ts';
import type { OpenOperation, Route } from '../route.ts';
import { PAGE_STYLE, type PageFiles, pageHtml, START_SCRIPT } from './page.ts';
import { FOR_EVER, FOR_MINUTES, fileAnswer, type StaticFile, staticFile } from './static-file.ts';

const PATH = '/docs/api/';

interface Reference {
  readonly page: StaticFile;
  /** Files by name. Each name contains a hash of the content. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

/** The API reference for people: a viewer that we serve ourselves. It shows the document at `documentUrl`. */
export function referenceRoutes(
  site: Site,
  documentUrl: string,
  groups: readonly string[],
  isDemonstration: boolean,
): Route[] {
  let loading: Promise<Reference> | undefined;
  const loaded = () => {
    loading ??= loadReference((files) => pageHtml(files, `../..${documentUrl}`, groups, isDemonstration));
    return loading;
  };
  const headers = { 'content-security-policy': contentSecurityPolicy(site) };

  const route = (path: string, handle: OpenOperation['handle']): Route => ({
    path,
    cors: false,
    likeGet: ['HEAD'],
    operations: { GET: { auth: 'none', handle } },
  });
  return [
    route(PATH, async (request) => {
      const answer = fileAnswer(request, (await loaded()).page, FOR_MINUTES);
      return { ...answer, headers: { ...answer.headers, ...headers } };
    }),
    route(`${PATH}:file`, async (request) => {
      const file = (await loaded()).files.get(request.params.file ?? '');
      if (file === undefined) throw new AppError('not_found');
      return fileAnswer(request, file, FOR_EVER);
    }),
  ];
}

/**
 * Allows nothing from other origins, and no script within the page. "Try it out" calls the public address of the
 * instance, which may differ from the address of the page.
 */
function contentSecurityPolicy(site: Site): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${site.root}/`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The viewer is Swagger UI as packaged by `@fastify/swagger-ui`. */
async function loadReference(html: (files: PageFiles) => string): Promise<Reference> {
  const script = 'text/javascript; charset=utf-8';
  const style = 'text/css; charset=utf-8';
  const [viewerScript, viewerStyle, startScript, pageStyle] = await Promise.all([
    staticFile(script, await viewerFile('swagger-ui-bundle.js')),
    staticFile(style, await viewerFile('swagger-ui.css')),
    staticFile(script, START_SCRIPT),
    staticFile(style, PAGE_STYLE),
  ]);
  const names = {
    viewerScript: `viewer.${viewerScript.hash}.js`,
    viewerStyle: `viewer.${viewerStyle.hash}.css`,
    startScript: `start.${startScript.hash}.js`,
    pageStyle: `page.${pageStyle.hash}.css`,
  };
  return {
    page: await staticFile('text/html; charset=utf-8', html(names)),
    files: new Map([
      [names.viewerScript, viewerScript],
      [names.viewerStyle, viewerStyle],
      [names.startScript, startScript],
      [names.pageStyle, pageStyle],
    ]),
  };
}

function viewerFile(name: string): Promise<Buffer> {
  return readFile(new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)));
}
