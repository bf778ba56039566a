import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProvisionFileError } from './located.ts';
import { parseProvisionFile } from './parse.ts';

/** More than a function can be called with. */
const FAULTS = 130_000;

test('a provisioning file with more faults than fit anywhere is told of the first hundred', () => {
  const unknown = Array.from({ length: FAULTS }, (_, n) => `k${n}: 1\n`).join('');
  const twice = `accounts: [&a { email: a@b.c }${', *a'.repeat(FAULTS)}]`;

  for (const content of [unknown, twice]) {
    assert.throws(
      () => parseProvisionFile('tocsin.yaml', content),
      (error) => {
        assert.ok(error instanceof ProvisionFileError);
        const lines = error.message.split('\n');
        assert.equal(lines.length, 101);
        assert.equal(lines.at(-1), `and ${FAULTS - 100} more faults`);
        return true;
      },
    );
  }
});
