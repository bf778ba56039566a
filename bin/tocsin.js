#!/usr/bin/env node
// Plain JavaScript without recent syntax: a Node that is too old must get as far as starting the right one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 26;
const program = new URL('../dist/cli/index.js', import.meta.url);

if (!existsSync(fileURLToPath(program))) {
  fail('This is a checkout that is not built: use `npm run -s tocsin -- …`, or `npm run build` first.');
} else if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  import(program.href);
} else {
  runWith(newerNode());
}

/** The Node that comes as a dependency; null where its install script was not allowed to fetch it. */
function newerNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch (_error) {
    return null;
  }
}

/** @param {string | null} node */
function runWith(node) {
  if (node === null) {
    fail(
      `Tocsin needs Node ${OLDEST_NODE}, this is ${process.version}, and the package that brings it is not ` +
        `installed. Install Node ${OLDEST_NODE}, or let npm run the install script of the package "node".`,
    );
    return;
  }
  const script = fileURLToPath(import.meta.url);
  const child = spawn(node, [script].concat(process.argv.slice(2)), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C reaches the child by itself, and a second signal would end it at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`${node} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
