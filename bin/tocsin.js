#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fail, run } from './runtime.js';

const program = new URL('../dist/cli/index.js', import.meta.url);

if (existsSync(fileURLToPath(program))) {
  run(() => import(program.href));
} else {
  fail('This is a checkout that is not built: use `npm run -s tocsin -- …`, or `npm run build` first.');
}
