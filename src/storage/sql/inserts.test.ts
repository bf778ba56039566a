import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forEachEngine, openTestDatabase, type TestStore } from '../../../test/engines.ts';
import {
  accountRecord,
  apiKeyRecord,
  channelRecord,
  checkRecord,
  flipRecord,
  givenCheck,
  projectRecord,
} from '../../../test/records.ts';
import type { Check } from '../../domain/check/check.ts';
import { type Driver, StorageError, type Writer } from '../driver.ts';
import type { Store, Writes } from '../store.ts';
import { createSqlStore } from './store.ts';

/** A database whose inserts succeed and do nothing, as a trigger or a rule of somebody's making can have it. */
function swallowing(driver: Driver): Driver {
  const isInsert = (sql: string) => /^\s*insert\b/.test(sql);
  const swallow = (tx: Writer): Writer => ({
    ...tx,
    all: async <Row>(sql: string, params?: Parameters<Writer['all']>[1]) =>
      isInsert(sql) ? [] : tx.all<Row>(sql, params),
    repeat: async <Row>(sql: string, sets: Parameters<Writer['repeat']>[1]) =>
      isInsert(sql) ? [] : tx.repeat<Row>(sql, sets),
    send: async (sql, sets) => (isInsert(sql) ? undefined : tx.send(sql, sets)),
  });
  return {
    dialect: driver.dialect,
    all: (sql, params) => driver.all(sql, params),
    probe: () => driver.probe(),
    transaction: (work) => driver.transaction((tx) => work(swallow(tx))),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}

/** Every insert that returns its row. */
const INSERTS: Record<string, (tx: Writes, check: Check) => Promise<unknown>> = {
  'an account': (tx) => tx.accounts.insert(accountRecord()),
  'a project': (tx) => tx.projects.insert(projectRecord(1)),
  'an API key': (tx, { projectId }) => tx.apiKeys.insert(apiKeyRecord(projectId)),
  'a channel': (tx, { projectId }) => tx.channels.insert(channelRecord(projectId)),
  'a check': (tx, { projectId }) => tx.checks.insert(checkRecord(projectId)),
  'a flip': (tx, { id }) => tx.flips.insertMany([flipRecord(id)]),
  'several flips': (tx, { id }) => tx.flips.insertMany([flipRecord(id), flipRecord(id)]),
  'a fact about the installation': (tx) => tx.instance.setOnce('key', 'value'),
};

forEachEngine((engine) => {
  let opened: TestStore;
  let store: Store;
  let check: Check;
  before(async () => {
    opened = await openTestDatabase(engine);
    check = await givenCheck(opened.store);
    store = createSqlStore(swallowing(opened.driver));
  });
  after(() => opened[Symbol.asyncDispose]());

  for (const [what, insert] of Object.entries(INSERTS)) {
    test(`${what} that the database has not inserted is an error`, async () => {
      await assert.rejects(
        store.transaction((tx) => insert(tx, check)),
        (error) => error instanceof StorageError && error.kind === 'fault',
      );
    });
  }
});
