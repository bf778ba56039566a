import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCheck,
  checkRecord,
  flipRecord,
  givenCheck,
  givenProject,
  pingRecord,
  storedChecks,
  unique,
} from '../../../test/records.ts';
import type { Check, CheckState, NewCheck } from '../../domain/check/check.ts';
import type { CheckConfig } from '../../domain/check/settings.ts';
import type { Store, Writes } from '../store.ts';
import { AWKWARD_TEXTS, furnishedProject, LARGEST, MICROSECOND, plain } from './records.test-support.ts';

export function checks(store: () => Store): void {
  // No field has the value of a fresh check, so that none can be forgotten.
  const config: CheckConfig = {
    name: `O'Brien’s "check" 🚦`,
    slug: 'o-briens-check',
    tags: 'prod Zürich 🇨🇭',
    description: 'first line\nsecond line',
    kind: 'oncalendar',
    timeoutSeconds: 31_536_000,
    schedule: 'Mon..Fri *-*-* 08:00\nSat 10:00',
    tz: 'America/Argentina/ComodRivadavia',
    graceSeconds: 60,
    runRules: '{"end_within":0}',
    parents: '0'.repeat(40),
    doneChannels: '5ba7f0f3-6a5c-4a5e-8d5e-3f0c1c6a1f10',
    policy: 'nights, and "weekends"',
    manualResume: true,
    methods: 'POST',
    startKeywords: 'begin, "start"',
    successKeywords: 'fertig, 完了',
    failureKeywords: '💥',
    filterSubject: true,
    filterBody: true,
    filterHttpBody: true,
    filterDefaultFail: true,
  };
  const state: CheckState = {
    status: 'down',
    pingCount: 2 ** 40,
    lastReceivedAt: MICROSECOND + 4,
    lastPingAt: MICROSECOND,
    lastSuccessAt: MICROSECOND + 6,
    lastResult: 'fail',
    lastStartAt: MICROSECOND + 1,
    lastStartRid: '5ba7f0f3-6a5c-4a5e-8d5e-3f0c1c6a1f10',
    lastAliveAt: MICROSECOND + 7,
    runReported: true,
    lastDuration: LARGEST,
    lastFlags: 15,
    badCount: 3,
    lastFlipAt: MICROSECOND + 3,
    excusedUntilAt: MICROSECOND + 5,
    timedAt: MICROSECOND + 8,
    quietFromAt: MICROSECOND + 8,
    quietUntilAt: MICROSECOND + 9,
    hasConfirmationLink: true,
    deadlineAt: MICROSECOND + 2,
  };

  const origins = { sources: '[["api",1,"CI","grace"]]' };

  test('keep every field', async () => {
    const { project } = await givenProject(store());
    const fresh = checkRecord(project.id);
    const record = {
      ...{ ...fresh, ...config, ...state, ...origins },
      ...{ snoozedUntilAt: MICROSECOND + 9, snoozedBy: 'Anna', isHeard: true, createdAt: -1 },
    };
    const untouched = Object.keys(fresh).filter(
      (field) => fresh[field as keyof NewCheck] === record[field as keyof NewCheck],
    );
    assert.deepEqual(untouched.sort(), ['badgeKey', 'projectId', 'uniqueKey', 'uuid']);

    const inserted = await addCheck(store(), project, record);

    assert.deepEqual(inserted, { ...record, id: inserted.id });
    assert.deepEqual(await store().checks.byUuid(record.uuid), inserted);
    assert.deepEqual(await storedChecks(store(), project), [inserted]);
    assert.deepEqual(await store().checks.byIds([inserted.id]), [inserted]);
  });

  test('keep what is empty apart from what is not there', async () => {
    const check = await givenCheck(store());

    const stored = await store().checks.byUuid(check.uuid);

    assert.deepEqual(stored, check);
    assert.equal(stored?.name, '');
    assert.equal(stored?.lastPingAt, null);
    assert.equal(stored?.lastStartRid, null);
  });

  test('keep texts of any script and length as they are', async () => {
    const { project } = await givenProject(store());

    for (const text of AWKWARD_TEXTS) {
      const { uuid } = await addCheck(store(), project, { name: text, tags: text, description: text });
      const stored = await store().checks.byUuid(uuid);
      assert.deepEqual([stored?.name, stored?.tags, stored?.description], [text, text, text]);
    }
  });

  test('are listed in order of creation, whatever their names and times', async () => {
    const { project } = await givenProject(store());
    const names = ['z', 'a', '', 'm', 'a'];

    for (const [index, name] of names.entries())
      await addCheck(store(), project, { name, createdAt: MICROSECOND - index });

    const found = await store().checks.ofProject(project.id);
    assert.deepEqual(
      found.map((check) => check.name),
      names,
    );
  });

  test('may share a slug, and are found with it oldest first', async () => {
    const { project } = await givenProject(store());
    const first = await addCheck(store(), project, { slug: 'backup' });
    await addCheck(store(), project, { slug: 'Backup' });
    const second = await addCheck(store(), project, { slug: 'backup' });

    const found = await store().checks.outlinesOf(project.id, { slug: 'backup', tags: [] });

    assert.deepEqual(
      found.map(({ id }) => id),
      [first.id, second.id],
    );
  });

  test('of another project are neither listed nor found by slug', async () => {
    const check = await givenCheck(store(), { slug: 'backup' });
    const { project } = await givenProject(store());

    assert.deepEqual(await storedChecks(store(), project), []);
    assert.deepEqual(await store().checks.outlinesOf(project.id, { slug: check.slug, tags: [] }), []);
    assert.equal(await store().checks.countOfProject(project.id), 0);
    assert.equal(await store().checks.countOfProject(check.projectId), 1);
  });

  test('are found with their mail filters by UUID, and by ping key and slug, each with what it was found by', async () => {
    const [mine, theirs] = [await furnishedProject(store()), await furnishedProject(store())];
    const one = await addCheck(store(), mine.project, {
      slug: 'one',
      filterBody: true,
      failureKeywords: '💥',
    });
    const twins = [
      await addCheck(store(), mine.project, { slug: 'two', filterSubject: true, startKeywords: 'a' }),
      await addCheck(store(), mine.project, { slug: 'two', filterDefaultFail: true, successKeywords: 'b' }),
    ];
    await addCheck(store(), theirs.project, { slug: 'three' });
    const pingKeyDigest = mine.project.pingKeyDigest ?? '';
    const bySlug = (slug: string) => ({ pingKeyDigest, slug });

    const found = await store().checks.mailed(
      [one.uuid, unique()],
      ['two', 'three', 'four'].map(bySlug).concat({ pingKeyDigest: unique(), slug: 'one' }),
    );

    const mailed = (check: Check, foundBy: ReturnType<typeof bySlug> | null) => ({
      uuid: check.uuid,
      startKeywords: check.startKeywords,
      successKeywords: check.successKeywords,
      failureKeywords: check.failureKeywords,
      filterSubject: check.filterSubject,
      filterBody: check.filterBody,
      filterDefaultFail: check.filterDefaultFail,
      ownerId: mine.project.ownerId,
      foundBy,
    });
    const expected = [mailed(one, null), ...twins.map((twin) => mailed(twin, bySlug('two')))];
    const byUuid = (a: { uuid: string }, b: { uuid: string }) => (a.uuid < b.uuid ? -1 : 1);
    assert.deepEqual(found.toSorted(byUuid), expected.sort(byUuid));
    assert.deepEqual(await store().checks.mailed([], []), []);
  });

  test('are unknown by a UUID that nobody has', async () => {
    assert.equal(await store().checks.byUuid(unique()), null);
  });

  test('save their configuration and deadline, and nothing that pings have made', async () => {
    const check = await givenCheck(store());

    await store().transaction((tx) =>
      tx.checks.saveConfig({ ...check, ...config, ...state, ...origins, createdAt: 0 }),
    );

    const { deadlineAt, timedAt } = state;
    const expected = { ...check, ...config, ...origins, deadlineAt, timedAt };
    assert.deepEqual(await store().checks.byUuid(check.uuid), expected);
  });

  test('save their state, and nothing that the owner decides', async () => {
    const check = await givenCheck(store());

    await store().transaction((tx) => tx.checks.saveState({ ...check, ...config, ...state, createdAt: 0 }));

    assert.deepEqual(await store().checks.byUuid(check.uuid), { ...check, ...state });
  });

  test('save the states of many at once, each its own', async () => {
    const { project } = await givenProject(store());
    const [one, two, three] = [
      await addCheck(store(), project),
      await addCheck(store(), project, state),
      await addCheck(store(), project),
    ];
    const first = { ...one, ...state, pingCount: 1 };
    const second = { ...two, status: 'new' as const, pingCount: 2, lastPingAt: null, lastStartRid: null };

    await store().transaction((tx) => tx.checks.saveStates([first, second]));
    await store().transaction((tx) => tx.checks.saveStates([]));

    assert.deepEqual(await storedChecks(store(), project), [first, second, three]);
  });

  test('save what pings have made of them, whether or not their status changes', async () => {
    const { project } = await givenProject(store());
    const { deadlineAt } = state;
    const checks: Check[] = [];
    for (let n = 0; n < 4; n++) checks.push(await addCheck(store(), project, { deadlineAt }));
    const quiet = {
      ...state,
      status: checks[0]?.status ?? assert.fail(),
      ...{ lastFlipAt: null, timedAt: null, quietFromAt: null, quietUntilAt: null },
    };
    const saved = checks.map((check, index) => ({
      ...check,
      ...(index < 2 ? quiet : state),
      pingCount: index,
    }));

    await store().transaction(async (tx) => {
      const held = await tx.checks.lockMany(checks.map(({ uuid }) => uuid));
      await tx.checks.saveChanges(
        held.map((before) => ({
          before,
          after: { ...before, ...(saved.find(({ id }) => id === before.id) ?? assert.fail()) },
        })),
      );
    });

    assert.deepEqual(await storedChecks(store(), project), saved);
  });

  test('are found by unique key within their project, and by badge key', async () => {
    const check = await givenCheck(store());
    const { project: other } = await givenProject(store());

    assert.deepEqual(await store().checks.byUniqueKey(check.projectId, check.uniqueKey), check);
    assert.equal(await store().checks.byUniqueKey(other.id, check.uniqueKey), null);
    assert.equal((await store().checks.byBadgeKey(check.badgeKey))?.id, check.id);
    assert.equal(await store().checks.byBadgeKey(unique()), null);
  });

  test('are read without their long texts wherever these are not wanted', async () => {
    const { project } = await givenProject(store());
    const overrides = {
      name: 'n',
      slug: 's',
      tags: 't',
      description: 'ü'.repeat(50),
      status: 'down',
      deadlineAt: 1,
    } as const;
    const check = await addCheck(store(), project, { ...overrides, successKeywords: 'OK' });
    const { description, startKeywords, successKeywords, failureKeywords, sources, ...summary } = check;

    const { checks } = store();
    assert.deepEqual((await checks.ofProject(project.id)).map(plain), [summary]);
    assert.deepEqual((await checks.pageOfProject(project.id, 0, 1)).map(plain), [summary]);
    assert.deepEqual((await checks.downOfProject(project.id, 0)).map(plain), [summary]);
    assert.deepEqual(plain(await checks.byBadgeKey(check.badgeKey)), summary);
    assert.deepEqual((await checks.outlinesOf(project.id)).map(plain), [
      { id: check.id, descriptionBytes: 100, revision: 1 },
    ]);
    const { id, uuid } = check;
    assert.deepEqual((await checks.namesOfProject(project.id)).map(plain), [{ id, uuid, slug: 's' }]);
    const [pinged] = await checks.pageOfAll(check.id - 1, 1);
    const overdue = await store().transaction((tx) => tx.checks.lockOverdue(1, 1_000));
    for (const row of [pinged, overdue.find(({ id }) => id === check.id)]) {
      assert.equal(row?.successKeywords, 'OK');
      assert.ok(row !== undefined && !('description' in row) && !('name' in row));
    }
    await store().transaction((tx) => tx.checks.delete(check));
  });

  test('are deleted with all that belongs to them, through their own project alone', async () => {
    const { project, check, channel } = await furnishedProject(store());
    const { project: other } = await givenProject(store());
    await store().transaction(async (tx) => {
      await tx.pings.insertMany([pingRecord(check.id)]);
      await tx.flips.insertMany([flipRecord(check.id)]);
    });

    await store().transaction((tx) => tx.checks.delete({ ...check, projectId: other.id }));
    assert.deepEqual(await store().checks.byUuid(check.uuid), check);

    await store().transaction((tx) => tx.checks.delete(check));
    assert.equal(await store().checks.byUuid(check.uuid), null);
    assert.deepEqual(await store().checks.channelsOf(check.id), []);
    assert.deepEqual(await store().pings.latest(check.id, 10), []);
    assert.deepEqual(await store().flips.ofCheck(check.id, { from: null, before: null }), []);
    assert.deepEqual(await store().channels.ofProject(project.id), [channel]);
  });

  test('are not saved through another project', async () => {
    const check = await givenCheck(store());
    const { project: other } = await givenProject(store());

    await store().transaction((tx) =>
      tx.checks.saveConfig({ ...check, name: 'theirs', projectId: other.id }),
    );

    assert.deepEqual(await store().checks.byUuid(check.uuid), check);
  });

  test('raise their revision with every change, and with no change of others', async () => {
    const { project, check, channel } = await furnishedProject(store());
    const other = await addCheck(store(), project);
    const revisionOf = async ({ uuid }: Check) => (await store().checks.revisionByUuid(uuid))?.revision ?? 0;
    const changes: ((tx: Writes) => Promise<unknown>)[] = [
      (tx) => tx.checks.saveConfig({ ...check, name: 'new' }),
      (tx) => tx.checks.saveState({ ...check, status: 'up', deadlineAt: 5 }),
      async (tx) => {
        const [before] = await tx.checks.lockMany([check.uuid]);
        assert.ok(before);
        await tx.checks.saveChanges([{ before, after: { ...before, pingCount: 1 } }]);
      },
      async (tx) => {
        const [before] = await tx.checks.lockMany([check.uuid]);
        assert.ok(before);
        await tx.checks.saveChanges([{ before, after: { ...before, status: 'down' } }]);
      },
      (tx) => tx.checks.saveState({ ...check, status: 'up', deadlineAt: 5 }),
      (tx) => tx.checks.excuseOverdue(0, 10, 1),
      (tx) => tx.checks.setChannels(check, []),
      (tx) => tx.checks.setChannels(check, [channel.id]),
      (tx) => tx.channels.delete(channel),
    ];
    let revision = await revisionOf(check);
    for (const change of changes) {
      const before = await revisionOf(other);
      await store().transaction(change);
      assert.ok((await revisionOf(check)) > revision, `${change}`);
      assert.equal(await revisionOf(other), before, `${change}`);
      revision = await revisionOf(check);
    }
    const { id, projectId, uniqueKey } = check;
    assert.deepEqual(plain(await store().checks.revisionByUniqueKey(projectId, uniqueKey)), {
      id,
      projectId,
      revision,
    });
    assert.equal(await store().checks.revisionByUniqueKey(projectId + 1, uniqueKey), null);
    const [outline] = await store().checks.outlinesOf(projectId);
    assert.equal(outline?.revision, revision);
    const [revised] = await store().checks.revisedByIds([id]);
    assert.deepEqual(revised, { ...(await store().checks.byId(id)), revision });
    assert.deepEqual(await store().checks.revisedById(id), revised);
    await store().transaction((tx) => tx.checks.delete(check));
  });

  test('are counted, and so are their pings', async () => {
    const [checks, pings] = [await store().checks.count(1_000), await store().checks.pingTotal()];

    await givenCheck(store(), { pingCount: 5 });
    await givenCheck(store(), { pingCount: 0 });

    assert.equal(await store().checks.count(1_000), checks + 2);
    assert.equal(await store().checks.pingTotal(), pings + 5);
  });

  test('that are down besides one are counted, and the newest of them told', async () => {
    const [{ project }, { project: foreign }] = [await givenProject(store()), await givenProject(store())];
    const own = await addCheck(store(), project, { status: 'down', lastFlipAt: 9 });
    await addCheck(store(), project, { name: 'old', status: 'down', lastFlipAt: 1 });
    await addCheck(store(), project, { name: 'new', status: 'down', lastFlipAt: 3 });
    await addCheck(store(), project, {
      name: 'overdue',
      status: 'up',
      deadlineAt: LARGEST - 2,
      lastFlipAt: 2,
    });
    await addCheck(store(), project, { name: 'up', status: 'up', deadlineAt: LARGEST });
    await addCheck(store(), foreign, { status: 'down' });

    const { total, down, newest } = await store().checks.othersDown(project.id, own.id, LARGEST - 1, 2);

    assert.deepEqual([total, down, newest.map(({ name }) => name)], [5, 3, ['new', 'overdue']]);
    assert.deepEqual(await store().checks.othersDown(foreign.id, own.id, 0, 0), {
      total: 1,
      down: 1,
      held: 0,
      newest: [],
    });
  });

  test('an example is the one that went down last, else the one that was pinged last', async () => {
    const [{ project }, { project: foreign }] = [await givenProject(store()), await givenProject(store())];
    const example = async () => (await store().checks.exampleOfProject(project.id))?.name;
    await addCheck(store(), foreign, { status: 'down', lastFlipAt: 9, lastReceivedAt: 9 });

    assert.equal(await example(), undefined);
    await addCheck(store(), project, { name: 'never pinged' });
    assert.equal(await example(), 'never pinged');
    await addCheck(store(), project, { name: 'pinged', status: 'up', lastReceivedAt: 8 });
    await addCheck(store(), project, { name: 'pinged before', status: 'up', lastReceivedAt: 7 });
    assert.equal(await example(), 'pinged');
    await addCheck(store(), project, { name: 'fell', status: 'down', lastFlipAt: 2 });
    await addCheck(store(), project, {
      name: 'fell before',
      status: 'down',
      lastFlipAt: 1,
      lastReceivedAt: 9,
    });
    assert.equal(await example(), 'fell');
  });

  test('that came up after an outage are found, the newest first', async () => {
    const [{ project }, { project: foreign }] = [await givenProject(store()), await givenProject(store())];
    const change = async (name: string, at: number, oldStatus: 'down' | 'new', of = project) => {
      const check = await addCheck(store(), of, { name, status: 'up', lastFlipAt: at });
      const flip = flipRecord(check.id, { createdAt: at, oldStatus, newStatus: 'up', reason: '' });
      await store().transaction((tx) => tx.flips.insertMany([flip]));
    };
    await change('early', 100, 'down');
    await change('later', 200, 'down');
    await change('last', 300, 'down');
    await change('fresh', 400, 'new');
    await change('foreign', 400, 'down', foreign);
    await addCheck(store(), project, { name: 'down', status: 'down', lastFlipAt: 500 });

    const found = (after: number, limit: number) => store().checks.recoveredSince(project.id, after, limit);
    assert.deepEqual((await found(100, 5)).map(plain), [
      { name: 'last', at: 300 },
      { name: 'later', at: 200 },
    ]);
    assert.deepEqual((await found(0, 1)).map(plain), [{ name: 'last', at: 300 }]);
  });
}
