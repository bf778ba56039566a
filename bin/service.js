// The commands of the service, in a package or in a checkout that is built.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fail, run } from './runtime.js';

const program = new URL('../dist/cli/index.js', import.meta.url);
const health = new URL('../dist/health.js', import.meta.url);

if (existsSync(fileURLToPath(program))) {
  // The health check runs every half minute, and loads nothing of the service.
  if (process.argv[2] === 'health') run(async () => (await import(health.href)).main(process.argv.slice(3)));
  else run(() => import(program.href));
} else {
  fail('This is a checkout that is not built: use `npm run -s tocsin -- …`, or `npm run build` first.');
}
