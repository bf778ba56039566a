import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { seconds } from '../../src/lib/instant.ts';
import { SITE, START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { checkRecord } from '../records.ts';
import { assertCors, assertError, assertStatus, checkOf } from './answers.ts';

const DAY = seconds(86_400);
const HOUR = seconds(3_600);
const NEVER_CACHED = 'max-age=0, no-cache, no-store, must-revalidate, private';

const LATE: Partial<Check> = { status: 'up', lastPingAt: START - DAY };
const DOWN: Partial<Check> = { status: 'down' };
const PAUSED: Partial<Check> = { status: 'paused' };
const UP: Partial<Check> = { status: 'up', lastPingAt: START };

type Urls = Readonly<Record<string, string>>;

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with these checks; its badge addresses, by tag; and what is found there. */
  async function givenChecks(...checks: readonly Partial<Check>[]) {
    const given = await app().givenProject();
    const stored: Check[] = [];
    for (const check of checks) stored.push(await app().givenCheck(given.project, check));
    const badges = async (key = given.key): Promise<Readonly<Record<string, Urls>>> => {
      const reply = await app().request('GET', '/api/v3/badges/', { key });
      assertStatus(reply, 200);
      return (reply.json as { badges: Record<string, Urls> }).badges;
    };
    const urls = async (tag: string): Promise<Urls> => {
      const found = (await badges())[tag];
      assert.ok(found, `no badge for ${tag}`);
      return found;
    };
    return { ...given, checks: stored, badges, urls };
  }

  /** The answer of a public address, asked without any key. */
  function fetchBadge(url = '', method = 'GET') {
    assert.ok(url.startsWith(`${SITE.root}/b`), url);
    return app().request(method, url.slice(SITE.root.length));
  }

  test('every tag has six addresses, and so has the project as a whole', async () => {
    const { badges, project, key, readOnlyKey } = await givenChecks(
      { tags: 'foo bar' },
      { tags: ' bar  baz ' },
    );
    const keys = ['svg', 'svg3', 'json', 'json3', 'shields', 'shields3'];

    const listed = await badges();

    assert.deepEqual(Object.keys(listed), ['bar', 'baz', 'foo', '*']);
    for (const urls of Object.values(listed)) assert.deepEqual(Object.keys(urls), keys);
    assert.deepEqual(await badges(readOnlyKey), listed);
    const text = JSON.stringify(listed);
    for (const secret of [project.uuid, key, readOnlyKey]) assert.equal(text.includes(secret), false);

    const empty = await givenChecks();
    assert.deepEqual(Object.keys(await empty.badges()), ['*']);
  });

  test('only the addresses with two states are marked, and share the signature of the others', async () => {
    const { badges, project } = await givenChecks({ tags: 'foo' });

    const { foo, '*': all } = await badges();

    const root = `http://testserver/badge/${project.badgeKey}`;
    const signature = foo?.svg3?.slice(root.length + 1, root.length + 9) ?? '';
    assert.match(signature, /^[\w-]{8}$/);
    assert.deepEqual(foo, {
      svg: `${root}/${signature}-2/foo.svg`,
      svg3: `${root}/${signature}/foo.svg`,
      json: `${root}/${signature}-2/foo.json`,
      json3: `${root}/${signature}/foo.json`,
      shields: `${root}/${signature}-2/foo.shields`,
      shields3: `${root}/${signature}/foo.shields`,
    });
    const master = all?.svg3?.slice(root.length + 1, root.length + 9) ?? '';
    assert.notEqual(master, signature);
    assert.deepEqual(all, {
      svg: `${root}/${master}-2.svg`,
      svg3: `${root}/${master}.svg`,
      json: `${root}/${master}-2.json`,
      json3: `${root}/${master}.json`,
      shields: `${root}/${master}-2.shields`,
      shields3: `${root}/${master}.shields`,
    });
  });

  test('every address answers, without a key', async () => {
    const { badges } = await givenChecks({ tags: 'foo bar' });
    const types: Record<string, string> = {
      svg: 'image/svg+xml',
      json: 'application/json',
      shields: 'application/json',
    };

    for (const urls of Object.values(await badges())) {
      for (const [name, url] of Object.entries(urls)) {
        const reply = await fetchBadge(url);
        assert.equal(reply.status, 200, url);
        assert.equal(reply.headers['content-type'], types[name.replace('3', '')], url);
      }
    }
  });

  test('a tag with any characters has an address that leads back to it', async () => {
    const tags = [
      ...['db@dc1', 'a/b', 'ü', 'v1.0', '100%', '%2F', '.', '..', '<b>', '?x=1#y', '*', '__proto__'],
      ...['a,b', '日本', '👩‍👩‍👧', "!'()", '\\', '+', 'a\tb', '🔔'.repeat(80)],
    ];
    const { badges, urls } = await givenChecks({ tags: tags.join(' ') });

    assert.equal((await urls('db@dc1')).svg?.endsWith('/db%2540dc1.svg'), true);
    assert.equal((await urls('a/b')).svg?.endsWith('/a%252Fb.svg'), true);
    assert.equal((await urls('ü')).svg?.endsWith('/%25C3%25BC.svg'), true);
    assert.deepEqual(new Set(Object.keys(await badges())), new Set(tags));
    for (const tag of tags) {
      const { shields, json3 } = await urls(tag);
      const reply = await fetchBadge(shields);
      assertStatus(reply, 200, tag);
      assert.equal((reply.json as { label: string }).label, tag === '*' ? 'Tocsin' : tag);
      assert.deepEqual((await fetchBadge(json3)).json, { status: 'up', total: 1, grace: 0, down: 0 });
    }
  });

  test('the longest tag there can be has an address that answers', async () => {
    const { urls } = await givenChecks({ tags: '🔔'.repeat(500) });

    assertStatus(await fetchBadge((await urls('🔔'.repeat(500))).shields), 200);
  });

  test('an address that was guessed is not found', async () => {
    const { project } = await givenChecks({ tags: 'foo' });
    const root = `http://testserver/badge/${project.badgeKey}`;

    for (const path of ['/12345678/foo.svg', '/12345678.svg', '/1/foo.svg', '/12345678-2/foo.json'])
      assertError(await fetchBadge(root + path), 404, 'not found', path);
  });

  test('a signature is good for its tag and its project alone', async () => {
    const { urls, project } = await givenChecks({ tags: 'foo bar' });
    const other = await givenChecks({ tags: 'foo bar' });
    const foo = (await urls('foo')).json ?? '';
    const all = (await urls('*')).json ?? '';

    const wrong = [
      foo.replace('foo.json', 'bar.json'),
      foo.replace('foo.json', 'FOO.json'),
      foo.replace('-2/foo.json', '-2.json'),
      all.replace('-2.json', '-2/foo.json'),
      foo.replace(project.badgeKey, other.project.badgeKey),
      all.replace(project.badgeKey, other.project.badgeKey),
      foo.replace(project.badgeKey, project.uuid),
    ];
    for (const url of wrong) assertError(await fetchBadge(url), 404, 'not found', url);
    assertStatus(await fetchBadge(foo), 200);
    assert.notEqual(foo.split('/')[5], ((await other.urls('foo')).json ?? '').split('/')[5]);
  });

  test('what follows the signature chooses the number of states and nothing else', async () => {
    const { urls } = await givenChecks({ tags: 'foo', ...LATE });
    const { json3 = '', json = '' } = await urls('foo');

    for (const [suffix, status] of [
      ['', 'late'],
      ['-2', 'up'],
      ['-3', 'late'],
      ['junk', 'late'],
      ['-22', 'late'],
    ] as const) {
      const reply = await fetchBadge(json3.replace('/foo.json', `${suffix}/foo.json`));
      assert.equal((reply.json as { status: string }).status, status, suffix);
    }
    assert.equal(json3.replace('/foo.json', '-2/foo.json'), json);
  });

  test('a format that there is not is not found', async () => {
    const { urls } = await givenChecks({ tags: 'foo' });

    for (const url of [(await urls('foo')).svg ?? '', (await urls('*')).svg ?? '']) {
      for (const format of ['png', 'jsonfoo', 'SVG', '', 'svg.png'])
        assertError(await fetchBadge(url.replace(/svg$/, format)), 404, 'not found', format);
    }
  });

  test('a badge tells how the checks with its tag are doing', async () => {
    const tagged = (check: Partial<Check>): Partial<Check> => ({ tags: 'foo', ...check });
    const rows: [name: string, checks: Partial<Check>[], two: string, three: string, counts: number[]][] = [
      ['a new check', [{}], 'up', 'up', [1, 0, 0]],
      ['a check in grace', [LATE], 'up', 'late', [1, 1, 0]],
      ['a check that is down and runs', [{ ...DOWN, lastStartAt: START }], 'down', 'down', [1, 0, 1]],
      ['some of each', [{}, DOWN, PAUSED, LATE], 'down', 'down', [4, 1, 1]],
      ['none that is bad', [{}, UP, PAUSED], 'up', 'up', [3, 0, 0]],
      [
        'overdue, and not yet noticed',
        [{ status: 'up', lastPingAt: START - DAY - HOUR }],
        'down',
        'down',
        [1, 0, 1],
      ],
      ['a hung run of a new check', [{ lastStartAt: START - HOUR }], 'down', 'down', [1, 0, 1]],
    ];
    for (const [name, checks, two, three, [total, grace, down]] of rows) {
      // Checks with another tag or a longer one count for `*` alone.
      const { urls } = await givenChecks(...checks.map(tagged), { ...DOWN, tags: 'food foo,bar' });
      const { json, json3 } = await urls('foo');

      const counts = { total, grace, down };
      assert.equal((await fetchBadge(json)).text, JSON.stringify({ status: two, ...counts }), name);
      assert.equal((await fetchBadge(json3)).text, JSON.stringify({ status: three, ...counts }), name);
      const all = (await fetchBadge((await urls('*')).json3)).json;
      assert.deepEqual(all, { status: 'down', total: checks.length + 1, grace, down: (down ?? 0) + 1 }, name);
    }
  });

  test('a badge whose tag nobody carries any more is up, with nothing to count', async () => {
    const { urls, key, checks } = await givenChecks({ tags: 'foo', ...DOWN });
    const { json } = await urls('foo');
    const { json3 } = await urls('*');
    const [check] = checks;

    const path = `/api/v3/checks/${check?.uuid}`;
    assertStatus(await app().request('POST', path, { key, body: { tags: 'bar' } }), 200);
    assert.equal((await fetchBadge(json)).text, '{"status":"up","total":0,"grace":0,"down":0}');

    assertStatus(await app().request('DELETE', path, { key }), 200);
    assert.equal((await fetchBadge(json)).text, '{"status":"up","total":0,"grace":0,"down":0}');
    assert.equal((await fetchBadge(json3)).text, '{"status":"up","total":0,"grace":0,"down":0}');
  });

  test('for Shields the badge has a label, a message and a colour', async () => {
    for (const [check, message, color] of [
      [UP, 'up', 'success'],
      [LATE, 'late', 'important'],
      [DOWN, 'down', 'critical'],
    ] as const) {
      const { urls } = await givenChecks({ tags: 'foo', ...check });
      const document = (label: string) => JSON.stringify({ schemaVersion: 1, label, message, color });

      assert.equal((await fetchBadge((await urls('foo')).shields3)).text, document('foo'));
      assert.equal((await fetchBadge((await urls('*')).shields3)).text, document(SITE.masterBadgeLabel));
    }
  });

  test('as SVG the badge has the colour of its status, and its label is escaped', async () => {
    for (const [check, color] of [
      [UP, '#0a6b51'],
      [LATE, '#855000'],
      [DOWN, '#b3261e'],
    ] as const) {
      const { urls } = await givenChecks({ tags: '<b>', ...check });

      const { headers, text } = await fetchBadge((await urls('<b>')).svg3);

      assert.equal(headers['content-type'], 'image/svg+xml');
      assert.ok(text.startsWith('<svg xmlns="http://www.w3.org/2000/svg"'));
      assert.ok(text.includes(`fill="${color}"`));
      assert.ok(text.includes('>&lt;b&gt;</text>'));
      assert.equal(text.includes('<b>'), false);
    }
  });

  test('badges are never cached, and any page may show them', async () => {
    const { urls, checks } = await givenChecks({ tags: 'foo' });
    const [check] = checks;
    const good = (await urls('foo')).svg ?? '';
    const one = `http://testserver/b/2/${check?.badgeKey}.svg`;

    for (const [method, url, status] of [
      ['GET', good, 200],
      ['GET', one, 200],
      ['GET', good.replace('.svg', '.png'), 404],
      ['GET', one.replace('.svg', '.png'), 404],
      ['OPTIONS', good, 204],
      ['OPTIONS', one, 204],
      ['HEAD', good, 405],
      ['HEAD', one, 405],
      ['POST', good, 405],
      ['DELETE', one, 405],
    ] as const) {
      const reply = await fetchBadge(url, method);
      assertStatus(reply, status, `${method} ${url}`);
      assert.equal(reply.headers['cache-control'], NEVER_CACHED);
      assert.equal(reply.headers.expires, 'Fri, 01 Mar 2024 12:00:00 GMT');
      assertCors(reply, ['GET', 'OPTIONS']);
      if (status === 204) assert.equal(reply.text, '');
    }
  });

  test('a client that has what would be shown is told so, until something else is shown', async () => {
    const { urls, checks } = await givenChecks({ ...UP, tags: 'foo' });
    const [check] = checks;
    assert.ok(check !== undefined);
    for (const url of [(await urls('foo')).json, `${SITE.root}/b/2/${check.badgeKey}.json`]) {
      const ask = (etag: string) =>
        app().request('GET', (url ?? '').slice(SITE.root.length), { headers: { 'if-none-match': etag } });
      const { headers } = await fetchBadge(url);
      const etag = headers.etag ?? '';

      const again = await ask(etag);
      await app().receive(check, 'fail');
      const down = await ask(etag);
      await app().receive(check, 'success');

      assert.match(etag, /^W\/"[\w-]+"$/);
      assertStatus(again, 304);
      assert.equal(again.text, '');
      assert.equal(again.headers.etag, etag);
      assert.equal(again.headers['cache-control'], NEVER_CACHED);
      assertCors(again, ['GET', 'OPTIONS']);
      assertStatus(down, 200);
      assert.notEqual(down.headers.etag, etag);
      assertStatus(await ask(etag), 304);
    }
  });

  test('the badge of one check has two states or three', async () => {
    const { checks, key } = await givenChecks({ ...LATE, name: 'Nightly' });
    const [check] = checks;
    const badge = (states: string) => fetchBadge(`http://testserver/b/${states}/${check?.badgeKey}.json`);

    for (const [states, status] of [
      ['2', 'up'],
      ['3', 'late'],
      ['0', 'up'],
      ['99', 'up'],
      ['9'.repeat(30), 'up'],
    ] as const)
      assert.equal((await badge(states)).text, `{"status":"${status}","total":1,"grace":1,"down":0}`, states);
    const answer = checkOf(await app().request('GET', `/api/v3/checks/${check?.uuid}`, { key }));
    assert.equal(answer.badge_url, `http://testserver/b/2/${check?.badgeKey}.svg`);
    app().clock.advance({ hours: 1 });
    assert.equal((await badge('2')).text, '{"status":"down","total":1,"grace":0,"down":1}');
  });

  test('the badge of a check is found by its own key and in the formats there are', async () => {
    const { checks } = await givenChecks({});
    const [check] = checks;
    const { uuid = '', badgeKey = '', uniqueKey = '' } = check ?? {};

    for (const path of [
      `2/${uuid}.svg`,
      '2/00000000-0000-4000-8000-000000000000.svg',
      `x/${badgeKey}.svg`,
      `-2/${badgeKey}.svg`,
      `2.0/${badgeKey}.svg`,
      `2/${badgeKey}.png`,
      `2/${badgeKey}`,
      `2/${badgeKey.toUpperCase()}.svg`,
      `2/${badgeKey.replaceAll('-', '')}.svg`,
      `2/${uniqueKey}.svg`,
      `2/${badgeKey}%00.svg`,
      '2/.svg',
    ])
      assertError(await fetchBadge(`http://testserver/b/${path}`), 404, 'not found', path);
  });

  test('the label of a check is its name, else its slug, and never its UUID', async () => {
    for (const [check, label] of [
      [{ name: 'Nightly <1>', slug: 'nightly' }, 'Nightly <1>'],
      [{ name: '', slug: 'nightly' }, 'nightly'],
      [{ name: '', slug: '' }, 'check'],
    ] as const) {
      const { checks } = await givenChecks(check);
      const [stored] = checks;
      const root = `http://testserver/b/2/${stored?.badgeKey}`;

      const shields = await fetchBadge(`${root}.shields`);
      const svg = await fetchBadge(`${root}.svg`);

      assert.deepEqual(shields.json, { schemaVersion: 1, label, message: 'up', color: 'success' });
      assert.equal(svg.text.includes(stored?.uuid ?? ''), false);
    }
  });

  test('a badge of hundreds of checks counts them all, for everybody who asks at the same time', async () => {
    const { project } = await app().givenProject({ limits: { checks: 1_000, pings: 100 } });
    await app().deps.store.transaction(async (tx) => {
      for (let n = 0; n < 250; n++)
        await tx.checks.insert(
          checkRecord(project.id, { tags: n % 2 === 0 ? 'even' : 'odd', status: n === 248 ? 'down' : 'new' }),
        );
    });
    const urlOf = (tag: string) =>
      `/badge/${project.badgeKey}/${app().deps.vault.badgeSignature(project.badgeKey, tag)}/${tag}.json`;

    const [even, odd, ...repeated] = await Promise.all(
      ['even', 'odd', 'even', 'even', 'odd'].map((tag) => app().request('GET', urlOf(tag))),
    );
    const forged = await app().request('GET', urlOf('even').replace('even', 'odd'));

    assert.deepEqual(even?.json, { status: 'down', total: 125, grace: 0, down: 1 });
    assert.deepEqual(odd?.json, { status: 'up', total: 125, grace: 0, down: 0 });
    assert.deepEqual(
      repeated.map(({ json }) => json),
      [even?.json, even?.json, odd?.json],
    );
    assert.equal(forged.status, 404);
  });

  test('a project may have any number of tags, and each has its badges', async () => {
    const { project, key } = await app().givenProject({ limits: { checks: 1_000, pings: 100 } });
    const tags = Array.from({ length: 350 }, (_, n) => `t${n}`);
    await app().deps.store.transaction(async (tx) => {
      await tx.checks.insert(checkRecord(project.id, { tags: '*' }));
      for (let n = 0; n < 350; n += 50)
        await tx.checks.insert(checkRecord(project.id, { tags: tags.slice(n, n + 50).join(' ') }));
    });

    const reply = await app().request('GET', '/api/v3/badges/', { key });

    const { badges } = reply.json as { badges: Record<string, Record<string, string>> };
    assert.deepEqual(Object.keys(badges), [...tags.toSorted(), '*']);
    assert.equal((await app().request('GET', new URL(badges.t349?.json ?? '').pathname)).status, 200);
    assert.equal(reply.text, JSON.stringify(reply.json));
  });
});
