import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { seconds } from '../../src/lib/instant.ts';
import type { Database } from '../../src/storage/open.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { type Service, startService } from './service.ts';
import { type Sink, startSink } from './sink.ts';

const SLUGS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Of these outages somebody taps *Acknowledge*. */
const TAPPED = 3;
const CHANNELS = ['First', 'Second', 'Third'];

/** The second integration is told a second after the first, and the third a second later. */
const projectOf = ({ url }: Sink) => `    policies:
      - { name: steps, then: [{ after: 1, tell: [Second] }, { after: 2, tell: [Third] }] }
    policy: steps
    integrations:
${CHANNELS.map((name) => `      - { kind: webhook, name: ${name}, down: { url: "${urlOf(url, name)}" } }`).join('\n')}
    checks: [${SLUGS.map((slug) => `{ slug: ${slug}, integrations: [First] }`).join(', ')}]
`;

const urlOf = (url: string, name: string) => `${url.replace('$CODE', `${name}/$CODE`)}&button=$ACK_URL`;

suite('a service that is killed while steps are due and people answer', { concurrency: true }, () => {
  forEachEngine((engine) => {
    test('takes each step once, loses no answer, and takes no step after one', async () => {
      await using folder = await temporaryFolder();
      await using place = await createEmptyPlace(engine);
      await using sink = await startSink();
      const env = { SITE_ROOT: 'https://tocsin.example.org' };
      const start = () => startService(folder.path, place.database, { project: projectOf(sink), env });
      const told = (name: string) => sink.arrivals.filter(({ check }) => check.startsWith(`${name}/`));
      const answered: string[] = [];

      {
        await using service = await start();
        for (const { uuid } of await service.checks()) {
          assert.ok(await service.ping(uuid));
          assert.ok(await service.ping(uuid, '/fail'));
        }
        await until('the first are told', () => new Set(told('First').map(({ check }) => check)).size === 6);
        const taps = told('First')
          .slice(0, TAPPED)
          .map((message) => tap(service, message.button));
        await Promise.race(taps);
        service.process.signal('SIGKILL');
        for (const [index, isTaken] of (await Promise.all(taps)).entries())
          if (isTaken) answered.push(told('First')[index]?.check.split('/')[1] ?? '');
      }
      await using _watch = await watchOn(place.database);
      for (const name of ['Second', 'Third']) {
        await using service = await start();
        await until(`${name} is told`, () => told(name).length > 0);
        service.process.signal('SIGKILL');
      }
      await using service = await start();
      const rows = () => deliveriesIn(place.database);
      await until('every outage is told to all, or acknowledged', async () => {
        const all = await rows();
        const isTold = (slug: string) =>
          all.filter((row) => row.slug === slug && row.state === 'delivered').length === CHANNELS.length;
        return SLUGS.every(
          (slug) => all.some((row) => row.slug === slug && row.acknowledgedAt !== null) || isTold(slug),
        );
      });

      const all = await rows();
      const taken = all.filter(({ acknowledgedAt }) => acknowledgedAt !== null);
      assert.ok(taken.every(({ createdAt, acknowledgedAt }) => createdAt <= (acknowledgedAt ?? 0)));
      assert.ok(taken.every(({ acknowledgements }) => acknowledgements === 1));
      const takenChecks = new Set(taken.map(({ uuid }) => uuid));
      assert.deepEqual(
        answered.filter((uuid) => !takenChecks.has(uuid)),
        [],
      );
      assert.ok(answered.length > 0 && takenChecks.size <= TAPPED);
      const places = all.map(({ slug, channel }) => `${slug} ${channel}`);
      assert.equal(new Set(places).size, places.length, 'no row is there twice');
      const messages = new Set(sink.arrivals.map(({ key, check }) => `${key} ${check}`));
      assert.equal(messages.size, all.length, 'a message that comes again has the same key');
      assert.ok(await service.ping((await service.checks())[0]?.uuid ?? ''));
    });
  });
});

/** Presses the button. Returns whether the service has said that it did what the button says. */
async function tap({ url }: Service, button: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}${new URL(button).pathname}`, { method: 'POST' });
    assert.equal(reply.status, 200);
    return true;
  } catch (error) {
    // `fetch` says so of a connection that breaks off.
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
}

/** Another node that watches until it is disposed of: otherwise steps wait for minutes after a long start. */
async function watchOn(database: Database): Promise<AsyncDisposable> {
  const driver = await openTestDriver(database);
  const store = createSqlStore(driver);
  const node = randomUUID();
  const stopped = new AbortController();
  const beats = (async () => {
    for await (const _ of setInterval(1_000, null, { signal: stopped.signal })) {
      const now = systemClock.now();
      await store.transaction((tx) => tx.liveness.beat(node, now, now - seconds(600)));
    }
  })().catch((error) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await beats;
      await driver[Symbol.asyncDispose]();
    },
  };
}

interface Row {
  readonly slug: string;
  readonly uuid: string;
  readonly channel: string;
  readonly state: string;
  readonly createdAt: number;
  readonly acknowledgedAt: number | null;
  readonly acknowledgements: number;
}

async function deliveriesIn(database: Database): Promise<Row[]> {
  await using driver = await openTestDriver(database);
  const rows = await driver.all<Row>(
    `select checks.slug, checks.uuid, channels.name as channel, deliveries.state, deliveries.created_at as "createdAt",
            outages.acknowledged_at as "acknowledgedAt",
            (select count(*) from audit_log
              where action = 'check.acknowledged' and subject_id = checks.unique_key) as acknowledgements
       from deliveries join checks on checks.id = deliveries.check_id
       join channels on channels.id = deliveries.channel_id
       left join outages on outages.flip_id = deliveries.flip_id`,
    [],
  );
  return rows.map((row) => ({ ...row, acknowledgements: Number(row.acknowledgements) }));
}
