/**
 * Runs the service from the sources, and starts it again when one changes: `npm run dev`. Vite stands before it, and puts what
 * changes in `web/` into open pages.
 */
import { SERVICE_FLAGS } from '../bin/runtime.js';
import { freePort } from '../test/free-port.ts';
import { runNode } from './run-node.ts';
import { startVite } from './vite-server.ts';

const { HOST: host = 'localhost', PORT: port = '8000' } = process.env;
const servicePort = await freePort();
await using vite = await startVite({ host, port: Number(port), servicePort });
const address = `http://localhost:${vite.port}`;
console.log(`The pages are at ${address}/`);

process.env.NODE_ENV = 'development';
process.env.SITE_ROOT ??= address;
process.env.HOST = '127.0.0.1';
process.env.PORT = String(servicePort);
const { code } = await runNode(['--watch', '--watch-path=src', ...SERVICE_FLAGS, 'bin/sources.js', 'serve']);
process.exitCode = code ?? 1;
