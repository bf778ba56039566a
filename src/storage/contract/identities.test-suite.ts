import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountRecord, identityRecord, projectRecord, unique } from '../../../test/records.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Store } from '../store.ts';

function givenAccount(store: Store): Promise<Account> {
  return store.transaction((tx) => tx.accounts.insert(accountRecord()));
}

export function identities(store: () => Store): void {
  test('an identity is found by issuer and subject, notes its use, and is removed by its own account', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const identity = await store().transaction((tx) => tx.identities.insert(identityRecord(alice.id)));
    const { issuer, subject, uuid, id } = identity;
    const remove = (accountId: number) => store().transaction((tx) => tx.identities.remove(accountId, uuid));

    assert.deepEqual({ ...(await store().identities.bySubject(issuer, subject)) }, identity);
    assert.equal(await store().identities.bySubject(`${issuer}/`, subject), null);
    await store().transaction((tx) => tx.identities.noteUse(id, { email: 'new@example.org', at: 8 }));
    const [used] = await store().identities.ofAccount(alice.id);
    assert.deepEqual({ ...used }, { ...identity, email: 'new@example.org', lastUsedAt: 8 });
    assert.deepEqual(
      [await remove(bob.id), await remove(alice.id), await remove(alice.id)],
      [false, true, false],
    );
  });

  test('a person has one account, and an account one person of an issuer', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const insert = (accountId: number, subject: string) =>
      store().transaction((tx) => tx.identities.insert(identityRecord(accountId, { subject })));
    const subject = unique();
    await insert(alice.id, subject);

    await assert.rejects(insert(bob.id, subject), { kind: 'conflict' });
    await assert.rejects(insert(alice.id, unique()), { kind: 'conflict' });
  });
}

export function groupMembers(store: () => Store): void {
  test('groups give, change and take memberships, and touch none that a person gave', async () => {
    const [owner, alice] = [await givenAccount(store()), await givenAccount(store())];
    const [byGroup, byPerson] = await store().transaction(async (tx) => [
      await tx.projects.insert(projectRecord(owner.id)),
      await tx.projects.insert(projectRecord(owner.id)),
    ]);
    assert.ok(byGroup && byPerson);
    await store().transaction((tx) => tx.projects.addMember(byPerson.id, alice.id, 'manager', 1));
    const give = (accountId: number, uuid: string, role: 'member' | 'read_only', maxMembers = 2) =>
      store().transaction((tx) => tx.groupMembers.give(accountId, uuid, role, { maxMembers, at: 1 }));
    const given = { projectId: byGroup.id, projectUuid: byGroup.uuid, projectName: byGroup.name };

    assert.deepEqual(await give(alice.id, byGroup.uuid, 'member'), { ...given, role: 'member' });
    assert.equal(await give(alice.id, byGroup.uuid, 'member'), null);
    assert.deepEqual(await give(alice.id, byGroup.uuid, 'read_only'), { ...given, role: 'read_only' });
    assert.equal(await give(alice.id, byPerson.uuid, 'read_only'), null);
    assert.equal(await give(owner.id, byGroup.uuid, 'member'), null);
    assert.equal(await give(alice.id, unique(), 'member'), null);
    const bob = await givenAccount(store());
    assert.equal(await give(bob.id, byGroup.uuid, 'member', 1), null);
    const listed = await store().groupMembers.ofAccount(alice.id);
    assert.deepEqual(
      listed.map((one) => ({ ...one })),
      [{ ...given, role: 'read_only' }],
    );

    const take = (projectId: number) =>
      store().transaction((tx) => tx.groupMembers.take(alice.id, projectId));
    await take(byPerson.id);
    await take(byGroup.id);
    assert.equal(await store().projects.memberCount(byGroup.id), 0);
    assert.equal(await store().projects.memberCount(byPerson.id), 1);
  });

  test('a role that a person has changed is no longer that of a group', async () => {
    const [owner, alice] = [await givenAccount(store()), await givenAccount(store())];
    const project = await store().transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
    await store().transaction((tx) =>
      tx.groupMembers.give(alice.id, project.uuid, 'member', { maxMembers: 1, at: 1 }),
    );
    await store().transaction((tx) => tx.projects.setRole(project.id, alice.id, 'manager'));

    assert.deepEqual(await store().groupMembers.ofAccount(alice.id), []);
  });

  test('groups take back the administration that they gave, and none that a person gave', async () => {
    const account = await givenAccount(store());
    const set = (isAdmin: boolean) =>
      store().transaction((tx) => tx.accounts.setAdminByGroup(account.id, isAdmin));
    const save = (isAdmin: boolean) => store().transaction((tx) => tx.accounts.save({ ...account, isAdmin }));

    assert.deepEqual([await set(false), await set(true), await set(true)], [false, true, false]);
    // Another change of the account leaves it as it is.
    await save(true);
    assert.equal(await set(false), true);
    await save(true);
    assert.deepEqual([await set(true), await set(false)], [false, false]);
    assert.equal((await store().accounts.byId(account.id))?.isAdmin, true);
  });
}
