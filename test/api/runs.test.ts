import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR } from '../../src/domain/check/check.test-support.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { checkOf } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a check whose last run failed tells when one last succeeded, in version 3', async () => {
    const { key, project } = await app().givenProject();
    const check = await app().givenCheck(project);
    const shown = async (version = 3) =>
      checkOf(await app().request('GET', `/api/v${version}/checks/${check.uuid}`, { key }));
    await app().receive(check, 'fail');
    assert.equal('last_success' in (await shown()), false);

    await app().receive(check, 'success');
    assert.equal('last_success' in (await shown()), false);
    const goodAt = app().clock.now();
    for (let hour = 0; hour < 2; hour++) {
      app().clock.set(app().clock.now() + HOUR);
      await app().receive(check, 'fail');
    }

    assert.equal(Date.parse(String((await shown()).last_success)) * 1_000, goodAt);
    assert.equal('last_success' in (await shown(2)), false);
    await app().receive(check, 'success');
    assert.equal('last_success' in (await shown()), false);
  });
});
