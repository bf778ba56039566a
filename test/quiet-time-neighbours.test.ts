import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuietTimeLoop } from '../src/alerts/quiet-time-loop.ts';
import { HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { QuietTimeInput } from '../src/domain/check/quiet-time.ts';
import { QuietTimeTurns } from '../src/services/check/quiet-coverage.ts';
import { announceQuietTime } from '../src/services/check/quiet-times.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { log } from './alerts.ts';
import { type GivenProject, START, sharedTestApp } from './app.ts';
import { counted } from './counted-driver.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { checkRecord } from './records.ts';

const BEGINS = START + HOUR;
/** More than three transactions cover. */
const MANY = 700;

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenChecks({ project }: GivenProject, count: number): Promise<Check[]> {
    return app().deps.store.transaction(async (tx) => {
      const checks: Check[] = [];
      for (let n = 0; n < count; n++)
        checks.push(await tx.checks.insert(checkRecord(project.id, { status: 'up', lastPingAt: START })));
      return checks;
    });
  }

  const announce = ({ project }: GivenProject, input: Partial<QuietTimeInput> = {}) =>
    announceQuietTime(app().deps, systemActor(project.id), {
      ...{ name: 'deploy', reason: '', checks: [], tags: '', schedule: '', tz: 'UTC' },
      ...{ fromAt: BEGINS, untilAt: null, durationSeconds: 3600 },
      ...input,
    });

  /** How many of the checks are covered. */
  const coveredOf = async ({ project }: GivenProject) =>
    (await app().deps.store.checks.ofProject(project.id)).filter(({ quietUntilAt }) => quietUntilAt !== null)
      .length;

  const onPoison = () => assert.fail();

  test('accounts take turns: one with very many checks lets the quiet times of others begin in between', async () => {
    const [attacker, neighbour] = [await app().givenProject(), await app().givenProject()];
    const second = await app().givenProject({ ownerId: attacker.ownerId });
    for (const project of [attacker, second]) {
      await givenChecks(project, MANY);
      for (let n = 0; n < 5; n++) await announce(project, { name: `attack ${n}`, fromAt: BEGINS - MINUTE });
    }
    await givenChecks(neighbour, 1);
    await announce(neighbour);
    app().clock.set(BEGINS - MINUTE);
    const turns = new QuietTimeTurns({ ...app().deps, onPoison });

    await turns.next();
    await turns.next();

    assert.equal(await coveredOf(neighbour), 1);
    assert.equal((await coveredOf(attacker)) + (await coveredOf(second)), 200);
    while (await turns.next());
    assert.deepEqual([await coveredOf(attacker), await coveredOf(second)], [MANY, MANY]);
  });

  test('quiet times of a project that begin together look at each check once', async () => {
    const project = await app().givenProject();
    await givenChecks(project, MANY);
    for (let n = 0; n < 50; n++)
      await announce(project, { name: `${n}`, fromAt: BEGINS + n, durationSeconds: 60 });
    await announce(project, { name: 'nightly', schedule: '0 13 * * *', fromAt: null, durationSeconds: 60 });
    app().clock.set(BEGINS);
    await using inner = await openTestDriver(app().database);
    const { driver, statements } = counted(inner);
    const deps: Deps = { ...app().deps, store: createSqlStore(driver) };
    const turns = new QuietTimeTurns({ ...deps, onPoison });

    let count = 0;
    while (await turns.next()) count++;

    assert.equal(count, Math.ceil((MANY + 1) / 200));
    // The quiet times in force are read for each two hundred of them.
    assert.ok(statements.rows < MANY + (count + 1) * 60, `${statements.rows} rows`);
    assert.equal(await coveredOf(project), MANY);
  });

  test('deadlines wait once for an account that does not get done, and for others as ever', async () => {
    const [attacker, neighbour] = [await app().givenProject(), await app().givenProject()];
    for (const project of [attacker, neighbour]) await givenChecks(project, MANY);
    await announce(attacker);
    app().clock.set(BEGINS + MINUTE);
    let now = 0;
    // Each look at the time is a second later.
    const clock = { monotonic: () => (now += 1_000_000) };
    const loop = new QuietTimeLoop(app().deps, log, clock);

    await loop.ensureBegun();
    const before = await coveredOf(attacker);
    assert.ok(before > 0 && before < MANY, `${before} were covered`);
    now += 10_000_000;
    await loop.ensureBegun();
    assert.equal(await coveredOf(attacker), before);

    await announceUncovered(neighbour);
    now += 10_000_000;
    await loop.ensureBegun();
    assert.ok((await coveredOf(neighbour)) > 0);

    while ((await loop.tick()) === true);
    assert.deepEqual([await coveredOf(attacker), await coveredOf(neighbour)], [MANY, MANY]);
  });

  /** It runs, and nobody has covered its checks. */
  async function announceUncovered(project: GivenProject): Promise<void> {
    const announced = await announce(project, { fromAt: BEGINS + HOUR });
    const running = { ...announced, fromAt: BEGINS, nextAt: BEGINS - MINUTE };
    await app().deps.store.transaction((tx) => tx.quietTimes.update(running));
  }
});
