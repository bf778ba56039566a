import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { objectKey } from '../../src/objects/object-key.ts';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import { S3ObjectStore } from '../../src/objects/s3.ts';
import { quotedBody } from '../../src/services/alert/deliveries.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { getPingBody } from '../../src/services/ping/pings.ts';
import { assertError } from '../api/answers.ts';
import { START, startTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { givenPingedCheck, longBody, moveAll, type PingedCheck, withObjects } from './bodies.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

const UNAVAILABLE = 'ping body temporarily unavailable';

let server: S3Server;
before(async () => {
  server = await startS3Server();
});
after(() => server?.[Symbol.asyncDispose]());

function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString();
}

forEachEngine((engine) => {
  let app: TestApp;
  let s3: S3ObjectStore;
  /** The number of reads from the storage. */
  let reads = 0;
  before(async () => {
    s3 = new S3ObjectStore({ ...server.config, clock: systemClock });
    const counting: ObjectStore = {
      put: (key, body) => s3.put(key, body),
      delete: (key) => s3.delete(key),
      list: (prefix, behind) => s3.list(prefix, behind),
      get(key, maxBytes) {
        reads++;
        return s3.get(key, maxBytes);
      },
    };
    app = await startTestApp(engine, {}, {}, counting);
  });
  after(() => app[Symbol.asyncDispose]());

  // An hour for each test, so that the failures of one do not count in the next.
  let hour = 0;
  beforeEach(async () => {
    await server.start();
    app.clock.set(START);
    app.clock.advance({ hours: ++hour });
    reads = 0;
  });

  const stored = (pinged: PingedCheck, n: number) => s3.get(objectKey(pinged.check.uuid, n), 100_000);
  const listed = async ({ check, given }: PingedCheck) => {
    const reply = await app.request('GET', `/api/v3/checks/${check.uuid}/pings/`, { key: given.key });
    const { pings } = reply.json as { pings: { n: number; body_url: string | null }[] };
    return pings.map(({ n, body_url }) => [n, body_url?.replace(/.*\/pings/, '') ?? null]);
  };
  const sizes = async ({ check }: PingedCheck) =>
    (await app.deps.store.pings.latest(check.id, 10)).map(({ bodySize }) => bodySize).reverse();

  test('a body of 100 bytes stays in the database, one of 101 moves to storage and leaves its size', async () => {
    const pinged = await givenPingedCheck(app);
    const { store } = app.deps;
    await pinged.ping('a'.repeat(100), 'b'.repeat(101));
    assert.deepEqual(await sizes(pinged), [100, 101]);

    assert.deepEqual(await moveAll(app.deps), []);

    assert.equal((await store.pings.body(pinged.check.id, 1))?.length, 100);
    assert.equal(await store.pings.objectOf(pinged.check.id, 1), null);
    assert.equal(await stored(pinged, 1), null);
    assert.equal(await store.pings.body(pinged.check.id, 2), null);
    assert.equal((await store.pings.objectOf(pinged.check.id, 2))?.size, 101);
    assert.equal(text(await stored(pinged, 2)), 'b'.repeat(101));
    assert.deepEqual(await sizes(pinged), [100, 101]);
  });

  test('whether a body has moved can be seen neither in the list nor in the body', async () => {
    const pinged = await givenPingedCheck(app);
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 31) % 256));
    await pinged.ping(bytes, null, '', 'short');
    const before = [await listed(pinged), await sizes(pinged), (await pinged.body(1)).bytes];

    assert.deepEqual(await moveAll(app.deps), []);

    assert.deepEqual([await listed(pinged), await sizes(pinged), (await pinged.body(1)).bytes], before);
    assert.deepEqual((await pinged.body(1)).bytes, bytes);
    assert.equal((await pinged.body(1)).headers['content-type'], 'text/plain');
    assertError(await pinged.body(2), 404, 'ping body not found');
    assertError(await pinged.body(3), 404, 'ping body not found');
    assert.equal((await pinged.body(4)).text, 'short');
  });

  test('numbers of a run are read before its body moves, and stay when it has', async () => {
    const { project, key } = await app.givenProject();
    const check = await app.givenCheck(project, { runRules: '{"numbers":[{"name":"rows","min":1}]}' });
    const noise = Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.alloc(200, '.'),
      Buffer.from([0xe2, 0x82]),
    ]);
    const body = Buffer.concat([Buffer.from('rows=0 '), noise]);
    assert.equal((await app.ping(`/${check.uuid}`, { body })).status, 200);

    assert.deepEqual(await moveAll(app.deps), []);

    assert.notEqual(await app.deps.store.pings.objectOf(check.id, 1), null);
    const { json } = await app.request('GET', `/api/v3/checks/${check.uuid}/runs/`, { key });
    const { runs } = json as { runs: readonly { result: string; flags: object; numbers: object }[] };
    assert.deepEqual(
      runs.map(({ result, flags, numbers }) => [result, flags, numbers]),
      [['warned', ['number'], { rows: 0 }]],
    );
  });

  test('while storage is away a ping is answered 200 and its body can be read, and moves when it is back', async () => {
    const pinged = await givenPingedCheck(app);
    await server.stop();

    const reply = await app.ping(`/${pinged.check.uuid}`, { body: longBody(1) });
    assert.deepEqual([reply.status, reply.text], [200, 'OK']);
    const [failure] = await moveAll(app.deps);
    assert.match(String(failure), /no connection: ECONNREFUSED/);
    assert.equal((await pinged.body(1)).text, longBody(1));

    await server.start();
    assert.deepEqual(await moveAll(app.deps), []);
    assert.equal(await stored(pinged, 1), null, 'it rests after a failure');
    app.clock.advance({ seconds: 10 });
    assert.deepEqual(await moveAll(app.deps), []);
    assert.equal(text(await stored(pinged, 1)), longBody(1));
    assert.equal((await pinged.body(1)).text, longBody(1));
    assert.equal(reads, 1);
  });

  test('a body that storage fails to hand out is answered 503, with a time to come back', async () => {
    const pinged = await givenPingedCheck(app);
    await pinged.ping(longBody(1));
    await moveAll(app.deps);
    await server.stop();

    const reply = await pinged.body(1);

    assertError(reply, 503, UNAVAILABLE);
    assert.equal(reply.headers['retry-after'], '1');
  });

  test('a message quotes a body that has moved, and is sent without it while storage is away', async () => {
    const pinged = await givenPingedCheck(app);
    await pinged.ping(longBody(1));
    await moveAll(app.deps);
    const ping = await app.deps.store.pings.byNumber(pinged.check.id, 1);

    const quoted = await quotedBody(app.deps, { check: pinged.check, ping });
    await server.stop();

    assert.equal(text(quoted), longBody(1));
    assert.equal(await quotedBody(app.deps, { check: pinged.check, ping }), null);
  });

  test('after three failures storage is left alone for twenty seconds', async () => {
    const pinged = await givenPingedCheck(app);
    await pinged.ping(longBody(1), 'short');
    await moveAll(app.deps);
    await server.stop();

    for (let count = 0; count < 3; count++) assertError(await pinged.body(1), 503, UNAVAILABLE);
    assert.equal(reads, 3);
    const refused = await pinged.body(1);
    assertError(refused, 503, UNAVAILABLE);
    assert.equal(refused.headers['retry-after'], '20');
    assert.equal(reads, 3);
    assert.equal((await pinged.body(2)).text, 'short', 'what is in the database can be read');

    await server.start();
    app.clock.advance({ seconds: 19 });
    assertError(await pinged.body(1), 503, UNAVAILABLE);
    assert.equal(reads, 3);
    app.clock.advance({ seconds: 1 });
    assert.equal((await pinged.body(1)).text, longBody(1));
    assert.equal(reads, 4);
  });

  test('a body whose object is missing is answered 404, however often it is asked for', async () => {
    const pinged = await givenPingedCheck(app);
    await pinged.ping(longBody(1));
    await moveAll(app.deps);
    await s3.delete(objectKey(pinged.check.uuid, 1));

    for (let count = 0; count < 5; count++) assertError(await pinged.body(1), 404, 'ping body not found');
    assert.equal(reads, 5);
  });

  test('once storage is not configured any more, what has moved is answered 404', async () => {
    const pinged = await givenPingedCheck(app);
    await pinged.ping(longBody(1), longBody(2), 'short');
    await moveAll(app.deps);
    await pinged.ping(longBody(4));
    const without = withObjects(app, null);
    const check = await app.deps.store.checks.byUuid(pinged.check.uuid);
    assert.ok(check);

    await assert.rejects(getPingBody(without, systemActor(check.projectId), check, 1), {
      code: 'no_ping_body',
    });
    assert.equal(text(await getPingBody(without, systemActor(check.projectId), check, 3)), 'short');
    assert.equal(text(await getPingBody(without, systemActor(check.projectId), check, 4)), longBody(4));
    assert.deepEqual(await moveAll(without), []);
    assert.equal(text(await getPingBody(without, systemActor(check.projectId), check, 4)), longBody(4));
  });
});
