/** Vite, which serves the pages as they are in `web/`, and passes all other requests on to a service. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createServer as createVite } from 'vite';
import { PAGES, POLICY } from '../src/http/pages/routes.ts';

const ROOT = dirname(import.meta.dirname);
const WEB = join(ROOT, 'web');

/** The policy of pages, and what Vite needs: it writes styles and the start of its client into the document. */
const VITE_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

/** The samples of components are for those who work on them, and unknown to the service. */
const PAGE_PATHS = [...PAGES, '/components/'].map(pathPattern);

export interface ViteServer extends AsyncDisposable {
  readonly port: number;
}

export async function startVite({
  host,
  port,
  servicePort,
  siteHost = 'localhost',
}: {
  readonly host: string;
  readonly port: number;
  readonly servicePort: number;
  /** The name by which browsers ask for the pages. */
  readonly siteHost?: string;
}): Promise<ViteServer> {
  const server = createServer();
  const vite = await createVite({
    configFile: join(WEB, 'vite.config.ts'),
    server: {
      // Otherwise Vite ends this process at a signal, before the service has answered what it has accepted.
      middlewareMode: true,
      hmr: { server },
      headers: { 'content-security-policy': VITE_POLICY },
      allowedHosts: [siteHost],
      // The folder of packages may be a link.
      fs: { allow: [ROOT, await realpath(join(ROOT, 'node_modules'))] },
      proxy: { '^/': { target: `http://127.0.0.1:${servicePort}`, bypass: leftToVite } },
    },
  });
  server.on('request', vite.middlewares);
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await vite.close();
    },
  };
}

/** The path of a request that Vite answers: for a page, or for a file of its own. */
function leftToVite({ url = '' }: IncomingMessage): string | null {
  const path = url.replace(/\?.*/, '');
  const isVites =
    path.startsWith('/@') ||
    path.startsWith('/node_modules/') ||
    PAGE_PATHS.some((page) => page.test(path)) ||
    [WEB, join(WEB, 'public')].some((folder) => isFile(join(folder, path)));
  return isVites ? url : null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Paths of routes name their parameters, `:page` or `:page(^pattern$)`. */
function pathPattern(path: string): RegExp {
  const pattern = path.replaceAll(
    /:\w+(?:\(\^((?:[^()]|\([^()]*\))*)\$\))?/g,
    (_, values?: string) => `(?:${values ?? '[^/]+'})`,
  );
  return new RegExp(`^${pattern}$`);
}
