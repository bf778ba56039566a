import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../src/lib/instant.ts';
import { objectKey } from '../../src/objects/object-key.ts';
import { removeCheck } from '../../src/services/check/check-deletion.ts';
import { createChecks, deleteCheck, updateCheck } from '../../src/services/check/checks.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { recordBeat } from '../../src/services/core/liveness.ts';
import {
  type ImportOptions,
  ImportRefusedError,
  type ImportResult,
  importInstallation,
} from '../../src/services/importing/installation.ts';
import { readBody } from '../../src/services/ping/bodies.ts';
import { lease } from '../alerts.ts';
import { START, sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { APPLY, imported, numbered, pingsOf, smallImport, withEdit, withProject } from './small-import.ts';
import { inGroups, type WholeImport } from './whole-import.ts';

function run(app: TestApp, source: WholeImport, options: Partial<ImportOptions> = {}): Promise<ImportResult> {
  return importInstallation(app.deps, inGroups(source), { ...APPLY, ...options });
}

async function checkOf(app: TestApp, uuid: string) {
  const check = await app.deps.store.checks.byUuid(uuid);
  assert.ok(check, `there is no check ${uuid}`);
  return check;
}

async function numbersOf(app: TestApp, uuid: string): Promise<number[]> {
  const { id } = await checkOf(app, uuid);
  return (await app.deps.store.pings.latest(id, 1_000)).map(({ n }) => n).sort((one, other) => one - other);
}

function person(projectId: number) {
  return systemActor(projectId, { accountId: null, name: 'alice', means: 'session', remoteAddr: null });
}

function nothing(result: ImportResult): void {
  assert.deepEqual(result.changes, []);
  assert.deepEqual(
    Object.entries(result.carried).filter(([, count]) => count > 0),
    [],
  );
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('an installation comes with accounts, projects, integrations, checks, statuses, flips and pings', async () => {
    const app = started();
    const { source, email, uuids } = smallImport(app);
    const { store } = app.deps;

    const { carried, alertsNobody } = await run(app, source);

    const { accounts, projects, channels, checks, flips, pings, secondFactors } = carried;
    assert.deepEqual(
      { accounts, projects, channels, checks, flips, pings, secondFactors },
      { accounts: 1, projects: 1, channels: 2, checks: 3, flips: 3, pings: 5, secondFactors: 2 },
    );
    assert.deepEqual(alertsNobody, ['Alpha/idle']);
    const account = await store.accounts.byEmail(email);
    assert.equal(account?.passwordHash, source.accounts.get(email)?.passwordHash);
    assert.equal(account?.createdAt, source.accounts.get(email)?.createdAt);
    assert.equal(await store.accounts.addressForm(account?.id ?? 0), 'slug');
    const app2fa = await store.secondFactors.authenticatorOf(account?.id ?? 0);
    assert.equal(app.deps.vault.unseal(app2fa?.sealedSecret ?? ''), 'JBSWY3DPEHPK3PXP');
    const nightly = await checkOf(app, uuids.nightly);
    assert.equal(nightly.status, 'up');
    assert.equal(nightly.pingCount, 5);
    assert.equal(nightly.badgeKey, source.checks.get(uuids.nightly)?.badgeKey);
    assert.equal((await checkOf(app, uuids.hourly)).status, 'down');
    assert.deepEqual(await numbersOf(app, uuids.nightly), [3, 4, 5], 'the owner keeps three');
    assert.equal((await app.ping(`/${uuids.nightly}`)).status, 200);
    assert.deepEqual(await numbersOf(app, uuids.nightly), [3, 4, 5, 6]);
    const mail = await store.channels.byUuid(uuids.mail);
    assert.equal(mail?.lastAttempt?.error, 'greylisted');
  });

  test('a second import changes nothing', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    await run(app, source);
    const before = await app.deps.store.checks.revisionByUuid(uuids.nightly);

    nothing(await run(app, source));

    assert.deepEqual(await app.deps.store.checks.revisionByUuid(uuids.nightly), before);
  });

  test('a dry run tells the same as the import, and writes nothing', async () => {
    const app = started();
    const { source, email } = smallImport(app);

    const foreseen = await run(app, source, { isDryRun: true });

    assert.equal(await app.deps.store.accounts.byEmail(email), null);
    assert.deepEqual(await run(app, source), foreseen);
  });

  test('all contradictions are told at once, and nothing is written', async () => {
    const app = started();
    const { source, email, project, uuids } = smallImport(app);
    const other = smallImport(app);
    await run(app, {
      ...withProject(other.source, () => ({
        keys: project.keys,
        checks: [{ line: 0, slug: 'x', uuid: uuids.nightly, edit: { slug: 'x' } }],
      })),
      checks: source.checks,
    });

    const refused = await run(app, source).catch((error: unknown) => error);

    assert.ok(refused instanceof ImportRefusedError);
    assert.deepEqual(refused.reasons, [
      'the UUID of the check Alpha/nightly belongs to a check of another project',
      'the ping key of the project Alpha belongs to another project',
    ]);
    assert.equal(await app.deps.store.accounts.byEmail(email), null);
  });

  test('the reasons of the source refuse it as well', async () => {
    const app = started();
    const { source } = smallImport(app);

    await assert.rejects(run(app, { ...source, refusals: ['two addresses differ in case'] }), {
      reasons: ['two addresses differ in case'],
    });
  });

  test('an owner who may not have so many checks refuses it, with the numbers', async () => {
    const app = started();
    const { source, email } = smallImport(app);
    const accounts = source.declaration.accounts.map((account) => ({
      ...account,
      limits: { checks: 2, pings: 3 },
    }));

    await assert.rejects(run(app, { ...source, declaration: { ...source.declaration, accounts } }), {
      reasons: [`${email} may have 2 checks, and would have 3`],
    });
  });

  test('an account that exists keeps its own, and owns the imported projects, too', async () => {
    const app = started();
    const { source, email, uuids } = smallImport(app);
    const { store, random, clock } = app.deps;
    const limits = { checks: 50, pings: 7 };
    const own = await store.transaction((tx) =>
      tx.accounts.insert({ uuid: random.uuid(), email, passwordHash: 'own', limits, createdAt: clock.now() }),
    );

    const { kept } = await run(app, source);

    const account = await store.accounts.byEmail(email);
    assert.equal(account?.passwordHash, 'own');
    assert.deepEqual(account?.limits, limits);
    assert.equal((await store.projects.byUuid(uuids.project))?.ownerId, own.id);
    assert.deepEqual(kept, [{ entry: `account ${email}`, field: null, reason: 'exists here' }]);
  });

  test('fields that nobody has changed here follow the source, and others are kept', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    await run(app, source);
    const { id, projectId } = await checkOf(app, uuids.nightly);
    await updateCheck(app.deps, person(projectId), id, { edit: { graceSeconds: 60 } });

    const changed = withEdit(source, uuids.nightly, { graceSeconds: 900, tags: 'c' });
    const { kept, changes } = await run(app, changed);

    const { tags, graceSeconds } = await checkOf(app, uuids.nightly);
    assert.deepEqual({ tags, graceSeconds }, { tags: 'c', graceSeconds: 60 });
    assert.deepEqual(kept, [{ entry: 'check Alpha/nightly', field: 'grace', reason: 'changed here' }]);
    assert.deepEqual(
      changes.map(({ action, what, fields }) => [action, what, fields.map(({ name }) => name)]),
      [['updated', 'check', ['tags']]],
    );
  });

  test('an integration that somebody has changed stays, and others follow the source', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    await run(app, source);
    const mail = await app.deps.store.channels.byUuid(uuids.mail);
    assert.ok(mail);
    await app.deps.store.transaction((tx) => tx.channels.update({ ...mail, name: 'Mine' }));

    await run(
      app,
      withProject(source, ({ channels }) => ({
        channels: channels.map((channel) => ({ ...channel, name: 'Theirs' })),
      })),
    );

    assert.equal((await app.deps.store.channels.byUuid(uuids.mail))?.name, 'Mine');
    assert.equal((await app.deps.store.channels.byUuid(uuids.hook))?.name, 'Theirs');
  });

  test('a check that was deleted here stays deleted, unless it is asked for again', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    await run(app, source);
    for (const uuid of [uuids.nightly, uuids.hourly]) {
      const { id, projectId } = await checkOf(app, uuid);
      if (uuid === uuids.nightly) await deleteCheck(app.deps, systemActor(projectId), id);
      else await removeCheck(app.deps, systemActor(projectId), id, 'given');
    }

    const { kept } = await run(app, source);

    assert.deepEqual(kept, [
      { entry: 'check Alpha/nightly', field: null, reason: 'deleted here' },
      { entry: 'check Alpha/hourly', field: null, reason: 'deleted here' },
    ]);
    assert.equal(await app.deps.store.checks.byUuid(uuids.nightly), null);

    const { carried } = await run(app, source, { isAgain: true });

    assert.equal(carried.pings, 3, 'those of the check that was gone for good');
    assert.deepEqual(await numbersOf(app, uuids.nightly), [3, 4, 5]);
    assert.deepEqual(await numbersOf(app, uuids.hourly), [1, 2]);
    nothing(await run(app, source));
  });

  test('checks of one slug come together, or one after the other', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    const same = withEdit(source, uuids.hourly, { slug: 'nightly' });
    const [first, second] = [uuids.nightly, uuids.hourly];
    const asSlug = withProject(same, ({ checks }) => ({
      checks: checks.map((one) => (one.uuid === second ? { ...one, slug: 'nightly' } : one)),
    }));
    await run(
      app,
      withProject(asSlug, ({ checks }) => ({ checks: checks.filter(({ uuid }) => uuid === first) })),
    );

    const { carried } = await run(app, asSlug);

    assert.equal(carried.checks, 2);
    assert.equal((await checkOf(app, second)).slug, 'nightly');
  });

  test('a check that was made here and has the slug of another refuses it', async () => {
    const app = started();
    const { source, uuids, project } = smallImport(app);
    await run(
      app,
      withProject(source, () => ({ checks: [] })),
    );
    const made = await app.deps.store.projects.byUuid(project.uuid ?? '');
    await createChecks(app.deps, person(made?.id ?? 0), [{ slug: 'nightly' }]);

    await assert.rejects(run(app, source), {
      reasons: ['the slug nightly belongs to another check, with another UUID'],
    });
    assert.equal(await app.deps.store.checks.byUuid(uuids.hourly), null);
  });

  test('one project comes alone, and the others later with their pings', async () => {
    const app = started();
    const { source, uuids, project } = smallImport(app);
    const beta = { ...project, uuid: app.deps.random.uuid(), name: 'Beta', keys: {}, channels: [] };
    const moved = project.checks.filter(({ uuid }) => uuid === uuids.nightly);
    const declaration = {
      ...source.declaration,
      projects: [
        { ...project, checks: project.checks.filter(({ uuid }) => uuid !== uuids.nightly) },
        { ...beta, checks: moved.map((check) => ({ ...check, channels: '' })) },
      ],
    };
    const two = { ...source, declaration };

    const projects = declaration.projects.slice(0, 1);
    await run(app, { ...two, declaration: { ...declaration, projects } }, { isPart: true });
    assert.equal(await app.deps.store.checks.byUuid(uuids.nightly), null);
    await run(app, two);

    assert.deepEqual(await numbersOf(app, uuids.nightly), [3, 4, 5]);
    assert.deepEqual(await numbersOf(app, uuids.hourly), [1, 2]);
  });

  test('status and pings are taken again only while the check has had no ping here', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    await run(app, source);
    await app.ping(`/${uuids.nightly}`);
    const checks = new Map(source.checks);
    checks.set(uuids.nightly, imported(app.deps.random.uuid(), 'down', 7));
    checks.set(uuids.hourly, imported(app.deps.random.uuid(), 'up', 3));
    const pings = [
      ...[...numbered(uuids.nightly, 5), ...numbered(uuids.hourly, 2)],
      ...[...numbered(uuids.nightly, 7).slice(5), ...numbered(uuids.hourly, 3).slice(2)],
    ];

    await run(app, { ...source, checks, pings: (after) => pingsOf(pings, after) });

    assert.equal((await checkOf(app, uuids.nightly)).status, 'up');
    assert.deepEqual(await numbersOf(app, uuids.nightly), [3, 4, 5, 6]);
    assert.equal((await checkOf(app, uuids.hourly)).status, 'up');
    assert.deepEqual(await numbersOf(app, uuids.hourly), [1, 2, 3]);
  });

  test('a ping that comes before the history is kept, with a number above those of the source', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    async function* pings(after: number) {
      assert.equal((await app.ping(`/${uuids.nightly}`)).status, 200);
      yield* source.pings(after);
    }

    await run(app, { ...source, pings }, { history: 'all' });

    assert.deepEqual(await numbersOf(app, uuids.nightly), [1, 2, 3, 4, 5, 6]);
    const { id, pingCount } = await checkOf(app, uuids.nightly);
    const [newest] = await app.deps.store.pings.latest(id, 1);
    assert.deepEqual([pingCount, newest?.createdAt], [6, START]);
    nothing(await run(app, source, { history: 'all' }));
  });

  test('of the history comes as much as is asked for', async () => {
    const app = started();
    const expected = { all: [1, 2, 3, 4, 5], none: [], 2: [4, 5] };
    for (const [history, numbers] of Object.entries(expected)) {
      const { source, uuids } = smallImport(app);
      const asked = history === '2' ? 2 : (history as 'all' | 'none');
      const { carried } = await run(app, source, { history: asked });

      assert.equal(carried.olderPings, history === '2' ? 3 : 0);
      assert.deepEqual(await numbersOf(app, uuids.nightly), numbers);
      const { id, pingCount } = await checkOf(app, uuids.nightly);
      assert.equal(pingCount, 5);
      const flips = await app.deps.store.flips.ofCheck(id, { from: null, before: null });
      assert.equal(flips.length, history === 'none' ? 0 : 1);
    }
  });

  test('a longer history brings the older pings later, and its repetition nothing', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    await run(app, source, { history: 2 });
    await app.ping(`/${uuids.nightly}`);
    assert.deepEqual(await numbersOf(app, uuids.nightly), [4, 5, 6]);

    const foreseen = await run(app, source, { history: 4, isDryRun: true });
    const { carried } = await run(app, source, { history: 4 });

    assert.deepEqual([foreseen.carried.pings, carried.pings], [2, 2]);
    assert.deepEqual(await numbersOf(app, uuids.nightly), [2, 3, 4, 5, 6]);
    await run(app, source, { history: 'all' });
    assert.deepEqual(await numbersOf(app, uuids.nightly), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await numbersOf(app, uuids.hourly), [1, 2]);
    nothing(await run(app, source, { history: 'all' }));
    nothing(await run(app, source, { history: 2 }));
    nothing(await run(app, source));
  });

  test('after an import with a history of nothing a longer one brings its pings', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);

    const { carried } = await run(app, source, { history: 0 });
    assert.deepEqual([carried.pings, await numbersOf(app, uuids.nightly)], [0, []]);

    await run(app, source, { history: 2 });
    assert.deepEqual(await numbersOf(app, uuids.nightly), [4, 5]);
  });

  test('long bodies come whole, and those in object storage with their size', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    const long = Buffer.alloc(100_000, 'x');
    const [first, second, third] = numbered(uuids.hourly, 3);
    assert.ok(first && second && third);
    const pings = [
      { ...first, body: long },
      { ...second, body: null, longBodySize: 700 },
    ];

    const { carried } = await run(app, { ...source, pings: (after) => pingsOf(pings, after) });

    const { id } = await checkOf(app, uuids.hourly);
    assert.deepEqual(Buffer.from((await app.deps.store.pings.body(id, 1)) ?? []), long);
    assert.deepEqual(await app.deps.store.pings.objectOf(id, 2), { size: 700, checkUuid: uuids.hourly });
    assert.equal(carried.bodiesElsewhere, 1);
  });

  test('bodies in object storage are read where the bucket of the old server is', async () => {
    const objects = new MemoryStore();
    await using app = await startTestApp(engine, {}, {}, objects);
    const { source, uuids } = smallImport(app);
    const body = Buffer.alloc(700, 'y');
    await objects.put(objectKey(uuids.hourly, 2), body);
    const [, ping = assert.fail()] = numbered(uuids.hourly, 2);
    const pings = [{ ...ping, body: null, longBodySize: body.length }];

    await run(app, { ...source, pings: (after) => pingsOf(pings, after) });

    const { id } = await checkOf(app, uuids.hourly);
    assert.deepEqual(Buffer.from((await readBody(app.deps, { id }, 2)) ?? []), body);
    assert.equal(await readBody({ ...app.deps, objects: null }, { id }, 2), null);
  });

  test('twenty overdue checks are excused together, and go down after that', async () => {
    await using app = await startTestApp(engine);
    const { source, project } = smallImport(app);
    const [first = assert.fail()] = project.checks;
    const names = Array.from({ length: 20 }, (_, n) => ({ uuid: app.deps.random.uuid(), slug: `job-${n}` }));
    const overdue = () => imported(app.deps.random.uuid(), 'up', 5, START - seconds(26 * 3_600));
    const declared = withProject(source, () => ({
      checks: names.map((name) => ({ ...first, ...name, edit: { ...first.edit, slug: name.slug } })),
    }));

    await run(app, { ...declared, checks: new Map(names.map(({ uuid }) => [uuid, overdue()])) });

    const flip = async () => {
      while (await flipOverdue({ ...app.deps, onPoison: () => undefined }));
      return (await lease(app.deps, 1_000)).length;
    };
    app.clock.advance({ seconds: 599 });
    assert.equal(await flip(), 0);
    app.clock.advance({ seconds: 2 });
    assert.equal(await flip(), 2 * names.length, 'each has two integrations');
  });

  test('with alerts off all integrations are off, until an import without it', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);

    await run(app, source, { isSilent: true });
    const off = await app.deps.store.channels.byUuid(uuids.hook);
    assert.equal(off?.off?.reason, 'switched_off');
    assert.equal((await app.ping(`/${uuids.nightly}/fail`)).status, 200);
    assert.equal((await checkOf(app, uuids.nightly)).status, 'down');
    assert.deepEqual(await lease(app.deps, 1_000), []);
    await run(app, source);
    const on = await app.deps.store.channels.byUuid(uuids.hook);
    assert.equal(on?.off, null);
    await app.ping(`/${uuids.nightly}`);
    assert.equal((await lease(app.deps, 1_000)).length, 2);
  });

  test('a token of another program pings its check, and its project accepts the dialect', async () => {
    const app = started();
    const { source, uuids } = smallImport(app);
    const token = app.deps.random.uuid().replaceAll('-', '');
    const checks = new Map(source.checks);
    checks.set(uuids.idle, {
      ...imported(app.deps.random.uuid(), 'new', 0),
      aliases: [{ dialect: 'kuma', token }],
    });

    await run(app, { ...source, checks });

    const reply = await app.ping(`/${token}`, { door: '/api/push' });
    assert.equal(reply.text, '{"ok":true}');
    assert.equal((await checkOf(app, uuids.idle)).pingCount, 1);
    nothing(await run(app, { ...source, checks: new Map(checks) }));
  });

  test('a run that should have ended is excused once, and then its check goes down', async () => {
    await using app = await startTestApp(engine);
    const { source, uuids } = smallImport(app);
    const recent = imported(app.deps.random.uuid(), 'up', 5, START - seconds(1_500));
    const rid = app.deps.random.uuid();
    const running = { ...recent.state, lastStartAt: START - seconds(1_200), lastStartRid: rid };
    await run(app, {
      ...source,
      checks: new Map(source.checks).set(uuids.nightly, { ...recent, state: running }),
    });
    const goesDown = async () => {
      while (await flipOverdue({ ...app.deps, onPoison: () => undefined }));
      return (await checkOf(app, uuids.nightly)).status === 'down';
    };

    app.clock.advance({ seconds: 599 });
    assert.equal(await goesDown(), false);
    app.clock.advance({ seconds: 2 });
    assert.equal(await goesDown(), true);

    assert.equal((await app.ping(`/${uuids.nightly}?rid=${rid}`)).status, 200);
    assert.equal((await checkOf(app, uuids.nightly)).lastDuration, seconds(1_801));
    assert.equal((await app.ping(`/${uuids.nightly}/start`)).status, 200);
    app.clock.advance({ seconds: 600 });
    assert.equal(await goesDown(), true, 'the next run is not excused');
  });

  test('overdue checks are excused, as after an outage', async () => {
    await using app = await startTestApp(engine);
    const { source, uuids } = smallImport(app);
    const checks = new Map(source.checks);
    checks.set(uuids.nightly, imported(app.deps.random.uuid(), 'up', 5, START - seconds(26 * 3_600)));
    const deadlines = { ...app.deps, onPoison: () => undefined };

    await run(app, { ...source, checks });

    app.clock.advance({ seconds: 599 });
    assert.equal(await flipOverdue(deadlines), false);
    assert.equal((await checkOf(app, uuids.nightly)).status, 'up');
    // The service starts for the first time after a while.
    app.clock.advance({ hours: 2 });
    const { blindness } = await recordBeat(app.deps, 'first', false);
    assert.equal(blindness?.excused, 1);
    assert.equal(await flipOverdue(deadlines), false);
    app.clock.advance({ seconds: 600 });
    assert.equal(await flipOverdue(deadlines), true);
    assert.equal((await checkOf(app, uuids.nightly)).status, 'down');
  });
});
