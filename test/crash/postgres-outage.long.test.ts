import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../src/domain/check/check.ts';
import { AppError } from '../../src/domain/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { PING_WRITER_DEFAULTS, PingWriter } from '../../src/services/ping/ping-writer.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { openTestDatabase, openTestDriver, postgresAt } from '../engines.ts';
import { startPostgres } from '../postgres.ts';
import { temporaryFolder } from '../process.ts';
import { givenCheck, incomingPing } from '../records.ts';
import { until } from '../waiting.ts';
import { seeded } from './seeded.ts';
import { startService } from './service.ts';

test('a service outlives an outage of its database, tells of it, and recovers by itself', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using service = await startService(folder.path, postgresAt(postgres.url));
  const check = await service.createCheck('heartbeat');
  assert.equal(await service.ping(check.uuid), true);
  assert.equal((await service.get('/api/v3/status/')).status, 200);

  await postgres.stop();

  for (let n = 0; n < 5; n++) {
    const reply = await service.get('/api/v3/checks/');
    assert.equal(reply.status, 503);
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    assert.deepEqual(await reply.json(), { error: 'temporarily unavailable' });
  }
  // An answer is shared for a second.
  await until('the status tells', async () => (await service.get('/api/v3/status/')).status === 500);
  assert.equal((await service.get(`/ping/${check.uuid}`)).status, 503);

  await postgres.start();

  await until('the service finds its database again', async () => {
    const reply = await service.get('/api/v3/checks/');
    return reply.status === 200;
  });
  await until('the status tells', async () => (await service.get('/api/v3/status/')).status === 200);
  assert.equal(await service.ping(check.uuid), true);
  assert.deepEqual(
    (await service.checks()).map(({ uuid, n_pings }) => ({ uuid, n_pings })),
    [{ uuid: check.uuid, n_pings: 2 }],
  );
});

test('a crash of the database under load costs no acknowledged ping', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using service = await startService(folder.path, postgresAt(postgres.url));
  const check = await service.createCheck('heartbeat');
  const load = { isOn: true, acknowledged: 0 };
  const clients = Array.from({ length: 6 }, async () => {
    while (load.isOn) if (await service.ping(check.uuid)) load.acknowledged++;
  });
  await until('pings arrive', () => load.acknowledged > 20);

  await postgres.stop('immediate');
  await postgres.start();

  const before = load.acknowledged;
  await until('pings arrive again', () => load.acknowledged > before + 20);
  load.isOn = false;
  await Promise.all(clients);
  const [listed] = await service.checks();
  assert.ok((listed?.n_pings ?? 0) >= load.acknowledged);
});

/** SESSION_KILLS=1000 ends more. */
const SESSION_KILLS = Number(process.env.SESSION_KILLS ?? 60);
const KILL_SEED = 20_261_115;

test('sessions that end at any moment cost no acknowledged ping, and none is there twice', async () => {
  await using opened = await openTestDatabase('postgres');
  await using killer = await openTestDriver(opened.database);
  const deps = { store: opened.store, clock: systemClock, random: systemRandom, objects: null };
  const writer = new PingWriter((batch) => ingestPings(deps, batch), {
    ...PING_WRITER_DEFAULTS,
    minBatchWhileBusy: 1,
    keepsOrder: false,
  });
  const random = seeded(KILL_SEED);
  const checks = await Promise.all(Array.from({ length: 8 }, () => givenCheck(opened.store)));
  const load = { isOn: true };
  const clients = checks.flatMap((check) => [pingWhile(load, writer, check), pingWhile(load, writer, check)]);

  for (let kills = 0; kills < SESSION_KILLS; ) {
    await sleep(30 * random());
    if (await endSomeSession(killer)) kills++;
  }
  load.isOn = false;
  const histories = await Promise.all(clients);

  for (const check of checks) {
    const pings = (await opened.store.pings.latest(check.id, 1_000_000)).reverse();
    const rids = pings.map(({ rid }) => rid ?? '');
    assert.equal(new Set(rids).size, rids.length, 'no ping is there twice');
    assert.deepEqual(
      pings.map(({ n }) => n),
      pings.map((_, index) => index + 1),
    );
    assert.equal((await opened.store.checks.byId(check.id))?.pingCount, pings.length);
    for (const { acknowledged, unanswered } of histories.filter(({ uuid }) => uuid === check.uuid)) {
      const own = new Set([...acknowledged, ...unanswered]);
      const doubtful = new Set(unanswered);
      assert.deepEqual(
        rids.filter((rid) => own.has(rid) && !doubtful.has(rid)),
        acknowledged,
      );
    }
  }
  assert.ok(
    histories.some(({ unanswered }) => unanswered.length > 0),
    'some pings were hit',
  );
});

/** One ping after the other, each with an id of its own. */
async function pingWhile(load: { readonly isOn: boolean }, writer: PingWriter, { uuid }: Check) {
  const acknowledged: string[] = [];
  const unanswered: string[] = [];
  while (load.isOn) {
    const rid = randomUUID();
    try {
      assert.equal(await writer.record(incomingPing({ uuid }, { rid })), 'recorded');
      acknowledged.push(rid);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'storage_unavailable')) throw error;
      unanswered.push(rid);
    }
  }
  return { uuid, acknowledged, unanswered };
}

async function endSomeSession(killer: Driver): Promise<boolean> {
  const ended = await killer.all(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'tocsin' and datname = current_database() and state <> 'idle'
        and pid <> pg_backend_pid() limit 1`,
  );
  return ended.length > 0;
}
