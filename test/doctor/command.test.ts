import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { VERDICTS } from '../../src/domain/finding.ts';
import { REPOSITORY, runCli, temporaryFolder } from '../process.ts';

async function publishedSchema(): Promise<object> {
  return JSON.parse(await readFile(join(REPOSITORY, 'deploy/doctor.schema.json'), 'utf8'));
}

test('before the first start it tells what is wrong, leaves nothing behind, and prints what its schema says', async () => {
  await using folder = await temporaryFolder();
  const other = createServer((_request, response) => response.end('Hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = String(Object(other.address()).port);
  const env = { PORT: taken, EMAIL_TLS: 'True', SITE_ROOT: 'http://127.0.0.1:1' };
  const only = 'settings,secret,database,care,ports,clock';

  const { code, stdout, stderr } = await runCli(['doctor', '--json', '--only', only], {
    cwd: folder.path,
    env,
  });

  other.close();
  assert.equal(stderr, '');
  const report: { findings: { name: string; verdict: string }[] } = JSON.parse(stdout);
  const isRight = new Ajv2020({ allErrors: true }).compile(await publishedSchema());
  assert.equal(isRight(report), true, JSON.stringify(isRight.errors));
  const verdicts = report.findings.map(({ name, verdict }) => `${name} ${verdict}`);
  assert.deepEqual(verdicts, [
    'settings warn',
    'secret skip',
    'clock skip',
    'database skip',
    'ports fail',
    'care skip',
  ]);
  assert.equal(code, 1);
  assert.deepEqual(await readdir(folder.path), []);
});

test('the schema knows all verdicts', async () => {
  assert.match(
    JSON.stringify(await publishedSchema()),
    new RegExp(JSON.stringify({ enum: VERDICTS }).slice(1, -1).replace(/[[\]]/g, '\\$&')),
  );
});

test('people read a line for each row, and what to do below it', async () => {
  await using folder = await temporaryFolder();

  const { code, stdout } = await runCli(['doctor', '--only', 'settings'], {
    cwd: folder.path,
    env: { SITEROOT: 'x' },
  });

  assert.equal(
    stdout,
    'warn  settings  SITEROOT is no setting.\n                → Did you mean SITE_ROOT?\n',
  );
  assert.equal(code, 0);
});

test('a row that does not exist is named', async () => {
  await using folder = await temporaryFolder();

  const { code, stderr } = await runCli(['doctor', '--only', 'disks'], { cwd: folder.path });

  assert.match(stderr, /there is no row "disks": settings, secret, site/);
  assert.equal(code, 2);
});
