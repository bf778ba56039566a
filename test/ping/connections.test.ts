import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pino from 'pino';
import type { Check } from '../../src/domain/check/check.ts';
import { SITE, sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { until } from '../waiting.ts';
import {
  assertAnswer,
  assertUntouched,
  lastBody,
  lastPing,
  OK,
  pingsOf,
  signalsOf,
  stored,
} from './answers.ts';
import { exchange, Wire } from './wire.ts';

const MIB = 1024 * 1024;

forEachEngine((engine) => {
  const events: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void events.push(line) });
  const app = sharedTestApp(engine, {}, { log });

  async function givenCheck(to: TestApp = app()): Promise<Check> {
    const { project } = await to.givenProject();
    return to.givenCheck(project);
  }

  /** The statuses of all answers in what came over one connection. */
  const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);

  describe('old and odd clients', () => {
    test('a client of HTTP/1.0 needs no Host header, and is hung up on', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      await wire.send(`GET /ping/${check.uuid} HTTP/1.0\r\n\r\n`);
      const answer = await wire.untilClosed();

      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(answer, /\r\nConnection: close\r\n/);
      assert.match(answer, /\r\n\r\nOK$/);
      assert.deepEqual(await signalsOf(app(), check), ['success']);
    });

    test('a client of HTTP/1.0 may keep its connection', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      for (let n = 1; n <= 2; n++) {
        await wire.send(`GET /ping/${check.uuid} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
        await wire.until(new RegExp(`(?:OK[\\s\\S]*){${2 * n}}$`));
      }

      assert.equal((await stored(app(), check)).pingCount, 2);
    });

    test('a client of HTTP/1.1 that names no host is answered', async () => {
      const check = await givenCheck();

      const answer = await exchange(await app().port(), `GET /ping/${check.uuid} HTTP/1.1\r\n\r\n`);

      assert.deepEqual(statuses(answer), ['200']);
    });

    test('a client that takes us for a proxy is told which verbs there are', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      await wire.send(`CONNECT /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const answer = await wire.untilClosed();

      assert.deepEqual(statuses(answer), ['405']);
      assert.match(answer, /\r\nAllow: HEAD, GET, POST, PUT, PATCH, OPTIONS\r\n/);
      await assertUntouched(app(), check);
    });

    test('such a client may hang up as it likes', async () => {
      const check = await givenCheck();
      const port = await app().port();

      for (let n = 0; n < 20; n++) {
        using wire = new Wire(port);
        await wire.send('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
        if (n % 2 === 0) await wire.until(/405/);
        wire.socket.resetAndDestroy();
      }

      assertAnswer(await app().ping(`/${check.uuid}`), OK);
    });

    test('such a client gets the answer to what it asked before', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      const ping = `GET /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\n\r\n`;
      await wire.send(`${ping}${ping}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);

      assert.deepEqual(statuses(await wire.untilClosed()), ['200', '200', '405']);
      assert.equal((await stored(app(), check)).pingCount, 2);
    });

    test('a path may be percent-encoded anywhere', async () => {
      const check = await givenCheck();
      const port = await app().port();

      for (const [path, status] of [
        [`/%70ing/${check.uuid}`, '200'],
        [`/ping%2f${check.uuid}`, '200'],
        [`/%2Fping/${check.uuid}`, '404'],
      ] as const) {
        const answer = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        assert.deepEqual(statuses(answer), [status], path);
      }
      assert.equal((await stored(app(), check)).pingCount, 2);
    });

    test('a second question mark is part of a parameter’s name', async () => {
      const check = await givenCheck();

      const answer = await exchange(
        await app().port(),
        `GET /ping/${check.uuid}??rid=bad HTTP/1.1\r\nHost: x\r\n\r\n`,
      );

      assert.deepEqual(statuses(answer), ['200']);
    });

    test('a client that says no more after its request is answered', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      wire.socket.end(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\ndone`);

      assert.match(await wire.untilClosed(), /\r\n\r\nOK$/);
      assert.equal((await lastPing(app(), check)).remoteAddr, '127.0.0.1');
    });

    test('a whole address in the place of the path is understood', async () => {
      const check = await givenCheck();
      const port = await app().port();

      for (const root of ['http://testserver', 'HTTP://127.0.0.1:8000', 'https://a:b@example.org'])
        assert.match(
          await exchange(port, `GET ${root}/ping/${check.uuid}/log?x HTTP/1.1\r\nHost: x\r\n\r\n`),
          /^HTTP\/1\.1 200 /,
        );
      assert.match(
        await exchange(port, 'GET http://testserver HTTP/1.1\r\nHost: x\r\n\r\n'),
        /^HTTP\/1\.1 404 /,
      );

      assert.deepEqual(await signalsOf(app(), check), ['log', 'log', 'log']);
    });

    test('an offer to change the protocol is passed over', async () => {
      const check = await givenCheck();

      const reply = await app().ping(`/${check.uuid}`, {
        body: 'x',
        headers: {
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
        },
      });

      assertAnswer(reply, OK);
      assert.deepEqual(await lastBody(app(), check), Buffer.from('x'));
    });

    test('a request that comes byte by byte is understood', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      const request = `POST /ping/${check.uuid}/fail HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`;
      for (const byte of request) await wire.send(byte);
      await wire.until(/\r\n\r\nOK$/);

      assert.deepEqual(await signalsOf(app(), check), ['fail']);
    });
  });

  describe('one connection', () => {
    test('serves one ping after the other', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());

      for (const [n, path] of ['', '/start', '/nonsense', '/fail'].entries()) {
        await wire.send(`POST /ping/${check.uuid}${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi`);
        await wire.until(new RegExp(`(?:HTTP/1.1[\\s\\S]*\r\n\r\n(?:OK|not found)){${n + 1}}$`));
      }

      assert.deepEqual(statuses(wire.received), ['200', '200', '404', '200']);
      assert.deepEqual(await signalsOf(app(), check), ['success', 'start', 'fail']);
    });

    test('answers requests that come all at once in their order', async () => {
      const check = await givenCheck();
      const unknown = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
      using wire = new Wire(await app().port());

      const head = 'HTTP/1.1\r\nHost: x\r\n';
      await wire.send(
        [
          `GET /ping/${check.uuid}/start ${head}\r\n`,
          `GET /ping/${unknown} ${head}\r\n`,
          `POST /ping/${check.uuid}/log ${head}Content-Length: 5\r\n\r\nGET /`,
          `GET /ping/nonsense ${head}\r\n`,
          `HEAD /ping/${check.uuid}/256 ${head}\r\n`,
          `DELETE /ping/${check.uuid} ${head}\r\n`,
          `GET /api/v3/status/ ${head}\r\n`,
          `OPTIONS /ping/${check.uuid} ${head}\r\n`,
          `GET /ping/${check.uuid} ${head}Connection: close\r\n\r\n`,
        ].join(''),
      );

      const answers = statuses(await wire.untilClosed());
      assert.deepEqual(answers, ['200', '404', '200', '404', '400', '405', '200', '204', '200']);
      assert.deepEqual(await signalsOf(app(), check), ['start', 'log', 'success']);
    });

    test('serves on after a request that is answered without a look at its body', async () => {
      const check = await givenCheck();

      for (const path of ['/nonsense', '/', `/${check.uuid}/FAIL`])
        await app().ping(path, { body: Buffer.alloc(MIB) });
      await app().ping(`/${check.uuid}`, { method: 'DELETE', body: Buffer.alloc(MIB) });
      assertAnswer(await app().ping(`/${check.uuid}`), OK);

      assert.equal((await stored(app(), check)).pingCount, 1);
    });
  });

  describe('a long body', () => {
    test('is asked for, where the client wants to be asked first', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());
      const body = Buffer.alloc(1_500_000, 'x');

      await wire.send(
        `POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      await wire.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
      await assertUntouched(app(), check);
      await wire.send(body);
      await wire.until(/\r\n\r\nOK$/);

      assert.deepEqual(await lastBody(app(), check), body.subarray(0, 10_000));
    });

    test('of unknown length and no end is answered and hung up on', async () => {
      const check = await givenCheck();
      using wire = new Wire(await app().port());
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'x'), Buffer.from('\r\n')]);

      await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      let sent = 0;
      while (!wire.isClosed && !wire.received.includes('OK') && sent < 64) {
        await wire.send(chunk);
        sent++;
      }

      const answer = await wire.untilClosed();
      assert.ok(sent >= 10 && sent < 64, `${sent} MiB were taken`);
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(answer, /\r\nConnection: close\r\n/i);
      assert.deepEqual(await lastBody(app(), check), Buffer.alloc(10_000, 'x'));
      assert.equal((await stored(app(), check)).pingCount, 1);
    });

    test('of no end is hung up on whatever its address', async () => {
      const check = await givenCheck();
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'x'), Buffer.from('\r\n')]);

      for (const [method, path, status] of [
        ['POST', '/nonsense', '404'],
        ['POST', `/${check.uuid}/FAIL`, '400'],
        ['DELETE', `/${check.uuid}`, '405'],
      ] as const) {
        using wire = new Wire(await app().port());
        await wire.send(`${method} /ping${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
        let sent = 0;
        while (!wire.isClosed && !wire.received.includes('HTTP/1.1') && sent++ < 64) await wire.send(chunk);

        assert.ok(sent < 64, `${path}: ${sent} MiB were taken`);
        assert.deepEqual(statuses(await wire.untilClosed()), [status], path);
      }
      await assertUntouched(app(), check);
    });
  });

  describe('a client that goes away', () => {
    for (const [when, request] of [
      ['in the middle of its body', 'Content-Length: 100\r\n\r\nonly a part'],
      ['in the middle of a chunk', 'Transfer-Encoding: chunked\r\n\r\n10\r\nonly'],
      ['before its body', 'Content-Length: 100\r\n\r\n'],
      ['in the middle of its headers', 'Content-Le'],
    ]) {
      test(`${when} is not recorded, and disturbs nobody`, async () => {
        const check = await givenCheck();
        events.length = 0;
        const wire = new Wire(await app().port());

        await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\n${request}`);
        const other = app().ping(`/${check.uuid}/log`, { body: 'other' });
        wire.socket.destroy();
        await wire.untilClosed();

        assertAnswer(await other, OK);
        assertAnswer(await app().ping(`/${check.uuid}/start`), OK);
        assert.deepEqual(await signalsOf(app(), check), ['log', 'start']);
        assert.deepEqual(events, []);
      });
    }

    test('after its whole request is recorded', async () => {
      const check = await givenCheck();
      events.length = 0;
      const wire = new Wire(await app().port());

      await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\ndone`);
      wire.socket.resetAndDestroy();

      await until('the ping is recorded', async () => (await pingsOf(app(), check)).length === 1);
      assert.equal((await lastPing(app(), check)).remoteAddr, '127.0.0.1');
      assert.deepEqual(events, []);
    });
  });

  describe('header garbage', () => {
    for (const [what, header, status] of [
      ['a name with a blank', 'bad header: x', '400'],
      ['a line that is no header', 'garbage', '400'],
      ['a length that is no number', 'Content-Length: abc', '400'],
      ['a negative length', 'Content-Length: -1', '400'],
      ['two lengths', 'Content-Length: 3\r\nContent-Length: 4', '400'],
      ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked', '400'],
      ['an unknown transfer encoding', 'Transfer-Encoding: rot13', '400'],
      ['a NUL in a value', 'X-Forwarded-For: 1.1.1.1\0', '400'],
      ['an expectation that nobody has', 'Expect: miracles', '417'],
      ['headers of 20 kB', `X-Long: ${'x'.repeat(20_000)}`, '431'],
      ['a folded line', 'X-Folded: a\r\n b', '400'],
    ] as const) {
      test(`${what} is refused with ${status}, and nothing is recorded`, async () => {
        const check = await givenCheck();

        const request = `POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
        const answer = await exchange(await app().port(), Buffer.from(request, 'latin1'));

        assert.deepEqual(statuses(answer), [status]);
        await assertUntouched(app(), check);
      });
    }

    for (const [what, header] of [
      ['letters beyond ASCII', 'User-Agent: Jürgen\xff\xfe'],
      ['a hundred of one kind', 'X-Forwarded-For: 9.9.9.9\r\n'.repeat(100).trim()],
      ['a hundred cookies', 'Cookie: a=b\r\n'.repeat(100).trim()],
      ['an authorization', 'Authorization: Basic Og=='],
      ['a content type of nonsense', 'Content-Type: ;;;='],
      ['tabs and blanks', 'X-Forwarded-Proto:\t https \t'],
    ] as const) {
      test(`${what} are passed over`, async () => {
        const check = await givenCheck();

        const request = `GET /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
        const answer = await exchange(await app().port(), Buffer.from(request, 'latin1'));

        assert.deepEqual(statuses(answer), ['200']);
        assert.equal((await stored(app(), check)).pingCount, 1);
      });
    }

    for (const [what, request, expected, pings] of [
      [
        'a body without its length',
        'POST URL HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nstatus=ok',
        ['200'],
        1,
      ],
      ['such a body in HTTP/1.0', 'POST URL HTTP/1.0\r\n\r\nstatus=ok', ['200'], 1],
      [
        'a body that is longer than it says',
        'POST URL HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabcdef',
        ['200'],
        1,
      ],
      ['nonsense', `${'GET URL HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2)}xx\r\n`, ['200', '200', '400'], 2],
      [
        'a request with too many headers',
        `GET URL HTTP/1.1\r\nHost: x\r\n\r\nGET URL HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
        ['200', '431'],
        1,
      ],
      [
        'a request whose body is broken',
        'GET URL HTTP/1.1\r\nHost: x\r\n\r\nPOST URL HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        ['200', '400'],
        1,
      ],
    ] as const) {
      test(`${what} right behind a request does not take its answer away`, async () => {
        const check = await givenCheck();
        using wire = new Wire(await app().port());

        await wire.send(request.replaceAll('URL', `/ping/${check.uuid}`));

        assert.deepEqual(statuses(await wire.untilClosed()), expected);
        assert.equal((await stored(app(), check)).pingCount, pings);
      });
    }

    test('bytes that are no request at all get 400', async () => {
      const port = await app().port();

      for (const bytes of [
        '\x16\x03\x01\x02\x00\x01\x00',
        '\0\0\0\0\r\n\r\n',
        '<xml/>\r\n\r\n',
        'GET\r\n\r\n',
      ])
        assert.deepEqual(statuses(await exchange(port, Buffer.from(bytes, 'latin1'))), ['400']);
    });

    test('any path gets an answer that is no 5xx', async () => {
      const check = await givenCheck();
      const port = await app().port();
      const paths = [
        '%',
        '%%',
        '%ff',
        '%00',
        '..',
        '../..',
        '\\',
        '?',
        '??',
        '#',
        '&',
        ';',
        ' ',
        '\xff',
        'a'.repeat(8_000),
      ];

      for (const end of paths) {
        for (const start of ['', `${check.uuid}`, `${check.uuid}/`, 'key/', 'key/slug/']) {
          const request = `GET /ping/${start}${end} HTTP/1.1\r\nHost: x\r\n\r\n`;
          const [status] = statuses(await exchange(port, Buffer.from(request, 'latin1')));
          assert.ok(Number(status) >= 200 && Number(status) < 500, `${start}${end}: ${status}`);
        }
      }
    });
  });

  describe('a slow body', () => {
    const hasty = sharedTestApp(engine, {}, { requestTimeoutSeconds: 1 });

    test('ends with the time for a request, and is not recorded', async () => {
      const check = await givenCheck(hasty());
      using wire = new Wire(await hasty().port());

      await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nslow`);
      const answer = await wire.untilClosed();

      assert.deepEqual(statuses(answer), ['408']);
      await assertUntouched(hasty(), check);
      assertAnswer(await hasty().ping(`/${check.uuid}`), OK);
    });

    test('of which all that is kept has come is recorded, and the rest not waited for', async () => {
      const check = await givenCheck(hasty());
      using wire = new Wire(await hasty().port());

      await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nContent-Length: 80000\r\n\r\n`);
      await wire.send('x'.repeat(20_000));
      const answer = await wire.untilClosed();

      assert.deepEqual(statuses(answer), ['200']);
      assert.match(answer, /\r\nConnection: close\r\n/);
      assert.equal((await lastPing(hasty(), check)).bodySize, 10_000);
    });

    test('of which all that is kept has come is recorded when its client goes away', async () => {
      const check = await givenCheck(hasty());
      using wire = new Wire(await hasty().port());

      await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nContent-Length: 80000\r\n\r\n`);
      await wire.send('x'.repeat(20_000));
      wire.socket.destroy();

      await until('the ping is there', async () => (await stored(hasty(), check)).pingCount === 1);
      assert.equal((await lastPing(hasty(), check)).bodySize, 10_000);
    });
  });

  describe('under a path of the site', () => {
    const below = sharedTestApp(engine, {}, { site: { ...SITE, root: 'https://example.org/tocsin' } });

    test('pings are received there and nowhere else', async () => {
      const check = await givenCheck(below());
      const port = await below().port();
      const get = (path: string) => exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);

      assert.match(await get(`/tocsin/ping/${check.uuid}/start`), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nOK$/);
      assert.match(await get(`/tocsin/ping/nonsense`), /^HTTP\/1\.1 404 [\s\S]*\r\n\r\nnot found$/);
      assert.match(await get(`/ping/${check.uuid}`), /^HTTP\/1\.1 404 /);

      assert.deepEqual(await signalsOf(below(), check), ['start']);
    });
  });
});
