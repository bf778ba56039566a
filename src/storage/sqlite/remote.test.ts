import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { createMigratedPlace, openTestDatabase, openTestDriver } from '../../../test/engines.ts';
import { unique } from '../../../test/records.ts';
import { until } from '../../../test/waiting.ts';
import { AppError } from '../../domain/errors.ts';
import { decodeError, encodeError, RemoteSqliteDriver, serveTransactions } from './remote.ts';

const INSERT = 'insert into instance (key, value) values ($1, $2)';

test('statements of which nothing is wanted go out with the commit, before anything is answered', async (t) => {
  await using opened = await openTestDatabase('sqlite');
  const { port1, port2 } = new MessageChannel();
  const remote = new RemoteSqliteDriver(opened.driver, port1);
  const steps: string[] = [];
  t.after(() => port2.close());
  port2.on('message', ({ step }: { step: string }) => steps.push(step));

  const attempt = remote.transaction((tx) => tx.send(INSERT, [[unique(), '']]));
  const outcome = assert.rejects(attempt, /has ended/);

  await until('all steps are there', () => steps.length === 3);
  assert.deepEqual(steps, ['begin', 'repeat', 'commit']);
  port2.close();
  await outcome;
});

test('a transaction that could not begin does nothing, and says why', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { port1, port2 } = new MessageChannel();
  const refusing = {
    dialect: opened.driver.dialect,
    all: opened.driver.all.bind(opened.driver),
    transaction: () => Promise.reject(new Error('no room')),
    probe: () => opened.driver.probe(),
    [Symbol.asyncDispose]: async () => undefined,
  };
  serveTransactions(refusing, port2);
  await using remote = new RemoteSqliteDriver(refusing, port1);

  for (let n = 0; n < 2; n++) {
    await assert.rejects(
      remote.transaction(async (tx) => {
        await tx.send(INSERT, [[unique(), '']]);
        return tx.all('select 1 as one');
      }),
      /no room/,
    );
  }

  assert.deepEqual(await opened.driver.all('select key from instance'), []);
});

test('a read that shares a state with others sees what was acknowledged before', async () => {
  await using place = await createMigratedPlace('sqlite');
  const { port1, port2 } = new MessageChannel();
  await using writer = await openTestDriver(place.database);
  serveTransactions(writer, port2);
  await using remote = new RemoteSqliteDriver(await openTestDriver(place.database), port1);

  remote.shareState();
  assert.deepEqual(await remote.all('select key from instance'), []);
  await remote.transaction((tx) => tx.run(INSERT, ['one', '']));

  assert.deepEqual(await remote.all('select key from instance'), [{ key: 'one' }]);
});

test('a refusal tells the same on the other side of a thread', () => {
  const refusals = [
    new AppError('invalid_field', 'too long', { field: 'name' }),
    new AppError('overloaded', undefined, { retryAfterSeconds: 7 }),
    new AppError('storage_unavailable', 'the disk is full', { retryAfterSeconds: 1 }),
  ];
  for (const refusal of refusals) {
    const told = decodeError(structuredClone(encodeError(refusal)));

    assert.ok(told instanceof AppError);
    assert.deepEqual({ ...told, message: told.message }, { ...refusal, message: refusal.message });
  }
});
