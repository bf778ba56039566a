import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { suite, test } from 'node:test';
import pino from 'pino';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import { Heartbeat } from '../src/alerts/heartbeat.ts';
import { readConfig } from '../src/config/read-config.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { Ailment } from '../src/domain/vitals.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { HttpRequest, HttpResult } from '../src/lib/http-client.ts';
import { seconds } from '../src/lib/instant.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { settleDeliveries } from '../src/services/alert/deliveries.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { Telemetry } from '../src/services/instance/telemetry.ts';
import { Vitals } from '../src/services/instance/vitals.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { PING_WRITER_DEFAULTS, PingWriter } from '../src/services/ping/ping-writer.ts';
import { storageUnavailable } from '../src/storage/driver.ts';
import { endedTries, lease } from './alerts.ts';
import { assertError, assertStatus } from './api/answers.ts';
import { START, sharedTestApp, startTestApp, type TestApp, vitalsOf } from './app.ts';
import { createMigratedPlace, forEachEngine } from './engines.ts';
import { parseExposition } from './exposition.ts';
import { incomingPing } from './records.ts';

const log = pino({ level: 'silent' });
const READY = { ready: true, reasons: [] };

async function givenCheck(app: TestApp, overrides: Partial<Check> = {}): Promise<Check> {
  const { project } = await app.givenProject();
  const check = await app.givenCheck(project, {
    status: 'up',
    lastPingAt: START,
    timeoutSeconds: 3600,
    graceSeconds: 60,
    ...overrides,
  });
  await app.assign(check, await app.givenChannel(project));
  return check;
}

/** The reasons of a node that has just written something, at any time. */
async function reasons(app: TestApp): Promise<Ailment[]> {
  app.node.telemetry.noteWrite();
  const { status, json } = await app.request('GET', '/api/v3/ready/');
  const body = json as { ready: boolean; reasons: Ailment[] };
  assert.equal(status, body.ready ? 200 : 503);
  assert.equal(body.ready, body.reasons.length === 0);
  return body.reasons;
}

forEachEngine((engine) => {
  suite('readiness', () => {
    const shared = sharedTestApp(engine);

    test('of a node: it is alive, and takes pings', async () => {
      for (const version of [1, 2, 3]) {
        for (const [path, said] of [
          ['live', 'alive'],
          ['accepts', 'yes'],
        ]) {
          const { status, headers, text } = await shared().request('GET', `/api/v${version}/${path}/`);
          assert.deepEqual([status, headers['content-type'], text], [200, 'text/plain; charset=utf-8', said]);
          assert.equal(headers['cache-control'], 'no-store');
        }
      }
    });

    test('is told without a key, to whoever asks', async () => {
      for (const version of [1, 2, 3]) {
        const { status, headers, json } = await shared().request('GET', `/api/v${version}/ready/`);

        assert.deepEqual([status, headers['content-type'], json], [200, 'application/json', READY]);
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal('access-control-allow-origin' in headers, false);
      }
      assertStatus(await shared().request('HEAD', '/api/v3/ready/'), 200);
      assertError(await shared().request('POST', '/api/v3/ready/'), 405, 'method not allowed');
      assertStatus(await shared().request('GET', '/api/v3/ready'), 301);
    });

    test('fails when the oldest deadline has been overdue for more than a minute, until it is noticed', async () => {
      await using app = await startTestApp(engine);
      await givenCheck(app);
      app.clock.set(START + seconds(3660 + 60));
      assert.deepEqual(await reasons(app), []);

      app.clock.advance({ seconds: 2 });
      assert.deepEqual(await reasons(app), ['deadlines_late']);

      await flipOverdue({ ...app.deps, onPoison: () => undefined });
      app.clock.advance({ seconds: 1 });
      assert.deepEqual(await reasons(app), []);
    });

    test('does not fail for deadlines that are excused, for checks that cannot be evaluated, nor for alarms of old', async () => {
      await using app = await startTestApp(engine);
      const deadlineLoop = new DeadlineLoop(app.deps, log);
      await deadlineLoop.ensureBeat();
      await givenCheck(app);
      const heard = await givenCheck(app);
      const poison = await givenCheck(app);
      app.clock.advance({ minutes: 30 });
      await ingestPings(app.deps, [incomingPing({ uuid: heard.uuid })]);
      app.clock.advance({ minutes: 45 });
      await deadlineLoop.ensureBeat();
      assert.deepEqual(await reasons(app), []);

      await app.deps.store.transaction((tx) =>
        tx.checks.saveConfig({ ...poison, kind: 'cron', schedule: 'nonsense', deadlineAt: START }),
      );
      app.clock.advance({ seconds: 1 });
      assert.deepEqual(await reasons(app), ['deadlines_late']);
      const failed: number[] = [];
      await flipOverdue({ ...app.deps, onPoison: (id) => failed.push(id) });
      assert.deepEqual(failed, [poison.id]);
      app.clock.advance({ seconds: 1 });
      assert.deepEqual(await reasons(app), []);
    });

    test('fails when a message has been due for more than a minute and nobody has tried to send it', async () => {
      await using app = await startTestApp(engine);
      const check = await givenCheck(app);
      await app.receive(check, 'fail');
      app.clock.advance({ seconds: 60 });
      assert.deepEqual(await reasons(app), []);

      app.clock.advance({ seconds: 2 });
      assert.deepEqual(await reasons(app), ['deliveries_late']);

      const [claimed] = await lease(app.deps, 1);
      assert.equal(claimed?.checkId, check.id);
      app.clock.advance({ seconds: 1 });
      assert.deepEqual(await reasons(app), []);
    });

    test('does not fail for a provider that is down, nor for what waits behind it', async () => {
      await using app = await startTestApp(engine);
      const check = await givenCheck(app);
      await app.receive(check, 'fail');
      for (const pause of [10, 60, 300, 900]) {
        const claimed = await lease(app.deps, 10);
        assert.equal(claimed.length, 1, `before the pause of ${pause} seconds`);
        const outcome = { kind: 'try_again', error: 'down', afterSeconds: null } as const;
        // Pauses are spread by chance, here by none.
        const random = { ...app.deps.random, bytes: (count: number) => new Uint8Array(count).fill(128) };
        await settleDeliveries({ ...app.deps, random }, await endedTries(app.deps, claimed, outcome));
        app.clock.advance({ seconds: pause * 0.7 });
        assert.deepEqual(await reasons(app), []);
        // In the middle of the longest pause the check comes up: that message has to wait for the first.
        if (pause === 900) await app.receive(check, 'success');
        app.clock.advance({ seconds: pause === 900 ? 0 : pause * 0.6 });
      }

      app.clock.advance({ seconds: 120 });
      assert.equal(await app.deps.store.deliveries.openCount(), 2);
      assert.deepEqual(await reasons(app), []);
    });

    test('does not fail for what waits for a destination that is busy', async () => {
      await using app = await startTestApp(engine);
      const check = await givenCheck(app);
      await app.receive(check, 'fail');
      const [open] = await app.deps.store.deliveries.ofCheck(check.id, 1);
      assert.ok(open);
      app.clock.advance({ seconds: 90 });

      const vitals = vitalsOf(app.deps, app.pings, {
        heldBack: () => ({ channels: [open.channelId], accounts: [] }),
      });

      assert.deepEqual(await vitals.ailments(), []);
      assert.deepEqual(await reasons(app), ['deliveries_late']);
    });

    test('fails while the database is away, and says so once it is asked again', async (t) => {
      await using app = await startTestApp(engine);
      const away = t.mock.method(app.deps.store.checks, 'nextDeadlineAt', () =>
        Promise.reject(storageUnavailable('gone')),
      );

      assert.deepEqual(await reasons(app), ['database_away']);
      away.mock.restore();
      app.clock.advance({ seconds: 1 });

      assert.deepEqual(await reasons(app), []);
    });

    test('asks the database once a second at the most, however many ask', async (t) => {
      await using app = await startTestApp(engine);
      const asked = t.mock.method(app.deps.store.checks, 'nextDeadlineAt');

      await Promise.all(Array.from({ length: 20 }, () => reasons(app)));
      await reasons(app);
      assert.equal(asked.mock.callCount(), 1);
      app.clock.advance({ seconds: 1 });
      await reasons(app);

      assert.equal(asked.mock.callCount(), 2);
    });

    test('fails when a loop hangs', async () => {
      await using app = await startTestApp(engine);
      const telemetry = new Telemetry(app.clock);
      const hanging = Promise.withResolvers<number>();
      let isHanging = false;
      const deadlineLoop = telemetry.countTicks('deadlines', { restMs: 1_000 }, async () =>
        isHanging ? hanging.promise : 1,
      );
      const vitals = new Vitals(app.deps, telemetry, PARTS);
      const ailments = async () => {
        telemetry.noteWrite();
        return vitals.ailments();
      };
      await deadlineLoop();
      isHanging = true;

      const tick = deadlineLoop();
      app.clock.advance({ seconds: 61 });
      assert.deepEqual(await ailments(), []);
      app.clock.advance({ seconds: 1 });
      assert.deepEqual(await ailments(), ['deadlines_silent']);
      hanging.resolve(1);
      await tick;
      app.clock.advance({ seconds: 1 });

      assert.deepEqual(await ailments(), []);
    });

    test('does not fail for a loop that said it would rest for longer, nor for slow ticks that are allowed', async () => {
      await using app = await startTestApp(engine);
      const telemetry = new Telemetry(app.clock);
      await telemetry.countTicks('flapping', { restMs: 30_000 }, async () => 600_000)();
      telemetry.countTicks('body_moves', { restMs: 1_000, maxTickMs: 659_000 }, async () => false);
      const vitals = new Vitals(app.deps, telemetry, PARTS);

      app.clock.advance({ seconds: 660 });
      telemetry.noteWrite();
      assert.deepEqual(await vitals.ailments(), []);
      app.clock.advance({ seconds: 1 });

      assert.deepEqual(await vitals.ailments(), ['flapping_silent', 'body_moves_silent']);
    });

    test('fails when the database does not answer at all, before whoever asks gives up', async (t) => {
      await using app = await startTestApp(engine);
      const asked = Promise.withResolvers<void>();
      t.mock.method(app.deps.store, 'probe', () => {
        asked.resolve();
        return new Promise(() => undefined);
      });
      const vitals = vitalsOf(app.deps, app.pings);
      t.mock.timers.enable({ apis: ['setTimeout'] });

      const [judged, probed] = [vitals.ailments(), vitals.probeDatabase()];
      await asked.promise;
      t.mock.timers.tick(10_000);

      await assert.rejects(probed, /no answer within 10000 milliseconds/);
      assert.deepEqual(await judged, ['database_away']);
    });

    test('fails when the clock is far from that of the database', async () => {
      await using app = await startTestApp(engine);

      const vitals = vitalsOf(app.deps, app.pings, { clockAhead: () => -seconds(6) });

      assert.deepEqual(await vitals.ailments(), ['clock_off']);
    });
  });

  suite('the metrics of a node', () => {
    const app = sharedTestApp(engine, { metricsKey: 'sesame' });
    const scrape = (headers: Record<string, string>) => app().request('GET', '/metrics', { headers });

    test('are shown to the right key alone, in either header', async () => {
      for (const headers of [
        {},
        { 'x-metrics-key': 'wrong' },
        { authorization: 'Bearer wrong' },
        { authorization: 'Basic sesame' },
      ])
        assertError(await scrape(headers), 403, 'wrong metrics key');

      for (const headers of [{ 'x-metrics-key': 'sesame' }, { authorization: 'Bearer sesame' }]) {
        const reply = await scrape(headers);
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
      }
      assertError(await app().request('POST', '/metrics'), 405, 'method not allowed');
      const json = await app().request('GET', '/api/v3/metrics/', {
        headers: { authorization: 'Bearer sesame' },
      });
      assert.equal(json.status, 200);
    });

    test('are shut where no key is set', async () => {
      await using shut = await startTestApp(engine);

      for (const headers of [{}, { 'x-metrics-key': '' }, { authorization: 'Bearer ' }])
        assertError(await shut.request('GET', '/metrics', { headers }), 403, 'wrong metrics key');
    });

    test('keep to the rules of the format, and have no label that grows with what is watched', async () => {
      const check = await givenCheck(app(), { name: 'a "name"\nof\\ a tenant' });
      await app().receive(check, 'fail');

      const { text } = await scrape({ 'x-metrics-key': 'sesame' });
      const families = parseExposition(text);

      assert.ok(families.size > 15);
      assert.ok(!text.includes('tenant') && !text.includes(check.uuid));
    });

    test('count pings by what became of them, batches by size, and tries by their end', async () => {
      await using alone = await startTestApp(engine);
      const check = await givenCheck(alone);
      const telemetry = new Telemetry(alone.clock);
      let isAway = false;
      const ingest = telemetry.countPings(async (batch) => {
        alone.clock.advance({ seconds: 0.01 });
        if (isAway) throw storageUnavailable('gone');
        return ingestPings(alone.deps, batch);
      });
      const vitals = new Vitals(alone.deps, telemetry, PARTS);
      const ping = incomingPing({ uuid: check.uuid });
      const nowhere = incomingPing({ uuid: alone.deps.random.uuid() });

      await ingest([ping, { ...ping, fault: 'invalid_rid' }, nowhere, ping]);
      await ingest([ping]);
      isAway = true;
      await assert.rejects(ingest([ping, ping]));
      telemetry.countAttempt(true);
      telemetry.countAttempt(false);
      const { pings, batchSizes, commitSeconds, attempts } = await vitals.measure();

      assert.deepEqual(pings, {
        recorded: 3,
        created: 0,
        not_found: 1,
        ambiguous: 0,
        invalid: 1,
        failed: 0,
        unavailable: 2,
        overloaded: 7,
      });
      assert.deepEqual([batchSizes.counts, batchSizes.sum], [[1, 2, 0, 0, 0], 7]);
      assert.deepEqual(commitSeconds.counts, [0, 0, 3, 0, 0, 0, 0]);
      assert.deepEqual({ ...attempts }, { delivered: 1, failed: 1 });
    });

    test('tell how long after a change the first try to tell it began', async () => {
      await using alone = await startTestApp(engine);
      const check = await givenCheck(alone);
      const { notifier, telemetry } = alone.node;
      const tryAll = async () => {
        await notifier.tick();
        await notifier.settled();
      };
      await alone.receive(check, 'fail');
      const outcome = { kind: 'try_again', error: 'down', afterSeconds: null } as const;
      await settleDeliveries(alone.deps, await endedTries(alone.deps, await lease(alone.deps, 1), outcome));

      alone.clock.advance({ minutes: 10 });
      await tryAll();
      await alone.receive(check, 'success');
      alone.clock.advance({ seconds: 3 });
      await tryAll();

      const { bounds, counts, sum } = telemetry.alertDelays;
      assert.equal(telemetry.attempts.delivered, 2);
      assert.deepEqual([counts[bounds.indexOf(5)], sum], [1, 3]);
    });

    test('tell how late alerts are and what has piled up', async () => {
      await using alone = await startTestApp(engine, { metricsKey: 'sesame' });
      const [overdue, failed] = [await givenCheck(alone), await givenCheck(alone)];
      await alone.receive(failed, 'fail');
      await alone.deps.store.transaction(async (tx) => {
        await tx.bodies.queueMoves([{ checkId: overdue.id, n: 1 }], START);
        await tx.liveness.addBlindSpan({ from: START, until: START + 1 });
      });
      alone.clock.set(START + seconds(3660 + 90));

      const { text } = await alone.request('GET', '/metrics', { headers: { 'x-metrics-key': 'sesame' } });
      const families = parseExposition(text);
      const value = (name: string) => families.get(name)?.samples.get(name);

      assert.equal(value('tocsin_deadline_lateness_seconds'), 90);
      assert.equal(value('tocsin_delivery_lateness_seconds'), 3660 + 90);
      assert.equal(value('tocsin_checks'), 2);
      assert.equal(value('tocsin_deliveries_open'), 1);
      assert.equal(value('tocsin_mails_open'), 0);
      assert.equal(value('tocsin_body_moves_waiting'), 1);
      assert.equal(value('tocsin_blind_spans_total'), 1);
      assert.deepEqual([value('tocsin_ready'), value('tocsin_database_up')], [0, 1]);
    });

    test('without its database a node still tells of itself', async (t) => {
      await using alone = await startTestApp(engine, { metricsKey: 'sesame' });
      for (const group of [alone.deps.store.checks, alone.deps.store.deliveries]) {
        const method = 'nextDeadlineAt' in group ? 'nextDeadlineAt' : 'openCount';
        t.mock.method(group, method as never, () => Promise.reject(storageUnavailable('gone')));
      }

      const { status, text } = await alone.request('GET', '/metrics', {
        headers: { 'x-metrics-key': 'sesame' },
      });
      const families = parseExposition(text);

      assert.equal(status, 200);
      assert.equal(families.get('tocsin_database_up')?.samples.get('tocsin_database_up'), 0);
      assert.ok(families.has('tocsin_pings_total'));
      assert.ok(!families.has('tocsin_deliveries_open') && !families.has('tocsin_deadline_lateness_seconds'));
    });
  });

  test('a whole service is ready, counts what it does, and tells another monitor so', async () => {
    await using beats = await startMonitor();
    await using place = await createMigratedPlace(engine);
    const config = {
      ...readConfig({
        SECRET_KEY: 'a secret for tests only, and a long one',
        METRICS_KEY: 'sesame',
        HEARTBEAT_URL: beats.url,
        HEARTBEAT_INTERVAL: '1',
      }),
      database: place.database,
      listen: { host: '127.0.0.1', port: 0 },
    };
    await using app = await startApp(config, {
      clock: systemClock,
      random: systemRandom,
      log,
      databaseTime: (store) => store.time(),
      version: '1.2.3',
    });
    const base = `http://127.0.0.1:${app.port}`;

    await beats.next();
    await beats.next();
    const ready = await fetch(`${base}/api/v3/ready/`);
    assert.deepEqual([ready.status, await ready.json()], [200, READY]);
    const ping = await fetch(`${base}/ping/${app.firstProject?.keys?.ping}/first?create=1`);
    assert.equal(ping.status, 201);

    const scraped = await fetch(`${base}/metrics`, { headers: { authorization: 'Bearer sesame' } });
    const families = parseExposition(await scraped.text());
    const value = (name: string, labels = '') => families.get(name)?.samples.get(`${name}${labels}`) ?? -1;
    assert.equal(value('tocsin_build_info', '{version="1.2.3"}'), 1);
    assert.equal(value('tocsin_ready'), 1);
    assert.equal(value('tocsin_pings_total', '{outcome="created"}'), 1);
    assert.equal(value('tocsin_ping_seconds', '_count'), 1);
    assert.equal(value('tocsin_checks'), 1);
    for (const loop of [
      'deadlines',
      'notifier',
      'heartbeat',
      'housekeeping',
      'database_sizes',
      'changes',
      ...(engine === 'sqlite' ? ['checkpoints'] : ['change_exchange']),
    ])
      assert.ok(value('tocsin_loop_ticks_total', `{loop="${loop}"}`) > 0, loop);
    assert.ok(value('process_resident_memory_bytes') > 10_000_000);
    assert.ok(value('tocsin_event_loop_lag_seconds') >= 0);
    assert.ok(value('tocsin_database_bytes') > 4_096);
    assert.equal(value('tocsin_disk_free_bytes') > 0, engine === 'sqlite');
    assert.equal(families.has('tocsin_clock_ahead_seconds'), engine === 'postgres');
  });
});

const PARTS = {
  pings: { waitingCount: 0, refusedCount: 7 },
  heldBack: () => ({ channels: [], accounts: [] }),
  clockAhead: () => null,
  eventLoopLagSeconds: () => 0,
  residentBytes: () => 0,
  disk: async () => null,
  version: '0.0.0',
};

/** Another monitor, which waits for requests. */
async function startMonitor() {
  const waiting: (() => void)[] = [];
  let unseen = 0;
  const server = createServer((_request, response) => {
    response.end('OK');
    const next = waiting.shift();
    if (next === undefined) unseen++;
    else next();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/ping/secret`,
    /** Resolves when one more request has come. */
    next: async () => {
      if (unseen > 0) unseen--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

suite('the heartbeat', () => {
  function given(answer: HttpResult = { status: 200, headers: {}, body: new Uint8Array() }) {
    const sent: HttpRequest[] = [];
    const lines: string[] = [];
    const ailments: Ailment[] = [];
    const http = {
      send: async (request: HttpRequest) => {
        sent.push(request);
        return answer;
      },
    };
    const heartbeat = new Heartbeat({ ailments: async () => ailments }, http, {
      url: 'https://monitor.example.org/ping/secret',
      intervalSeconds: 60,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
    });
    return { heartbeat, sent, lines, ailments };
  }

  test('is sent at its interval as long as the node is well', async () => {
    const { heartbeat, sent, lines } = given();

    assert.deepEqual([await heartbeat.tick(), await heartbeat.tick()], [60_000, 60_000]);

    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url}`),
      Array(2).fill('GET https://monitor.example.org/ping/secret'),
    );
    assert.deepEqual(lines, []);
  });

  test('is withheld as long as the node is not, which is told once', async () => {
    const { heartbeat, sent, lines, ailments } = given();
    ailments.push('deliveries_late');

    assert.deepEqual([await heartbeat.tick(), await heartbeat.tick()], [60_000, 60_000]);
    assert.deepEqual(sent, []);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /"event":"heartbeat.withheld","ailments":\["deliveries_late"\]/);
    ailments.pop();
    await heartbeat.tick();

    assert.equal(sent.length, 1);
  });

  test('that is not taken is told without its address', async () => {
    for (const [answer, reason] of [
      [{ status: 404, headers: {}, body: new Uint8Array() }, 'Received status code 404'],
      [{ error: 'Connection failed' }, 'Connection failed'],
    ] as const) {
      const { heartbeat, lines } = given(answer);

      await heartbeat.tick();

      assert.match(lines.join(), new RegExp(`"event":"heartbeat.not_taken","reason":"${reason}"`));
      assert.ok(!lines.join().includes('secret') && !lines.join().includes('monitor.example.org'));
    }
  });
});

test('pings that are refused are counted, and so are those that wait', async () => {
  const committing = Promise.withResolvers<void>();
  const writer = new PingWriter(
    async (batch) => {
      await committing.promise;
      return batch.map(() => 'recorded' as const);
    },
    { ...PING_WRITER_DEFAULTS, maxQueuedPings: 2 },
  );
  const ping = incomingPing({ uuid: 'any' });
  const accepted = [writer.record(ping), writer.record(ping)];
  assert.equal(writer.waitingCount, 2);

  await assert.rejects(writer.record(ping));

  assert.equal(writer.refusedCount, 1);
  committing.resolve();
  await Promise.all(accepted);
  assert.equal(writer.waitingCount, 0);
});
