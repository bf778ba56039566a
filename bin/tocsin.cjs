#!/usr/bin/env node
// CommonJS, like the companion in packages: Node's own modules take longer to become part of an ES module than a job may wait.
const { runCompanion } = require('./companion.cjs');

const COMPANION = '../dist/companion/main.js';
/**
 * Texts that were made with the package: to make them, all commands have to be loaded.
 * @type {Readonly<Record<string, string>>}
 */
const TEXTS = {
  help: 'help.txt',
  '--help': 'help.txt',
  '-h': 'help.txt',
  version: 'version.txt',
  '--version': 'version.txt',
};

// `#program` has all other commands: of the service, or in the package without it, those that need none.
// Nothing else is loaded before a job is started, and a Node that is too old for the service must get as far.
if (!printText() && runCompanion(() => require(COMPANION)) === null) import('#program');

/** False if no text is asked for, or the package has none. */
function printText() {
  const name = process.argv.length === 3 ? TEXTS[process.argv[2] || ''] : undefined;
  if (name === undefined) return false;
  const { existsSync, readFileSync } = require('node:fs');
  const path = `${__dirname}/../dist/${name}`;
  if (!existsSync(path)) return false;
  const text = readFileSync(path, 'utf8').replace('NODE_VERSION', process.versions.node);
  // Its reader, such as `head`, may end first.
  process.stdout.on('error', () => undefined).write(text);
  return true;
}
