import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Service, startService } from '../crash/service.ts';
import { postgresAt } from '../engines.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { startSwitch } from './switch.ts';

/** Pings, and requires that a refusal says when to come again. */
async function ping({ url }: Service, uuid: string): Promise<number> {
  const reply = await fetch(`${url}/ping/${uuid}`, { method: 'POST', body: 'done' });
  await reply.text();
  if (reply.status !== 200) assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
  return reply.status;
}

/** Pings until it is so; answers how each one was answered. */
async function pingUntil(
  service: Service,
  uuid: string,
  what: string,
  isSo: (status: number) => boolean,
): Promise<Set<number>> {
  const statuses = new Set<number>();
  await until(what, async () => {
    const status = await ping(service, uuid);
    statuses.add(status);
    return isSo(status);
  });
  return statuses;
}

async function pingCount(service: Service): Promise<number | undefined> {
  return (await service.checks())[0]?.n_pings;
}

test('a failover to a standby costs no acknowledged ping; until it is promoted pings get 503, and then 200', async () => {
  await using folder = await temporaryFolder();
  await using primary = await startPostgres();
  await using standby = await primary.startStandby();
  await using address = await startSwitch(primary.url);
  await using service = await startService(folder.path, postgresAt(address.of(primary.url)));
  const check = await service.createCheck('heartbeat');
  for (let n = 0; n < 20; n++) assert.equal(await ping(service, check.uuid), 200);

  await primary.stop('immediate');
  address.turnTo(standby.url);
  const before = address.connections;
  const refused = await pingUntil(
    service,
    check.uuid,
    'the service has tried the standby several times',
    () => address.connections >= before + 4,
  );
  await standby.query('select pg_promote()');
  const afterwards = await pingUntil(service, check.uuid, 'a ping is taken', (status) => status === 200);

  assert.deepEqual(refused, new Set([503]));
  assert.ok(afterwards.isSubsetOf(new Set([200, 503])));
  assert.equal(await pingCount(service), 21);
});

test('a database that is closed for writes makes pings unavailable, and takes them again when it is opened', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using service = await startService(folder.path, postgresAt(postgres.url));
  const check = await service.createCheck('heartbeat');

  await setReadOnly(postgres, 'on');
  await pingUntil(service, check.uuid, 'the sessions have heard of it', (status) => status !== 200);
  const taken = await databasePings(postgres);
  const refused = new Set<number>();
  for (let n = 0; n < 20; n++) refused.add(await ping(service, check.uuid));
  await setReadOnly(postgres, 'off');
  const afterwards = await pingUntil(service, check.uuid, 'a ping is taken', (status) => status === 200);

  assert.deepEqual(refused, new Set([503]));
  assert.ok(afterwards.isSubsetOf(new Set([200, 503])));
  assert.equal(await databasePings(postgres), taken + 1);
});

async function setReadOnly(postgres: PostgresServer, value: 'on' | 'off'): Promise<void> {
  await postgres.query(`alter system set default_transaction_read_only = ${value}`);
  await postgres.query('select pg_reload_conf()');
}

async function databasePings(postgres: PostgresServer): Promise<number> {
  const [row] = (await postgres.query('select count(*)::int as count from pings')) as { count: number }[];
  return row?.count ?? 0;
}

for (const [what, close, open] of [
  ['has no connection to spare', 'connection limit 0', 'connection limit -1'],
  ['refuses our role', 'nologin', 'login'],
] as const) {
  test(`a server that ${what} makes pings unavailable, and takes them again when that has passed`, async () => {
    await using folder = await temporaryFolder();
    await using postgres = await startPostgres();
    await postgres.query(`create role tocsin login password 'tocsin'`);
    await postgres.query('grant create on schema public to tocsin');
    const { href } = Object.assign(new URL(postgres.url), { username: 'tocsin', password: 'tocsin' });
    await using service = await startService(folder.path, postgresAt(href));
    const check = await service.createCheck('heartbeat');
    assert.equal(await ping(service, check.uuid), 200);

    await postgres.query(`alter role tocsin ${close}`);
    await postgres.query(
      `select pg_terminate_backend(pid, 300000) from pg_stat_activity where usename = 'tocsin'`,
    );
    const refused = new Set<number>();
    for (let n = 0; n < 20; n++) refused.add(await ping(service, check.uuid));
    await postgres.query(`alter role tocsin ${open}`);
    const afterwards = await pingUntil(service, check.uuid, 'a ping is taken', (status) => status === 200);

    assert.deepEqual(refused, new Set([503]));
    assert.ok(afterwards.isSubsetOf(new Set([200, 503])));
    assert.equal(await pingCount(service), 2);
  });
}

test('a pool whose connections all wait makes pings unavailable, and takes them again when they are free', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using service = await startService(folder.path, postgresAt(postgres.url), {
    env: { DB_POOL_SIZE: '2', DB_STATEMENT_TIMEOUT: '3' },
  });
  const check = await service.createCheck('heartbeat');
  await using holder = await postgres.connect();

  await holder.query('begin; lock table checks in access exclusive mode');
  const refused = await Promise.all(Array.from({ length: 20 }, () => ping(service, check.uuid)));
  await holder.query('rollback');
  await pingUntil(service, check.uuid, 'a ping is taken', (status) => status === 200);

  assert.deepEqual(new Set(refused), new Set([503]));
  assert.equal(await pingCount(service), 1);
});

test('a service ends when it is asked to, although its database has fallen silent', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using address = await startSwitch(postgres.url);
  await using service = await startService(folder.path, postgresAt(address.of(postgres.url)), {
    env: { DB_STATEMENT_TIMEOUT: '3', SHUTDOWN_TIMEOUT: '1' },
  });
  await service.createCheck('heartbeat');

  address.fallSilent();
  service.process.signal('SIGTERM');

  assert.equal((await service.process.exit()).signal, null);
});
