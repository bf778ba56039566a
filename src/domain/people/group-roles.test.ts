import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAdminByGroups, rolesOfGroups } from './group-roles.ts';

const RULES = {
  admins: ['admins', 'Chiefs'],
  roles: [
    { group: 'ops', project: 'a', role: 'manager' },
    { group: 'dev', project: 'a', role: 'read_only' },
    { group: 'dev', project: 'b', role: 'member' },
  ],
} as const;

test('of several groups the highest role counts, in any order', () => {
  for (const groups of [
    ['ops', 'dev'],
    ['dev', 'ops', 'dev'],
  ])
    assert.deepEqual(
      [...rolesOfGroups(RULES, groups)],
      [
        ['a', 'manager'],
        ['b', 'member'],
      ],
    );
});

test('a group that nobody has named gives nothing', () => {
  for (const groups of [[], ['OPS', 'op', '']]) {
    assert.equal(rolesOfGroups(RULES, groups).size, 0);
    assert.equal(isAdminByGroups(RULES, groups), false);
  }
  assert.equal(isAdminByGroups(RULES, ['Chiefs']), true);
  assert.equal(isAdminByGroups(RULES, ['chiefs']), false);
});
