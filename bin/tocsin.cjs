#!/usr/bin/env node
// CommonJS, like the companion in packages: Node's own modules take longer to become part of an ES module than a job may wait.
const { runCompanion } = require('./companion.cjs');

const COMPANION = '../dist/companion/main.js';

// `#program` has all other commands: of the service, or in the package without it, those that need none.
// Nothing else is loaded before a job is started, and a Node that is too old for the service must get as far.
if (runCompanion(() => require(COMPANION)) === null) import('#program');
