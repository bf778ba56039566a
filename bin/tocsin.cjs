#!/usr/bin/env node
// CommonJS, like the companion in packages: Node's own modules take longer to become part of an ES module than a job may wait.
const { runCompanion } = require('./companion.cjs');

const COMPANION = '../dist/companion/main.js';
const HELP = ['help', '--help', '-h'];

// `#program` has all other commands: of the service, or in the package without it, those that need none.
// Nothing else is loaded before a job is started, and a Node that is too old for the service must get as far.
const isPrinted = HELP.includes(process.argv[2] || '') && printHelp();
if (!isPrinted && runCompanion(() => require(COMPANION)) === null) import('#program');

/** Prints the text that was made with the package: to make it, all commands have to be loaded. False if there is none. */
function printHelp() {
  const { existsSync, readFileSync } = require('node:fs');
  const text = `${__dirname}/../dist/help.txt`;
  if (!existsSync(text)) return false;
  // Its reader, such as `head`, may end first.
  process.stdout.on('error', () => undefined).write(readFileSync(text));
  return true;
}
