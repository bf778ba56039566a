import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ack, snooze } from '../src/cli/answers.ts';
import type { Command } from '../src/cli/command.ts';
import { sharedTestApp } from './app.ts';
import { runHere } from './cli.test-support.ts';
import { forEachEngine } from './engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check that is down, and commands with the key of its project. */
  async function given() {
    const { project, key, readOnlyKey } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', name: 'Backup', slug: 'backup' });
    await app().receive(check, 'fail');
    const url = `http://127.0.0.1:${await app().port()}`;
    const run = (command: Command, args: readonly string[], by = key) =>
      runHere(command, args, { TOCSIN_URL: url, TOCSIN_API_KEY: by });
    const outage = async () => (await app().deps.store.outages.openOf([check.id]))[0];
    const snoozedUntil = async () => (await app().deps.store.checks.byId(check.id))?.snoozedUntilAt;
    return { project, readOnlyKey, check, run, outage, snoozedUntil };
  }

  test('an outage is acknowledged by slug, UUID or name, and the answer is taken back', async () => {
    const { check, run, outage } = await given();

    for (const name of ['backup', check.uuid, 'Backup']) {
      const done = await run(ack, [name]);
      assert.deepEqual(done, { code: 0, stdout: 'Acknowledged: Backup\n', stderr: '' });
      assert.notEqual((await outage())?.acknowledgedAt, null);
    }
    assert.equal((await run(ack, ['backup', '--undo'])).stdout, 'No longer acknowledged: Backup\n');

    assert.equal((await outage())?.acknowledgedAt, null);
  });

  test('a check is snoozed for as long as was said, until somebody ends it', async () => {
    const { run, snoozedUntil } = await given();

    const { code, stdout } = await run(snooze, ['backup', '--for', '2h']);

    assert.equal(code, 0);
    assert.match(stdout, /^Snoozed until \S+T\S+: Backup\n$/);
    assert.equal(await snoozedUntil(), app().clock.now() + 2 * 3600 * 1_000_000);
    assert.equal((await run(snooze, ['backup', '--undo'])).code, 0);
    assert.equal(await snoozedUntil(), null);
  });

  test('what cannot be done is said with the exit code of its reason', async () => {
    const { project, readOnlyKey, check, run } = await given();
    await app().givenCheck(project, { name: 'Backup', slug: 'other' });

    const cases: readonly [Command, readonly string[], number, RegExp][] = [
      [ack, [], 2, /name one check/],
      [ack, ['a', 'b'], 2, /name one check/],
      [ack, ['backup', '--no'], 2, /--no/],
      [snooze, ['backup'], 2, /--for says how long/],
      [snooze, ['backup', '--for', 'long'], 2, /--for says how long/],
      [snooze, ['backup', '--for', '1h', '--undo'], 2, /contradict/],
      [snooze, ['backup', '--for', '31d'], 4, /for is too large/],
      [ack, ['nothing'], 3, /There is no check "nothing"/],
      [ack, ['Backup'], 3, new RegExp(`Several checks.*${check.uuid}`, 's')],
      [ack, ['other'], 4, /check is not down/],
    ];
    for (const [command, args, code, said] of cases) {
      const done = await run(command, args);
      assert.equal(done.code, code, `${args}: ${done.stderr}`);
      assert.match(done.stderr, said);
    }
    assert.equal((await run(ack, ['backup'], readOnlyKey)).code, 4);
  });
});
