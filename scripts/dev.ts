/**
 * Runs the service from the sources, and starts it again when one changes: `npm run dev`. Beside it Vite serves the pages,
 * and puts what changes in `web/` into open pages. All other requests it passes on to the service.
 */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createServer as createVite } from 'vite';
import { PAGES, POLICY } from '../src/http/pages/routes.ts';
import { freePort } from '../test/free-port.ts';
import { runNode } from './run-node.ts';

const ROOT = dirname(import.meta.dirname);
const WEB = join(ROOT, 'web');

/** The policy of pages, and what Vite needs: it writes styles and the start of its client into the document. */
const VITE_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

const PAGE_PATHS = PAGES.map(pathPattern);

const servicePort = await freePort();
const server = createServer();
const vite = await createVite({
  configFile: join(WEB, 'vite.config.ts'),
  server: {
    // Otherwise Vite ends this process at a signal, before the service has answered what it has accepted.
    middlewareMode: true,
    hmr: { server },
    headers: { 'content-security-policy': VITE_POLICY },
    // The folder of packages may be a link.
    fs: { allow: [ROOT, await realpath(join(ROOT, 'node_modules'))] },
    proxy: { '^/': { target: `http://127.0.0.1:${servicePort}`, bypass: leftToVite } },
  },
});
server.on('request', vite.middlewares);
await once(server.listen(Number(process.env.PORT ?? 8000), process.env.HOST ?? 'localhost'), 'listening');
const address = `http://localhost:${(server.address() as AddressInfo).port}`;
console.log(`The pages are at ${address}/`);

process.env.NODE_ENV = 'development';
process.env.SITE_ROOT ??= address;
process.env.HOST = '127.0.0.1';
process.env.PORT = String(servicePort);
const { code } = await runNode(['--watch', '--watch-path=src', 'bin/sources.js', 'serve']);
process.exitCode = code ?? 1;
server.close();
server.closeAllConnections();
await vite.close();

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
