import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Site } from '../../wire/site.ts';
import { redirectToSlash } from '../api/endpoint.ts';
import { sendError, sendMethodNotAllowed } from '../replies.ts';
import { PAGE_STYLE, pageHtml, START_SCRIPT } from './page.ts';
import { FOR_EVER, REVALIDATED, type StaticFile, sendFile, staticFile } from './static-file.ts';

const METHODS = ['GET', 'HEAD'];
const URL = '/docs/api/';

interface Reference {
  readonly page: StaticFile;
  /** By name; each name has a hash of the content in it. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

/** The API reference for people: a viewer that we serve ourselves, and the document at `documentUrl` in it. */
export function mountReference(
  app: FastifyInstance,
  site: Site,
  documentUrl: string,
  groups: readonly string[],
): void {
  let loading: Promise<Reference> | undefined;
  const loaded = () => {
    loading ??= loadReference(`../..${documentUrl}`, groups);
    return loading;
  };
  const headers = { 'content-security-policy': contentSecurityPolicy(site) };

  redirectToSlash(app, URL);
  mount(app, URL, async (request, reply) => {
    const { page } = await loaded();
    return sendFile(request, reply.headers(headers), page, REVALIDATED);
  });
  mount(app, `${URL}:file`, async (request, reply) => {
    const { file: name = '' } = request.params as { file?: string };
    const file = (await loaded()).files.get(name);
    return file === undefined ? sendError(reply, 404, 'not found') : sendFile(request, reply, file, FOR_EVER);
  });
}

function mount(
  app: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.route({
    method: app.supportedMethods,
    url,
    handler: async (request, reply) =>
      METHODS.includes(request.method) ? handler(request, reply) : sendMethodNotAllowed(reply, METHODS),
  });
}

/**
 * Nothing from elsewhere, and no script within the page. "Try it out" calls the public address of the instance,
 * which may be another one than the page was reached by.
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

/** The viewer is Swagger UI as `@fastify/swagger-ui` packs it (docs/decisions/0021). */
async function loadReference(documentUrl: string, groups: readonly string[]): Promise<Reference> {
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
    page: await staticFile('text/html; charset=utf-8', pageHtml(names, documentUrl, groups)),
    files: new Map([
      [names.viewerScript, viewerScript],
      [names.viewerStyle, viewerStyle],
      [names.startScript, startScript],
      [names.pageStyle, pageStyle],
    ]),
  };
}

function viewerFile(name: string): Promise<Buffer> {
  return readFile(new globalThis.URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)));
}
