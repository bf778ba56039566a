import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Project } from '../src/domain/people/project.ts';
import { TEXT_LIMITS } from '../src/domain/text-limits.ts';
import { listOutlines, listSummaries, pagesOf, readChecks } from '../src/services/check/check-list.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { readReminder } from '../src/services/mail/reminders.ts';
import { readReport } from '../src/services/mail/reports.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { checkBadge, listBadges, tagBadge } from '../src/services/public/badges.ts';
import type { Driver, Reader } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { mailPreferencesOf } from './account-mails.ts';
import { START, sharedTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { checkRecord, incomingPing } from './records.ts';

const CHECKS = 30;
/** A row without its long texts has less than this. */
const MAX_ROW_BYTES = 2_000;

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  let driver: Driver;
  let project: Project;
  let ownerId: number;
  let uuids: string[];
  before(async () => {
    driver = await openTestDriver(app().database);
    ({ project, ownerId } = await app().givenProject({ limits: { checks: 1_000, pings: 100 } }));
    const description = 'd'.repeat(TEXT_LIMITS.checkDescription);
    const records = Array.from({ length: CHECKS }, (_, n) =>
      checkRecord(project.id, {
        name: `n${n}`,
        tags: 'a',
        description,
        status: 'up',
        lastPingAt: START,
        deadlineAt: START,
      }),
    );
    uuids = records.map(({ uuid }) => uuid);
    await app().deps.store.transaction(async (tx) => {
      for (const record of records) await tx.checks.insert(record);
    });
  });
  after(() => driver[Symbol.asyncDispose]());

  /** The bytes of JSON that the database hands out during `work`: in all, and in the longest answer. */
  async function read(work: (deps: Deps) => Promise<unknown>): Promise<{ bytes: number; longest: number }> {
    const counts = { bytes: 0, longest: 0 };
    const noted = <Row>(rows: Row[]): Row[] => {
      const length = JSON.stringify(rows).length;
      counts.bytes += length;
      counts.longest = Math.max(counts.longest, length);
      return rows;
    };
    const counted = <T extends Reader>(db: T): T =>
      Object.assign(Object.create(db), {
        all: async (...args: Parameters<Reader['all']>) => noted(await db.all(...args)),
        ...('repeat' in db && {
          repeat: async (sql: string, sets: never[]) =>
            noted(await (db.repeat as (...args: unknown[]) => Promise<unknown[]>)(sql, sets)),
        }),
      });
    const store = createSqlStore({
      dialect: driver.dialect,
      all: async (sql, params) => noted(await driver.all(sql, params)),
      transaction: (inside) => driver.transaction((tx) => inside(counted(tx))),
      probe: () => driver.probe(),
      [Symbol.asyncDispose]: async () => undefined,
    });
    await work({ ...app().deps, store });
    return counts;
  }

  const actor = () => systemActor(project.id);

  const readers: Record<string, (deps: Deps) => Promise<unknown>> = {
    'a badge of a tag': (deps) => {
      const { badgeKey } = project;
      return tagBadge(deps, { badgeKey, tag: 'a', signature: deps.vault.badgeSignature(badgeKey, 'a') });
    },
    'a badge of a check': async (deps) => {
      const [check] = await deps.store.checks.ofProject(project.id);
      return checkBadge(deps, check?.badgeKey ?? '');
    },
    'the list of badges': (deps) => Array.fromAsync(listBadges(deps, actor())),
    'metrics for Prometheus': (deps) => listSummaries(deps, actor()),
    'a report': async (deps) => {
      const preferences = await mailPreferencesOf(app(), ownerId);
      const report = { period: 'daily', at: START } as const;
      return Array.fromAsync(readReport(deps, { ...preferences, reports: 'daily' }, report));
    },
    'a reminder': async (deps) => {
      const preferences = await mailPreferencesOf(app(), ownerId);
      return Array.fromAsync(readReminder(deps, { ...preferences, reminderSeconds: 3_600 }));
    },
    'a ping': (deps) =>
      ingestPings(
        deps,
        uuids.map((uuid) => incomingPing({ uuid })),
      ),
    'a look at deadlines': (deps) => {
      app().clock.advance({ hours: 48 });
      return flipOverdue({ ...deps, onPoison: (_, error) => assert.fail(String(error)) });
    },
  };

  for (const [what, reader] of Object.entries(readers)) {
    test(`${what} reads no descriptions`, async () => {
      const { bytes } = await read(reader);

      assert.ok(bytes > 0);
      assert.ok(bytes < 2 * CHECKS * MAX_ROW_BYTES, `${bytes} bytes`);
    });
  }

  test('whatever a stranger sends with a ping, little of it is kept beside the body', async () => {
    const [uuid = ''] = uuids;
    const headers = {
      'user-agent': 'u'.repeat(4_000),
      'x-forwarded-for': `fe80::1%${'z'.repeat(4_000)}, ${'f'.repeat(2_000)}`,
      'x-forwarded-proto': 'p'.repeat(2_000),
    };

    const reply = await app().ping(`/${uuid}?rid=${crypto.randomUUID()}&x=${'q'.repeat(2_000)}`, { headers });

    assert.equal(reply.status, 200);
    const check = (await app().deps.store.checks.byUuid(uuid)) ?? assert.fail();
    const [ping = assert.fail()] = await app().deps.store.pings.latest(check.id, 1);
    assert.deepEqual([ping.userAgent, ping.remoteAddr, ping.scheme], ['u'.repeat(200), 'fe80::1', 'http']);
    assert.ok(JSON.stringify(ping).length < 600);
  });

  test('a list of checks reads them some at a time', async () => {
    let count = 0;

    const { bytes, longest } = await read(async (deps) => {
      const outlines = await listOutlines(deps, actor(), { slug: null, tags: [] });
      for (const page of pagesOf(outlines)) count += (await readChecks(deps, actor(), page, 0)).length;
    });

    assert.equal(count, CHECKS);
    assert.ok(bytes > CHECKS * TEXT_LIMITS.checkDescription);
    assert.ok(longest < 1_200_000, `${longest} bytes`);
  });
});
