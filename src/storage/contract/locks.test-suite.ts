import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCheck, checkRecord, givenCheck, givenProject, unique } from '../../../test/records.ts';
import type { Check, CheckState } from '../../domain/check/check.ts';
import { RULES, SETTING_NAMES } from '../../domain/check/settings.ts';
import type { Project } from '../../domain/people/project.ts';
import type { HeldCheck, Store, Writes } from '../store.ts';
import { furnishedProject, LARGEST } from './records.test-support.ts';

export function locks(store: () => Store): void {
  test('a check is locked by its id, or there is none', async () => {
    const check = await givenCheck(store());

    assert.deepEqual(await store().transaction((tx) => tx.checks.lock(check.id)), check);
    assert.equal(await store().transaction((tx) => tx.checks.lock(LARGEST)), null);
  });

  test('no change is lost when many transactions lock and change one check', async () => {
    const check = await givenCheck(store(), { graceSeconds: 100 });
    const addOne = (lock: (tx: Writes) => Promise<Check | null>) =>
      store().transaction(async (tx) => {
        const held = await lock(tx);
        assert.ok(held);
        await tx.checks.saveConfig({ ...held, graceSeconds: held.graceSeconds + 1 });
      });

    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        addOne((tx) =>
          index % 2 === 0
            ? tx.checks.lock(check.id)
            : tx.checks.lockMatching(check.projectId, { name: check.name }),
        ),
      ),
    );

    assert.equal((await store().checks.byUuid(check.uuid))?.graceSeconds, 120);
  });

  test('many checks are locked at once by their UUIDs, unknown ones left out', async () => {
    const [one, two] = [await givenCheck(store()), await givenCheck(store())];
    await givenCheck(store());

    const locked = await store().transaction((tx) => tx.checks.lockMany([two.uuid, unique(), one.uuid]));

    assert.deepEqual(
      locked.sort((a, b) => a.id - b.id),
      [one, two].map(asHeld),
    );
    assert.deepEqual(await store().transaction((tx) => tx.checks.lockMany([])), []);
  });

  test('many checks are locked at once by their ids, unknown ones left out', async () => {
    const [one, two] = [await givenCheck(store()), await givenCheck(store())];

    const locked = await store().transaction((tx) => tx.checks.lockByIds([two.id, LARGEST, one.id, two.id]));

    assert.deepEqual(locked, new Set([one.id, two.id]));
    assert.deepEqual(await store().transaction((tx) => tx.checks.lockByIds([])), new Set());
  });

  test('a deadline that is put off is not overdue until then', async () => {
    const check = await givenCheck(store(), { status: 'up', deadlineAt: 100 });
    await change(store(), check, { pingCount: 1, deadlineAt: 200 });

    assert.equal(await isOverdue(store(), check, 199), false);
    assert.equal(await isOverdue(store(), check, 200), true);
    assert.ok((await store().transaction((tx) => tx.checks.putOffAlarms(199, 10))) >= 1);
    assert.equal(await store().transaction((tx) => tx.checks.putOffAlarms(199, 10)), 0);
    assert.equal(await isOverdue(store(), check, 199), false);
    assert.equal(await isOverdue(store(), check, 200), true);
    await change(store(), check, { deadlineAt: null });
  });

  test('a deadline that comes closer, or comes up, is seen in time', async () => {
    const check = await givenCheck(store(), { status: 'up', deadlineAt: 200 });

    await change(store(), check, { deadlineAt: 100 });
    assert.equal(await isOverdue(store(), check, 100), true);
    await change(store(), check, { status: 'down', deadlineAt: null });
    assert.equal(await isOverdue(store(), check, 300), false);
    await change(store(), check, { deadlineAt: 150 });
    assert.equal(await isOverdue(store(), check, 150), true);
    await change(store(), check, { status: 'paused', deadlineAt: null });
  });

  test('what has to be looked at is known from the earliest deadline on', async () => {
    const check = await givenCheck(store(), { status: 'up', deadlineAt: 10 });

    assert.equal(await store().checks.nextDeadlineAt(), 10);
    await change(store(), check, { deadlineAt: 5 });
    assert.equal(await store().checks.nextDeadlineAt(), 5);
    await store().transaction((tx) => tx.checks.saveState({ ...check, deadlineAt: null }));
    assert.notEqual(await store().checks.nextDeadlineAt(), 5);
  });

  test('of overdue checks, those are excused whose deadline itself has passed', async () => {
    // Later than all excuses that other tests have left.
    const at = 4_000_000_000_000_000;
    const late = await givenCheck(store(), { status: 'up', deadlineAt: at + 30, graceSeconds: 60 });
    const putOff = await givenCheck(store(), { status: 'up', deadlineAt: at + 30 });
    await change(store(), putOff, { deadlineAt: at + 90 });
    const excuse = (since: number, now: number) =>
      store().transaction((tx) => tx.checks.excuseOverdue(since, now, 1));

    assert.equal(await excuse(at + 20, at + 40), 1);

    const until = at + 40 + 60_000_000;
    assert.equal((await store().checks.byId(late.id))?.excusedUntilAt, until);
    assert.equal(await isOverdue(store(), late, until - 1), false);
    assert.equal(await isOverdue(store(), late, until), true);

    // Blind again before the excuse has run out, and after it has.
    assert.deepEqual([await excuse(at + 40, at + 41), await excuse(until + 1, until + 2)], [1, 0]);
    assert.equal((await store().checks.byId(late.id))?.excusedUntilAt, until + 1);
    for (const check of [late, putOff]) await change(store(), check, { deadlineAt: null });
    await store().transaction((tx) => tx.checks.putOffAlarms(until + 1, 1_000));
  });

  test('batches that lock the same checks in any order do not lose a change', async () => {
    const { project } = await givenProject(store());
    const all = [];
    for (let n = 0; n < 8; n++) all.push(await addCheck(store(), project));
    const uuids = all.map(({ uuid }) => uuid);

    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store().transaction(async (tx) => {
          const turned = [...uuids.slice(index % 8), ...uuids.slice(0, index % 8)];
          const held = await tx.checks.lockMany(index % 2 === 0 ? turned : turned.reverse());
          await tx.checks.saveStates(held.map((check) => ({ ...check, pingCount: check.pingCount + 1 })));
        }),
      ),
    );

    const counts = (await store().checks.ofProject(project.id)).map(({ pingCount }) => pingCount);
    assert.deepEqual(counts, Array(8).fill(20));
  });

  test('checks are found by ping key and slug together, each with what it was found by', async () => {
    const [mine, theirs] = [await furnishedProject(store()), await furnishedProject(store())];
    const one = await addCheck(store(), mine.project, { slug: 'one' });
    const two = await addCheck(store(), mine.project, { slug: 'two' });
    const twin = await addCheck(store(), mine.project, { slug: 'two' });
    await addCheck(store(), theirs.project, { slug: 'three' });
    const pingKeyDigest = mine.project.pingKeyDigest ?? '';

    const found = await store().transaction((tx) =>
      tx.checks.uuidsBySlug(['two', 'three', 'one'].map((slug) => ({ pingKeyDigest, slug }))),
    );

    const expected = [one, two, twin].map(({ slug, uuid }) => ({ pingKeyDigest, slug, uuid }));
    const byUuid = (a: { uuid: string }, b: { uuid: string }) => (a.uuid < b.uuid ? -1 : 1);
    assert.deepEqual(found.map((row) => ({ ...row })).sort(byUuid), expected.sort(byUuid));
    const unknown = [{ pingKeyDigest: unique(), slug: 'one' }];
    assert.deepEqual(await store().transaction((tx) => tx.checks.uuidsBySlug(unknown)), []);
  });

  test('a project that is locked by its ping key makes the next one wait', async () => {
    const { project } = await givenProject(store(), { project: { pingKeyDigest: unique() } });
    const create = () =>
      store().transaction(async (tx) => {
        const held = await tx.projects.lockByPingKey(project.pingKeyDigest ?? '');
        const existing = await tx.checks.outlinesOf(project.id, { slug: 'new', tags: [] });
        if (held !== null && existing.length === 0)
          await tx.checks.insert(checkRecord(project.id, { slug: 'new' }));
      });

    await Promise.all(Array.from({ length: 10 }, create));

    assert.equal((await store().checks.outlinesOf(project.id, { slug: 'new', tags: [] })).length, 1);
  });

  test('the oldest check that equals all given values matches', async () => {
    const { project } = await givenProject(store());
    await addCheck(store(), project, { name: 'db', tags: 'prod', timeoutSeconds: 60 });
    const wanted = await addCheck(store(), project, { name: 'db', tags: 'prod' });
    await addCheck(store(), project, { name: 'db', tags: 'prod' });
    const match = { name: 'db', tags: 'prod', timeoutSeconds: 86_400, graceSeconds: 3_600, slug: '' };

    assert.equal((await lockMatching(store(), project, match))?.id, wanted.id);
  });

  test('each single value is compared', async () => {
    const { project } = await givenProject(store());
    const values = { name: 'db', slug: 'db', tags: 'prod', timeoutSeconds: 60, graceSeconds: 120 };
    const check = await addCheck(store(), project, values);

    for (const [field, value] of Object.entries(values)) {
      assert.equal((await lockMatching(store(), project, { [field]: value }))?.id, check.id, field);
      const different = typeof value === 'number' ? value + 1 : `${value} `;
      assert.equal(await lockMatching(store(), project, { [field]: different }), null, field);
    }
  });

  test('a match is exact to the character', async () => {
    const { project } = await givenProject(store());
    await addCheck(store(), project, { name: 'Caf\u00e9 100%' });

    for (const name of ['caf\u00e9 100%', 'Cafe\u0301 100%', 'Caf_ 100%', '%', '', 'Caf\u00e9 100% ']) {
      assert.equal(await lockMatching(store(), project, { name }), null, name);
    }
    assert.notEqual(await lockMatching(store(), project, { name: 'Caf\u00e9 100%' }), null);
  });

  test('an empty value matches checks that have it empty', async () => {
    const { project } = await givenProject(store());
    await addCheck(store(), project, { name: 'db' });
    const nameless = await addCheck(store(), project, { name: '' });

    assert.equal((await lockMatching(store(), project, { name: '' }))?.id, nameless.id);
  });

  test('a check of another project does not match', async () => {
    await givenCheck(store(), { name: 'db' });
    const { project } = await givenProject(store());

    assert.equal(await lockMatching(store(), project, { name: 'db' }), null);
  });
}

const UNREAD: readonly string[] = SETTING_NAMES.filter((name) => !RULES.some((rule) => rule === name));

/** A ping reads no setting but the rules. */
function asHeld({
  badgeKey,
  uniqueKey,
  createdAt,
  sources,
  snoozedUntilAt,
  snoozedBy,
  ...check
}: Check): HeldCheck {
  const read = Object.entries(check).filter(([name]) => !UNREAD.includes(name));
  // The entries that are left are those of the type.
  return { ...(Object.fromEntries(read) as typeof check), alarmAt: check.deadlineAt };
}

function change(store: Store, { uuid }: Check, state: Partial<CheckState>): Promise<void> {
  return store.transaction(async (tx) => {
    const held = await tx.checks.lockMany([uuid]);
    await tx.checks.saveChanges(held.map((before) => ({ before, after: { ...before, ...state } })));
  });
}

async function isOverdue(store: Store, { id }: Check, now: number): Promise<boolean> {
  const overdue = await store.transaction((tx) => tx.checks.lockOverdue(now, 1_000));
  return overdue.some((check) => check.id === id);
}

function lockMatching(
  store: Store,
  project: Project,
  match: Parameters<Writes['checks']['lockMatching']>[1],
) {
  return store.transaction((tx) => tx.checks.lockMatching(project.id, match));
}
