import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quiet } from '../src/cli/quiet.ts';
import { sharedTestApp } from './app.ts';
import { runHere } from './cli.test-support.ts';
import { forEachEngine } from './engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** Two checks, and the command with the key of their project. */
  async function given() {
    const { project, key, readOnlyKey } = await app().givenProject();
    const checks = [
      await app().givenCheck(project, { slug: 'shop', tags: 'web' }),
      await app().givenCheck(project, { slug: 'db' }),
    ];
    const url = `http://127.0.0.1:${await app().port()}`;
    const run = (args: readonly string[], by = key) =>
      runHere(quiet, args, { TOCSIN_URL: url, TOCSIN_API_KEY: by });
    const list = async () =>
      (await run(['list'])).stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00/g, 'TIME');
    return { checks, key, readOnlyKey, run, list };
  }

  test('each quiet time is listed with what it covers, and one whose checks are gone is not one of the whole project', async () => {
    const { checks, key, run, list } = await given();
    assert.equal(await list(), 'There are no quiet times.\n');
    for (const what of [
      ['--name', 'all', '--project'],
      ['--name', 'site', '--tag', 'web', '--tag', 'cdn'],
      ['--name', 'both', '--check', 'shop', '--check', 'db'],
      ['--name', 'one', '--check', 'shop'],
    ])
      assert.equal((await run(['start', '--for', '30m', ...what])).code, 0);

    assert.equal(
      await list(),
      `  all   now, until TIME  whole project
  site  now, until TIME  tags web cdn
  both  now, until TIME  2 checks
  one   now, until TIME  1 check
`,
    );
    await app().request('DELETE', `/api/v3/checks/${checks[0]?.uuid}`, { key });
    assert.match(
      await list(),
      /^ {2}both {2}now, until TIME {2}1 check\n {2}one {3}now, until TIME {2}checks that are gone$/m,
    );
  });

  test('a second start of the same name moves the end, and a name or a UUID ends it', async () => {
    const { run, list, key } = await given();

    const first = await run(['start', '--for', '30m', '--tag', 'web', '--reason', 'deploy 412']);
    assert.deepEqual(
      [first.code, first.stdout, first.stderr],
      [0, 'Quiet until 2024-03-01T12:30:00+00:00: deploy 412\n', ''],
    );
    app().clock.advance({ minutes: 10 });
    const second = await run(['start', '--for', '30m', '--tag', 'web', '--reason', 'deploy 412']);
    assert.equal(second.stdout, 'Quiet until 2024-03-01T12:40:00+00:00: deploy 412\n');
    assert.equal(await list(), '  deploy 412  now, until TIME  tags web\n');

    assert.equal((await run(['stop', 'deploy 412'])).stdout, 'Stopped: deploy 412\n');
    assert.equal(await list(), 'There are no quiet times.\n');
    await run(['start', '--for', '1h', '--project', '--name', 'move']);
    const reply = await app().request('GET', '/api/v3/quiet-times/', { key });
    const [{ uuid = '' } = {}] = (reply.json as { quiet_times: { uuid: string }[] }).quiet_times;
    assert.equal((await run(['stop', uuid])).stdout, `Stopped: ${uuid}\n`);
    assert.equal(await list(), 'There are no quiet times.\n');
  });

  test('a tag that no check has is named, as it may be misspelled', async () => {
    const { run } = await given();

    const started = await run([
      'start',
      '--for',
      '30m',
      '--tag',
      'web',
      '--tag',
      'wbe cdn',
      '--name',
      'site',
    ]);

    assert.equal(started.code, 0);
    assert.equal(
      started.stdout,
      'Quiet until 2024-03-01T12:30:00+00:00: site\nNo check has the tag wbe.\nNo check has the tag cdn.\n',
    );
  });

  test('what cannot be done is said with the exit code of its reason', async () => {
    const { run, readOnlyKey } = await given();
    const cases: readonly [readonly string[], number, RegExp][] = [
      [[], 2, /say start, stop or list/],
      [['start', '--project'], 2, /--for says how long/],
      [['start', '--for', '30m'], 2, /name what is quiet/],
      [['start', '--for', '30m', '--project', '--tag', 'web'], 2, /name what is quiet/],
      [['start', '--for', '30m', '--project', 'now'], 2, /now belongs to no option/],
      [['stop'], 2, /name the quiet time to stop/],
      [['stop', 'nothing'], 3, /There is no quiet time nothing\./],
      [['start', '--for', '30m', '--check', 'nothing'], 4, /invalid check: nothing/],
    ];
    for (const [args, code, said] of cases) {
      const done = await run(args);
      assert.equal(done.code, code, `${args}: ${done.stderr}`);
      assert.match(done.stderr, said);
    }
    assert.equal((await run(['list'], readOnlyKey)).code, 4);
  });
});
