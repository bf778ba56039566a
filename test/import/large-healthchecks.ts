import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { REPOSITORY } from '../process.ts';

type Row = Record<string, SQLInputValue>;

/** Writes a database of Healthchecks with many more checks, each with so many pings of 200 bytes. */
export function writeLargeHealthchecks(path: string, checks: number, pingsOfEach: number): void {
  const fixture = join(REPOSITORY, 'test/fixtures/healthchecks/database.sqlite.gz');
  writeFileSync(path, gunzipSync(readFileSync(fixture)));
  using database = new DatabaseSync(path);
  database.exec('begin; update accounts_profile set check_limit = 1000000, ping_log_limit = 1000000');
  const check = copies(database, 'api_check');
  const firstId = check.lastId + 1;
  for (let index = 0; index < checks; index += 1) {
    const [code, badge] = [randomUUID().replaceAll('-', ''), randomUUID().replaceAll('-', '')];
    check.add({ id: firstId + index, code, badge_key: badge, slug: `job-${index}`, n_pings: pingsOfEach });
  }
  const ping = copies(database, 'api_ping');
  let id = ping.lastId;
  const body = Buffer.alloc(200, 'x');
  for (let n = 1; n <= pingsOfEach; n += 1)
    for (let index = 0; index < checks; index += 1)
      ping.add({ id: ++id, owner_id: firstId + index, n, body_raw: body, object_size: null });
  database.exec('commit');
}

/** Adds rows like the first one of the table. */
function copies(database: DatabaseSync, table: string): { lastId: number; add(changed: Row): void } {
  // The columns have values that can be written again.
  const first = database.prepare(`select * from ${table} order by id limit 1`).get() as Row;
  const { lastId } = database.prepare(`select max(id) as "lastId" from ${table}`).get() as { lastId: number };
  const names = Object.keys(first);
  const insert = database.prepare(
    `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
  );
  return {
    lastId,
    add: (changed) =>
      insert.run(...names.map((name) => changed[name] ?? (name in changed ? null : (first[name] ?? null)))),
  };
}
