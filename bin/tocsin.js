#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fail, isNewEnough, runAgain } from './runtime.js';
import { stopWithStarter } from './stop-with-parent.js';

const program = new URL('../dist/cli/index.js', import.meta.url);

// Also as a launcher: it passes on the signal that it then sends itself.
stopWithStarter();
if (!existsSync(fileURLToPath(program))) {
  fail('This is a checkout that is not built: use `npm run -s tocsin -- …`, or `npm run build` first.');
} else if (isNewEnough()) {
  import(program.href);
} else {
  runAgain();
}
