import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine, {}, { pingBodyLimit: 1_234 });

  test('the API reference prints the limits of this instance', async () => {
    const { json } = await app().request('GET', '/api/v3/openapi.json');

    const { description } = (json as { info: { description: string } }).info;
    const { checks, pings } = app().deps.defaultLimits;
    assert.match(description, new RegExp(`\\| Checks of an account \\| ${checks}, unless `));
    assert.match(description, new RegExp(`\\| Pings kept of a check \\| the last ${pings}, unless `));
    assert.match(description, /\| Body of a ping kept \| its first 1234 bytes \|/);
  });
});
