import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { migrate } from './migrate.ts';
import { loadMigrations, parseMigration } from './migration-files.ts';
import { breakages } from './migration-rules.test-support.ts';
import { type Schema, schemaOf } from './schema.test-support.ts';
import { schemaSql } from './schema-words.ts';

const clock = new FakeClock(1_767_323_045_678_901);

const OLD = `-- breaking: no
create table parents (id {id});

create table rows (
  id {id},
  name text not null,
  kind text not null default 'plain',
  parent {bigint}
) {rows};
create index rows_name on rows (name);`;

/** What a migration does to the tables above, and why programs of before do not survive it. */
const BREAKING: Readonly<Record<string, readonly string[]>> = {
  'drop table rows': ['table rows is gone'],
  'drop index rows_name; alter table rows drop column name': [
    'rows.name is gone',
    'index rows_name (name) is gone',
  ],
  'alter table rows rename column kind to sort': ['rows.kind is gone'],
  'alter table rows rename to lines': ['table rows is gone'],
  'drop index rows_name': ['index rows_name (name) is gone'],
  'create unique index rows_kind on rows (kind)': ['rows must be unique by rows_kind unique (kind)'],
};

const BREAKING_ON_POSTGRES: Readonly<Record<string, readonly string[]>> = {
  'alter table rows add column extra text not null': ['rows.extra is required'],
  'alter table rows alter column parent set not null': ['rows.parent is parent integer not null now'],
  'alter table rows alter column kind drop default': ['rows.kind is kind text not null now'],
  'alter table rows alter column name type varchar(9)': [
    'rows.name is name character varying(9) not null now',
  ],
  'alter table rows add foreign key (parent) references parents (id)': [
    'rows must refer by parent → parents.id, on delete no action',
  ],
  "alter table rows add check (kind <> '')": ["rows must fulfil CHECK ((kind <> ''::text))"],
};

const HARMLESS: readonly string[] = [
  'create table others (n integer not null)',
  'alter table rows add column extra text',
  "alter table rows add column extra text not null default ''",
  'create index rows_kind on rows (kind)',
  'alter table rows add column other {bigint} references parents (id)',
];

const HARMLESS_ON_POSTGRES: readonly string[] = [
  'alter table rows alter column name drop not null',
  "alter table rows alter column name set default ''",
];

/** Nobody could write to them for minutes while an index is made in a transaction. */
const LARGE = ['checks', 'pings', 'ping_bodies', 'flips', 'deliveries', 'attempts', 'mails', 'audit_log'];

function indexesOfLargeTables(before: Schema, after: Schema): string[] {
  return LARGE.flatMap((table) => {
    const old = before[table]?.indexes ?? [];
    return after[table]?.indexes.filter((index) => !old.includes(index)) ?? [];
  });
}

forEachEngine((engine) => {
  test('programs of the minor release before survive every migration, unless it says that they do not', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const known = await loadMigrations(engine);

    const faults: string[] = [];
    await migrate(driver, clock, known.slice(0, 1));
    let before = await schemaOf(driver);
    for (const [index, { breaking, needs, name, isAtomic }] of known.entries()) {
      if (index === 0) continue;
      await migrate(driver, clock, known.slice(0, index + 1), { contractBy: 'restore' });
      const after = await schemaOf(driver);
      if (breaking && needs === null) faults.push(`${name} does not say which release it needs`);
      if (!breaking) faults.push(...breakages(before, after).map((breakage) => `${name}: ${breakage}`));
      if (isAtomic)
        faults.push(...indexesOfLargeTables(before, after).map((text) => `${name} stops others for ${text}`));
      before = after;
    }

    assert.deepEqual(faults, []);
  });

  const changes = {
    ...BREAKING,
    ...(engine === 'postgres' && BREAKING_ON_POSTGRES),
    ...Object.fromEntries(
      [...HARMLESS, ...(engine === 'postgres' ? HARMLESS_ON_POSTGRES : [])].map((sql) => [sql, []]),
    ),
  };
  test('what breaks programs of before is found, and nothing else', async () => {
    for (const [sql, expected] of Object.entries(changes)) {
      await using place = await createEmptyPlace(engine);
      await using driver = await openTestDriver(place.database);
      const known = [OLD, `-- breaking: no\n${sql};`].map((text, index) =>
        parseMigration(`000${index + 1}_step.sql`, schemaSql(engine, text)),
      );

      await migrate(driver, clock, known.slice(0, 1));
      const before = await schemaOf(driver);
      await migrate(driver, clock, known);

      assert.deepEqual(breakages(before, await schemaOf(driver)), expected, sql);
    }
  });
});
