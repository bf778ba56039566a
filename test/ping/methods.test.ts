import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAddressMatcher } from '../../src/lib/ip-address.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertAnswer, assertUntouched, givenPingKey, lastBody, lastPing, OK, pingsOf } from './answers.ts';
import { exchange } from './wire.ts';

const NO_CACHE = 'max-age=0, no-cache, no-store, must-revalidate, private';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck() {
    const { project } = await app().givenProject();
    return app().givenCheck(project, { slug: 'nightly' });
  }

  test('pages of any origin may read the answer', async () => {
    const check = await givenCheck();

    const replies = [await app().ping(`/${check.uuid}`), await app().ping(`/${check.uuid}/256`)];

    for (const { headers } of replies) assert.equal(headers['access-control-allow-origin'], '*');
  });

  test('no answer may be kept by a cache, in both forms', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { slug: 'nightly' });
    const key = await givenPingKey(app(), project);

    const paths = [`/${check.uuid}`, `/${key}/nightly`, `/${key}/other`, `/${key}/UPPER`, `/${key}`, '/'];
    for (const path of paths) {
      const { headers } = await app().ping(path);
      assert.equal(headers['cache-control'], NO_CACHE, path);
      assert.equal(headers.expires, new Date(START / 1000).toUTCString(), path);
    }
  });

  test('the answer tells how much of a body is kept', async () => {
    const check = await givenCheck();

    const { headers } = await app().ping(`/${check.uuid}`);

    assert.equal(headers['ping-body-limit'], '10000');
  });

  test('so does the answer to a ping that creates its check', async () => {
    const { project } = await app().givenProject();
    const key = await givenPingKey(app(), project);

    const { status, headers } = await app().ping(`/${key}/fresh?create=1`);

    assert.equal(status, 201);
    assert.equal(headers['ping-body-limit'], '10000');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cache-control'], NO_CACHE);
  });

  for (const method of ['PUT', 'PATCH']) {
    test(`a ${method} with a body is recorded`, async () => {
      const check = await givenCheck();

      assertAnswer(await app().ping(`/${check.uuid}`, { method, body: 'done' }), OK);

      assert.equal((await lastPing(app(), check)).method, method);
      assert.deepEqual(await lastBody(app(), check), Buffer.from('done'));
    });
  }

  test('the question of a browser whether it may ping is answered and not recorded', async () => {
    const check = await givenCheck();

    const reply = await app().ping(`/${check.uuid}`, { method: 'OPTIONS' });

    assert.deepEqual([reply.status, reply.text], [204, '']);
    assert.equal(reply.headers['access-control-allow-origin'], '*');
    assert.equal(reply.headers['access-control-allow-methods'], 'HEAD, GET, POST');
    assert.equal(reply.headers['cache-control'], NO_CACHE);
    await assertUntouched(app(), check);
  });

  for (const method of ['DELETE', 'TRACE', 'PROPFIND', 'UNSUBSCRIBE']) {
    test(`a ${method} is not allowed, and not recorded`, async () => {
      const check = await givenCheck();

      const reply = await app().ping(`/${check.uuid}`, { method });

      assertAnswer(reply, [405, 'method not allowed']);
      assert.equal(reply.headers.allow, 'HEAD, GET, POST, PUT, PATCH, OPTIONS');
      await assertUntouched(app(), check);
    });
  }

  test('an unknown verb of thirty characters is refused, and not recorded', async () => {
    const check = await givenCheck();

    const answer = await exchange(
      await app().port(),
      `${'VERB'.repeat(8).slice(0, 30)} /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\n\r\n`,
    );

    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    await assertUntouched(app(), check);
  });

  test('the body of a GET is stored', async () => {
    const check = await givenCheck();

    assertAnswer(await app().ping(`/${check.uuid}/fail`, { method: 'GET', body: 'the log' }), OK);

    assert.equal((await lastPing(app(), check)).method, 'GET');
    assert.deepEqual(await lastBody(app(), check), Buffer.from('the log'));
  });

  for (const [name, sent, kept] of [
    ['a user agent of 120 characters is kept whole', 'a'.repeat(120), 'a'.repeat(120)],
    ['of a user agent of 330 characters the first 200 are kept', 'b'.repeat(330), 'b'.repeat(200)],
    ['one of exactly 200 characters is kept whole', 'c'.repeat(200), 'c'.repeat(200)],
    ['one that a database could take for something else is kept as it is', 'NULL', 'NULL'],
    ['quotes, braces and backslashes are kept', '{"a\\",\'b\'}', '{"a\\",\'b\'}'],
    [
      'one that would pass for a person at a page is put in quotes',
      'Dashboard, by a@b.c',
      '"Dashboard, by a@b.c"',
    ],
  ] as const) {
    test(name, async () => {
      const check = await givenCheck();
      const headers = { 'user-agent': sent };

      // Several at once share a statement, where they must not run into each other.
      const replies = await Promise.all(
        [1, 2, 3].map(() => app().ping(`/${check.uuid}`, { headers, body: 'x' })),
      );

      for (const reply of replies) assertAnswer(reply, OK);
      const agents = (await pingsOf(app(), check)).map(({ userAgent }) => userAgent);
      assert.deepEqual(agents, [kept, kept, kept]);
    });
  }

  test('without a user agent it is empty', async () => {
    const check = await givenCheck();

    await app().ping(`/${check.uuid}`);

    assert.equal((await lastPing(app(), check)).userAgent, '');
  });

  for (const [name, forwarded, address] of [
    ['the address that a proxy tells is believed', '1.1.1.1', '1.1.1.1'],
    ['of several addresses the first is the client', '1.1.1.1, 2.2.2.2', '1.1.1.1'],
    ['blanks around it do not matter', '   1.1.1.1  ,2.2.2.2', '1.1.1.1'],
    ['a port is dropped', '1.1.1.1:1234', '1.1.1.1'],
    ['an IPv6 address is kept', '2001::1', '2001::1'],
    ['an IPv6 address is kept in its short form', '2001:0DB8:0:0:0:0:0:0001', '2001:db8::1'],
    ['an IPv4 address in the clothes of IPv6 keeps them', '::ffff:1.1.1.1', '::ffff:1.1.1.1'],
    ['however they are spelled', '0:0:0:0:0:FFFF:0101:0101', '::ffff:1.1.1.1'],
    ['a port after brackets is dropped', '[2001:db8::1]:443', '2001:db8::1'],
    ['brackets alone are dropped', '[2001:db8::1]', '2001:db8::1'],
    ['a zone is dropped', 'fe80::1%eth0', 'fe80::1'],
    ['what is no address is nothing', 'unknown', null],
    ['an empty header says nothing', '', null],
    ['an obfuscated name is nothing', '_hidden, 1.1.1.1', null],
    ['a number too large for an address is nothing', '1.1.1.256', null],
    ['a port without an address is nothing', ':443', null],
    ['a long text is nothing', 'x'.repeat(5_000), null],
  ] as const) {
    test(name, async () => {
      const check = await givenCheck();

      assertAnswer(await app().ping(`/${check.uuid}`, { headers: { 'x-forwarded-for': forwarded } }), OK);

      assert.equal((await lastPing(app(), check)).remoteAddr, address);
    });
  }

  for (const [name, forwarded, scheme] of [
    ['the scheme that a proxy tells is believed', 'https', 'https'],
    ['without it the scheme is http', undefined, 'http'],
    ['of several schemes the first counts, in any case', ' HTTPS , http', 'https'],
    ['a scheme that is none is http', 'gopher', 'http'],
    ['an empty scheme is http', '', 'http'],
  ] as const) {
    test(name, async () => {
      const check = await givenCheck();

      const headers = forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded };
      assertAnswer(await app().ping(`/${check.uuid}`, { headers }), OK);

      assert.equal((await lastPing(app(), check)).scheme, scheme);
    });
  }

  test('any Host header is accepted', async () => {
    const check = await givenCheck();

    for (const host of ['wrong.example.org', 'localhost:1', '[::1]', '']) {
      assertAnswer(await app().ping(`/${check.uuid}`, { headers: { host } }), OK, host);
    }
    assert.equal((await pingsOf(app(), check)).length, 4);
  });

  describe('from a peer that is no proxy of ours', () => {
    const suspicious = sharedTestApp(engine, {}, { trustedProxies: ['10.0.0.0/8'] });

    test('forwarding headers are ignored', async () => {
      const { project } = await suspicious().givenProject();
      const check = await suspicious().givenCheck(project);

      const headers = { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'https' };
      assertAnswer(await suspicious().ping(`/${check.uuid}`, { headers }), OK);

      const { remoteAddr, scheme } = await lastPing(suspicious(), check);
      assert.deepEqual([remoteAddr, scheme], ['127.0.0.1', 'http']);
      assert.ok(!createAddressMatcher(['10.0.0.0/8'])('127.0.0.1'));
    });
  });

  for (const [limit, expected] of [
    [null, undefined],
    [5, '5'],
    [0, '0'],
  ] as const) {
    describe(`with a body limit of ${limit}`, () => {
      const limited = sharedTestApp(engine, {}, { pingBodyLimit: limit });

      test('the answer tells the limit, if there is one', async () => {
        const { project } = await limited().givenProject();
        const check = await limited().givenCheck(project);

        const { headers, text } = await limited().ping(`/${check.uuid}`);

        assert.equal(text, 'OK');
        assert.equal(headers['ping-body-limit'], expected);
      });
    });
  }
});
