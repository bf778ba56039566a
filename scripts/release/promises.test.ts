import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenPromises, formatPromises, keptPromises, promisesNow } from './promises.ts';

const now = await promisesNow();

test('no setting, command, metric, operation or path of the image is gone within a major version', async () => {
  assert.deepEqual(brokenPromises(await keptPromises(), now), []);
});

test('all that people can build on is listed; `npm run promises` adds it', async () => {
  assert.equal(formatPromises(await keptPromises()), formatPromises(now));
});

test('a thing that goes breaks a promise, unless the major version is a new one', () => {
  for (const kind of [
    'setting SITE_ROOT',
    'command backup --archive',
    'metric tocsin_ready',
    'image /data',
  ]) {
    assert.ok(now.lines.includes(kind), kind);
    const without = { ...now, lines: now.lines.filter((line) => line !== kind) };

    assert.deepEqual(brokenPromises(now, without), [kind]);
    assert.deepEqual(brokenPromises(now, { ...without, major: now.major + 1 }), []);
  }
});

test('operations of the API are among the promises', () => {
  assert.ok(
    now.lines.includes('GET /api/v3/checks/'),
    now.lines.filter((line) => line.startsWith('GET')).join(),
  );
});
