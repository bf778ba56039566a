import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_PERMISSIONS,
  type AccountCaller,
  type Caller,
  isAllowed,
  isAllowedOnAccount,
  isGranted,
  MEMBER_ROLES,
  needsConfirmation,
  needsConfirmationOnAccount,
  PERMISSIONS,
  type Role,
} from './permission.ts';

const ROLES: readonly Role[] = [...MEMBER_ROLES, 'owner'];

test('a higher role may do all that a lower one may', () => {
  for (const [index, role] of ROLES.entries()) {
    const lower = ROLES[index - 1];
    if (lower === undefined) continue;
    for (const permission of PERMISSIONS.filter((one) => one !== 'project.leave'))
      assert.ok(!isGranted(lower, permission) || isGranted(role, permission), `${role}: ${permission}`);
  }
});

test('read-only means to change nothing, to send nothing and to see no address that can be pinged', () => {
  const refused = [
    ...(['checks.edit', 'channels.edit', 'channels.test', 'checks.view_addresses'] as const),
    ...(['project.edit', 'keys.edit', 'members.edit', 'audit_log.view'] as const),
  ];
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

test('what cannot be taken back needs a recent proof of who the person is', () => {
  const owner = { kind: 'member', accountId: 1, role: 'owner' } as const;
  for (const permission of ['project.delete', 'project.transfer'] as const) {
    assert.equal(isAllowed({ ...owner, isConfirmed: false }, permission), false, permission);
    assert.equal(needsConfirmation({ ...owner, isConfirmed: false }, permission), true, permission);
    assert.equal(isAllowed({ ...owner, isConfirmed: true }, permission), true, permission);
  }
  const member = { ...owner, role: 'member', isConfirmed: false } as const;
  assert.equal(needsConfirmation(member, 'project.delete'), false);
});

test('an administrator neither deletes nor gives away the project of somebody else', () => {
  const administrator = { kind: 'administrator', accountId: 1, isConfirmed: true } as const;
  assert.equal(isAllowed(administrator, 'checks.edit'), true);
  for (const permission of ['project.delete', 'project.transfer', 'project.leave'] as const)
    assert.equal(isAllowed(administrator, permission), false, permission);
});

test('whoever may give roles has at least the highest that can be given', () => {
  const highest = MEMBER_ROLES.length - 1;
  for (const [index, role] of ROLES.entries())
    assert.ok(!isGranted(role, 'members.edit') || index >= highest, role);
});

test('a key manages neither keys nor people', () => {
  for (const permission of [
    'keys.edit',
    'members.view',
    'members.edit',
    'project.edit',
    'audit_log.view',
  ] as const)
    for (const key of ['read_only_key', 'read_write_key'] as const)
      assert.equal(isGranted(key, permission), false, `${key}: ${permission}`);
});

test('the program itself may do everything', () => {
  for (const permission of PERMISSIONS) assert.ok(isAllowed({ kind: 'system' }, permission), permission);
});

test('the installation is for administrators, who change it after a recent proof, and for the operator', () => {
  const session = (isAdmin: boolean, isConfirmed: boolean): AccountCaller => ({
    ...{ kind: 'session', sessionId: 1, isAdmin, isConfirmed },
  });
  const allowed = (caller: AccountCaller) =>
    (['instance.view', 'instance.administer'] as const).map((one) => isAllowedOnAccount(caller, one));

  assert.deepEqual(allowed(session(false, true)), [false, false]);
  assert.deepEqual(allowed(session(true, false)), [true, false]);
  assert.deepEqual(allowed(session(true, true)), [true, true]);
  assert.deepEqual(allowed({ kind: 'operator' }), [true, true]);
  assert.equal(needsConfirmationOnAccount(session(true, false), 'instance.administer'), true);
  assert.equal(needsConfirmationOnAccount(session(false, false), 'instance.administer'), false);
});

test('an administrator may do to their own account what others may', () => {
  for (const isConfirmed of [true, false])
    for (const permission of ACCOUNT_PERMISSIONS.filter((one) => !one.startsWith('instance.'))) {
      const [admin, other] = [true, false].map((isAdmin) =>
        isAllowedOnAccount({ kind: 'session', sessionId: 1, isConfirmed, isAdmin }, permission),
      );
      assert.equal(admin, other, permission);
    }
});
