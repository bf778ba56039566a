import assert from 'node:assert/strict';
import { appendFile, chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FORMS, fixtureFacts, healthchecksFixture } from '../../../test/import/healthchecks-fixture.ts';
import { createTestDatabase } from '../../../test/postgres.ts';
import { SourceError } from '../source-error.ts';
import { openHealthchecks } from './open.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import { TABLES, type TableName } from './tables.ts';

describe('a database of Healthchecks', () => {
  test('has the same rows in SQLite, PostgreSQL and JSON lines, apart from fractions of milliseconds', async () => {
    const [first, ...others] = await Promise.all(FORMS.map(allRowsOf));
    assert.equal(first?.get('api_ping')?.length, (await fixtureFacts()).counts.pings);
    for (const other of others) assert.deepEqual(other, first);
  });

  for (const form of FORMS) {
    test(`is read from any ping on, in ${form}`, async () => {
      await using fixture = await healthchecksFixture(form);
      await using source = await openHealthchecks(fixture.place);
      source.pingsFollow();
      const numbers: (number | null)[] = [];
      for await (const { id } of source.rows('api_ping', ['id'], { afterId: 427 })) numbers.push(id);
      assert.deepEqual(numbers, [428, 429, 430]);
    });
  }

  test('as lines in any order has the same rows, unless they are compressed', async () => {
    await using fixture = await healthchecksFixture('JSON lines');
    const expected = await allRowsOf('JSON lines');
    const lines = (await readFile(fixture.place, 'utf8')).trimEnd().split('\n');
    const mixed = lines.map((_, index) => lines[(index * 7) % lines.length]).join('\n');
    assert.notEqual(lines.length % 7, 0);
    await writeFile(fixture.place, mixed);
    {
      await using source = await openHealthchecks(fixture.place);
      assert.deepEqual(await allRows(source), expected);
    }
    await writeFile(fixture.place, gzipSync(mixed));
    await using packed = await openHealthchecks(fixture.place);
    await assert.rejects(allRows(packed), /not in the order of their keys: unpack it first/);
  });

  test('as a file stays as it was, with its time and no file beside it', async () => {
    for (const form of ['SQLite', 'JSON lines'] as const) {
      await using fixture = await healthchecksFixture(form);
      const picture = async () => [
        await readFile(fixture.place, 'hex'),
        (await stat(fixture.place)).mtimeMs,
        await readdir(dirname(fixture.place)),
      ];
      const before = await picture();
      {
        await using source = await openHealthchecks(fixture.place);
        await allRows(source);
      }
      assert.deepEqual(await picture(), before);
    }
  });

  test('as a file is read on after nobody can open it again', async () => {
    for (const form of ['SQLite', 'JSON lines'] as const) {
      await using fixture = await healthchecksFixture(form);
      await using source = await openHealthchecks(fixture.place);
      await rm(fixture.place);
      assert.equal((await allRows(source)).get('api_check')?.length, 31);
      source.pingsFollow();
      assert.equal((await Array.fromAsync(source.rows('api_ping', ['id']))).length, 330);
    }
  });

  test('is read from compressed lines, and from the URL in a file', async () => {
    await using fixture = await healthchecksFixture('JSON lines');
    const folder = dirname(fixture.place);
    const compressed = join(folder, 'lines.gz');
    await writeFile(compressed, gzipSync(await readFile(fixture.place)));
    const address = join(folder, 'address');
    await writeFile(address, `${compressed}\n`);
    await using plain = await openHealthchecks(fixture.place);
    await using other = await openHealthchecks(`file:${address}`);
    assert.deepEqual(await allRows(other), await allRows(plain));
  });

  test('of 3.0, which lacks some columns, is read without them', async () => {
    await using fixture = await altered(
      `alter table api_check drop column filter_http_body;
       alter table api_check drop column filter_default_fail;
       alter table api_flip drop column reason;
       delete from django_migrations where app = 'api' and name > '0101'`,
    );
    await using source = await openHealthchecks(fixture.place);
    assert.equal(source.migration, 100);
    const [flip] = await Array.fromAsync(source.rows('api_flip', ['reason']));
    assert.equal(flip?.reason, '');
  });

  test('of 2.10 is refused with the way out', async () => {
    await using fixture = await altered(`delete from django_migrations where app = 'api' and name >= '0100'`);
    await refuses(fixture.place, /migration 0099\): update to 3\.0 first, or use `tocsin export`/);
  });

  test('of a later version is read if it has all columns, and else refused by the name of the missing one', async () => {
    await using fixture = await altered(
      `insert into django_migrations (app, name, applied) values ('api', '0199_later', '2027-01-01 00:00:00')`,
    );
    {
      await using source = await openHealthchecks(fixture.place);
      assert.equal(source.migration, 199);
    }
    alter(fixture.place, 'alter table api_check rename column last_start to began');
    await refuses(
      fixture.place,
      /\(migration 0199\) is of no known version: api_check\.last_start is missing/,
    );
  });

  test('is refused with the reason if it is another thing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
    try {
      const at = async (name: string, content: string) => {
        await writeFile(join(folder, name), content);
        return join(folder, name);
      };
      const kuma = join(folder, 'kuma.db');
      alter(kuma, 'create table monitor (id integer); create table heartbeat (id integer)');
      const other = join(folder, 'other.db');
      alter(other, 'create table something (id integer)');
      await refuses(join(folder, 'missing'), /there is no such file/);
      await refuses(folder, /is a folder/);
      await refuses(await at('empty', ''), /is empty/);
      await refuses(kuma, /a database of Uptime Kuma: use `tocsin import kuma`/);
      await refuses(other, /no database of Healthchecks/);
      await refuses(await at('array.json', '[{"model": "auth.user"}]'), /--format jsonl/);
      await refuses(await at('lines', '{"name": 1}\n'), /no file of JSON lines by Django/);
      await refuses(await at('dump.sql', '--\n-- PostgreSQL database dump'), /is a dump/);
      await refuses('mysql://root:a-password@127.0.0.1/hc', /^databases of the kind mysql are not read/);
      await refuses(`file:${await at('address', '')}`, /does not contain the URL/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('on a PostgreSQL server is refused with the reason, and without the password', async () => {
    await using empty = await createTestDatabase();
    await refuses(empty.url, /the database is empty/);
    const missing = new URL(empty.url);
    missing.pathname = '/tocsin_no_such_database';
    missing.password = 'a-secret-password';
    await refuses(missing.href, /there is no such database|the password is wrong/);
    await refuses('postgres://somebody:a-secret-password@127.0.0.1:1/hc', /nothing answers at this address/);
  });

  test('with a line that is no JSON is refused without the line', async () => {
    await using fixture = await healthchecksFixture('JSON lines');
    await appendFile(fixture.place, '{"model": "api.ping","pk": 431,"fields": {"ua": "a secret\n');
    await using source = await openHealthchecks(fixture.place);
    await assert.rejects(
      () => Array.fromAsync(source.rows('api_ping', ['id'])),
      (error) => error instanceof SourceError && !error.message.includes('a secret'),
    );
  });

  test('that nobody may read is refused with the reason', { skip: process.getuid?.() === 0 }, async () => {
    await using fixture = await healthchecksFixture('SQLite');
    await chmod(fixture.place, 0);
    await refuses(fixture.place, /there is no right to read it/);
  });
});

async function refuses(place: string, reason: RegExp): Promise<void> {
  await assert.rejects(
    async () => {
      await using _source = await openHealthchecks(place);
    },
    (error) =>
      error instanceof SourceError && reason.test(error.message) && !error.message.includes('password@'),
  );
}

async function altered(sql: string) {
  const fixture = await healthchecksFixture('SQLite');
  alter(fixture.place, sql);
  return fixture;
}

function alter(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

async function allRowsOf(form: (typeof FORMS)[number]) {
  await using fixture = await healthchecksFixture(form);
  await using source = await openHealthchecks(fixture.place);
  return await allRows(source);
}

/** Lines of Django have milliseconds, and no ids of assignments. */
async function allRows(source: HealthchecksSource): Promise<Map<string, unknown[]>> {
  const tables = new Map<string, unknown[]>();
  // These are the keys of the table.
  for (const table of Object.keys(TABLES) as TableName[]) {
    const rows = [];
    for await (const row of source.rows(table, everyColumn(table))) {
      const cells = Object.entries(row).filter(([name]) => table !== 'api_channel_checks' || name !== 'id');
      rows.push(cells.map(([name, value]) => [name, comparable(value)]));
    }
    tables.set(table, table === 'api_channel_checks' ? rows.toSorted(byText) : rows);
  }
  return tables;
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function comparable(value: unknown): unknown {
  // No password: every form of the fixture has a random text there.
  if (typeof value === 'string' && value.startsWith('!') && !value.includes(':')) return '!';
  if (typeof value === 'number' && value > 1e14) return Math.floor(value / 1000);
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
