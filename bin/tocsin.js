#!/usr/bin/env node
import { runCompanion } from './companion.js';

const companion = new URL('../dist/companion/main.js', import.meta.url);

// `#program` has all other commands: of the service, or in the package without it, those that need none.
// Nothing else is loaded before a job is started, and a Node that is too old for the service must get as far.
if (runCompanion(() => import(companion.href)) === null) import('#program');
