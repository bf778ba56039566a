import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestApp } from '../app.ts';
import { REPOSITORY, temporaryFolder } from '../process.ts';

const run = promisify(execFile);

/** The scripts of the guide about quiet times, in their order. */
async function scripts(): Promise<readonly string[]> {
  const guide = await readFile(`${REPOSITORY}/docs/guide/alerts.md`, 'utf8');
  const section = guide.split(/^## /m).find((part) => part.startsWith('Quiet times\n')) ?? assert.fail();
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, script = '']) => script);
}

test('the scripts of the guide announce a quiet time, and stop it when the deployment is over or has failed', async () => {
  await using app = await startTestApp('sqlite');
  await using folder = await temporaryFolder();
  const { project, key } = await app.givenProject();
  await app.givenCheck(project, { tags: 'web' });
  const url = `http://127.0.0.1:${await app.port()}`;
  const write = (name: string, lines: readonly string[]) =>
    writeFile(join(folder.path, name), `${lines.join('\n')}\n`, { mode: 0o755 });
  await write('tocsin', ['#!/bin/sh', `exec ${process.execPath} ${REPOSITORY}/bin/sources.js "$@"`]);
  const list = `curl -fsS -H "X-Api-Key: $TOCSIN_API_KEY" "$TOCSIN_URL/api/v3/quiet-times/"`;
  await write('deploy.sh', ['#!/bin/sh', `${list} > during.json`, 'exit 3']);
  const environment = {
    ...{ PATH: `${folder.path}${delimiter}${process.env.PATH}`, HOME: folder.path },
    ...{ TOCSIN_URL: url, TOCSIN_API_KEY: key },
  };
  const [command = '', curl = '', weekly = ''] = await scripts();
  // The key and the address of the guide are examples.
  const runnable = (script: string) => script.replace(/^export .*$/m, '');

  for (const script of [command, curl]) {
    const failed = run('/bin/sh', ['-eu', '-c', runnable(script)], { cwd: folder.path, env: environment });
    await assert.rejects(failed, ({ code, stderr }) => code === 3 && stderr === '');
    const during = JSON.parse(await readFile(join(folder.path, 'during.json'), 'utf8'));
    const [one, ...others] = during.quiet_times.filter(({ state }: { state: string }) => state === 'running');
    assert.deepEqual(others, []);
    assert.deepEqual([one.name, one.reason, one.tags, one.duration], ['deploy', 'deploy 412', 'web', 1_800]);
    const after = await app.deps.store.quietTimes.inForce(project.id, app.clock.now());
    assert.deepEqual(after, []);
    app.clock.advance({ seconds: 1 });
  }
  await run('/bin/sh', ['-eu', '-c', weekly], { cwd: folder.path, env: environment });
  const [sunday] = await app.deps.store.quietTimes.inForce(project.id, app.clock.now());
  assert.deepEqual(
    [sunday?.name, sunday?.schedule, sunday?.tz, sunday?.durationSeconds],
    ['sunday', 'Sun 01:00', 'Europe/Riga', 14_400],
  );
});
