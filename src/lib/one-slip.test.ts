import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneSlipApart } from './one-slip.ts';

test('one letter may be wrong, missing or added, and two may have changed places', () => {
  for (const other of ['backup', 'bacup', 'backkup', 'backop', 'abckup', 'backu', 'backups', 'xbackup'])
    assert.equal(isOneSlipApart('backup', other), true, other);
});

test('two slips are two words', () => {
  for (const other of ['bacop', 'bakcpu', 'back', 'backupss', 'kcabup', ''])
    assert.equal(isOneSlipApart('backup', other), false, other);
});
