import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../../test/postgres.ts';
import { inspectPostgres, type PostgresFacts } from '../../storage/postgres/inspection.ts';
import { postgresTroubles } from './database.ts';

const WANTED = { poolSize: 10, statementTimeoutMs: 10_000, nodes: 1 };
/** The server of the tests is fast and not safe. */
const OF_TEST_SERVER = [/^fsync is off/, /^autovacuum is off/];

const inspect = (url: string) => inspectPostgres({ url, statementTimeoutSeconds: 10 });

function told(facts: PostgresFacts, wanted = WANTED): string[] {
  return postgresTroubles(facts, wanted)
    .filter((look) => look !== null)
    .map(({ sentence }) => sentence)
    .filter((sentence) => !OF_TEST_SERVER.some((pattern) => pattern.test(sentence)));
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** As the role sees it that the statements make, called like the database. */
async function asRole(database: { name: string; url: string }, rights: string): Promise<string> {
  await run(database.url, `create role ${database.name} login password 'x'; ${rights}`);
  const url = new URL(database.url);
  Object.assign(url, { username: database.name, password: 'x' });
  return url.href;
}

suite('a look at PostgreSQL', () => {
  test('finds nothing wrong but what is, and tells the version', async () => {
    await using database = await createTestDatabase();

    const facts = await inspect(database.url);

    assert.deepEqual(told(facts), []);
    assert.match(facts.version, /^\d+\.\d+/);
    const both = postgresTroubles(facts, WANTED).filter((look) => look !== null);
    assert.deepEqual(
      OF_TEST_SERVER.map((pattern) => both.some(({ sentence }) => pattern.test(sentence))),
      [facts.fsync === 'off', facts.autovacuum === 'off'],
    );
  });

  test('names a role that cannot make tables', async () => {
    await using database = await createTestDatabase();
    const url = await asRole(database, '');

    const sentences = told(await inspect(url));

    await run(database.url, `drop role ${database.name}`);
    assert.deepEqual(sentences, [
      'The role cannot make tables in the schema public, so that no upgrade succeeds.',
    ]);
  });

  test('names few connections, tables of others, an invalid index, and an old version', async () => {
    await using database = await createTestDatabase();
    const { name } = database;
    const url = await asRole(
      database,
      `grant create on schema public to ${name}; create table theirs (n int); insert into theirs values (1), (1);
       alter database ${name} connection limit 5`,
    );
    await run(database.url, 'create unique index concurrently broken on theirs (n)').catch(() => undefined);

    const facts = await inspect(url);

    await run(database.url, `drop owned by ${name}; drop role ${name}`);
    assert.deepEqual(told(facts), [
      'The role cannot read and write theirs.',
      '5 connections are left for Tocsin, and 25 are needed: for each of 1 node DB_POOL_SIZE and 5, and 10 for others.',
      'Not valid: the index broken.',
    ]);
    assert.deepEqual(
      told({ ...facts, freeSessions: 25, closedTables: [], invalidIndexes: [], major: 14, version: '14.9' }),
      ['PostgreSQL 14.9 is too old.'],
    );
  });

  test('names the encoding SQL_ASCII, and commits that nobody waits for', async () => {
    await using database = await createTestDatabase();
    const ascii = `${database.name}_ascii`;
    await run(
      database.url,
      `create database ${ascii} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`,
    );
    await run(database.url, `alter database ${ascii} set synchronous_commit = off`);
    const url = new URL(database.url);
    url.pathname = `/${ascii}`;

    const sentences = told(await inspect(url.href));

    await run(database.url, `drop database ${ascii}`);
    assert.deepEqual(sentences, [
      'The database has the encoding SQL_ASCII, which cannot hold every text.',
      'synchronous_commit is off: pings that were acknowledged can be lost.',
    ]);
  });
});
