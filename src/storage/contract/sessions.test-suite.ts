import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountRecord,
  actRecord,
  linkRecord,
  passkeyRecord,
  sessionRecord,
  unique,
} from '../../../test/records.ts';
import type { Account } from '../../domain/people/account.ts';
import type { NewLink } from '../../domain/people/link.ts';
import type { Session } from '../../domain/people/session.ts';
import type { Store } from '../store.ts';

function givenAccount(store: Store): Promise<Account> {
  return store.transaction((tx) => tx.accounts.insert(accountRecord({ name: 'Alice', isAdmin: true })));
}

function givenSession(store: Store, accountId: number, overrides: Partial<Session> = {}): Promise<Session> {
  return store.transaction((tx) => tx.sessions.insert(sessionRecord(accountId, overrides)));
}

export function sessions(store: () => Store): void {
  test('a session is found by the digest of its token, with its account', async () => {
    const { id, uuid, email } = await givenAccount(store());
    const session = await givenSession(store(), id);

    assert.deepEqual(await store().sessions.byDigest(session.tokenDigest), {
      session,
      account: { uuid, email, name: 'Alice', isAdmin: true },
    });
    assert.equal(await store().sessions.byDigest(unique()), null);
  });

  test('two sessions cannot have the same token', async () => {
    const { id } = await givenAccount(store());
    const { tokenDigest } = await givenSession(store(), id);

    await assert.rejects(givenSession(store(), id, { tokenDigest }), { kind: 'conflict' });
  });

  test('a session with a new token is found by that alone', async () => {
    const { id } = await givenAccount(store());
    const session = await givenSession(store(), id);
    const made = { tokenDigest: unique(), sudoUntilAt: 7 };

    assert.equal(await store().transaction((tx) => tx.sessions.rotate(session.id, made)), true);

    assert.equal(await store().sessions.byDigest(session.tokenDigest), null);
    assert.deepEqual((await store().sessions.byDigest(made.tokenDigest))?.session, { ...session, ...made });
    await store().transaction((tx) => tx.sessions.end(session.id));
    assert.equal(await store().transaction((tx) => tx.sessions.rotate(session.id, made)), false);
  });

  test('sessions are listed by their last use', async () => {
    const { id } = await givenAccount(store());
    const early = await givenSession(store(), id, { lastSeenAt: 1 });
    const late = await givenSession(store(), id, { lastSeenAt: 2 });

    await store().transaction((tx) => tx.sessions.noteSeen(early.id, { at: 3, remoteAddr: '192.0.2.9' }));

    assert.deepEqual(await store().sessions.ofAccount(id), [
      { ...early, lastSeenAt: 3, remoteAddr: '192.0.2.9' },
      late,
    ]);
  });

  test('all sessions but one end together, those of others stay', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const kept = await givenSession(store(), alice.id);
    for (let n = 0; n < 2; n++) await givenSession(store(), alice.id);
    const foreign = await givenSession(store(), bob.id);

    assert.equal(await store().transaction((tx) => tx.sessions.endOthers(alice.id, kept.id)), 2);

    assert.deepEqual(await store().sessions.ofAccount(alice.id), [kept]);
    assert.deepEqual(await store().sessions.ofAccount(bob.id), [foreign]);
    assert.equal(await store().transaction((tx) => tx.sessions.endOthers(alice.id, null)), 1);
  });

  test('a session of somebody else does not end by its name', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const { uuid } = await givenSession(store(), alice.id);
    const end = (id: number) => store().transaction((tx) => tx.sessions.endByUuid(id, uuid));

    assert.equal(await end(bob.id), false);
    assert.equal(await end(alice.id), true);
    assert.equal(await end(alice.id), false);
  });

  test('sessions that are idle or old are pruned', async () => {
    const { id } = await givenAccount(store());
    const live = await givenSession(store(), id, { createdAt: 100, lastSeenAt: 100 });
    await givenSession(store(), id, { createdAt: 100, lastSeenAt: 50 });
    await givenSession(store(), id, { createdAt: 10, lastSeenAt: 100 });

    await store().transaction((tx) => tx.sessions.prune({ seenAt: 50, createdAt: 10 }, 1_000));

    assert.deepEqual(await store().sessions.ofAccount(id), [live]);
  });
}

export function attemptLimits(store: () => Store): void {
  test('a key has no state until one is saved', async () => {
    const key = unique();
    const lock = () => store().transaction((tx) => tx.attemptLimits.lock(key));

    assert.equal(await lock(), 0);
    await store().transaction(async (tx) => {
      await tx.attemptLimits.lock(key);
      await tx.attemptLimits.save(key, 7);
    });

    assert.equal(await lock(), 7);
  });

  test('whoever counts at the same time waits for its turn', async () => {
    const key = unique();
    const count = () =>
      store().transaction(async (tx) => {
        await tx.attemptLimits.save(key, ((await tx.attemptLimits.lock(key)) ?? 0) + 1);
      });

    await Promise.all(Array.from({ length: 20 }, count));

    assert.equal(await store().transaction((tx) => tx.attemptLimits.lock(key)), 20);
  });

  test('a key that is full again is forgotten', async () => {
    const [full, spent] = [unique(), unique()];
    await store().transaction(async (tx) => {
      for (const [key, at] of [
        [full, 10],
        [spent, 11],
      ] as const) {
        await tx.attemptLimits.lock(key);
        await tx.attemptLimits.save(key, at);
      }
    });

    await store().transaction((tx) => tx.attemptLimits.prune(10, 1_000));

    assert.equal(await store().transaction((tx) => tx.attemptLimits.lock(full)), 0);
    assert.equal(await store().transaction((tx) => tx.attemptLimits.lock(spent)), 11);
  });
}

export function auditLog(store: () => Store): void {
  test('acts are listed from the latest on, as they were recorded', async () => {
    const { id } = await givenAccount(store());
    const acts = [actRecord(id, { action: 'one' }), actRecord(id, { action: 'two' })];
    await store().transaction(async (tx) => {
      for (const act of acts) await tx.auditLog.insert(act);
    });

    const listed = await store().auditLog.ofAccount(id, Number.MAX_SAFE_INTEGER, 10);

    assert.deepEqual(
      listed.map(({ id: _id, ...act }) => act),
      acts.toReversed(),
    );
    assert.deepEqual(await store().auditLog.ofAccount(id, listed[0]?.id ?? 0, 10), listed.slice(1));
  });

  test('acts go by their age', async () => {
    const { id } = await givenAccount(store());
    await store().transaction(async (tx) => {
      await tx.auditLog.insert(actRecord(id, { createdAt: 1, action: 'old' }));
      await tx.auditLog.insert(actRecord(id, { action: 'new' }));
    });

    await store().transaction((tx) => tx.auditLog.prune({ before: 2, now: 3, after: 0, most: 1_000 }));

    const left = await store().auditLog.ofAccount(id, Number.MAX_SAFE_INTEGER, 10);
    assert.deepEqual(
      left.map(({ action }) => action),
      ['new'],
    );
  });
}

export function links(store: () => Store): void {
  const insert = (link: NewLink) => store().transaction((tx) => tx.links.insert(link));
  const take = ({ digest, purpose }: NewLink, now: number) =>
    store().transaction((tx) => tx.links.take(digest, purpose, now));

  test('a link is taken once, for its purpose, until it expires', async () => {
    const { id } = await givenAccount(store());
    const link = linkRecord(id, { email: 'a@example.org' });
    await insert(link);

    assert.equal(await take({ ...link, purpose: 'sign_up' }, link.createdAt), null);
    assert.equal(await take(link, link.expiresAt), null);
    const { id: _id, ...found } = (await store().links.find(link.digest, 'sign_in', 0)) ?? assert.fail();
    assert.deepEqual(found, link);
    assert.notEqual(await take(link, link.expiresAt - 1), null);
    assert.equal(await take(link, link.createdAt), null);
    assert.equal(await store().links.find(link.digest, 'sign_in', 0), null);
  });

  test('of several that take a link at once, one gets it', async () => {
    const link = linkRecord(null);
    await insert(link);

    const taken = await Promise.all(Array.from({ length: 8 }, () => take(link, link.createdAt)));

    assert.equal(taken.filter((one) => one !== null).length, 1);
  });

  test('links are removed by account and by address, each for its purpose', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const email = `${unique()}@example.org`;
    const made = {
      alice: linkRecord(alice.id),
      other: linkRecord(alice.id, { purpose: 'set_password' }),
      bob: linkRecord(bob.id),
      stranger: linkRecord(null, { purpose: 'sign_up', email }),
    };
    for (const link of Object.values(made)) await insert(link);
    const left = async () => {
      const found = Object.entries(made).map(async ([name, { digest, purpose }]) =>
        (await store().links.find(digest, purpose, 0)) === null ? [] : [name],
      );
      return (await Promise.all(found)).flat();
    };

    await store().transaction((tx) => tx.links.removeOfAccount(alice.id, 'sign_in'));
    assert.deepEqual(await left(), ['other', 'bob', 'stranger']);
    await store().transaction((tx) => tx.links.removeOfEmail(email, 'sign_up'));
    assert.deepEqual(await left(), ['other', 'bob']);
    await store().transaction((tx) => tx.links.removeOfAccount(alice.id));
    assert.deepEqual(await left(), ['bob']);
  });

  test('links that have expired are pruned', async () => {
    const [old, live] = [linkRecord(null, { expiresAt: 10 }), linkRecord(null)];
    await insert(old);
    await insert(live);

    await store().transaction((tx) => tx.links.prune(10, 1_000));

    assert.equal(await store().links.find(old.digest, 'sign_in', 0), null);
    assert.notEqual(await store().links.find(live.digest, 'sign_in', 0), null);
  });
}

export function emailChanges(store: () => Store): void {
  test('a change is there until it expires or is replaced', async () => {
    const { id: accountId } = await givenAccount(store());
    const change = { accountId, newEmail: 'a@x', isOldConfirmed: true, isNewConfirmed: false, expiresAt: 10 };
    const lock = (now: number) => store().transaction((tx) => tx.emailChanges.lock(accountId, now));
    await store().transaction((tx) => tx.emailChanges.save(change));

    assert.deepEqual({ ...(await lock(9)) }, change);
    assert.equal(await lock(10), null);
    await store().transaction((tx) => tx.emailChanges.save({ ...change, newEmail: 'b@x', expiresAt: 20 }));
    assert.equal((await lock(10))?.newEmail, 'b@x');
    await store().transaction((tx) => tx.emailChanges.prune(19, 1_000));
    assert.notEqual(await lock(0), null);
    await store().transaction((tx) => tx.emailChanges.prune(20, 1_000));
    assert.equal(await lock(0), null);
  });
}

export function secondFactors(store: () => Store): void {
  test('an account has one app, and no code of it works twice', async () => {
    const { id: accountId } = await givenAccount(store());
    const app = { accountId, sealedSecret: 'sealed', createdAt: 7 };
    const use = (step: number) => store().transaction((tx) => tx.secondFactors.useStep(accountId, step));

    assert.equal(await use(1), false);
    assert.equal(await store().transaction((tx) => tx.secondFactors.addAuthenticator(app, 10)), true);
    const other = { ...app, sealedSecret: 'other' };
    assert.equal(await store().transaction((tx) => tx.secondFactors.addAuthenticator(other, 10)), false);

    assert.deepEqual({ ...(await store().secondFactors.authenticatorOf(accountId)) }, app);
    assert.deepEqual(
      [await use(10), await use(11), await use(11), await use(10)],
      [false, true, false, false],
    );
    assert.deepEqual(
      (await Promise.all(Array.from({ length: 8 }, () => use(12)))).filter((isUsed) => isUsed),
      [true],
    );
    await store().transaction((tx) => tx.secondFactors.reseal(other, 'wrong'));
    await store().transaction((tx) => tx.secondFactors.reseal(app, 'again'));
    const [resealed] = await store().secondFactors.authenticators(accountId - 1, 1);
    assert.equal(resealed?.sealedSecret, 'again');
    await store().transaction((tx) => tx.secondFactors.removeAuthenticator(accountId));
    assert.equal(await store().secondFactors.authenticatorOf(accountId), null);
  });

  test('a recovery code works once, for its account, until codes are replaced', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const set = (digests: string[]) =>
      store().transaction((tx) => tx.secondFactors.setRecoveryCodes(alice.id, digests));
    const use = (id: number, digest: string) =>
      store().transaction((tx) => tx.secondFactors.useRecoveryCode(id, digest));
    await set(['one', 'two']);

    assert.equal(await use(bob.id, 'one'), false);
    assert.deepEqual([await use(alice.id, 'one'), await use(alice.id, 'one')], [true, false]);
    assert.equal(await store().secondFactors.recoveryCodeCount(alice.id), 1);
    await set(['three']);
    assert.deepEqual([await use(alice.id, 'two'), await use(alice.id, 'three')], [false, true]);
  });
}

export function passkeys(store: () => Store): void {
  test('a passkey is found by its credential, notes its use, and is removed by its own account', async () => {
    const [alice, bob] = [await givenAccount(store()), await givenAccount(store())];
    const passkey = await store().transaction((tx) => tx.passkeys.insert(passkeyRecord(alice.id)));
    const { credentialId, uuid, id } = passkey;
    const remove = (accountId: number) => store().transaction((tx) => tx.passkeys.remove(accountId, uuid));

    assert.deepEqual({ ...(await store().passkeys.byCredentialId(credentialId)) }, passkey);
    assert.equal(await store().passkeys.isAny(), true);
    await store().transaction((tx) => tx.passkeys.noteUse(id, { counter: 7, at: 8 }));
    const [used] = await store().passkeys.ofAccount(alice.id);
    assert.deepEqual({ ...used }, { ...passkey, counter: 7, lastUsedAt: 8 });
    assert.deepEqual(
      [await remove(bob.id), await remove(alice.id), await remove(alice.id)],
      [false, true, false],
    );
    await store().transaction((tx) => tx.passkeys.insert(passkeyRecord(alice.id)));
    await store().transaction((tx) => tx.passkeys.removeAll(alice.id));
    assert.deepEqual(await store().passkeys.ofAccount(alice.id), []);
    assert.equal(await store().passkeys.isAny(), false);
  });

  test('two passkeys cannot have the same credential', async () => {
    const { id } = await givenAccount(store());
    const insert = () =>
      store().transaction((tx) => tx.passkeys.insert(passkeyRecord(id, { credentialId: `same ${id}` })));
    await insert();

    await assert.rejects(insert(), { kind: 'conflict' });
  });
}
