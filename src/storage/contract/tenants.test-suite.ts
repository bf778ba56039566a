import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountRecord,
  addCheck,
  apiKeyRecord,
  checkRecord,
  givenProject,
  projectRecord,
  unique,
} from '../../../test/records.ts';
import type { Store, Writes } from '../store.ts';
import { LARGEST, MICROSECOND, plain } from './records.test-support.ts';

export function accounts(store: () => Store): void {
  test('keep every field', async () => {
    const record = accountRecord({
      email: `"o'brien+${unique()}"@exämple.org`,
      name: 'Ünïcode 👩‍👧',
      passwordHash: 'scrypt$1$2$3',
      isAdmin: true,
      isActive: false,
      theme: 'dark',
      limits: { checks: 10_000_000, pings: 0 },
      createdAt: LARGEST,
      addressProvedAt: LARGEST,
    });

    const inserted = await store().transaction((tx) => tx.accounts.insert(record));

    assert.ok(inserted.id > 0);
    assert.deepEqual(inserted, { ...record, id: inserted.id });
    assert.deepEqual(await store().accounts.byEmail(record.email), inserted);
  });

  test('are found by their exact address alone', async () => {
    const { account } = await givenProject(store());

    assert.equal(await store().accounts.byEmail(account.email.toUpperCase()), null);
    assert.equal(await store().accounts.byEmail('%'), null);
    assert.equal(await store().accounts.byEmail(''), null);
  });

  test('change password and limits of the one account', async () => {
    const { account } = await givenProject(store());
    const { account: other } = await givenProject(store());

    await store().transaction(async (tx) => {
      await tx.accounts.setPassword(account.id, 'scrypt$new');
      await tx.accounts.setLimits(account.id, { checks: 7, pings: 8 });
    });

    const expected = { ...account, passwordHash: 'scrypt$new', limits: { checks: 7, pings: 8 } };
    assert.deepEqual(await store().accounts.byEmail(account.email), expected);
    assert.deepEqual(await store().accounts.byEmail(other.email), other);
  });

  test('remember when their address was proved', async () => {
    const { account } = await givenProject(store());
    const saved = { ...account, addressProvedAt: 1_767_323_045_678_901 };

    await store().transaction((tx) => tx.accounts.save(saved));

    assert.equal(account.addressProvedAt, null);
    assert.deepEqual(await store().accounts.byEmail(account.email), saved);
  });

  test('queue their checks for pruning when fewer pings are kept, and only then', async () => {
    const { account, project } = await givenProject(store(), {
      account: { limits: { checks: 20, pings: 100 } },
    });
    const [long, short] = [await addCheck(store(), project), await addCheck(store(), project)];
    await store().transaction((tx) => tx.checks.saveState({ ...long, pingCount: 60 }));
    await store().transaction((tx) => tx.checks.saveState({ ...short, pingCount: 50 }));
    const queuedAt = async (pings: number) => {
      await store().transaction((tx) => tx.accounts.setLimits(account.id, { checks: 20, pings }));
      return store().pruning.next(long.id - 1, 10);
    };

    assert.deepEqual(
      [await queuedAt(100), await queuedAt(50), await queuedAt(50)],
      [[], [long.id], [long.id]],
    );
    await store().transaction((tx) => tx.pruning.done(long.id));
    assert.deepEqual(
      [await queuedAt(50), await queuedAt(55), await queuedAt(49)],
      [[], [], [long.id, short.id]],
    );
    await store().transaction((tx) => Promise.all([long.id, short.id].map((id) => tx.pruning.done(id))));
  });

  test('claim check slots up to the limit and no further, also when many claim at once', async () => {
    const { account, project } = await givenProject(store(), {
      account: { limits: { checks: 20, pings: 1 } },
    });

    const claims = await Promise.all(
      Array.from({ length: 50 }, () =>
        store().transaction(async (tx) => {
          const claimed = await tx.accounts.claimCheckSlot(account.id);
          if (claimed) await tx.checks.insert(checkRecord(project.id));
          return claimed;
        }),
      ),
    );

    assert.equal(claims.filter(Boolean).length, 20);
    assert.equal((await store().checks.ofProject(project.id)).length, 20);
  });

  test('give a claimed slot back when the transaction fails', async () => {
    const { account } = await givenProject(store(), { account: { limits: { checks: 1, pings: 1 } } });
    const claim = (tx: Writes) => tx.accounts.claimCheckSlot(account.id);

    await assert.rejects(
      store().transaction(async (tx) => {
        await claim(tx);
        throw new Error('no');
      }),
    );

    assert.equal(await store().transaction(claim), true);
    assert.equal(await store().transaction(claim), false);
  });

  test('have room for more when a slot is released, and never more than there was', async () => {
    const { account } = await givenProject(store(), { account: { limits: { checks: 1, pings: 1 } } });
    const claim = () => store().transaction((tx) => tx.accounts.claimCheckSlot(account.id));
    const release = () => store().transaction((tx) => tx.accounts.releaseCheckSlot(account.id));

    assert.deepEqual([await claim(), await claim()], [true, false]);
    await release();
    assert.deepEqual([await claim(), await claim()], [true, false]);
  });

  test('have their limit multiplied by the allowance', async () => {
    const { account } = await givenProject(store(), { account: { limits: { checks: 1, pings: 1 } } });
    const claim = (allowance?: number) =>
      store().transaction((tx) => tx.accounts.claimCheckSlot(account.id, allowance));

    assert.deepEqual(
      [await claim(), await claim(), await claim(2), await claim(2)],
      [true, false, true, false],
    );
  });

  test('are found by a project that they own', async () => {
    const { account, project } = await givenProject(store());
    await givenProject(store());

    assert.deepEqual(await store().accounts.ownerOf(project.id), account);
    assert.equal(await store().accounts.ownerOf(LARGEST), null);
  });

  test('have no slot where there is no account', async () => {
    assert.equal(await store().transaction((tx) => tx.accounts.claimCheckSlot(LARGEST)), false);
  });
}

export function projects(store: () => Store): void {
  test('keep every field', async () => {
    const { account } = await givenProject(store());
    const digest = unique();
    const record = projectRecord(account.id, {
      name: `O'Brien’s 📟 "project"`,
      pingKeyDigest: digest,
      pingKeySealed: 'v1.sealed',
      createdAt: MICROSECOND,
    });

    const inserted = await store().transaction((tx) => tx.projects.insert(record));

    assert.deepEqual(inserted, { ...record, deletesAt: null, id: inserted.id });
    assert.deepEqual(plain(await store().projects.byId(inserted.id)), inserted);
    assert.deepEqual(plain(await store().projects.byPingKey(digest)), inserted);
    assert.deepEqual(plain(await store().projects.byBadgeKey(record.badgeKey)), inserted);
    const locked = await store().transaction((tx) => tx.projects.lockByPingKey(digest));
    assert.deepEqual(plain(locked), inserted);
  });

  test('are unknown by an id or a ping key that nobody has', async () => {
    await givenProject(store());

    assert.equal(await store().projects.byId(LARGEST), null);
    assert.equal(await store().projects.byPingKey(''), null);
    assert.equal(await store().projects.byBadgeKey(''), null);
    assert.equal(await store().transaction((tx) => tx.projects.lockByPingKey('')), null);
  });

  test('may share a name, and are found with it in order of creation, for their owner alone', async () => {
    const name = unique();
    const { account, project } = await givenProject(store(), { project: { name } });
    await givenProject(store(), { project: { name } });
    const second = await store().transaction((tx) => tx.projects.insert(projectRecord(account.id, { name })));

    const found = await store().projects.byOwnerAndName(account.id, name);

    assert.deepEqual(
      found.map(({ id }) => id),
      [project.id, second.id],
    );
  });

  test('take a new ping key in place of the old one', async () => {
    const { project } = await givenProject(store(), { project: { pingKeyDigest: unique() } });
    const digest = unique();

    await store().transaction((tx) => tx.projects.setPingKey(project.id, digest, 'sealed'));

    assert.equal(await store().projects.byPingKey(project.pingKeyDigest ?? ''), null);
    const expected = { ...project, pingKeyDigest: digest, pingKeySealed: 'sealed' };
    assert.deepEqual(plain(await store().projects.byPingKey(digest)), expected);
  });

  test('without a ping key do not get in each other’s way', async () => {
    await givenProject(store(), { project: { pingKeyDigest: null } });
    await givenProject(store(), { project: { pingKeyDigest: null } });
  });

  test('are counted', async () => {
    const earlier = await store().projects.count(1_000);

    await givenProject(store());

    assert.equal(await store().projects.count(1_000), earlier + 1);
  });
}

export function apiKeys(store: () => Store): void {
  test('keep every field', async () => {
    const { project } = await givenProject(store());
    const record = apiKeyRecord(project.id, { kind: 'read_only', name: 'Ops 🔑', createdAt: MICROSECOND });

    const inserted = await store().transaction((tx) => tx.apiKeys.insert(record));

    assert.deepEqual(inserted, { ...record, id: inserted.id });
    assert.deepEqual((await store().apiKeys.ofProject(project.id)).map(plain), [inserted]);
  });

  test('are found by their look-up characters in all projects', async () => {
    const { project } = await givenProject(store());
    const { project: other } = await givenProject(store());
    const lookup = unique().slice(0, 8);
    await store().transaction(async (tx) => {
      await tx.apiKeys.insert(apiKeyRecord(project.id, { lookup }));
      await tx.apiKeys.insert(apiKeyRecord(other.id, { lookup }));
      await tx.apiKeys.insert(apiKeyRecord(other.id));
    });

    const found = await store().apiKeys.byLookup(lookup);

    assert.deepEqual(found.map((key) => key.projectId).sort(), [project.id, other.id].sort());
    assert.deepEqual(await store().apiKeys.byLookup('%'), []);
  });

  test('are listed in order of creation', async () => {
    const { project } = await givenProject(store());
    const names = ['z', 'a', 'm'];

    for (const name of names)
      await store().transaction((tx) => tx.apiKeys.insert(apiKeyRecord(project.id, { name })));

    assert.deepEqual(
      (await store().apiKeys.ofProject(project.id)).map((key) => key.name),
      names,
    );
  });

  test('are deleted through their own project alone', async () => {
    const { project } = await givenProject(store());
    const { project: other } = await givenProject(store());
    const key = await store().transaction((tx) => tx.apiKeys.insert(apiKeyRecord(project.id)));

    await store().transaction((tx) => tx.apiKeys.delete(other.id, key.id));
    assert.equal((await store().apiKeys.ofProject(project.id)).length, 1);

    await store().transaction((tx) => tx.apiKeys.delete(project.id, key.id));
    assert.deepEqual(await store().apiKeys.byLookup(key.lookup), []);
  });
}

export function instance(store: () => Store): void {
  test('has no value for a key that was never set', async () => {
    assert.equal(await store().instance.get(unique()), null);
  });

  test('sets a value once and keeps it', async () => {
    const key = unique();

    const first = await store().transaction((tx) => tx.instance.setOnce(key, 'first'));
    const second = await store().transaction((tx) => tx.instance.setOnce(key, 'second'));

    assert.deepEqual([first, second, await store().instance.get(key)], ['first', 'first', 'first']);
  });

  test('gives all who set at once the same value', async () => {
    const key = unique();

    const values = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store().transaction((tx) => tx.instance.setOnce(key, `value ${index}`)),
      ),
    );

    assert.equal(new Set(values).size, 1);
    assert.equal(await store().instance.get(key), values[0]);
  });

  test('answers a probe', async () => {
    await store().probe();
  });
}
