import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { AccountLimits } from '../../src/domain/people/account.ts';
import type { Signal } from '../../src/domain/ping/ping.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { pingRecord } from '../records.ts';
import { assertError, assertStatus } from './answers.ts';

const A = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const B = '9f2a3a37-1f4d-4a3b-8a44-000000000002';
const KEYS = ['type', 'date', 'n', 'scheme', 'remote_addr', 'method', 'ua', 'rid', 'body_url'];

interface PingAnswer {
  readonly type: string;
  readonly date: string;
  readonly n: number;
  readonly body_url: string | null;
  readonly duration?: number;
}

/** A ping: what it means, how many seconds after START it came, and its run. */
type Sent = readonly [signal: Signal, second: number, rid?: string];

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(limits: AccountLimits = { checks: 20, pings: 100 }) {
    const given = await app().givenProject({ limits });
    const check = await app().givenCheck(given.project);
    const get = (suffix: string, version = 3) =>
      app().request('GET', `/api/v${version}/checks/${check.uuid}/pings/${suffix}`, { key: given.key });
    const list = async (): Promise<PingAnswer[]> => {
      const reply = await get('');
      assertStatus(reply, 200);
      return (reply.json as { pings: PingAnswer[] }).pings;
    };
    /** Durations by ping number. */
    const durations = async () =>
      Object.fromEntries(
        (await list()).filter((ping) => 'duration' in ping).map(({ n, duration }) => [n, duration]),
      );
    return { ...given, check, get, list, durations };
  }

  async function receive(check: Check, sent: readonly Sent[]): Promise<void> {
    for (const [signal, second, rid] of sent) {
      app().clock.set((START + seconds(second)) as Instant);
      await app().receive(check, signal, rid);
    }
  }

  /** Many pings in one transaction, a second apart. */
  async function store(check: Check, count: number): Promise<void> {
    await app().deps.store.transaction(async (tx) => {
      const current = await tx.checks.lock(check.id);
      assert.ok(current);
      await tx.pings.insertMany(
        Array.from({ length: count }, (_, index) =>
          pingRecord(check.id, {
            n: index + 1,
            createdAt: START + seconds(index + 1),
            remoteAddr: null,
            body: Buffer.from(`body ${index + 1}`),
          }),
        ),
      );
      await tx.checks.saveState({ ...current, pingCount: count });
    });
  }

  test('a ping has its fields in the order that clients know', async () => {
    const { check, get } = await givenCheck();
    app().clock.set(START + 987_654);
    await app().receive(check, 'success');

    const reply = await get('');

    assertStatus(reply, 200);
    assert.equal(reply.headers['content-type'], 'application/json');
    assert.equal(
      reply.text,
      JSON.stringify({
        pings: [
          {
            type: 'success',
            date: '2024-03-01T12:00:00.987654+00:00',
            n: 1,
            scheme: 'http',
            remote_addr: '192.0.2.7',
            method: 'GET',
            ua: 'curl/8.5.0',
            rid: null,
            body_url: null,
          },
        ],
      }),
    );
  });

  test('a ping that came by e-mail has neither address nor method', async () => {
    const { check, list } = await givenCheck();
    await app().givenPing(check, {
      scheme: 'email',
      method: '',
      remoteAddr: null,
      userAgent: 'Email from alice@example.org',
      rid: A,
    });

    assert.deepEqual(await list(), [
      {
        type: 'success',
        date: '2024-03-01T12:00:00.000000+00:00',
        n: 1,
        scheme: 'email',
        remote_addr: null,
        method: '',
        ua: 'Email from alice@example.org',
        rid: A,
        body_url: null,
      },
    ]);
  });

  test('a check without pings has an empty list', async () => {
    const { get } = await givenCheck();

    assert.equal((await get('')).text, '{"pings":[]}');
  });

  test('the list is as long as the owner’s plan keeps pings, newest first', async () => {
    const { check, list } = await givenCheck({ checks: 20, pings: 3 });
    await store(check, 5);

    assert.deepEqual(
      (await list()).map(({ n }) => n),
      [5, 4, 3],
    );
  });

  test('the list never has more than 1000 pings', async () => {
    const { check, list } = await givenCheck({ checks: 20, pings: 5_000 });
    await store(check, 1_200);

    const pings = await list();

    assert.equal(pings.length, 1_000);
    assert.deepEqual([pings[0]?.n, pings[999]?.n], [1_200, 201]);
  });

  const runs: [name: string, sent: readonly Sent[], durations: Record<number, number>][] = [
    [
      'the success that ends a run has its duration, whatever came in between',
      [
        ['start', 0],
        ['log', 1],
        ['ign', 2],
        ['success', 3.456],
      ],
      { 4: 3.46 },
    ],
    [
      'concurrent runs are told apart by their ids',
      [
        ['start', 0, A],
        ['start', 60, B],
        ['success', 120, A],
        ['success', 360, B],
      ],
      { 3: 120, 4: 300 },
    ],
    [
      'of two successes after one start only the first has a duration',
      [
        ['start', 0],
        ['success', 10],
        ['success', 20],
      ],
      { 2: 10 },
    ],
    [
      'a failure ends a run, too',
      [
        ['start', 0],
        ['fail', 10],
      ],
      { 2: 10 },
    ],
    [
      'a run of 72 hours has no duration',
      [
        ['start', 0],
        ['success', 72 * 3_600],
      ],
      {},
    ],
    [
      'a run just short of 72 hours has one',
      [
        ['start', 0],
        ['success', 72 * 3_600 - 1],
      ],
      { 2: 72 * 3_600 - 1 },
    ],
    [
      'an end in the same microsecond took no time at all',
      [
        ['start', 0],
        ['success', 0],
      ],
      { 2: 0 },
    ],
  ];
  for (const [name, sent, durations] of runs) {
    test(name, async () => {
      const given = await givenCheck();
      await receive(given.check, sent);

      assert.deepEqual(await given.durations(), durations);
    });
  }

  test('the duration stands last', async () => {
    const { check, list } = await givenCheck();
    await receive(check, [
      ['start', 0],
      ['success', 1],
    ]);

    const [success, start] = await list();

    assert.deepEqual(Object.keys(success ?? {}), [...KEYS, 'duration']);
    assert.deepEqual(Object.keys(start ?? {}), KEYS);
  });

  for (const [number, strays] of [
    ['227', 11],
    ['228', 10],
    ['227', 60],
  ] as const) {
    test(`${number}: ${strays} successes without a start take no duration from the others`, async () => {
      const { check, durations } = await givenCheck();
      await receive(check, [
        ...Array.from({ length: strays }, (_, index): Sent => {
          return ['success', index, `9f2a3a37-1f4d-4a3b-8a44-0000000001${String(index).padStart(2, '0')}`];
        }),
        ['start', 100, A],
        ['success', 105, A],
      ]);

      assert.deepEqual(await durations(), { [strays + 2]: 5 });
    });
  }

  test('a run that began before the page has its duration', async () => {
    const { check, list, durations } = await givenCheck({ checks: 20, pings: 3 });
    await receive(check, [
      ['start', 0, A],
      ['start', 10, B],
      ['log', 20],
      ['success', 30, B],
      ['success', 40, A],
    ]);

    assert.deepEqual(
      (await list()).map(({ n }) => n),
      [5, 4, 3],
    );
    assert.deepEqual(await durations(), { 4: 20, 5: 40 });
  });

  test('a run that ended before the page is not ended again on it', async () => {
    const { check, durations } = await givenCheck({ checks: 20, pings: 1 });
    await receive(check, [
      ['start', 0],
      ['success', 10],
      ['success', 20],
    ]);

    assert.deepEqual(await durations(), {});
  });

  test('an exit status is stored with the failure and is not shown', async () => {
    const { check, list } = await givenCheck();
    await app().givenPing(check, { signal: 'fail', exitStatus: 3 });
    await app().givenPing(check, { signal: 'success', exitStatus: 0 });
    await app().givenPing(check, { signal: 'ign', exitStatus: 3 });

    const pings = await list();

    assert.deepEqual(
      pings.map(({ type }) => type),
      ['ign', 'success', 'fail'],
    );
    for (const ping of pings) assert.deepEqual(Object.keys(ping), KEYS);
  });

  test('a ping at a whole second has a date with microseconds', async () => {
    const { check, list } = await givenCheck();
    await receive(check, [['log', 0]]);
    app().clock.set(START + 500);
    await app().receive(check, 'log');

    assert.deepEqual(
      (await list()).map(({ date }) => date),
      ['2024-03-01T12:00:00.000500+00:00', '2024-03-01T12:00:00.000000+00:00'],
    );
  });

  test('a ping with a body says where it is, in the version that was asked', async () => {
    const { check, get } = await givenCheck();
    await app().givenPing(check, { method: 'POST', body: Buffer.from('hello') });
    await app().givenPing(check, { method: 'POST', body: Buffer.from('') });
    await app().givenPing(check, { body: null });

    for (const version of [1, 2, 3]) {
      const { pings } = (await get('', version)).json as { pings: PingAnswer[] };
      assert.deepEqual(
        pings.map(({ body_url }) => body_url),
        [null, null, `http://testserver/api/v${version}/checks/${check.uuid}/pings/1/body`],
      );
    }
  });

  test('a body comes back byte for byte, as plain text', async () => {
    const { check, get } = await givenCheck();
    const bodies = [
      Buffer.from([...Buffer.from('Hello'), 0x01, 0x99, ...Buffer.from('World')]),
      Buffer.from([0]),
      Buffer.from('ünï 🔔\r\n'),
      Buffer.from('<script>alert(1)</script>'),
    ];
    for (const body of bodies) await app().givenPing(check, { body });

    for (const [index, body] of bodies.entries()) {
      const reply = await get(`${index + 1}/body`);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
      assert.deepEqual(reply.bytes, body);
    }
    assert.deepEqual((await get('0001/body')).bytes, bodies[0]);
  });

  test('a ping without a body has none to show, and neither has one that there is not', async () => {
    const { check, get } = await givenCheck();
    await app().givenPing(check, { body: null });
    await app().givenPing(check, { body: Buffer.from('') });

    for (const n of ['1', '2', '99', '0', '9'.repeat(10), '9'.repeat(20), '9'.repeat(400)])
      assertError(await get(`${n}/body`), 404, 'ping body not found', n);
    for (const n of ['x', '-1', '1.5', '1e1', '%31x', ''])
      assertError(await get(`${n}/body`), 404, 'not found', n);
  });

  test('a body beyond the plan’s limit is gone, even while it is still stored', async () => {
    const { check, get } = await givenCheck({ checks: 20, pings: 100 });
    await store(check, 101);

    assertError(await get('1/body'), 404, 'ping body not found');
    assert.equal((await get('2/body')).text, 'body 2');
    assert.equal((await get('101/body')).text, 'body 101');
  });

  test('the limit for bodies is the plan’s, also beyond the length of the list', async () => {
    const { check, get } = await givenCheck({ checks: 20, pings: 5_000 });
    await store(check, 1_200);

    assert.equal((await get('1/body')).text, 'body 1');
  });

  test('the pings of another project are out of reach, as are those of no check', async () => {
    const { check } = await givenCheck();
    await app().givenPing(check, { body: Buffer.from('secret') });
    const { key } = await app().givenProject();
    const pings = `/api/v3/checks/${check.uuid}/pings/`;
    const nowhere = '/api/v3/checks/00000000-0000-4000-8000-000000000000/pings/';

    assertError(await app().request('GET', pings, { key }), 403, 'access denied');
    assertError(await app().request('GET', `${pings}1/body`, { key }), 403, 'access denied');
    assertError(await app().request('GET', nowhere, { key }), 404, 'check not found');
    assertError(await app().request('GET', `${nowhere}1/body`, { key }), 404, 'check not found');
    assertError(await app().request('GET', `${pings}1/body`), 401, 'missing api key');
  });
});
