import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { AppError } from '../../src/domain/errors.ts';
import { seconds } from '../../src/lib/instant.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenChecks(...checks: readonly Partial<Check>[]) {
    const given = await app().givenProject();
    const stored: Check[] = [];
    for (const check of checks) stored.push(await app().givenCheck(given.project, check));
    const root = `/projects/${given.project.uuid}`;
    const scrape = async () => {
      const reply = await app().request('GET', `${root}/metrics/${given.readOnlyKey}`);
      assertStatus(reply, 200);
      return reply.text;
    };
    const byBearer = (authorization: string) =>
      app().request('GET', `${root}/metrics/`, { headers: { authorization } });
    return { ...given, checks: stored, root, scrape, byBearer };
  }

  test('a read-only key scrapes all families, in the path or as a bearer', async () => {
    const { root, readOnlyKey, byBearer, checks } = await givenChecks({
      name: 'Alice Was Here',
      tags: 'foo',
    });
    const labels = `{name="Alice Was Here", tags="foo", unique_key="${checks[0]?.uniqueKey}"}`;
    const expected = `# HELP hc_check_up Whether the check is currently up (1 for yes, 0 for no).
# TYPE hc_check_up gauge
hc_check_up${labels} 1

# HELP hc_check_started Whether the check is currently started (1 for yes, 0 for no).
# TYPE hc_check_started gauge
hc_check_started${labels} 0

# HELP hc_check_grace Whether the check is currently in the grace period (1 for yes, 0 for no).
# TYPE hc_check_grace gauge
hc_check_grace${labels} 0

# HELP hc_check_paused Whether the check is currently paused (1 for yes, 0 for no).
# TYPE hc_check_paused gauge
hc_check_paused${labels} 0

# HELP hc_tag_up Whether all checks with this tag are up (1 for yes, 0 for no).
# TYPE hc_tag_up gauge
hc_tag_up{tag="foo"} 1

# HELP hc_checks_total The total number of checks.
# TYPE hc_checks_total gauge
hc_checks_total 1

# HELP hc_checks_down_total The number of checks currently down.
# TYPE hc_checks_down_total gauge
hc_checks_down_total 0

# HELP tocsin_job_last_success_timestamp_seconds When the last success arrived.
# TYPE tocsin_job_last_success_timestamp_seconds gauge

# HELP tocsin_job_last_duration_seconds How long the last run took, if it had a start.
# TYPE tocsin_job_last_duration_seconds gauge

# HELP tocsin_job_last_result How the last run ended (1 for success, 0 for failure).
# TYPE tocsin_job_last_result gauge

# HELP tocsin_job_next_expected_timestamp_seconds When the next ping is expected.
# TYPE tocsin_job_next_expected_timestamp_seconds gauge
`;

    const replies = [
      await app().request('GET', `${root}/metrics/${readOnlyKey}`),
      await app().request('GET', `${root}/checks/metrics/${readOnlyKey}`),
      await byBearer(`Bearer ${readOnlyKey}`),
      // The project in the path is not compared.
      await app().request('GET', `/projects/${NOWHERE}/metrics/${readOnlyKey}`),
    ];

    for (const { status, headers, text } of replies) {
      assert.deepEqual([status, headers['content-type'], text], [200, 'text/plain', expected]);
      assert.equal('access-control-allow-origin' in headers, false);
    }
  });

  test('only the key’s own project is told of', async () => {
    const { scrape } = await givenChecks({ name: 'own' });
    await givenChecks({ name: 'foreign' });

    assert.equal((await scrape()).includes('foreign'), false);
  });

  test('the UUID of a check does not show', async () => {
    const { scrape, checks } = await givenChecks({});

    assert.equal((await scrape()).includes(checks[0]?.uuid ?? ''), false);
  });

  test('without a bearer there is nothing to see', async () => {
    const { root, readOnlyKey, byBearer } = await givenChecks();

    assertError(await app().request('GET', `${root}/metrics/`), 401, 'missing api key');
    for (const scheme of ['bearer', 'BEARER', 'Basic', 'Bearer:', ''])
      assertError(await byBearer(`${scheme} ${readOnlyKey}`), 401, 'missing api key', scheme);
    const header = await app().request('GET', `${root}/metrics/`, { key: readOnlyKey });
    assertError(header, 401, 'missing api key');
  });

  test('any other key is refused, the read-write one, too', async () => {
    const { root, key, readOnlyKey, byBearer } = await givenChecks();
    const changed = readOnlyKey.slice(0, -1) + (readOnlyKey.endsWith('x') ? 'y' : 'x');

    for (const wrong of [key, changed, 'R'.repeat(32)]) {
      assertError(await app().request('GET', `${root}/metrics/${wrong}`), 403, 'wrong api key');
      assertError(await app().request('GET', `${root}/checks/metrics/${wrong}`), 403, 'wrong api key');
      assertError(await byBearer(`Bearer ${wrong}`), 403, 'wrong api key');
    }
  });

  test('a key of another length is no key', async () => {
    const { root, readOnlyKey, byBearer } = await givenChecks();

    for (const wrong of [readOnlyKey.slice(1), `${readOnlyKey}x`, 'x']) {
      assertError(await app().request('GET', `${root}/metrics/${wrong}`), 400, 'invalid api key');
      assertError(await byBearer(`Bearer ${wrong}`), 400, 'invalid api key');
    }
    for (const wrong of ['', ` ${readOnlyKey}`])
      assertStatus(await byBearer(`Bearer ${wrong}`), 400, `"${wrong}"`);
  });

  test('each gauge tells what a reader sees at that moment', async () => {
    const { scrape } = await givenChecks(
      { name: 'down', status: 'down', tags: 'b a' },
      { name: 'paused', status: 'paused', tags: 'c' },
      { name: 'late', status: 'up', lastPingAt: START - seconds(86_400), tags: 'c' },
      { name: 'running', status: 'up', lastPingAt: START, lastStartAt: START - seconds(60), tags: 'a c' },
    );

    const values = Object.groupBy(
      (await scrape()).split('\n').filter((line) => line.startsWith('hc_')),
      (line) => line.replace(/[{ ].*/, ''),
    );

    const numbers = Object.entries(values).map(([family, lines = []]) => [
      family,
      lines.map((line) => Number(line.slice(line.lastIndexOf(' ')))),
    ]);
    assert.deepEqual(Object.fromEntries(numbers), {
      hc_check_up: [0, 1, 1, 1],
      hc_check_started: [0, 0, 0, 1],
      hc_check_grace: [0, 0, 1, 0],
      hc_check_paused: [0, 1, 0, 0],
      hc_tag_up: [0, 0, 1],
      hc_checks_total: [4],
      hc_checks_down_total: [1],
    });
    assert.deepEqual(values.hc_tag_up, [
      'hc_tag_up{tag="a"} 0',
      'hc_tag_up{tag="b"} 0',
      'hc_tag_up{tag="c"} 1',
    ]);
  });

  test('a newline, a quote and a backslash in a name are escaped', async () => {
    const { scrape } = await givenChecks({ name: 'a\nb"c\\d' });

    assert.ok((await scrape()).includes('hc_check_up{name="a\\nb\\"c\\\\d", tags="", '));
  });

  test('a path without its slash redirects, and a slash too many is no path', async () => {
    const { root, readOnlyKey } = await givenChecks();

    const reply = await app().request('GET', `${root}/metrics`);

    assert.deepEqual([reply.status, reply.headers.location], [301, `${root}/metrics/`]);
    assertStatus(await app().request('GET', `${root}/metrics/${readOnlyKey}/`), 404);
    assertStatus(await app().request('GET', `/projects/x/metrics/${readOnlyKey}`), 404);
  });

  test('a method that is not safe is refused, before the key is looked at', async () => {
    const { root } = await givenChecks();

    for (const method of ['POST', 'PUT', 'DELETE']) {
      const reply = await app().request(method, `${root}/metrics/x`);
      assertError(reply, 405, 'method not allowed');
      assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS');
    }
  });

  test('a database that does not answer is no wrong key', async (t) => {
    const { root, readOnlyKey } = await givenChecks();
    t.mock.method(app().deps.store.apiKeys, 'byLookup', async () => {
      throw new AppError('storage_unavailable', 'gone', { retryAfterSeconds: 1 });
    });

    const reply = await app().request('GET', `${root}/metrics/${readOnlyKey}`);

    assertError(reply, 503, 'temporarily unavailable');
    assert.equal(reply.headers['retry-after'], '1');
  });

  suite('when it is switched off', () => {
    const withoutMetrics = sharedTestApp(engine, { prometheusEnabled: false });

    test('nothing is found, whatever the key', async () => {
      const { project, readOnlyKey } = await withoutMetrics().givenProject();
      const root = `/projects/${project.uuid}`;

      for (const path of [
        '/metrics/',
        `/metrics/${readOnlyKey}`,
        `/checks/metrics/${readOnlyKey}`,
        '/metrics',
      ])
        assertError(await withoutMetrics().request('GET', root + path), 404, 'not found', path);
    });
  });
});
