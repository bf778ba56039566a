// Runs after `npm ci` and `npm install` in a checkout, as the script `dependencies`. npm scripts find the runtime by
// node_modules/.bin/node, and this makes that link where npm has not: npm 10 links the package of this platform and then
// removes the link with the packages of the other platforms, since theirs has the same name.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRuntime } from '../bin/runtime.js';

const folder = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
const isWindows = process.platform === 'win32';
const link = join(folder, isWindows ? 'node.cmd' : 'node');
const runtime = findRuntime();

if (runtime !== null && !existsSync(link)) {
  mkdirSync(dirname(link), { recursive: true });
  const target = relative(folder, runtime);
  if (isWindows) writeFileSync(link, `@"%~dp0${target}" %*\r\n`);
  else symlinkSync(target, link);
}
