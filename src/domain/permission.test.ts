import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, isAllowed, isGranted, PERMISSIONS, type Role } from './permission.ts';

const ROLES: readonly Role[] = ['read_only', 'member', 'manager', 'owner'];

test('a higher role may do all that a lower one may', () => {
  for (const [index, role] of ROLES.entries()) {
    const lower = ROLES[index - 1];
    if (lower === undefined) continue;
    for (const permission of PERMISSIONS)
      assert.ok(!isGranted(lower, permission) || isGranted(role, permission), `${role}: ${permission}`);
  }
});

test('read-only means to change nothing, to send nothing and to see no address that can be pinged', () => {
  const refused = ['checks.edit', 'channels.edit', 'channels.test', 'checks.view_addresses'] as const;
  for (const permission of refused) {
    assert.equal(isGranted('read_only', permission), false, permission);
    assert.equal(isGranted('read_only_key', permission), false, permission);
  }
});

test('an account token may do what its scopes name, as far as the role of its account allows it', () => {
  const token = (role: Role): Caller => ({
    kind: 'account_token',
    tokenId: 1,
    accountId: 1,
    role,
    scopes: ['checks.view', 'checks.edit'],
  });

  assert.equal(isAllowed(token('member'), 'checks.edit'), true);
  assert.equal(isAllowed(token('read_only'), 'checks.edit'), false);
  assert.equal(isAllowed(token('owner'), 'channels.view'), false);
});

test('the program itself may do everything', () => {
  for (const permission of PERMISSIONS) assert.ok(isAllowed({ kind: 'system' }, permission), permission);
});
