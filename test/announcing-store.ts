import { AsyncLocalStorage } from 'node:async_hooks';
import type { Driver, Writer } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import type { Store } from '../src/storage/store.ts';

/** Statements that write what readers see. */
const VISIBLE = /^\s*(insert into|update|delete from) (checks|channels|check_channels)\b/;
/** Readers see neither when a check is looked at, nor when a report comes, nor what a provisioning file calls it. */
const INVISIBLE =
  /^update \w+ set (alarm_at = deadline_at|next_report_at = \S+|declared_as = \S+, declared_by = \S+, declared_made = \S+)\s+(where|from)/;

/** The column that tells readers which form of a check they have kept. */
const RAISES_REVISION = /\brevision = checks\.revision \+ 1\b/;

interface Transaction {
  hasWritten: boolean;
  hasAnnounced: boolean;
}

/**
 * A store that holds all tests to this: a transaction that writes checks or channels announces it, and a change of a
 * check raises its revision. If a new way to write them forgets it, the first test that takes this way fails.
 */
export function announcingStore(driver: Driver): Store {
  const current = new AsyncLocalStorage<Transaction>();
  const note = (key: keyof Transaction) => {
    const transaction = current.getStore();
    if (transaction !== undefined) transaction[key] = true;
  };
  const watched: Driver = {
    dialect: driver.dialect,
    all: (sql, params) => driver.all(sql, params),
    probe: () => driver.probe(),
    // A transaction that shares a commit is run on behalf of another one.
    transaction: (work, options) =>
      driver.transaction(
        AsyncLocalStorage.bind((tx: Writer) =>
          work(
            watching(tx, (sql) => {
              if (!VISIBLE.test(sql) || INVISIBLE.test(sql)) return;
              note('hasWritten');
              if (sql.startsWith('update checks') && !RAISES_REVISION.test(sql))
                throw new Error(`a check is changed and its revision is not raised: ${sql}`);
            }),
          ),
        ),
        options,
      ),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
  const store = createSqlStore(watched, () => note('hasAnnounced'));
  return {
    ...store,
    transaction: (work, options) =>
      current.run({ hasWritten: false, hasAnnounced: false }, async () => {
        const result = await store.transaction(work, options);
        const { hasWritten, hasAnnounced } = current.getStore() ?? {};
        if (hasWritten && !hasAnnounced) throw new Error('checks or channels were written and not announced');
        return result;
      }),
  };
}

function watching(tx: Writer, onWrite: (sql: string) => void): Writer {
  const each = (sql: string, sets: readonly unknown[]) => {
    if (sets.length > 0) onWrite(sql);
  };
  return {
    revision: tx.revision,
    all: (sql, params) => {
      onWrite(sql);
      return tx.all(sql, params);
    },
    run: (sql, params) => {
      onWrite(sql);
      return tx.run(sql, params);
    },
    repeat: (sql, sets) => {
      each(sql, sets);
      return tx.repeat(sql, sets);
    },
    send: (sql, sets) => {
      each(sql, sets);
      return tx.send(sql, sets);
    },
    script: (sql) => tx.script(sql),
  };
}
