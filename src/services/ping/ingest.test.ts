import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { START, sharedTestApp } from '../../../test/app.ts';
import { forEachEngine } from '../../../test/engines.ts';
import { allFlips, givenPingKey, pingsOf, state, stored } from '../../../test/ping/answers.ts';
import { incomingPing, storedChecks } from '../../../test/records.ts';
import { HOUR, MINUTE } from '../../domain/check/check.test-support.ts';
import type { Check } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import type { IncomingPing, PingTarget } from '../../domain/ping/incoming-ping.ts';
import { type MailFilter, mailFilterOf } from '../../domain/ping/mail-filter.ts';
import { pingKeyDigest } from '../project/projects.ts';
import { ingestPings } from './ingest.ts';

const UNKNOWN = { uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  const ingest = (...batch: readonly IncomingPing[]) => ingestPings(app().deps, batch);

  async function given(overrides: Partial<Check> = {}) {
    const { project } = await app().givenProject();
    const key = await givenPingKey(app(), project);
    const check = await app().givenCheck(project, { slug: 'job', ...overrides });
    const slug = (text: string, create = false): PingTarget => ({
      pingKeyDigest: pingKeyDigest(key),
      slug: text,
      create,
    });
    return { project, check, slug };
  }

  test('a failure counts the runs that were missed before it, and not those of a time in which nobody watched', async () => {
    const { check } = await given({ kind: 'cron', schedule: '0 * * * *', graceSeconds: 600 });
    const badCount = async () => (await stored(app(), check)).badCount;
    await ingest(incomingPing(check));
    app().clock.advance({ hours: 3 });
    await ingest(incomingPing(check, { signal: 'fail' }));
    assert.equal(await badCount(), 3);

    app().clock.advance({ hours: 4 });
    const now = app().clock.now();
    const span = { from: now - 3 * HOUR, until: now - HOUR };
    await app().deps.store.transaction((tx) => tx.liveness.addBlindSpan(span));
    await ingest(incomingPing(check, { signal: 'fail' }));
    assert.equal(await badCount(), 5);

    await ingest(incomingPing(check));
    assert.equal(await badCount(), 0);
  });

  test('a batch of nothing does nothing', async () => {
    assert.deepEqual(await ingest(), []);
  });

  test('each ping of a batch is told what became of it, in the order given', async () => {
    const { project, check, slug } = await given();
    await app().givenCheck(project, { slug: 'twin' });
    await app().givenCheck(project, { slug: 'twin' });

    const outcomes = await ingest(
      incomingPing(check, { signal: 'start' }),
      incomingPing(UNKNOWN),
      incomingPing(slug('job'), { signal: 'log' }),
      incomingPing(slug('twin')),
      incomingPing(check, { fault: 'invalid_rid' }),
      incomingPing(UNKNOWN, { fault: 'invalid_exit_status' }),
      incomingPing(slug('other')),
      incomingPing(slug('other', true), { fault: 'invalid_exit_status' }),
      incomingPing(slug('twin', true)),
      incomingPing(slug('job', true)),
    );

    assert.deepEqual(outcomes, [
      'recorded',
      'not_found',
      'recorded',
      'ambiguous',
      'invalid_rid',
      'not_found',
      'not_found',
      'invalid_exit_status',
      'ambiguous',
      'recorded',
    ]);
    const seen = (await pingsOf(app(), check)).map(({ n, signal }) => [n, signal]);
    assert.deepEqual(seen, [
      [1, 'start'],
      [2, 'log'],
      [3, 'success'],
    ]);
  });

  test('pings of one batch follow from each other', async () => {
    const { check } = await given();

    await ingest(
      incomingPing(check, { signal: 'fail', body: Buffer.from('please confirm') }),
      incomingPing(check),
      incomingPing(check, { signal: 'start' }),
      incomingPing(check, { signal: 'fail' }),
      incomingPing(check, { signal: 'log' }),
    );

    const flips = (await allFlips(app(), check)).map(({ newStatus }) => newStatus);
    assert.deepEqual(flips, ['down', 'up', 'down']);
    assert.deepEqual(
      await state(app(), check, 'status', 'pingCount', 'lastStartAt', 'lastDuration', 'hasConfirmationLink'),
      { status: 'down', pingCount: 5, lastStartAt: null, lastDuration: 0, hasConfirmationLink: false },
    );
  });

  test('pings of several checks in one batch keep apart', async () => {
    const { project } = await app().givenProject();
    const checks = await Promise.all([1, 2, 3].map(() => app().givenCheck(project)));
    const signals = ['success', 'fail', 'start'] as const;

    await ingest(
      ...[0, 1, 2, 3].flatMap((n) =>
        checks.map((check, index) =>
          incomingPing(check, { signal: signals[index] ?? 'log', body: Buffer.from(`${index}-${n}`) }),
        ),
      ),
    );

    for (const [index, check] of checks.entries()) {
      const pings = await pingsOf(app(), check);
      assert.deepEqual(
        pings.map(({ n, signal }) => [n, signal]),
        [1, 2, 3, 4].map((n) => [n, signals[index]]),
      );
      const body = await app().deps.store.pings.body(check.id, 4);
      assert.equal(Buffer.from(body ?? []).toString(), `${index}-3`);
    }
  });

  test('a check that cannot be evaluated does not keep the others from being recorded', async () => {
    const poisoned = await given();
    const healthy = await given();
    await app().deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...poisoned.check, kind: 'cron', schedule: 'every other day' }),
    );

    const outcomes = await ingest(
      incomingPing(healthy.check, { signal: 'start' }),
      incomingPing(poisoned.check),
      incomingPing(healthy.check),
      incomingPing(poisoned.check, { signal: 'log' }),
    );

    const [first, second, third, fourth] = outcomes;
    assert.deepEqual([first, third, fourth], ['recorded', 'recorded', 'recorded']);
    assert.ok(typeof second === 'object' && 'failure' in second && second.failure instanceof Error);
    assert.deepEqual(
      (await pingsOf(app(), healthy.check)).map(({ n }) => n),
      [1, 2],
    );
    // Pings that do not need the schedule are recorded even there, and the number of the lost ping is not used up.
    assert.deepEqual(
      (await pingsOf(app(), poisoned.check)).map(({ n, signal }) => [n, signal]),
      [[1, 'log']],
    );
  });

  test('times never go back, however the clock does', async () => {
    const { check } = await given();
    await ingest(incomingPing(check, { signal: 'start' }));

    for (const back of [MINUTE, HOUR, 30 * HOUR]) {
      app().clock.set(START - back);
      await ingest(incomingPing(check, { signal: 'log' }), incomingPing(check));
    }
    app().clock.set(START + MINUTE);
    await ingest(incomingPing(check, { signal: 'fail' }));

    const times = (await pingsOf(app(), check)).map(({ createdAt }) => createdAt);
    assert.deepEqual(times, [...Array<number>(7).fill(START), START + MINUTE]);
    const flips = await allFlips(app(), check);
    assert.deepEqual(
      flips.map(({ newStatus }) => newStatus),
      ['up', 'down'],
    );
    const [up, down] = flips.map(({ createdAt }) => createdAt);
    assert.ok(up !== undefined && down !== undefined && up <= down);
  });

  test('the ping that asks for its check is told that it was created, whoever came before', async () => {
    const { slug, project } = await given();

    const outcomes = await ingest(
      incomingPing(slug('fresh')),
      incomingPing(slug('fresh', true), { fault: 'invalid_rid' }),
      incomingPing(slug('fresh', true), { signal: 'start' }),
      incomingPing(slug('fresh', true)),
      incomingPing(slug('fresh')),
    );

    assert.deepEqual(outcomes, ['recorded', 'invalid_rid', 'created', 'recorded', 'recorded']);
    const [, fresh] = await storedChecks(app().deps.store, project);
    assert.ok(fresh !== undefined);
    assert.equal((await stored(app(), fresh)).pingCount, 4);
  });

  test('a faulty ping alone creates nothing', async () => {
    const { slug, project } = await given();

    const outcomes = await ingest(
      incomingPing(slug('fresh', true), { fault: 'invalid_rid' }),
      incomingPing(slug('fresh')),
    );

    assert.deepEqual(outcomes, ['invalid_rid', 'not_found']);
    assert.equal((await app().deps.store.checks.ofProject(project.id)).length, 1);
  });

  test('a batch that fails leaves no trace, not even of the checks it would have created', async () => {
    const { check, slug, project } = await given();
    const { deps } = app();
    const store = {
      ...deps.store,
      transaction: <T>(work: Parameters<typeof deps.store.transaction<T>>[0]) =>
        deps.store.transaction(async (tx) => {
          await work(tx);
          throw new AppError('storage_unavailable', 'the disk is full');
        }),
    };

    const batch = [incomingPing(check), incomingPing(slug('fresh', true))];
    await assert.rejects(ingestPings({ ...deps, store }, batch), /the disk is full/);

    assert.deepEqual(await stored(app(), check), check);
    assert.deepEqual(await pingsOf(app(), check), []);
    assert.deepEqual(await storedChecks(deps.store, project), [check]);
    assert.deepEqual(await ingestPings(deps, batch), ['recorded', 'created']);
  });

  suite('a ping that the database refuses', () => {
    // The column must not be null, whatever the types say.
    const refused = (check: Check) => incomingPing(check, { scheme: null as unknown as string });

    test('fails alone, wherever it stands in its batch, and the others keep their order', async () => {
      for (const [size, guilty] of [
        [1, [0]],
        [2, [1]],
        [7, [0, 3, 6]],
        [8, [5]],
      ] as const) {
        const [one, other] = [await given(), await given()];
        const batch = Array.from({ length: size }, (_, n) => {
          const { check } = n % 2 === 0 ? one : other;
          return guilty.some((index) => index === n)
            ? refused(check)
            : incomingPing(check, { exitStatus: n });
        });

        const outcomes = await ingest(...batch);

        const failed = outcomes.flatMap((outcome, n) => (outcome === 'recorded' ? [] : [n]));
        assert.deepEqual(failed, guilty);
        const recorded = [one, other].map(async ({ check }) =>
          (await pingsOf(app(), check)).map(({ n, exitStatus }) => [n, exitStatus]),
        );
        const expected = [0, 1].map((parity) =>
          Array.from({ length: size }, (_, n) => n)
            .filter((n) => n % 2 === parity && !guilty.some((index) => index === n))
            .map((n, index) => [index + 1, n]),
        );
        assert.deepEqual(await Promise.all(recorded), expected);
      }
    });

    test('does not keep another from creating its check', async () => {
      const { check, slug } = await given();

      const [first, second, third] = await ingest(
        incomingPing(slug('fresh', true)),
        refused(check),
        incomingPing(slug('fresh', true)),
      );

      assert.deepEqual([first, third], ['created', 'recorded']);
      assert.ok(typeof second === 'object');
    });

    test('takes no more transactions than dividing its batch does', async () => {
      const { check } = await given();
      const { deps } = app();
      let transactions = 0;
      const store = {
        ...deps.store,
        transaction: <T>(work: Parameters<typeof deps.store.transaction<T>>[0]) => {
          transactions++;
          return deps.store.transaction(work);
        },
      };

      const batch = Array.from({ length: 64 }, (_, n) => (n === 40 ? refused(check) : incomingPing(check)));
      await ingestPings({ ...deps, store }, batch);

      assert.equal(transactions, 1 + 2 * Math.log2(64));
    });

    test('beside an outage fails for good, and whoever met the outage is told to try again', async () => {
      const { check } = await given();
      const { deps } = app();
      let transactions = 0;
      const store = {
        ...deps.store,
        transaction: <T>(work: Parameters<typeof deps.store.transaction<T>>[0]) =>
          ++transactions > 2
            ? Promise.reject(new AppError('storage_unavailable'))
            : deps.store.transaction(work),
      };

      const outcomes = await ingestPings({ ...deps, store }, [incomingPing(check), refused(check)]);

      assert.equal(outcomes[0], 'recorded');
      assert.ok(
        typeof outcomes[1] === 'object' &&
          'failure' in outcomes[1] &&
          outcomes[1].failure instanceof AppError,
      );
    });
  });

  test('a mail that was read for another filter is not recorded, and says so', async () => {
    const { check } = await given({ filterSubject: true, successKeywords: 'done' });
    const mail = (filter: MailFilter | null) =>
      incomingPing(check, { mail: { filter, signal: 'fail', asksToConfirm: false } });

    const outcomes = await ingest(
      mail(null),
      mail(mailFilterOf({ ...check, successKeywords: 'other' })),
      mail(mailFilterOf(check)),
    );

    assert.deepEqual(outcomes, ['filter_changed', 'filter_changed', 'recorded']);
    assert.deepEqual(
      (await pingsOf(app(), check)).map(({ n, signal }) => [n, signal]),
      [[1, 'fail']],
    );
  });
});
