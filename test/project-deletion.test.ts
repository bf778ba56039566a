import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REMINDER_SECONDS } from '../src/domain/people/account.ts';
import type { Project } from '../src/domain/people/project.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { operatorOn } from '../src/services/people/account-actor.ts';
import { closeAccount } from '../src/services/people/closing.ts';
import { setReminders } from '../src/services/people/mail-preferences.ts';
import { acceptProject } from '../src/services/people/transfers.ts';
import {
  deleteDuePiece,
  MAX_PIECE_ROWS,
  projectDeletions,
} from '../src/services/project/project-deletion.ts';
import { deleteProject } from '../src/services/project/projects.ts';
import type { Store, Writes } from '../src/storage/store.ts';
import { mailPreferencesOf } from './account-mails.ts';
import { type GivenProject, startTestApp, type TestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { deleteAll, longBody, moveAll, withObjects } from './objects/bodies.ts';
import { MemoryStore } from './objects/memory-store.ts';
import { actRecord, deliveryRecord, flipRecord, pingRecord } from './records.ts';

/** The tables that have rows of a project. */
const TABLES = [
  'projects',
  'members',
  'api_keys',
  'channels',
  'checks',
  'check_channels',
  'pings',
  'ping_bodies',
  'flips',
  'deliveries',
  'attempts',
];

async function rowsOf({ database }: TestApp, tables: readonly string[] = TABLES): Promise<number> {
  await using driver = await openTestDriver(database);
  let rows = 0;
  for (const table of tables) rows += (await driver.all(`select 1 as one from ${table}`)).length;
  return rows;
}

/** A project with a check that has more history than goes in one piece, and small ones. It is deleted, and its time over. */
async function givenDoomed(app: TestApp, smallChecks = 30): Promise<GivenProject> {
  const given = await app.givenProject({ limits: { checks: 100, pings: 10_000 } });
  const { project } = given;
  const { store } = app.deps;
  const channel = await app.givenChannel(project);
  const check = await app.givenCheck(project, { pingCount: 1_200 });
  await app.assign(check, channel);
  await store.transaction(async (tx) => {
    await tx.pings.insertMany(
      Array.from({ length: 1_200 }, (_, index) => pingRecord(check.id, { n: index + 1 })),
    );
    const flips = await tx.flips.insertMany(Array.from({ length: 700 }, () => flipRecord(check.id)));
    await tx.deliveries.insertMany(flips.slice(0, 600).map((flip) => deliveryRecord(flip, channel.id)));
    for (let n = 0; n < 10; n++) await tx.auditLog.insert(actRecord(null, { projectId: project.id }));
  });
  for (let n = 0; n < smallChecks; n++) await app.givenCheck(project);
  await deleteProject(app.deps, systemActor(project.id), 'Alpha');
  app.clock.advance({ days: 7 });
  return given;
}

/** Counts the rows that each transaction deletes. */
function counting(app: TestApp): { store: Store; pieces: number[] } {
  const pieces: number[] = [];
  const transaction: Store['transaction'] = async (work, options) => {
    const before = await rowsOf(app);
    const result = await app.deps.store.transaction(work, options);
    pieces.push(before - (await rowsOf(app)));
    return result;
  };
  return { store: Object.assign(Object.create(app.deps.store), { transaction }), pieces };
}

/** Cuts transactions off before their commit. */
function killed(app: TestApp): Store {
  const transaction: Store['transaction'] = (work, options) =>
    app.deps.store.transaction(async (tx: Writes) => {
      await work(tx);
      throw new Error('killed here');
    }, options);
  return Object.assign(Object.create(app.deps.store), { transaction });
}

forEachEngine((engine) => {
  const start = () => startTestApp(engine);
  const isGone = async (app: TestApp, { id }: Project) => (await app.deps.store.projects.byId(id)) === null;

  test('a project goes for good in pieces of a bounded number of rows', async () => {
    await using app = await start();
    const { project, ownerId } = await givenDoomed(app);
    const { store, pieces } = counting(app);

    while (await deleteDuePiece({ ...app.deps, store }));

    assert.equal(await rowsOf(app), 0);
    assert.ok(pieces.length >= 6, `${pieces.length} pieces`);
    // A check takes its own row and its assignment with it, and the first piece the keys of the project.
    assert.ok(Math.max(...pieces) <= MAX_PIECE_ROWS + 30, `${pieces}`);
    assert.ok(await isGone(app, project));
    assert.equal(await app.deps.store.accounts.checkCount(ownerId), 0);
    assert.equal(await rowsOf(app, ['audit_log']), 12, 'what was done stays on record');
  });

  test('what is cut off between two pieces is continued by the next process', async () => {
    await using app = await start();
    const { project, ownerId } = await givenDoomed(app);

    for (let rounds = 0; !(await isGone(app, project)); rounds++) {
      assert.ok(rounds < 50);
      await assert.rejects(deleteDuePiece({ ...app.deps, store: killed(app) }), /killed here/);
      await deleteDuePiece(app.deps);
    }

    assert.equal(await rowsOf(app), 0);
    assert.equal(await app.deps.store.accounts.checkCount(ownerId), 0);
  });

  test('two nodes that delete at once neither fail nor count a check twice', async () => {
    await using app = await start();
    const { ownerId } = await givenDoomed(app);
    const { project: kept } = await app.givenProject({ ownerId });
    await app.givenCheck(kept);
    const work = async () => {
      while (await deleteDuePiece(app.deps));
    };

    await Promise.all([work(), work()]);

    assert.equal(await app.deps.store.accounts.checkCount(ownerId), 1);
    assert.equal(await app.deps.store.checks.countOfProject(kept.id), 1);
  });

  test('long bodies leave object storage with the project', async () => {
    const objects = new MemoryStore();
    await using app = await startTestApp(engine, {}, {}, objects);
    const deps = withObjects(app, objects);
    const { project } = await app.givenProject();
    const check = await app.givenCheck(project);
    for (let n = 0; n < 3; n++) await app.ping(`/${check.uuid}`, { body: longBody(n) });
    await moveAll(deps);
    assert.equal(objects.objects.size, 3);
    await deleteProject(deps, systemActor(project.id), 'Alpha');
    assert.equal((await app.ping(`/${check.uuid}`, { body: longBody(4) })).status, 200);

    app.clock.advance({ days: 7 });
    while (await deleteDuePiece(deps));
    await deleteAll(deps);

    assert.equal(objects.objects.size, 0);
    assert.equal((await app.ping(`/${check.uuid}`)).status, 404);
  });

  test('projects whose time is over are looked for every hour, and none that can be restored goes', async () => {
    await using app = await start();
    const deletions = projectDeletions(app.deps);
    const { project } = await givenDoomed(app, 1);
    const { project: restorable } = await app.givenProject();
    const { project: other } = await app.givenProject();
    await deleteProject(app.deps, systemActor(restorable.id), 'Alpha');

    while (await deletions.tick());

    assert.ok(await isGone(app, project));
    assert.ok(!(await isGone(app, restorable)));
    assert.ok(!(await isGone(app, other)));
  });

  test('a clock that is wrong when a machine starts, or is set, deletes nothing', async () => {
    await using app = await start();
    const { project } = await app.givenProject();
    await deleteProject(app.deps, systemActor(project.id), 'Alpha');
    app.clock.jump({ days: 30 });
    const deletions = projectDeletions(app.deps);

    assert.equal(await deletions.tick(), false);
    app.clock.jump({ days: -30 });
    app.clock.advance({ hours: 1 });
    assert.equal(await deletions.tick(), false);
    app.clock.jump({ days: 30 });
    app.clock.advance({ hours: 1 });
    assert.equal(await deletions.tick(), false);

    assert.ok(!(await isGone(app, project)));
    app.clock.advance({ hours: 1 });
    assert.equal(await deletions.tick(), true, 'a clock that stays so is believed');
  });

  test('closing an account deletes its projects in the same pieces, deleted ones at once', async () => {
    await using app = await start();
    const { project, ownerId } = await givenDoomed(app);
    const { project: second } = await app.givenProject({ ownerId });
    await deleteProject(app.deps, systemActor(second.id), 'Alpha');
    const account = (await app.deps.store.accounts.byId(ownerId)) ?? assert.fail();
    const { store, pieces } = counting(app);

    await closeAccount({ ...app.node.accounts, store }, operatorOn(account), account.email);

    assert.equal(await app.deps.store.accounts.byId(ownerId), null);
    assert.ok((await isGone(app, project)) && (await isGone(app, second)));
    assert.ok(Math.max(...pieces) <= MAX_PIECE_ROWS + 30, `${pieces}`);
  });

  test('closing an account leaves a project that was handed over meanwhile, and nobody is reminded of the others', async () => {
    await using app = await start();
    const { store } = app.deps;
    const { project, ownerId } = await app.givenProject();
    const { project: own, ownerId: nextId } = await app.givenProject();
    const { project: handedOver } = await app.givenProject({ ownerId });
    const now = app.clock.now();
    await app.givenCheck(project, { status: 'down' });
    await store.transaction(async (tx) => {
      for (const { id } of [project, handedOver]) await tx.projects.addMember(id, nextId, 'member', now);
      await setReminders(tx, nextId, REMINDER_SECONDS.hourly, now);
      await tx.transfers.save({ projectId: handedOver.id, accountId: nextId, createdAt: now });
    });
    const account = (await store.accounts.byId(ownerId)) ?? assert.fail();
    const next = (await store.accounts.byId(nextId)) ?? assert.fail();
    const projects = Object.assign(Object.create(store.projects), {
      ownedBy: async (id: number) => {
        const owned = await store.projects.ownedBy(id);
        if (owned.length === 2) await acceptProject(app.deps, operatorOn(next), handedOver.uuid);
        return owned;
      },
    });
    const racing: Store = Object.create(store, { projects: { value: projects } });

    await closeAccount({ ...app.node.accounts, store: racing }, operatorOn(account), account.email);

    const left = await store.projects.ownedBy(nextId);
    assert.deepEqual(
      left.map(({ id }) => id),
      [own.id, handedOver.id],
    );
    assert.equal((await mailPreferencesOf(app, nextId)).nextReminderAt, null);
    assert.equal(await store.accounts.byId(ownerId), null);
  });

  test('a close that was cut off can be repeated', async () => {
    await using app = await start();
    const { ownerId } = await givenDoomed(app);
    const account = (await app.deps.store.accounts.byId(ownerId)) ?? assert.fail();
    let pieces = 0;
    const transaction: Store['transaction'] = (work, options) => {
      if (++pieces > 2) throw new Error('killed here');
      return app.deps.store.transaction(work, options);
    };
    const store: Store = Object.assign(Object.create(app.deps.store), { transaction });
    const { accounts } = app.node;

    await assert.rejects(closeAccount({ ...accounts, store }, operatorOn(account), account.email), /killed/);
    assert.ok((await app.deps.store.accounts.byId(ownerId)) !== null);
    await closeAccount(accounts, operatorOn(account), account.email);

    assert.equal(await rowsOf(app), 0);
    assert.equal(await app.deps.store.accounts.byId(ownerId), null);
  });
});
