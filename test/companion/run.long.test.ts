import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { buildCompanion, oldNode } from './built.ts';
import { describeExpected } from './expected.test-suite.ts';
import { describeCommands } from './ping.test-suite.ts';
import { describePings } from './pings.test-suite.ts';
import { describeRuns } from './run.test-suite.ts';
import { describeSlowRuns } from './slow-run.test-suite.ts';
import { describeWaiting } from './waiting.test-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'companion-package-'));
const program = await buildCompanion(folder);
after(() => rm(folder, { recursive: true }));

for (const [name, node] of [
  ['the package', process.execPath],
  ['the package on an older Node', oldNode],
] as const)
  describe(name, { skip: node === null && 'there is no Node 20 to 25 on the PATH' }, () => {
    const words = [node ?? '', program];
    describeRuns(name, words);
    describeSlowRuns(name, words);
    describePings(name, words);
    describeWaiting(name, words);
    describeCommands(name, words);
    describeExpected(name, words);
  });
