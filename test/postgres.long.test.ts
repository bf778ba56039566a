import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { createTestDatabase, postgresUrl, startPostgres, templateDatabase } from './postgres.ts';

async function query(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, values);
    return rows;
  } finally {
    await client.end();
  }
}

async function exists(database: string): Promise<boolean> {
  const rows = await query(postgresUrl(), 'select datname from pg_database where datname = $1', [database]);
  return rows.length === 1;
}

describe('a test database', () => {
  test('is empty and sees nothing of another', async () => {
    await using one = await createTestDatabase();
    await using other = await createTestDatabase();

    await query(one.url, 'create table pings (n integer)');

    const tables = `select table_name from information_schema.tables where table_schema = 'public'`;
    assert.deepEqual(await query(one.url, tables), [{ table_name: 'pings' }]);
    assert.deepEqual(await query(other.url, tables), []);
  });

  test('is dropped with the connections it still has', { skip: keepsDatabases() }, async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    const errors: string[] = [];
    client.on('error', (error) => errors.push(error.message));
    await client.connect();
    const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));

    await database[Symbol.asyncDispose]();

    assert.equal(await exists(database.name), false);
    await ended;
    assert.match(errors.join(), /terminating connection/);
  });
});

describe('a template database', () => {
  test('is prepared once for all who ask at the same time', async () => {
    let prepared = 0;
    const prepare = async (url: string) => {
      prepared += 1;
      await query(url, `create table pings as select 7 as n`);
    };

    const names = await Promise.all(
      Array.from({ length: 8 }, () => templateDatabase('asked eight times', prepare)),
    );

    assert.equal(prepared, 1);
    assert.equal(new Set(names).size, 1);
  });

  test('is cloned by several databases at once, each with its own rows', async () => {
    const template = await templateDatabase('one table', async (url) => {
      await query(url, 'create table pings (n integer)');
    });
    const [one, other] = await Promise.all([
      createTestDatabase({ template }),
      createTestDatabase({ template }),
    ]);
    await using _ = one;
    await using __ = other;

    await query(one.url, 'insert into pings values (1)');

    assert.deepEqual(await query(one.url, 'select n from pings'), [{ n: 1 }]);
    assert.deepEqual(await query(other.url, 'select n from pings'), []);
  });

  test('is made anew after a preparation that failed', async () => {
    const failing = async (url: string) => {
      await query(url, 'create table half_done ()');
      throw new Error('out of ink');
    };
    await assert.rejects(templateDatabase('fails first', failing), /out of ink/);

    const template = await templateDatabase('fails first', async (url) => {
      await query(url, 'create table done ()');
    });

    await using database = await createTestDatabase({ template });
    const tables = `select table_name from information_schema.tables where table_schema = 'public'`;
    assert.deepEqual(await query(database.url, tables), [{ table_name: 'done' }]);
  });
});

describe('a private server', () => {
  test('keeps its address and its rows through a stop and a crash', async () => {
    await using server = await startPostgres();
    await query(server.url, 'create table pings as select 1 as n');

    await server.stop();
    await assert.rejects(query(server.url, 'select 1'), { code: 'ECONNREFUSED' });
    await server.start();
    assert.deepEqual(await query(server.url, 'select n from pings'), [{ n: 1 }]);

    await query(server.url, 'insert into pings values (2)');
    await server.stop('immediate');
    await server.start();
    assert.deepEqual(await query(server.url, 'select n from pings order by n'), [{ n: 1 }, { n: 2 }]);
  });

  test('leaves no process and no file behind', async () => {
    const server = await startPostgres();
    const [row] = await query(
      server.url,
      `select setting as directory from pg_settings where name = 'data_directory'`,
    );
    const directory = String(row?.directory);
    await access(directory);

    await server[Symbol.asyncDispose]();

    await assert.rejects(access(directory), { code: 'ENOENT' });
    await assert.rejects(query(server.url, 'select 1'), { code: 'ECONNREFUSED' });
  });
});

function keepsDatabases(): boolean {
  return process.env.KEEP_TEST_DATABASES === '1';
}
