import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus } from './answers.ts';

forEachEngine((engine) => {
  const usual = sharedTestApp(engine, { rateLimitPerMinute: 100 });

  test('a run over five hundred checks is served by default, with several requests for each', async () => {
    const { key, project } = await usual().givenProject();
    const { uuid } = await usual().givenCheck(project);

    for (let n = 0; n < 2_000; n++) {
      assertStatus(await usual().request('GET', `/api/v3/checks/${uuid}`, { key }), 200, `request ${n}`);
    }
  });
});
