import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialect } from '../dialect.ts';
import type { Value, Writer } from '../driver.ts';
import { ColumnSets, MAX_SETS } from './column-sets.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

type Row = Readonly<Record<string, number | null>>;

const columns = () =>
  new ColumnSets<Row>(
    [{ name: 'id', type: 'bigint', field: 'id' }],
    NAMES.map((name) => ({ name, type: 'bigint', field: name })),
    (written) => {
      const text = written.map(({ name }) => name).join(' ');
      return { one: text, many: text };
    },
  );

/** Row number `bits` has a value in each column whose bit is set. */
const rowOf = (bits: number): Row => ({
  id: bits,
  ...Object.fromEntries(NAMES.map((name, place) => [name, (bits & (1 << place)) === 0 ? null : place])),
});

/** What is sent for each of these rows, each in a batch of its own. */
async function sentFor(rows: readonly Row[]): Promise<{ readonly sql: string; readonly values: Value[] }[]> {
  const sets = columns();
  const sent: { sql: string; values: Value[] }[] = [];
  const send: Writer['send'] = async (sql, all) => {
    for (const values of all) sent.push({ sql, values: [...values] });
  };
  // Nothing else of them is called.
  const [db, dialect] = [{ send } as Writer, { hasArrays: false } as Dialect];
  for (const row of rows) await sets.send(db, dialect, new Map([[sets.filled(row), [row]]]));
  return sent;
}

test('a row is written with the columns that have a value', async () => {
  assert.deepEqual(await sentFor([rowOf(0b101)]), [{ sql: 'id a c', values: [5, 0, 2] }]);
});

test('however many sets of columns occur, there are few statements, and each row is written as it is', async () => {
  const rows = Array.from({ length: 2 ** NAMES.length }, (_, bits) => rowOf(bits));

  const sent = await sentFor(rows);

  assert.ok(new Set(sent.map(({ sql }) => sql)).size <= MAX_SETS + 1);
  const written = sent.map(({ sql, values }) =>
    Object.fromEntries(sql.split(' ').map((name, index) => [name, values[index]])),
  );
  assert.deepEqual(
    written.map((row) => ({ ...rowOf(0), ...row })),
    rows,
  );
});
