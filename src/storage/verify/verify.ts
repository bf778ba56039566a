import { readLastIds } from '../archive/catalog.ts';
import type { Engine } from '../dialect.ts';
import type { Reader } from '../driver.ts';
import { type Row, type Surroundings, TRUTHS, type Truth } from './truths.ts';

/** A row that breaks a rule. */
export interface Fault {
  readonly table: string;
  readonly key: string;
  readonly fault: string;
}

/** Rows of the table over which a truth goes that are looked at with one statement. */
const PAGE = 2_000;
const LAST = Number.MAX_SAFE_INTEGER;

/** Looks at the whole database. Returns the first faults, at most `most`. */
export async function findFaults(
  db: Reader,
  engine: Engine,
  around: Surroundings,
  most: number,
): Promise<Fault[]> {
  const faults: Fault[] = engine === 'sqlite' ? await findDamage(db, most) : [];
  // What is read from a damaged file proves nothing.
  if (faults.length > 0) return faults;
  faults.push(...(await findGivenIds(db, engine)));
  for (const [over, truths] of byTable(TRUTHS)) {
    for await (const range of ranges(db, over)) {
      for (const truth of truths) {
        if (faults.length >= most) return faults.slice(0, most);
        faults.push(...(await broken(db, truth, range, around, most - faults.length)));
      }
    }
  }
  return faults.slice(0, most);
}

function byTable(truths: readonly Truth[]): [Truth['over'], Truth[]][] {
  const grouped = Map.groupBy(truths, ({ over }) => over.table);
  return [...grouped.values()].flatMap((group) => (group[0] === undefined ? [] : [[group[0].over, group]]));
}

type Range = readonly [above: number, upTo: number];

/** Ranges of keys that have about as many rows each. Together they have every number. */
async function* ranges(db: Reader, { table, key }: Truth['over']): AsyncGenerator<Range> {
  for (let above = -1; above < LAST; ) {
    const [row] = await db.all<{ key: number }>(
      `select ${key} as key from ${table} where ${key} > $1 order by ${key} limit 1 offset ${PAGE - 1}`,
      [above],
    );
    const upTo = row?.key ?? LAST;
    yield [above, upTo];
    above = upTo;
  }
}

async function broken(
  db: Reader,
  { select, values, isFault, table, fault }: Truth,
  [above, upTo]: Range,
  around: Surroundings,
  most: number,
): Promise<Fault[]> {
  const limit = isFault === undefined ? `limit ${most}` : '';
  const rows = await db.all<Row>(`${select} ${limit}`, [above, upTo, ...(values?.(around) ?? [])]);
  const found = isFault === undefined ? rows : rows.filter((row) => isFault(row, around));
  return found.slice(0, most).map((row) => ({ table, key: String(row.key), fault }));
}

/** Pages that are damaged, indexes that do not fit their tables, rows that refer to rows that are not there. */
async function findDamage(db: Reader, most: number): Promise<Fault[]> {
  const damage = await db.all<{ integrity_check: string }>(`pragma integrity_check(${most})`);
  const faults = damage
    .map(({ integrity_check: text }) => text)
    .filter((text) => text !== 'ok')
    .map((text) => ({ table: 'file', key: '-', fault: text }));
  if (faults.length > 0) return faults;
  const orphans = await db.all<{ table: string; row: number | null; parent: string }>(
    `select "table", rowid as "row", parent from pragma_foreign_key_check limit ${most}`,
  );
  return orphans.map(({ table, row, parent }) => ({
    table,
    key: row === null ? '-' : String(row),
    fault: `it refers to a row of ${parent} that is not there`,
  }));
}

/** A counter that is behind would give out an id a second time. */
async function findGivenIds(db: Reader, engine: Engine): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [table, last] of await readLastIds(db, engine)) {
    const [row] = await db.all<{ id: number | null }>(`select max(id) as id from "${table}"`);
    if (row?.id != null && row.id > last)
      faults.push({ table, key: String(row.id), fault: `the counter of ids is behind, at ${last}` });
  }
  return faults;
}
