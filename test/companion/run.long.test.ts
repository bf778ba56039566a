import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { buildCompanion } from './built.ts';
import { describePings } from './pings.test-suite.ts';
import { describeRuns } from './run.test-suite.ts';
import { describeSlowRuns } from './slow-run.test-suite.ts';
import { describeWaiting } from './waiting.test-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'companion-package-'));
const program = await buildCompanion(folder);
const oldNode = findOldNode();
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
  });

function findOldNode(): string | null {
  const candidates = [
    '/usr/bin/node',
    '/usr/local/bin/node',
    ...(process.env.PATH ?? '').split(':').map((path) => join(path, 'node')),
  ];
  return (
    candidates.find((path) => {
      try {
        const version = Number(/^v(\d+)/.exec(execFileSync(path, ['--version']).toString())?.[1]);
        return version >= 20 && version < 26;
      } catch {
        return false;
      }
    }) ?? null
  );
}
