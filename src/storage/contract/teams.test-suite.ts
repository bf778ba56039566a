import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountRecord,
  givenProject,
  invitationRecord,
  passkeyRecord,
  projectRecord,
  sessionRecord,
  unique,
} from '../../../test/records.ts';
import type { Account } from '../../domain/people/account.ts';
import type { NewInvitation } from '../../domain/people/invitation.ts';
import type { MemberRole } from '../../domain/people/permission.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Store } from '../store.ts';

export function teams(store: () => Store): void {
  const givenAccount = (overrides: Partial<Account> = {}) =>
    store().transaction((tx) => tx.accounts.insert(accountRecord(overrides)));

  async function givenMember({ id }: Project, role: MemberRole = 'member', at = 1): Promise<Account> {
    const account = await givenAccount();
    await store().transaction((tx) => tx.projects.addMember(id, account.id, role, at));
    return account;
  }

  test('a team has its owner first, then its members as they came', async () => {
    const { account: owner, project } = await givenProject(store());
    const late = await givenMember(project, 'manager', 9);
    const early = await givenMember(project, 'read_only', 5);
    await store().transaction((tx) => tx.projects.addMember(project.id, owner.id, 'member', 1));

    const team = await store().projects.teamOf(project.id);

    assert.deepEqual(
      team.map(({ accountId, email, role, createdAt }) => [accountId, email, role, createdAt]),
      [
        [owner.id, owner.email, 'owner', project.createdAt],
        [early.id, early.email, 'read_only', 5],
        [late.id, late.email, 'manager', 9],
      ],
    );
    for (const { accountId, role } of team)
      assert.equal(await store().projects.roleOf(project.id, accountId), role);
    assert.equal(await store().projects.roleOf(project.id, (await givenAccount()).id), null);
  });

  test('a team shows when people were last there, and whether they have a second factor', async () => {
    const { account: owner, project } = await givenProject(store());
    const [withApp, withKey, without] = [
      await givenMember(project, 'member', 1),
      await givenMember(project, 'member', 2),
      await givenMember(project, 'member', 3),
    ];
    await store().transaction(async (tx) => {
      await tx.sessions.insert(sessionRecord(owner.id, { lastSeenAt: 10 }));
      await tx.sessions.insert(sessionRecord(owner.id, { lastSeenAt: 20 }));
      const authenticator = { accountId: withApp.id, sealedSecret: '', createdAt: 0 };
      await tx.secondFactors.addAuthenticator(authenticator, 0);
      await tx.passkeys.insert(passkeyRecord(withKey.id));
    });

    const team = await store().projects.teamOf(project.id);

    assert.deepEqual(
      team.map(({ accountId, lastSeenAt, hasSecondFactor }) => [accountId, lastSeenAt, hasSecondFactor]),
      [
        [owner.id, 20, false],
        [withApp.id, null, true],
        [withKey.id, null, true],
        [without.id, null, false],
      ],
    );
  });

  test('acquaintances are members of other projects of the owner, as far as the asker has a role there', async () => {
    const { account: owner, project } = await givenProject(store());
    const other = () => store().transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
    const [seen, unseen] = [await other(), await other()];
    const manager = await givenMember(project, 'manager');
    await store().transaction((tx) => tx.projects.addMember(seen.id, manager.id, 'read_only', 1));
    const [alice, bob] = [await givenMember(seen), await givenMember(unseen)];
    const present = await givenMember(project);
    await store().transaction((tx) => tx.projects.addMember(unseen.id, present.id, 'member', 1));
    const { project: foreign } = await givenProject(store());
    await givenMember(foreign);
    const emails = async (asker: number | null, most = 10) =>
      (await store().projects.acquaintancesOf(project.id, asker, most)).map(({ email }) => email);

    assert.deepEqual(await emails(null), [alice.email, bob.email].toSorted());
    assert.deepEqual(await emails(manager.id), [alice.email]);
    assert.deepEqual((await emails(null, 1)).length, 1);
    const inOther = ({ id }: Account) => store().projects.isInOtherProject(project.id, id);
    assert.deepEqual(
      [await inOther(alice), await inOther(bob), await inOther(owner), await inOther(await givenAccount())],
      [true, true, false, false],
    );
  });

  const insert = (one: NewInvitation) => store().transaction((tx) => tx.invitations.insert(one));

  test('an invitation is found by its digest until it expires, with its project and its inviter', async () => {
    const { account: owner, project } = await givenProject(store());
    const manager = await givenMember(project, 'manager');
    const admin = await givenAccount({ isAdmin: true, name: 'Root' });
    const inviters = [owner, manager, admin, null];
    const made = inviters.map((one, n) =>
      invitationRecord(project.id, {
        invitedBy: one?.id ?? null,
        role: 'read_only',
        ...(n === 0 && { email: 'a@b.c' }),
      }),
    );
    for (const one of made) await insert(one);

    const found = await store().invitations.ofProject(project.id, 0);

    assert.deepEqual(
      found.map(({ inviter }) => inviter && [inviter.email, inviter.name, inviter.isAdmin, inviter.role]),
      [
        [owner.email, '', false, 'owner'],
        [manager.email, '', false, 'manager'],
        [admin.email, 'Root', true, null],
        null,
      ],
    );
    const [first = assert.fail()] = made;
    const { id: _id, project: shown, inviter: _inviter, ...fields } = found[0] ?? assert.fail();
    assert.deepEqual({ ...fields }, first);
    assert.deepEqual(shown, { uuid: project.uuid, name: project.name });
    assert.deepEqual(await store().invitations.find(first.digest, first.expiresAt - 1), found[0]);
    assert.equal(await store().invitations.find(first.digest, first.expiresAt), null);
    assert.deepEqual(await store().invitations.ofProject(project.id, first.expiresAt), []);
  });

  test('of several that remove an invitation at once, one has removed it', async () => {
    const { project } = await givenProject(store());
    const made = invitationRecord(project.id);
    await insert(made);
    const { id } = (await store().invitations.find(made.digest, 0)) ?? assert.fail();

    const removed = await Promise.all(
      Array.from({ length: 8 }, () => store().transaction((tx) => tx.invitations.remove(id))),
    );

    assert.equal(removed.filter(Boolean).length, 1);
  });

  test('an invitation gets another secret, is removed by its address, and pruned when it has expired', async () => {
    const { account, project } = await givenProject(store());
    const { project: other } = await givenProject(store());
    const email = `${unique()}@example.org`;
    const [mine, foreign] = [
      invitationRecord(project.id, { email }),
      invitationRecord(other.id, { email, expiresAt: 10 }),
    ];
    await insert(mine);
    await insert(foreign);
    const [stored = assert.fail()] = await store().invitations.ofProject(project.id, 0);
    const renewed = { ...stored, digest: unique(), invitedBy: account.id, expiresAt: 99 };

    assert.equal(await store().transaction((tx) => tx.invitations.renew(renewed)), true);
    assert.equal(await store().invitations.find(mine.digest, 0), null);
    assert.equal((await store().invitations.find(renewed.digest, 0))?.inviter?.email, account.email);
    await store().transaction((tx) => tx.invitations.removeOfEmail(project.id, email));
    assert.deepEqual(await store().invitations.ofProject(project.id, 0), []);
    assert.equal(await store().transaction((tx) => tx.invitations.renew(renewed)), false);
    assert.equal((await store().invitations.ofProject(other.id, 0)).length, 1);
    await store().transaction((tx) => tx.invitations.prune(10, 1_000));
    assert.deepEqual(await store().invitations.ofProject(other.id, 0), []);
  });

  test('invitations go with their project, and with whoever made them', async () => {
    const { project } = await givenProject(store());
    const inviter = await givenAccount();
    const made = [invitationRecord(project.id), invitationRecord(project.id, { invitedBy: inviter.id })];
    for (const one of made) await insert(one);
    const left = async () => (await store().invitations.ofProject(project.id, 0)).map(({ digest }) => digest);

    await store().transaction((tx) => tx.accounts.delete(inviter.id));
    assert.deepEqual(await left(), [made[0]?.digest]);
    await store().transaction((tx) => tx.projects.delete(project.id));
    assert.deepEqual(await left(), []);
  });
}
