import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../test/engines.ts';
import { schemaOf } from './schema.test-support.ts';
import { TABLES } from './sqlite/tables.ts';

test('both engines have the same tables, columns, indexes and foreign keys', async () => {
  await using sqlite = await openTestDatabase('sqlite');
  await using postgres = await openTestDatabase('postgres');

  const [one, two] = [await schemaOf(sqlite.driver), await schemaOf(postgres.driver)];

  assert.ok(Object.keys(one).length > 10, 'the tables were found');
  assert.deepEqual(one, two);
});

test('a probe of SQLite knows every table', async () => {
  await using sqlite = await openTestDatabase('sqlite');

  assert.deepEqual(TABLES, Object.keys(await schemaOf(sqlite.driver)));
});

test('every foreign key has an index, so that a deletion does not scan what refers to the row', async () => {
  await using sqlite = await openTestDatabase('sqlite');

  const schema = await schemaOf(sqlite.driver);

  const bare = Object.entries(schema).flatMap(([table, { primaryKey, indexes, foreignKeys }]) => {
    const leading = [
      primaryKey,
      ...indexes.map((index) => /\(([^()]*)\)( where .*)?$/.exec(index)?.[1] ?? ''),
    ].map((columns) => columns.split(', ')[0]);
    return foreignKeys
      .map((key) => key.split(' ')[0])
      .filter((column) => !leading.includes(column))
      .map((column) => `${table}.${column}`);
  });
  assert.deepEqual(bare, []);
});

test('no id is given out twice, whatever is deleted', async () => {
  await using sqlite = await openTestDatabase('sqlite');

  const tables = await sqlite.driver.all<{ name: string; sql: string }>(
    `select name, sql from sqlite_schema where type = 'table' and sql like '% id integer primary key%'`,
  );

  assert.ok(tables.length > 5, 'the tables were found');
  const careless = tables.filter(({ sql }) => !sql.includes('id integer primary key autoincrement'));
  assert.deepEqual(
    careless.map(({ name }) => name),
    [],
  );
});
