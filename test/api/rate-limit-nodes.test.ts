import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppError } from '../../src/domain/errors.ts';
import { RateLimit } from '../../src/http/rate-limit.ts';
import type { TokenRule } from '../../src/lib/token-bucket.ts';
import { drawTokens, MAX_PORTION } from '../../src/services/core/rate-buckets.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { START, startTestApp, type TestApp } from '../app.ts';
import { seeded } from '../crash/seeded.ts';
import { openTestDriver } from '../engines.ts';
import { FakeClock } from '../fake-clock.ts';
import { assertStatus } from './answers.ts';

const NODES = 3;

/** Tokens that were spent at some time. */
interface Spent {
  readonly at: number;
  readonly tokens: number;
}

describe('the rate of a project on several nodes', () => {
  const parts = new AsyncDisposableStack();
  const stores: Store[] = [];
  let app: TestApp;

  before(async () => {
    app = parts.use(await startTestApp('postgres', { rateLimitPerMinute: 100 }));
    while (stores.length < NODES) stores.push(createSqlStore(parts.use(await openTestDriver(app.database))));
  });
  after(() => parts.disposeAsync());

  /** A node's own count, over its own connections to the one database. */
  function givenNodes(rule: TokenRule, clock: FakeClock, count = NODES): RateLimit[] {
    return stores
      .slice(0, count)
      .map(
        (store) =>
          new RateLimit(
            rule,
            clock,
            (id, needed) => drawTokens({ store, clock }, { kind: 'project', id }, rule, needed),
            assert.ifError,
          ),
      );
  }

  async function isAdmitted(node: RateLimit, projectId: number, tokens = 1): Promise<boolean> {
    try {
      await node.take(projectId, tokens);
      return true;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'too_many_requests', String(error));
      return false;
    }
  }

  for (const seed of [1, 2, 3, 4, 5, 6]) {
    test(`all nodes together stay within the burst, the rate and a portion each (seed ${seed})`, async () => {
      const random = seeded(seed);
      const upTo = (most: number) => 1 + Math.floor(random() * most);
      const rule = { perMinute: upTo(300), capacity: upTo(2_000) };
      const clock = new FakeClock(START);
      const nodes = givenNodes(rule, clock);
      const { id } = (await app.givenProject()).project;
      const spent: Spent[] = [];

      for (let step = 0; step < 60; step++) {
        const requests = Array.from({ length: upTo(150) }, async () => {
          const node = nodes[upTo(NODES) - 1];
          const tokens = random() < 0.1 ? upTo(40) : 1;
          const cost = Math.min(tokens, rule.capacity);
          if (node !== undefined && (await isAdmitted(node, id, tokens)))
            spent.push({ at: clock.now(), tokens: cost });
        });
        await Promise.all(requests);
        clock.advance({ seconds: random() < 0.1 ? upTo(600) : upTo(5) - 1 });
      }

      const gained = (from: number, to: number) => ((to - from) / 60_000_000) * rule.perMinute;
      let sum = 0;
      let most = Number.NEGATIVE_INFINITY;
      let least = 0;
      for (const { at, tokens } of spent) {
        // The most that any span of time up to now has had beyond the rate.
        least = Math.min(least, sum - gained(START, at));
        sum += tokens;
        assert.ok(sum <= rule.capacity + gained(START, at), 'since the first request');
        most = Math.max(most, sum - gained(START, at) - least);
      }
      assert.ok(sum > rule.capacity, 'more was asked for than the burst');
      assert.ok(most <= rule.capacity + NODES * MAX_PORTION, `within any span of time: ${most}`);
    });
  }

  test('after a clock that was wrong the bucket fills at the same rate as before', async () => {
    const rule = { perMinute: 60, capacity: 20 };
    const clock = new FakeClock(START);
    const { id } = (await app.givenProject()).project;
    clock.advance({ days: 1 });
    for (const node of givenNodes(rule, clock)) while (await isAdmitted(node, id));

    clock.advance({ days: -1 });
    const nodes = givenNodes(rule, clock);

    for (let second = 0; second < 10; second++) {
      const admitted = await Promise.all(nodes.map((node) => isAdmitted(node, id)));
      assert.equal(admitted.filter(Boolean).length, second === 0 ? 0 : 1, `second ${second}`);
      clock.advance({ seconds: 1 });
    }
  });

  test('a project that keeps to its rate is never refused, however its requests are spread', async () => {
    const random = seeded(7);
    const rule = { perMinute: 60, capacity: 20 };
    const clock = new FakeClock(START);
    const nodes = givenNodes(rule, clock);
    const { id } = (await app.givenProject()).project;

    for (let n = 0; n < 300; n++) {
      const node = nodes[Math.floor(random() * NODES)];
      assert.ok(node !== undefined && (await isAdmitted(node, id)), `request ${n}`);
      clock.advance({ seconds: 1 });
    }
  });

  test('one node admits nothing that another has used up, and says when to come again', async () => {
    const rule = { perMinute: 6, capacity: 12 };
    const clock = new FakeClock(START);
    const [first, second] = givenNodes(rule, clock, 2);
    assert.ok(first !== undefined && second !== undefined);
    const { id } = (await app.givenProject()).project;

    for (let n = 0; n < 12; n++) assert.ok(await isAdmitted(n % 2 === 0 ? first : second, id));

    for (const node of [first, second]) {
      await assert.rejects(node.take(id, 1), { code: 'too_many_requests', retryAfterSeconds: 10 });
    }
    clock.advance({ seconds: 10 });
    assert.ok(await isAdmitted(second, id));
    assert.equal(await isAdmitted(first, id), false);
  });

  test('a request within a portion asks the database for no tokens, and a burst asks seldom', async (t) => {
    const rule = { perMinute: 100, capacity: 5_000 };
    const clock = new FakeClock(START);
    const [node] = givenNodes(rule, clock, 1);
    const [store] = stores;
    assert.ok(node !== undefined && store !== undefined);
    const { id } = (await app.givenProject()).project;
    const drawn = t.mock.method(store, 'transaction');

    for (let n = 0; n < MAX_PORTION; n++) await node.take(id, 1);
    assert.equal(drawn.mock.callCount(), 1);
    while (await isAdmitted(node, id));
    assert.ok(drawn.mock.callCount() < 150, String(drawn.mock.callCount()));
    const before = drawn.mock.callCount();
    for (let n = 0; n < 1_000; n++) assert.equal(await isAdmitted(node, id), false);

    assert.equal(drawn.mock.callCount(), before, 'what is refused asks nobody');
  });

  test('a request of the API writes nothing while its node has tokens in hand', async (t) => {
    const { key } = await app.givenProject();
    const list = async () => assertStatus(await app.request('GET', '/api/v3/checks/', { key }), 200);
    await list();

    const written = t.mock.method(app.deps.store, 'transaction');
    for (let n = 1; n < MAX_PORTION; n++) await list();

    assert.equal(written.mock.callCount(), 0);
  });

  test('a database that cannot be asked for tokens refuses no request', async (t) => {
    const { key } = await app.givenProject();
    t.mock.method(app.deps.store, 'transaction', () =>
      Promise.reject(new AppError('storage_unavailable', 'read-only', { retryAfterSeconds: 1 })),
    );

    for (let n = 0; n < 3 * MAX_PORTION; n++)
      assertStatus(await app.request('GET', '/api/v3/checks/', { key }), 200);
  });
});
