import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { readAuthorization, sha256, signatureOf } from '../../test/objects/aws-signature.ts';
import { until } from '../../test/waiting.ts';
import { S3ObjectStore, type S3Options } from './s3.ts';

const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const KEY = '5ba7f0f3-6a5c-4a5e-8d5e-3f0c1c6a1f10/yij-10';
/** 2024-03-01T12:00:00.123456Z */
const NOW = 1_709_294_400_123_456;

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A storage that answers as the test likes, and remembers what it was asked. */
async function startStorage(answer: (response: ServerResponse, count: number) => void) {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks) });
    answer(response, received.length);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    received,
    store: (overrides: Partial<S3Options> = {}) =>
      new S3ObjectStore({
        endpoint: `127.0.0.1:${port}`,
        isSecure: false,
        region: 'eu-west-1',
        bucket: 'ping-bodies',
        accessKey: ACCESS_KEY,
        secretKey: SECRET_KEY,
        timeoutSeconds: 5,
        clock: new FakeClock(NOW),
        ...overrides,
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function assertSigned({ body, ...request }: Received): void {
  const claim = readAuthorization(request);
  assert.ok(claim !== null);
  assert.equal(claim.accessKey, ACCESS_KEY);
  assert.equal(claim.scope, '20240301/eu-west-1/s3/aws4_request');
  assert.equal(request.headers['x-amz-date'], '20240301T120000Z');
  assert.equal(request.headers['x-amz-content-sha256'], sha256(body));
  assert.equal(claim.signedHeaders, 'host;x-amz-content-sha256;x-amz-date');
  assert.equal(claim.signature, signatureOf(request, claim, SECRET_KEY));
}

test('every operation goes to the path of the bucket and is signed, its body included', async () => {
  const listing =
    '<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key></Contents></ListBucketResult>';
  await using storage = await startStorage((response) => response.end(listing));
  const store = storage.store();
  const body = Buffer.from([0, 255, 10, 13]);

  await store.put(KEY, body);
  await store.get(KEY, 1_000);
  await store.delete(KEY);
  const page = await store.list('a b&c/', 'ä+/');

  assert.deepEqual(
    storage.received.map(({ method, url }) => `${method} ${url}`),
    [
      `PUT /ping-bodies/${KEY}`,
      `GET /ping-bodies/${KEY}`,
      `DELETE /ping-bodies/${KEY}`,
      'GET /ping-bodies/?list-type=2&prefix=a%20b%26c%2F&start-after=%C3%A4%2B%2F',
    ],
  );
  assert.deepEqual(storage.received[0]?.body, body);
  assert.deepEqual(page, { keys: ['a'], hasMore: true });
  for (const request of storage.received) assertSigned(request);
});

test('an answer that is not a success is a failure that tells the code alone', async () => {
  const xml = `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Key>${KEY}</Key></Error>`;
  await using storage = await startStorage((response) => response.writeHead(403).end(xml));
  const store = storage.store();

  for (const [verb, work] of [
    ['put', () => store.put(KEY, new Uint8Array(1))],
    ['get', () => store.get(KEY, 10)],
    ['delete', () => store.delete(KEY)],
    ['list', () => store.list('', '')],
  ] as const)
    await assert.rejects(work, {
      name: 'ObjectStoreError',
      message: `${verb}: the storage answered 403 AccessDenied`,
    });
});

test('only NoSuchKey means that the object is missing', async () => {
  const answers = [
    '<Error><Code>NoSuchKey</Code></Error>',
    '<Error><Code>NoSuchBucket</Code></Error>',
    '<html>this is no storage at all</html>',
  ];
  await using storage = await startStorage((response, count) =>
    response.writeHead(404).end(answers[count - 1]),
  );
  const store = storage.store();

  assert.equal(await store.get(KEY, 10), null);
  await assert.rejects(store.get(KEY, 10), { message: 'get: the storage answered 404 NoSuchBucket' });
  await assert.rejects(store.get(KEY, 10), { message: 'get: the storage answered 404' });
});

test('a redirect is not followed: the signature is for this host alone', async () => {
  await using storage = await startStorage((response) =>
    response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  );

  await assert.rejects(storage.store().get(KEY, 10), { message: 'get: the storage answered 307' });
  assert.equal(storage.received.length, 1);
});

test('what answers but lists nothing is not taken for an empty bucket', async () => {
  await using storage = await startStorage((response) => response.end('<html>welcome</html>'));

  await assert.rejects(storage.store().list('a/', ''), { message: 'list: the answer is no listing' });
});

test('an endless answer is cut off', async () => {
  await using storage = await startStorage((response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more);
    more();
  });
  const tooLong = { message: 'the answer is longer than expected' };
  const store = storage.store();

  await assert.rejects(store.get(KEY, 100), tooLong);
  await assert.rejects(store.list('a/', ''), tooLong);
  await assert.rejects(store.put(KEY, new Uint8Array(1)), tooLong);
});

test('a connection that breaks is tried once more', async () => {
  await using storage = await startStorage((response, count) =>
    count === 1 ? response.destroy() : response.end('body'),
  );
  const store = storage.store();

  assert.equal(String(await store.get(KEY, 10)), 'body');
  assert.equal(storage.received.length, 2);
  for (const request of storage.received) assertSigned(request);
});

test('a storage that is not there is a failure', async () => {
  await using storage = await startStorage(() => undefined);
  const store = storage.store();
  await storage[Symbol.asyncDispose]();

  await assert.rejects(store.get(KEY, 10), { message: 'no connection: ECONNREFUSED' });
});

test('a storage that accepts and then says nothing, or not everything, is given up', async () => {
  await using storage = await startStorage((response, count) => {
    if (count === 2) response.writeHead(200, { 'content-length': '10' }).write('half');
  });
  const store = storage.store({ timeoutSeconds: 1 });

  for (let count = 0; count < 2; count++)
    await assert.rejects(store.get(KEY, 10), { message: 'no answer within 1 s' });
  assert.equal(storage.received.length, 2);
});

test('a stop gives up what is under way, and what is asked for afterwards', async () => {
  await using storage = await startStorage(() => undefined);
  const store = storage.store({ timeoutSeconds: null });
  const stopped = { message: 'given up, since the service stops' };
  const under = assert.rejects(store.put(KEY, new Uint8Array(1)), stopped);
  await until('the request has arrived', () => storage.received.length === 1);

  store[Symbol.dispose]();

  await under;
  await assert.rejects(store.get(KEY, 10), stopped);
  assert.equal(storage.received.length, 1);
});
