import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { checkRecord } from '../records.ts';
import { assertStatus, checkOf, checksOf } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with these checks, and the names of those that a query finds. */
  async function givenChecks(...checks: readonly Partial<Check>[]) {
    const given = await app().givenProject();
    const stored: Check[] = [];
    for (const check of checks) stored.push(await app().givenCheck(given.project, check));
    const found = async (query = '') => {
      const reply = await app().request('GET', `/api/v3/checks/${query}`, { key: given.key });
      assertStatus(reply, 200, query);
      return checksOf(reply).map(({ name }) => name);
    };
    return { ...given, checks: stored, found };
  }

  test('the list has the checks of the own project, oldest first', async () => {
    const { found, project } = await givenChecks({ name: 'c' }, { name: 'a' });
    const other = await givenChecks({ name: 'foreign' });
    await app().givenCheck(project, { name: 'b' });

    assert.deepEqual(await found(), ['c', 'a', 'b']);
    assert.deepEqual(await other.found(), ['foreign']);
  });

  test('each check in the list is as it is by itself, channels included', async () => {
    const { key, project, checks } = await givenChecks(
      { name: 'simple' },
      { name: 'cron', kind: 'cron', schedule: '5 4 * * *', tz: 'Europe/Riga' },
    );
    const [first, second] = checks;
    assert.ok(first && second);
    const channels = [await app().givenChannel(project), await app().givenChannel(project)];
    await app().assign(first, ...channels);

    const list = checksOf(await app().request('GET', '/api/v3/checks/', { key }));

    const single = async ({ uuid }: Check) =>
      checkOf(await app().request('GET', `/api/v3/checks/${uuid}`, { key }));
    assert.deepEqual(list, [await single(first), await single(second)]);
    assert.equal(
      list[0]?.channels,
      channels
        .map(({ uuid }) => uuid)
        .sort()
        .join(','),
    );
    assert.equal(list[1]?.channels, '');
  });

  test('the list of an empty project is empty', async () => {
    const { key } = await givenChecks();

    const reply = await app().request('GET', '/api/v3/checks/', { key });

    assert.deepEqual([reply.status, reply.text], [200, '{"checks":[]}']);
    assert.equal(reply.headers['content-type'], 'application/json');
  });

  test('a tag finds the checks that carry exactly that tag, several tags those with all', async () => {
    const { found } = await givenChecks(
      { name: 'both', tags: 'foo bar' },
      { name: 'foo', tags: '  foo  ' },
      { name: 'food', tags: 'food' },
      { name: 'comma', tags: 'bar,baz' },
      { name: 'tab', tags: 'foo\tbar' },
      { name: 'none', tags: '' },
    );
    const rows: [query: string, names: string[]][] = [
      ['?tag=foo', ['both', 'foo']],
      ['?tag=foo&tag=bar', ['both']],
      ['?tag=bar&tag=foo&tag=foo', ['both']],
      ['?tag=foo&tag=nothing', []],
      ['?tag=', []],
      ['?tag=foo&tag=', []],
      ['?tag=FOO', []],
      ['?tag=foo%20bar', []],
      ['?tag=foo+bar', []],
      ['?tag=bar', ['both']],
      ['?tag=bar%2Cbaz', ['comma']],
      ['?tag=foo%09bar', ['tab']],
      ['?tag=%00', []],
    ];
    for (const [query, names] of rows) assert.deepEqual(await found(query), names, query);
  });

  test('a slug finds every check that has it', async () => {
    const { found } = await givenChecks(
      { name: 'one', slug: 's1', tags: 'bar' },
      { name: 'two', slug: 's1' },
      { name: 'three', slug: 's2', tags: 'bar' },
      { name: 'four', slug: '' },
    );
    const rows: [query: string, names: string[]][] = [
      ['?slug=s1', ['one', 'two']],
      ['?slug=', ['one', 'two', 'three', 'four']],
      ['?slug=S1', []],
      ['?slug=zz&slug=s1', ['one', 'two']],
      ['?slug=s1&slug=zz', []],
      ['?slug=s1&slug=', ['one', 'two', 'three', 'four']],
      ['?slug=s1&tag=bar', ['one']],
      ['?slug=s2&tag=foo', []],
      ['?slug=s', []],
      ['?slug=s1%20', []],
      ['?slug=%00', []],
      ['?slug=%ED%A0%80', []],
    ];
    for (const [query, names] of rows) assert.deepEqual(await found(query), names, query);
  });

  test('other parameters are passed over', async () => {
    const { found } = await givenChecks({ name: 'a' }, { name: 'b', status: 'paused' });

    for (const query of ['?status=up', '?name=a', '?', '?&&=&%', '?TAG=x', '?limit=1'])
      assert.deepEqual(await found(query), ['a', 'b'], query);
  });

  test('a long list comes in pieces, and is what a short one is', async () => {
    const given = await app().givenProject({ limits: { checks: 1_000, pings: 100 } });
    const descriptions = Array.from({ length: 230 }, (_, n) =>
      n % 5 === 0 ? 'ü'.repeat(100_000) : `of ${n}`,
    );
    await app().deps.store.transaction(async (tx) => {
      for (const [n, description] of descriptions.entries())
        await tx.checks.insert(
          checkRecord(given.project.id, { name: `check ${n}`, description, tags: `t${n % 2}` }),
        );
    });
    const list = (query: string) => app().request('GET', `/api/v3/checks/${query}`, { key: given.key });

    const all = await list('');
    const some = await list('?tag=t1');

    assertStatus(all, 200);
    assert.equal(all.headers['content-type'], 'application/json');
    assert.equal(all.text, JSON.stringify(all.json), 'no character is between the pieces');
    assert.deepEqual(
      checksOf(all).map(({ name, desc }) => [name, desc]),
      descriptions.map((desc, n) => [`check ${n}`, desc]),
    );
    assert.equal(checksOf(some).length, 115);
  });

  test('a short list has its length', async () => {
    const { key } = await givenChecks({ name: 'a' });

    const reply = await app().request('GET', '/api/v3/checks/', { key });

    assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.text)));
    const empty = await app().givenProject();
    assert.equal((await app().request('GET', '/api/v3/checks/', { key: empty.key })).text, '{"checks":[]}');
  });
});
