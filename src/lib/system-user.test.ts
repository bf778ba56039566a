import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSystemUser } from './system-user.ts';

const PASSWD =
  'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\nbroken:x\n';

test('a user is found by name, or given by numbers', () => {
  assert.deepEqual(findSystemUser('nobody', PASSWD), { uid: 65_534, gid: 65_534, home: '/nonexistent' });
  assert.deepEqual(findSystemUser('1000:100', ''), { uid: 1_000, gid: 100, home: '/' });
});

test('a name that is not there, or is only the begin of another, is nobody', () => {
  for (const name of ['nobo', 'x', 'broken', '1000', ''])
    assert.equal(findSystemUser(name, PASSWD), null, name);
});
