import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { lastBody, pingsOf, signalsOf, stored } from './ping/answers.ts';
import { Wire } from './ping/wire.ts';
import { until } from './waiting.ts';

const HEAD = 'HTTP/1.1\r\nHost: x\r\n';

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);

async function connectionCount(app: TestApp): Promise<number> {
  return new Promise((resolve) => app.server.server.getConnections((_error, count) => resolve(count)));
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(to: TestApp = app()): Promise<{ check: Check; key: string }> {
    const { project, key } = await to.givenProject();
    return { check: await to.givenCheck(project), key };
  }

  describe('requests that do not wait for the answers before them', () => {
    test('take effect in their order, whatever they are for', async () => {
      const { check, key } = await given();
      using wire = new Wire(await app().port());
      const own = `${HEAD}X-Api-Key: ${key}\r\n`;

      await wire.send(
        [
          `GET /ping/${check.uuid} ${HEAD}\r\n`,
          `POST /api/v3/checks/${check.uuid}/pause ${own}\r\n`,
          `POST /ping/${check.uuid}/log ${HEAD}Content-Length: 4\r\n\r\nbody`,
          `GET /api/v3/checks/${check.uuid} ${own}\r\n`,
          `GET /ping/${check.uuid}/start ${HEAD}\r\n`,
          `DELETE /api/v3/checks/${check.uuid} ${own}\r\n`,
          `GET /ping/${check.uuid} ${HEAD}Connection: close\r\n\r\n`,
        ].join(''),
      );
      const received = await wire.untilClosed();

      assert.deepEqual(statuses(received), ['200', '200', '200', '200', '200', '200', '404']);
      assert.match(received, /"status":"paused"[\s\S]*"status":"paused"[\s\S]*"started":true/);
    });

    test('and have a body are refused where they would have to be kept for later', async () => {
      const { check, key } = await given();
      using wire = new Wire(await app().port());
      const post = `POST /api/v3/checks/${check.uuid} ${HEAD}X-Api-Key: ${key}\r\n`;

      await wire.send(`GET /ping/${check.uuid} ${HEAD}\r\n${post}Content-Length: 12\r\n\r\n{"name":"a"}`);
      const received = await wire.untilClosed();

      assert.deepEqual(statuses(received), ['200', '400']);
      assert.match(received, /must wait for the answer before it/);
      assert.equal((await stored(app(), check)).name, check.name);
    });

    test('are answered up to a number, and the last answer says that it is the last', async () => {
      const { check } = await given();
      using wire = new Wire(await app().port());

      await wire.send(`GET /ping/${check.uuid}/log ${HEAD}\r\n`.repeat(150));
      const received = await wire.untilClosed();

      const answered = statuses(received).length;
      assert.ok(answered >= 100 && answered < 150, `${answered} answers`);
      assert.equal(received.lastIndexOf('Connection: close'), received.indexOf('Connection: close'));
      assert.match(received, /Connection: close\r\n[^H]*OK$/);
      assert.equal((await pingsOf(app(), check)).length, answered);
    });

    test('count also where they expect what nobody has', async () => {
      const { check } = await given();
      using wire = new Wire(await app().port());

      const refused = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'.repeat(150);
      await wire.send(`GET /ping/${check.uuid}/log ${HEAD}\r\n${refused}`);
      const answers = statuses(await wire.untilClosed());

      assert.ok(answers.length >= 100 && answers.length < 151, `${answers.length} answers`);
    });

    test('may be any number as long as few are under way', async () => {
      const { check } = await given();
      using wire = new Wire(await app().port());

      for (let n = 1; n <= 6; n++) {
        await wire.send(`GET /ping/${check.uuid}/log ${HEAD}\r\n`.repeat(50));
        await until('all are answered', () => statuses(wire.received).length === 50 * n);
      }

      assert.equal((await stored(app(), check)).pingCount, 300);
    });
  });

  describe('with room for few such requests in all', () => {
    const narrow = sharedTestApp(engine, {}, { limits: { maxPipelinedRequests: 50 } });

    test('a connection with one too many is cut off, and others are served', async () => {
      const { check } = await given(narrow());
      using wire = new Wire(await narrow().port());

      await wire.send(`GET /ping/${check.uuid}/log ${HEAD}\r\n`.repeat(80));
      await wire.untilClosed();

      const reply = await narrow().ping(`/${check.uuid}`, { body: 'served' });
      assert.equal(reply.text, 'OK');
      assert.deepEqual(await lastBody(narrow(), check), Buffer.from('served'));
    });
  });

  describe('with short limits', () => {
    const hasty = sharedTestApp(
      engine,
      {},
      { requestTimeoutSeconds: 1, limits: { sweepMs: 10, maxUnreadAnswerMs: 40, maxConnectionMs: 20 } },
    );

    test('an old connection ends with an answer that says so', async () => {
      const { check } = await given(hasty());
      using wire = new Wire(await hasty().port());

      let sent = 0;
      while (!wire.received.includes('Connection: close')) {
        await wire.send(`GET /ping/${check.uuid}/log ${HEAD}\r\n`);
        sent++;
        await until('it is answered', () => statuses(wire.received).length === sent);
      }
      await wire.untilClosed();

      assert.equal((await stored(hasty(), check)).pingCount, sent);
    });

    test('clients that ask and never read are cut off', async () => {
      const port = await hasty().port();
      const wires = Array.from({ length: 20 }, () => new Wire(port));
      for (const wire of wires) wire.socket.pause();

      for (const wire of wires) await wire.send(`GET /api/v3/openapi.json ${HEAD}\r\n`.repeat(90));

      await until('nobody is left', async () => (await connectionCount(hasty())) === 0);
      for (const wire of wires) wire[Symbol.dispose]();
    });

    test('what is no request leaves nothing behind', async () => {
      const { check } = await given(hasty());
      const port = await hasty().port();
      const wires: Wire[] = [];
      for (const bytes of [
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        'GET',
        'GET / HTTP/1.1\r\nX-Half: ',
        `GET / ${HEAD}${'X: y\r\n'.repeat(5_000)}`,
        `GET / ${HEAD}X: ${'y'.repeat(100_000)}`,
        `POST /ping/${check.uuid} ${HEAD}Transfer-Encoding: chunked\r\n\r\nffff\r\nhalf`,
        `POST /api/v3/checks/ ${HEAD}Content-Length: 100\r\n\r\nhalf`,
        'CONNECT x:1 HTTP/1.1\r\n\r\n',
        '',
      ]) {
        for (let n = 0; n < 10; n++) {
          const wire = new Wire(port);
          wires.push(wire);
          await wire.send(Buffer.from(bytes, 'latin1'));
        }
      }

      await until('nobody is left', async () => (await connectionCount(hasty())) === 0);
      assert.equal(hasty().server.bodyBudget.usedBytes, 0);
      assert.deepEqual(await signalsOf(hasty(), check), []);
      for (const wire of wires) wire[Symbol.dispose]();
    });
  });
});
