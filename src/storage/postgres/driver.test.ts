import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createMigratedPlace,
  openTestDatabase,
  openTestDriver,
  postgresAt,
  type TestPlace,
} from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { startPostgres, withWrongPassword } from '../../../test/postgres.ts';
import {
  addCheck,
  aliasRecord,
  checkRecord,
  givenCheck,
  givenProject,
  incomingPing,
  storedChecks,
  unique,
} from '../../../test/records.ts';
import { until } from '../../../test/waiting.ts';
import { AppError } from '../../domain/errors.ts';
import type { ReceivedPing } from '../../domain/ping/incoming-ping.ts';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import { ingestPings } from '../../services/ping/ingest.ts';
import type { Driver, Scalar, TransactionOptions, Writer } from '../driver.ts';
import { migrate } from '../migrate.ts';
import type { Database } from '../open.ts';
import { createSqlStore } from '../sql/store.ts';
import { PostgresDriver } from './driver.ts';

const UNAVAILABLE = { name: 'AppError', code: 'storage_unavailable' };

/** A driver on the same database with other settings. */
function openWith(
  { database }: TestPlace,
  settings: Partial<Database & { engine: 'postgres' }>,
): Promise<Driver> {
  assert.ok(database.engine === 'postgres');
  return openTestDriver({ ...database, ...settings });
}

/** The error of calls during a pause, in which nobody tries to connect. */
const UNTRIED = { ...UNAVAILABLE, message: /^the database cannot be reached: ./ };

/** Makes calls until one is not even tried, and rejects as that one does: sessions that had ended may come before. */
async function untilUntried(calls: readonly (() => Promise<unknown>)[]): Promise<never> {
  for (let n = 0; ; n = (n + 1) % calls.length) {
    try {
      await calls[n]?.();
    } catch (error) {
      if (error instanceof Error && UNTRIED.message.test(error.message)) throw error;
      assert.ok(error instanceof AppError && error.code === UNAVAILABLE.code, String(error));
    }
  }
}

describe('a server that stops', () => {
  test('makes calls fail without a try, but for one in each pause, and they succeed again when it is back', async () => {
    await using server = await startPostgres();
    const clock = new FakeClock(systemClock.now());
    await using driver = new PostgresDriver({
      ...postgresAt(server.url),
      clock,
      onLostConnection: () => undefined,
    });
    await migrate(driver, systemClock);
    const store = createSqlStore(driver);
    const check = await givenCheck(store);
    // Several idle connections, as a busy server has them.
    await Promise.all(Array.from({ length: 8 }, () => driver.all('select pg_sleep(0.05)')));

    await server.stop();

    const calls: (() => Promise<unknown>)[] = [
      () => store.checks.byUuid(check.uuid),
      () => store.checks.ofProject(check.projectId),
      () => store.probe(),
      () => store.transaction((tx) => tx.checks.insert(checkRecord(check.projectId))),
    ];
    await assert.rejects(untilUntried(calls), UNAVAILABLE);
    for (const call of [...calls, ...calls]) await assert.rejects(call(), UNTRIED);
    clock.advance({ seconds: 0.1 });
    await assert.rejects(store.probe(), /no connection to the database/);
    await assert.rejects(store.probe(), UNTRIED);

    await server.start();
    clock.advance({ seconds: 0.2 });

    await store.probe();
    assert.deepEqual(await store.checks.byUuid(check.uuid), check);
    assert.deepEqual(await storedChecks(store, { id: check.projectId }), [check]);
    await givenCheck(store);
  });

  test('for only a moment costs the requests of that moment and no more', async () => {
    await using server = await startPostgres();
    await using driver = await openTestDriver(postgresAt(server.url));
    await Promise.all(Array.from({ length: 8 }, () => driver.all('select pg_sleep(0.05)')));

    await server.stop('immediate');
    await server.start();

    await until('it answers', () =>
      driver.all('select 1 as one').then(
        () => true,
        () => false,
      ),
    );
    await Promise.all(Array.from({ length: 20 }, () => driver.all('select pg_sleep(0.01)')));
  });
});

describe('a session that the server ends', () => {
  test('in the middle of a transaction rejects that one, and the next succeeds at once', async () => {
    await using opened = await openTestDatabase('postgres');
    const { project } = await givenProject(opened.store);
    const record = checkRecord(project.id);

    const attempt = opened.driver.transaction(async (tx) => {
      await tx.run('insert into instance (key, value) values ($1, $2)', [record.uuid, '']);
      const [session] = await tx.all<{ pid: number }>('select pg_backend_pid() as pid');
      await opened.driver.all('select pg_terminate_backend($1)', [session?.pid ?? 0]);
      await tx.all('select 1 as one');
    });

    await assert.rejects(attempt, UNAVAILABLE);
    assert.equal(await opened.store.instance.get(record.uuid), null);
    await addCheck(opened.store, project, record);
  });

  test('while it is idle is not noticed by the next request', async () => {
    await using opened = await openTestDatabase('postgres');
    await using other = await openWith(opened, { poolSize: 1 });
    const [session] = await other.all<{ pid: number }>('select pg_backend_pid() as pid');

    await opened.driver.all('select pg_terminate_backend($1)', [session?.pid ?? 0]);
    await until('the session is gone', async () => {
      const rows = await opened.driver.all('select 1 as one from pg_stat_activity where pid = $1', [
        session?.pid ?? 0,
      ]);
      return rows.length === 0;
    });
    // The client learns of it in a turn of its own.
    await until('the driver has another session', () =>
      other.all<{ pid: number }>('select pg_backend_pid() as pid').then(
        ([now]) => now?.pid !== session?.pid,
        () => false,
      ),
    );
  });
});

test('a session that the server ends between two statements of a transaction rejects it', async () => {
  await using opened = await openTestDatabase('postgres');

  const attempt = opened.driver.transaction(async (tx) => {
    const [session] = await tx.all<{ pid: number }>('select pg_backend_pid() as pid');
    await opened.driver.all('select pg_terminate_backend($1, 5000)', [session?.pid ?? 0]);
    await nextTurn();
    await nextTurn();
    await tx.all('select 1 as one');
  });

  await assert.rejects(attempt, UNAVAILABLE);
});

describe('a time-out', () => {
  test('of a statement is unavailable, and the connection stays good', async () => {
    await using opened = await openTestDatabase('postgres');
    await using driver = await openWith(opened, { poolSize: 1, statementTimeoutSeconds: 1 });

    await assert.rejects(driver.all('select pg_sleep(600)'), UNAVAILABLE);

    assert.deepEqual(await driver.all('select 1 as one'), [{ one: 1 }]);
  });

  test('of a lock is unavailable', async () => {
    await using opened = await openTestDatabase('postgres');
    await using driver = await openWith(opened, { statementTimeoutSeconds: 1 });
    const check = await givenCheck(opened.store);

    await opened.store.transaction(async (tx) => {
      await tx.checks.lock(check.id);
      await assert.rejects(
        createSqlStore(driver).transaction((other) => other.checks.lock(check.id)),
        UNAVAILABLE,
      );
    });
  });

  test('of a transaction that dawdles rolls it back', async () => {
    await using opened = await openTestDatabase('postgres');
    await using driver = await openWith(opened, { statementTimeoutSeconds: 1 });
    const key = unique();

    const attempt = createSqlStore(driver).transaction(async (tx) => {
      await tx.instance.setOnce(key, 'value');
      await until('the server has ended the session', async () => {
        const idle = await opened.driver.all(
          `select 1 as one from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
        );
        return idle.length === 0;
      });
    });

    await assert.rejects(attempt, UNAVAILABLE);
    assert.equal(await opened.store.instance.get(key), null);
  });
});

describe('a session of a server that ails', () => {
  for (const code of ['25006', '53100', '53200', '58030']) {
    test(`is thrown away after ${code}, and the failure is an outage`, async () => {
      await using opened = await openTestDatabase('postgres');
      await using driver = await openWith(opened, { poolSize: 1 });
      const session = async () =>
        (await driver.all<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
      const before = await session();

      const attempt = driver.transaction((tx) =>
        tx.script(`do $$ begin raise exception 'it ails' using errcode = '${code}'; end $$`),
      );

      await assert.rejects(attempt, UNAVAILABLE);
      await until('the driver has another session', () =>
        session().then(
          (pid) => pid !== before,
          () => false,
        ),
      );
    });
  }

  test('that became read-only takes all others with it, untried', async () => {
    await using opened = await openTestDatabase('postgres');
    const clock = new FakeClock(systemClock.now());
    assert.ok(opened.database.engine === 'postgres');
    await using driver = new PostgresDriver({ ...opened.database, clock, onLostConnection: () => undefined });
    const write = () => driver.transaction((tx) => tx.run('delete from instance'));
    const release = Promise.withResolvers<void>();
    let begun = 0;
    // The whole pool of sessions, all bound to a server that takes no more writes.
    await Promise.all(
      Array.from({ length: opened.database.poolSize }, () =>
        driver.transaction(async (tx) => {
          await tx.script('set session characteristics as transaction read only');
          if (++begun === 8) release.resolve();
          await release.promise;
        }),
      ),
    );

    await assert.rejects(write(), UNAVAILABLE);
    await assert.rejects(write(), UNTRIED);
    clock.advance({ seconds: 0.1 });

    await write();
    await Promise.all(Array.from({ length: 20 }, write));
  });

  test('that answers nothing takes all others with it, untried', async () => {
    await using opened = await openTestDatabase('postgres');
    await using way = await watchWay(opened);
    const clock = new FakeClock(systemClock.now());
    const limits = { statementTimeoutSeconds: 1, connectTimeoutMs: 1_000 };
    const settings = { ...limits, clock, onLostConnection: () => undefined };
    await using driver = new PostgresDriver({ ...way.database, ...settings });
    await Promise.all(Array.from({ length: 8 }, () => driver.all('select pg_sleep(0.05)')));

    way.silence();
    await assert.rejects(driver.all('select 1 as one'), UNAVAILABLE);
    clock.advance({ seconds: 0.1 });

    assert.deepEqual(await driver.all('select 1 as one'), [{ one: 1 }]);
    await Promise.all(Array.from({ length: 20 }, () => driver.all('select 1 as one')));
  });

  test('that can only be read is not used', async () => {
    await using place = await createMigratedPlace('postgres');
    assert.ok(place.database.engine === 'postgres');
    const url = new URL(place.database.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');

    await assert.rejects(openTestDriver(postgresAt(url.href)), {
      ...UNAVAILABLE,
      message: 'no connection to the database: the database server is read-only',
    });
  });
});

describe('a full pool', () => {
  test('makes requests wait for their turn', async () => {
    await using place = await createMigratedPlace('postgres');
    await using driver = await openWith(place, { poolSize: 1 });

    const sleepers = [1, 2, 3].map(() => driver.transaction((tx) => tx.all('select pg_sleep(0.1)')));

    assert.equal((await Promise.all(sleepers)).length, 3);
  });

  test('is unavailable in the end, without counting the server as gone', async () => {
    await using place = await createMigratedPlace('postgres');
    await using driver = await openWith(place, { poolSize: 1, connectTimeoutMs: 1_000 });
    const release = Promise.withResolvers<void>();
    const holder = driver.transaction(() => release.promise);

    await assert.rejects(driver.all('select 1 as one'), UNAVAILABLE);
    release.resolve();
    await holder;

    assert.deepEqual(await driver.all('select 1 as one'), [{ one: 1 }]);
  });
});

test('of two transactions in a deadlock one is tried again, and both succeed', async () => {
  await using opened = await openTestDatabase('postgres');
  const [one, two] = [await givenCheck(opened.store), await givenCheck(opened.store)];
  const bothHold = Promise.withResolvers<void>();
  let holders = 0;
  let runs = 0;
  const increment = async (tx: Writer, id: number) => {
    await tx.run('update checks set ping_count = ping_count + 1 where id = $1', [id]);
  };
  const isOver = Promise.withResolvers<void>();
  const crossed = async (first: number, second: number) => {
    let tries = 0;
    await opened.driver.transaction(async (tx) => {
      runs++;
      // On a busy machine they could meet again and again.
      if (++tries > 1) await isOver.promise;
      // The default of a second would be most of this test's time.
      await tx.script(`set local deadlock_timeout = '20ms'`);
      await increment(tx, first);
      if (++holders >= 2) bothHold.resolve();
      await bothHold.promise;
      await increment(tx, second);
    });
    isOver.resolve();
  };

  await Promise.all([crossed(one.id, two.id), crossed(two.id, one.id)]);

  assert.ok(runs > 2, 'there was a deadlock');
  assert.equal((await opened.store.checks.byUuid(one.uuid))?.pingCount, 2);
  assert.equal((await opened.store.checks.byUuid(two.uuid))?.pingCount, 2);
});

describe('a server that refuses us', () => {
  for (const [what, change, reason] of [
    ['for a wrong password', withWrongPassword, /password authentication failed/],
    [
      'for a database that does not exist',
      (url: string) => Object.assign(new URL(url), { pathname: '/nowhere' }).href,
      /database "nowhere" does not exist/,
    ],
  ] as const) {
    test(`${what} is a fault that says so`, async () => {
      await using place = await createMigratedPlace('postgres');
      assert.ok(place.database.engine === 'postgres');

      await assert.rejects(openTestDriver(postgresAt(change(place.database.url))), {
        name: 'StorageError',
        kind: 'fault',
        message: reason,
      });
    });
  }
});

describe('a first connection', () => {
  /** A server's refusal of a connection, in the protocol of PostgreSQL. */
  const refusal = (code: string) => {
    const fields = `SFATAL\0C${code}\0Mgo away\0\0`;
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeUInt32BE(4 + fields.length, 1);
    return Buffer.concat([head, Buffer.from(fields)]);
  };

  for (const [code, name] of [
    ['53300', 'too_many_connections'],
    ['57P03', 'cannot_connect_now'],
    ['08006', 'connection_failure'],
  ] as const) {
    test(`that is refused with ${code}, ${name}, may succeed later`, async () => {
      await using server = await startAnswering(refusal(code));

      await assert.rejects(openTestDriver(postgresAt(server.url)), { ...UNAVAILABLE, message: /go away/ });
    });
  }

  for (const [code, name] of [
    ['28000', 'invalid_authorization_specification'],
    ['28P01', 'invalid_password'],
    ['3D000', 'invalid_catalog_name'],
    ['42704', 'undefined_object'],
  ] as const) {
    test(`that is refused with ${code}, ${name}, is a fault`, async () => {
      await using server = await startAnswering(refusal(code));

      await assert.rejects(openTestDriver(postgresAt(server.url)), {
        name: 'StorageError',
        kind: 'fault',
        message: 'go away',
      });
    });
  }

  test('by TLS to a server without it is a fault', async () => {
    await using server = await startAnswering(Buffer.from('N'));

    await assert.rejects(openTestDriver(postgresAt(`${server.url}?sslmode=verify-full`)), {
      name: 'StorageError',
      kind: 'fault',
      message: 'The server does not support SSL connections',
    });
  });

  test('to an address where nothing listens may succeed later, and the reason is told, however many addresses a name has', async () => {
    for (const host of ['127.0.0.1', 'localhost'])
      await assert.rejects(openTestDriver(postgresAt(`postgres://u:p@${host}:1/x`)), {
        ...UNAVAILABLE,
        message: /^no connection to the database: .*ECONNREFUSED/,
      });
  });
});

/** A server that gives one answer to whatever comes first. */
async function startAnswering(answer: Buffer): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://u:p@127.0.0.1:${port}/x`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a transaction', () => {
  test('of pings goes to the server and back twice', async () => {
    await using opened = await openTestDatabase('postgres');
    const check = await givenCheck(opened.store);
    await using way = await watchWay(opened);
    await using driver = await openTestDriver(way.database);
    const deps = { store: createSqlStore(driver), clock: systemClock, random: systemRandom, objects: null };
    const ping = () => ingestPings(deps, [incomingPing({ uuid: check.uuid })]);
    await ping();

    const before = way.exchanges();
    assert.deepEqual(await ping(), ['recorded']);

    assert.equal(way.exchanges() - before, 2);
  });

  test('of pings to addresses of Uptime Kuma, beside others, goes to the server and back twice', async () => {
    await using opened = await openTestDatabase('postgres');
    const [check, other] = [await givenCheck(opened.store), await givenCheck(opened.store)];
    const alias = aliasRecord({ checkId: check.id, lastUsedAt: systemClock.now() });
    await opened.store.transaction(async (tx) => {
      await tx.pingAliases.setDialects(check.projectId, { kuma: true, cronitor: null });
      await tx.pingAliases.insert(alias);
    });
    await using way = await watchWay(opened);
    await using driver = await openTestDriver(way.database);
    const deps = { store: createSqlStore(driver), clock: systemClock, random: systemRandom, objects: null };
    const foreign = (tokenDigest: string): ReceivedPing => ({
      ...incomingPing({ uuid: check.uuid }),
      target: { dialect: 'kuma', tokenDigest, text: '' },
    });
    const batch = [foreign(alias.tokenDigest), incomingPing({ uuid: other.uuid }), foreign('unknown')];
    await ingestPings(deps, batch);

    const before = way.exchanges();
    assert.deepEqual(await ingestPings(deps, batch), ['recorded', 'recorded', 'not_found']);

    assert.equal(way.exchanges() - before, 2);
  });

  test('of pings that declare what their check is already goes to the server and back twice', async () => {
    await using opened = await openTestDatabase('postgres');
    const check = await givenCheck(opened.store);
    await opened.driver.transaction((tx) =>
      tx.send('update projects set job_declarations = $2 where id = $1', [[check.projectId, 'follow']]),
    );
    await using way = await watchWay(opened);
    await using driver = await openTestDriver(way.database);
    const deps = { store: createSqlStore(driver), clock: systemClock, random: systemRandom, objects: null };
    const ping = () =>
      ingestPings(deps, [
        { ...incomingPing({ uuid: check.uuid }), declaration: { digest: 'a digest', given: 'grace=300' } },
      ]);
    assert.deepEqual(await ping(), [{ recorded: 'recorded', declaration: 'applied' }]);

    const before = way.exchanges();
    assert.deepEqual(await ping(), [{ recorded: 'recorded', declaration: 'same' }]);

    assert.equal(way.exchanges() - before, 2);
  });

  for (const [what, first] of [
    ['looks at first', (tx: Writer) => tx.all('select 1 as one')],
    ['writes at once', async () => undefined],
  ] as const) {
    test(`that ${what} writes nothing when it could not begin`, async () => {
      await using opened = await openTestDatabase('postgres');
      await using way = await watchWay(opened);
      await using driver = await openTestDriver(way.database);
      const key = unique();

      way.corrupt('begin');
      const attempt = driver.transaction(async (tx) => {
        await first(tx);
        await tx.send('insert into instance (key, value) values ($1, $2)', [[key, '']]);
        await tx.all('insert into instance (key, value) values ($1, $2) returning key', [unique(), '']);
      });

      await assert.rejects(attempt, { name: 'StorageError', message: /syntax error/ });
      assert.deepEqual(await opened.driver.all('select key from instance'), []);
    });
  }

  test('that fills tables has no plan from the time when they were empty', async () => {
    await using opened = await openTestDatabase('postgres');
    const kept = (options: TransactionOptions) =>
      opened.driver.transaction(async (tx) => {
        for (let n = 0; n < 10; n++) await tx.all('select 1 as one from checks where id = $1', [n]);
        return tx.all(
          "select 1 as one from pg_prepared_statements where statement like 'select 1 as one from checks%'",
        );
      }, options);

    assert.deepEqual(await kept({ fillsTables: true }), []);
    assert.equal((await kept({})).length, 1);
  });

  test('that could not be rolled back takes its connection with it', async () => {
    await using opened = await openTestDatabase('postgres');
    await using way = await watchWay(opened);
    await using driver = await openTestDriver({ ...way.database, poolSize: 1 });

    way.corrupt('rollback');
    await assert.rejects(
      driver.transaction(() => Promise.reject(new Error('changed my mind'))),
      /^Error: changed my mind$/,
    );

    assert.deepEqual(await driver.all('select 1 as one'), [{ one: 1 }]);
  });

  test('may have many statements under way, each of which has its time', async () => {
    await using opened = await openTestDatabase('postgres');
    await using driver = await openWith(opened, { statementTimeoutSeconds: 2 });
    const key = unique();

    await driver.transaction(async (tx) => {
      await tx.repeat(
        'select pg_sleep($1::float8)',
        Array.from({ length: 11 }, () => [0.2]),
      );
      await tx.send('insert into instance (key, value) values ($1, $2)', [[key, '']]);
    });

    assert.equal(await opened.store.instance.get(key), '');
  });

  test('tells of the statement that failed when the work gives up before it knows', async () => {
    await using opened = await openTestDatabase('postgres');
    const key = unique();
    await opened.store.transaction((tx) => tx.instance.setOnce(key, ''));

    const attempt = opened.driver.transaction(async (tx) => {
      await tx.send('insert into instance (key, value) values ($1, $2)', [[key, '']]);
      throw new Error('changed my mind');
    });

    await assert.rejects(attempt, { name: 'StorageError', kind: 'conflict' });
  });

  test('is rolled back when the connection breaks after its last statements were sent', async () => {
    await using opened = await openTestDatabase('postgres');
    await using way = await watchWay(opened);
    await using driver = await openTestDriver(way.database);
    const key = unique();

    const attempt = driver.transaction(async (tx) => {
      await tx.all('select 1 as one');
      way.cut();
      await tx.send('insert into instance (key, value) values ($1, $2)', [[key, '']]);
    });

    await assert.rejects(attempt, UNAVAILABLE);
    assert.equal(await opened.store.instance.get(key), null);
    assert.deepEqual(await driver.all('select 1 as one'), [{ one: 1 }]);
  });
});

/** A way to the database on which each message is seen, and which can be cut, fall silent, or garble a statement. */
async function watchWay({ database }: TestPlace) {
  assert.ok(database.engine === 'postgres');
  const url = new URL(database.url);
  const open = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let exchanges = 0;
  let isOurTurn = false;
  let corrupted = '';
  const server = createServer((near) => {
    const far = connect({ port: Number(url.port), host: url.hostname });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.on('data', (chunk: Buffer) => {
        if (silent.has(from)) return;
        // One exchange: something that we say, in however many pieces, and then the answer.
        if (from === near && !isOurTurn) exchanges++;
        isOurTurn = from === near;
        if (corrupted !== '' && chunk.includes(corrupted)) {
          chunk.write('?', chunk.indexOf(corrupted));
          corrupted = '';
        }
        to.write(chunk);
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const way = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) });
  // Otherwise it would lead to the server's socket.
  way.searchParams.delete('host');
  const cut = () => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    database: { ...database, url: way.href },
    exchanges: () => exchanges,
    cut,
    /** Open connections stay open, and nothing more comes through; new connections work. */
    silence() {
      for (const socket of open) silent.add(socket);
    },
    /** The next statement with this in it will be none. */
    corrupt(text: string) {
      corrupted = text;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

test('arrays arrive as they were sent, whatever is in them', async () => {
  await using opened = await openTestDatabase('postgres');
  const texts = [
    '',
    'NULL',
    'null',
    ' a b ',
    'a,b',
    '{}',
    '"',
    '\\',
    '\\"',
    '\\x41',
    "it's",
    'ü\n\t😀',
    null,
  ];
  const numbers = [0, -1, Number.MAX_SAFE_INTEGER, null];
  const booleans = [true, false, null];
  const bytes = [new Uint8Array([9, 0, 92, 34, 255]).subarray(1), new Uint8Array(), null];

  const echo = async (type: string, values: readonly Scalar[]) =>
    (await opened.driver.all<{ value: unknown }>(`select unnest($1::${type}[]) as value`, [values])).map(
      ({ value }) => (Buffer.isBuffer(value) ? [...value] : value),
    );

  assert.deepEqual(await echo('text', texts), texts);
  assert.deepEqual(await echo('bigint', numbers), numbers);
  assert.deepEqual(await echo('boolean', booleans), booleans);
  assert.deepEqual(
    await echo('bytea', bytes),
    bytes.map((value) => value && [...value]),
  );
  assert.deepEqual(await echo('text', []), []);
});
