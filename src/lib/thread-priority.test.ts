import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const THREAD = `
  const { getPriority } = require('node:os');
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(import.meta.resolve('./thread-priority.ts'))}).then(({ lowerThreadPriority }) => {
    const before = getPriority();
    lowerThreadPriority();
    parentPort.postMessage({ before, after: getPriority() });
  });
`;

test('a thread lowers its own priority and that of no other thread', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has a priority for each thread');
  const ofThisThread = getPriority();
  const worker = new Worker(THREAD, { eval: true });
  const [{ before, after }] = await once(worker, 'message');

  assert.equal(before, ofThisThread);
  // A higher number is a lower priority. A process that has the lowest one already keeps it.
  assert.equal(after, Math.max(before, 5));
  assert.equal(getPriority(), ofThisThread);
});
