import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SITE, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  const silent = sharedTestApp(engine, { prometheusEnabled: false });

  test('either key of a project reads its name, its UUID and its Prometheus address, in every version', async () => {
    const { project, key, readOnlyKey } = await app().givenProject();
    await app().givenProject();

    for (const version of [1, 2, 3]) {
      for (const own of [key, readOnlyKey]) {
        const reply = await app().request('GET', `/api/v${version}/project/`, { key: own });

        assert.deepEqual(
          [reply.status, reply.headers['content-type'], reply.text],
          [
            200,
            'application/json',
            JSON.stringify({
              name: project.name,
              uuid: project.uuid,
              prometheus_url: `${SITE.root}/projects/${project.uuid}/metrics/`,
            }),
          ],
        );
      }
    }
  });

  test('the Prometheus address is scraped with the read-only key', async () => {
    const { key, readOnlyKey } = await app().givenProject();
    const { json } = await app().request('GET', '/api/v3/project/', { key });
    const { prometheus_url: address } = json as { prometheus_url: string };

    const reply = await app().request('GET', address.slice(SITE.root.length), {
      headers: { authorization: `Bearer ${readOnlyKey}` },
    });

    assert.equal(reply.status, 200);
    assert.match(reply.text, /^hc_checks_total 0$/m);
  });

  test('where Prometheus is switched off there is no address for it', async () => {
    const { project, key } = await silent().givenProject();

    const reply = await silent().request('GET', '/api/v3/project/', { key });

    assert.equal(
      reply.text,
      JSON.stringify({ name: project.name, uuid: project.uuid, prometheus_url: null }),
    );
  });

  test('without a key, and with one of nobody, nothing is told', async () => {
    assertError(await app().request('GET', '/api/v3/project/'), 401, 'missing api key');
    assertError(
      await app().request('GET', '/api/v3/project/', { key: 'y'.repeat(32) }),
      401,
      'wrong api key',
    );
  });

  test('the project can only be read', async () => {
    const { key } = await app().givenProject();

    for (const method of ['POST', 'PUT', 'DELETE']) {
      const reply = await app().request(method, '/api/v3/project/', { key, body: {} });

      assertError(reply, 405, 'method not allowed', method);
    }
  });
});
