import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../process.ts';
import { areCaught } from './mutations.test-suite.ts';
import { MUTATIONS } from './mutations.ts';

test('every way to break the program on purpose still applies to it', () => {
  const stale = MUTATIONS.filter(
    ({ file, find }) => !readFileSync(join(REPOSITORY, file), 'utf8').includes(find),
  );

  assert.deepEqual(stale, []);
});

// The one that is noticed soonest.
areCaught(MUTATIONS.filter(({ name }) => name === 'a lease never runs out'));
