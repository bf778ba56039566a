import assert from 'node:assert/strict';
import { test } from 'node:test';
import { why } from '../src/cli/why.ts';
import { sharedTestApp } from './app.ts';
import { runHere } from './cli.test-support.ts';
import { forEachEngine } from './engines.ts';

const CALL = { method: 'POST', url: 'https://hooks.example/a', headers: {}, body: '' };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check that is down after its first bad run of two, with two integrations, of which one wants nothing but ends. */
  async function given(policy = 'twice') {
    const { key, readOnlyKey } = await app().givenProject();
    const post = async (path: string, body: unknown) =>
      (await app().request('POST', `/api/v3/${path}`, { key, body })).json as Record<string, unknown>;
    for (const [name, settings] of [
      ['Chat', {}],
      ['Mail', { events: ['up'] }],
    ] as const)
      await post('channels/', { kind: 'webhook', name, settings: { down: CALL, up: CALL, ...settings } });
    const timing = { timeout: 86_400, grace: 3_600, policy, channels: '*' };
    const { uuid } = await post('checks/', { name: 'Backup', slug: 'backup', ...timing });
    const check = (await app().deps.store.checks.byUuid(String(uuid))) ?? assert.fail();
    const url = `http://127.0.0.1:${await app().port()}`;
    const run = (args: readonly string[], by = key) =>
      runHere(why, args, { TOCSIN_URL: url, TOCSIN_API_KEY: by });
    return { check, run, readOnlyKey };
  }

  test('it says what holds an outage, who will be told, and why others are not', async () => {
    const { check, run } = await given();
    await app().receive(check, 'success');
    await app().receive(check, 'fail');

    const { code, stdout, stderr } = await run(['backup']);

    assert.deepEqual([code, stderr], [0, '']);
    const withoutTimes = stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00/g, 'TIME');
    assert.equal(
      withoutTimes,
      `Backup: down since TIME, failed. When to tell: twice (check).

Not told yet:
  1 of 2 bad runs  until TIME

Will be told if nothing else happens:
  TIME  Chat (down, assigned)

Not told:
  Mail  wants up
`,
    );
  });

  test('of messages that were queued it says which nobody has taken yet', async () => {
    const { check, run } = await given('at-once');
    await app().receive(check, 'success');
    await app().receive(check, 'fail');

    const { stdout } = await run(['backup']);

    assert.match(stdout, /^Told:\n {2}\S+ {2}Chat \(down, assigned\), not taken yet$/m);
  });

  test('with --if and --at it says what would be, and --json is the answer of the API', async () => {
    const { check, run } = await given();
    await app().receive(check, 'success');
    assert.match((await run(['Backup'])).stdout, /There is nothing to tell\.\n$/);

    const { code, stdout } = await run([check.uuid, '--if', 'down_timeout']);
    assert.equal(code, 0);
    assert.match(stdout, /\nIf its run does not come at \S+:\n/);
    const answer = JSON.parse((await run(['backup', '--if', 'up', '--json'])).stdout);
    assert.equal(answer.if.event, 'up');
    assert.deepEqual(answer.would_tell, []);
  });

  test('what cannot be answered is said with the exit code of its reason', async () => {
    const { run, readOnlyKey } = await given();
    const cases: readonly [readonly string[], number, RegExp][] = [
      [[], 2, /name one check/],
      [['a', 'b'], 2, /name one check/],
      [['backup', '--at', '8h'], 2, /--at needs --if/],
      [['backup', '--if', 'up', '--at', 'soon'], 2, /--at is a time/],
      [['backup', '--if', 'later'], 4, /if is not one of down_timeout, down_fail, up/],
      [['backup', '--if', 'up', '--at', '2125-01-01'], 4, /at is more than 30 days ahead/],
      [['nothing'], 3, /There is no check "nothing"/],
    ];
    for (const [args, code, said] of cases) {
      const done = await run(args);
      assert.equal(done.code, code, `${args}: ${done.stderr}`);
      assert.match(done.stderr, said);
    }
    assert.equal((await run(['backup'], readOnlyKey)).code, 4);
  });
});
