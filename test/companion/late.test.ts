import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pingOf, targetOf } from '../../src/companion/ping.test-support.ts';
import type { Sender } from '../../src/companion/ping.ts';
import { openSender } from '../../src/companion/send/connection.ts';
import { MemoryFiles } from '../../src/companion/spool/files.test-support.ts';
import { AWARE, HOUR_MS, MINUTE_MS, NEVER, TestSpool } from '../../src/companion/spool/spool.test-support.ts';
import { seconds } from '../../src/lib/instant.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { allFlips, givenPingKey, pingsOf, state } from '../ping/answers.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A spool for a check of the service, which has been down for an hour. */
  async function given() {
    const { project } = await app().givenProject();
    const pingKey = await givenPingKey(app(), project);
    const check = await app().givenCheck(project, { slug: 'job', status: 'down' });
    const endpoint = `http://127.0.0.1:${await app().port()}/ping`;
    const target = { ...targetOf(endpoint, 'job'), base: `${endpoint}/${pingKey}/job` };
    const files = new MemoryFiles();
    files.ownerId = process.getuid?.() ?? 0;
    const kept = new TestSpool(files);
    const put = (signal: 'start' | 'success') =>
      kept.spool.put(pingOf(target, signal, { rid: RID, at: kept.now }));
    await put('start');
    kept.pass(10 * MINUTE_MS);
    await put('success');
    kept.pass(HOUR_MS);
    const options = {
      userAgent: 'tocsin/test',
      headers: [],
      headersTo: null,
      ca: null,
      env: {},
      wallNow: () => 0,
    };
    const sender = openSender(options);
    const ages = async () =>
      (await pingsOf(app(), check)).map(({ signal, createdAt, occurredAt }) => [
        signal,
        occurredAt === null ? null : createdAt - occurredAt,
      ]);
    return {
      check,
      target,
      files,
      kept,
      sender: Object.assign(sender, { [Symbol.dispose]: () => sender.close() }),
      ages,
    };
  }

  test('what waited is recorded at its true time, and brings the check up if it still would be', async () => {
    const { check, target, kept, sender: opened, ages } = await given();
    using sender = opened;
    await kept.spool.remember(target, AWARE);

    assert.deepEqual(await kept.spool.deliverRound(sender, NEVER), { kind: 'done' });

    assert.deepEqual(await ages(), [
      ['start', seconds(4200)],
      ['success', seconds(3600)],
    ]);
    assert.deepEqual(await state(app(), check, 'status', 'lastPingAt'), {
      status: 'up',
      lastPingAt: app().clock.now() - seconds(3600),
    });
    assert.equal((await allFlips(app(), check)).length, 1);
  });

  test('a service that was never asked tells with its first answer that it knows late pings', async () => {
    const { kept, sender: opened, ages } = await given();
    using sender = opened;

    assert.deepEqual(await kept.spool.deliverRound(sender, NEVER), { kind: 'done' });

    assert.deepEqual(await ages(), [
      ['log', seconds(4200)],
      ['success', seconds(3600)],
    ]);
  });

  test('a ping that comes twice, because its sender died before it was removed, changes nothing more', async () => {
    const { check, target, files, kept, sender: opened } = await given();
    using sender = opened;
    await kept.spool.remember(target, AWARE);
    const dying: Sender = {
      send: async (ping, options) => {
        const delivery = await sender.send(ping, options);
        if (ping.signal === 'success') {
          files.before = () => {
            throw new Error('dead');
          };
        }
        return delivery;
      },
      close: () => undefined,
    };
    assert.equal((await kept.spool.deliverRound(dying, NEVER)).kind, 'failed');
    files.before = () => undefined;
    const seen = async () => [
      await state(app(), check, 'status', 'lastPingAt', 'deadlineAt', 'lastStartAt'),
      await allFlips(app(), check),
    ];
    const once = await seen();

    assert.deepEqual(await kept.spool.deliverRound(sender, NEVER), { kind: 'done' });

    assert.equal((await pingsOf(app(), check)).length, 3);
    assert.deepEqual(await seen(), once);
  });
});
