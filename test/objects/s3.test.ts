import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AwsClient } from 'aws4fetch';
import { systemClock } from '../../src/lib/clock.ts';
import { S3ObjectStore, type S3Options } from '../../src/objects/s3.ts';
import { FakeClock } from '../fake-clock.ts';
import { unique } from '../records.ts';
import { sha256 } from './aws-signature.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

let server: S3Server;
before(async () => {
  server = await startS3Server();
});
after(() => server[Symbol.asyncDispose]());

function storeAt(overrides: Partial<S3Options> = {}): S3ObjectStore {
  return new S3ObjectStore({ ...server.config, clock: systemClock, ...overrides });
}

test('an object comes back byte for byte, and is replaced by another put', async () => {
  const [store, key] = [storeAt(), `${unique()}/zi-1`];
  const bytes = new Uint8Array(100_000).map((_, index) => (index * 7) % 256);

  await store.put(key, bytes.subarray(1, 50_000));
  await store.put(key, bytes);

  assert.deepEqual(await store.get(key, 100_000), Buffer.from(bytes));
});

test('a missing object is null, and can be deleted', async () => {
  const [store, key] = [storeAt(), `${unique()}/zi-1`];

  assert.equal(await store.get(key, 100), null);
  await store.delete(key);
});

test('a deleted object is gone', async () => {
  const [store, key] = [storeAt(), `${unique()}/zi-1`];
  await store.put(key, Buffer.from('x'));

  await store.delete(key);

  assert.equal(await store.get(key, 100), null);
});

test('an object longer than was put is not read into memory', async () => {
  const [store, key] = [storeAt(), `${unique()}/zi-1`];
  await store.put(key, new Uint8Array(1_000_000));

  await assert.rejects(store.get(key, 999_999), { name: 'ObjectStoreError' });
  await assert.rejects(store.get(key, 10), { name: 'ObjectStoreError' });
});

test('a listing has the keys of one prefix behind one of them, in lexical order', async () => {
  const [store, uuid] = [storeAt(), unique()];
  for (const name of ['zi-1', 'zh-2', 'yij-10', 'za-9']) await store.put(`${uuid}/${name}`, Buffer.from('x'));
  await store.put(`${uuid}0/zi-1`, Buffer.from('x'));

  const names = async (after: string) => {
    const { keys, hasMore } = await store.list(`${uuid}/`, `${uuid}/${after}`);
    assert.equal(hasMore, false);
    return keys.map((key) => key.slice(uuid.length + 1));
  };
  assert.deepEqual(await names(''), ['yij-10', 'za-9', 'zh-2', 'zi-1']);
  assert.deepEqual(await names('yij-10'), ['za-9', 'zh-2', 'zi-1']);
  assert.deepEqual(await names('zb-8'), ['zh-2', 'zi-1']);
  assert.deepEqual(await names('zi-1'), []);
});

test('a bucket that is not there is a failure, not a missing object', async () => {
  const store = storeAt({ bucket: 'elsewhere' });
  const refused = { name: 'ObjectStoreError', message: /answered 404 NoSuchBucket$/ };

  await assert.rejects(store.get('key', 100), refused);
  await assert.rejects(store.put('key', new Uint8Array(1)), refused);
  await assert.rejects(store.delete('key'), refused);
  await assert.rejects(store.list('key', ''), refused);
});

test('a listing that is longer than a page says so, and goes on behind its last key', async () => {
  const [store, uuid] = [storeAt(), unique()];
  const all = Array.from({ length: 1_001 }, (_, index) => `${uuid}/${String(index).padStart(4, '0')}`);
  for (const key of all) await store.put(key, Buffer.from('x'));

  const first = await store.list(`${uuid}/`, '');
  const second = await store.list(`${uuid}/`, first.keys.at(-1) ?? '');

  assert.deepEqual([...first.keys, ...second.keys], all);
  assert.deepEqual([first.hasMore, second.hasMore], [true, false]);
});

for (const [what, overrides, reason] of [
  ['a wrong secret', { secretKey: 'hunter2' }, '403 SignatureDoesNotMatch'],
  ['another region', { region: 'elsewhere' }, '400 AuthorizationHeaderMalformed'],
  ['a clock that is far off', { clock: new FakeClock(0) }, '403 RequestTimeTooSkewed'],
  ['a key of nobody', { accessKey: 'hunter2' }, '403 InvalidAccessKeyId'],
] as const) {
  test(`${what} is refused, and no secret is in the error`, async () => {
    const store = storeAt(overrides);

    await assert.rejects(store.put('secret-uuid/zi-1', new Uint8Array(1)), (error: Error) => {
      assert.equal(error.message, `put: the storage answered ${reason}`);
      assert.doesNotMatch(error.stack ?? '', /hunter2|secret-uuid/);
      return true;
    });
  });
}

test('the storage of the tests refuses what is not signed, or was changed on its way', async () => {
  const url = `http://${server.config.endpoint}/${server.config.bucket}/changed`;
  const { accessKey, secretKey, region } = server.config;
  const signer = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    service: 's3',
    region,
  });
  const signed = async () =>
    signer.sign(url, {
      method: 'PUT',
      body: 'original',
      headers: { 'x-amz-content-sha256': sha256('original') },
    });
  const codeOf = async (reply: Response) => /<Code>(\w+)</.exec(await reply.text())?.[1];

  assert.equal(await codeOf(await fetch(url)), 'AccessDenied');
  assert.equal(await codeOf(await fetch(await signed(), { body: 'replaced' })), 'XAmzContentSHA256Mismatch');
  assert.equal(
    await codeOf(await fetch(await signed(), { method: 'DELETE', body: null })),
    'SignatureDoesNotMatch',
  );
  assert.equal(
    await codeOf(await fetch(await signed(), { headers: await unsignedHeader(await signed()) })),
    'AccessDenied',
  );
  assert.equal((await fetch(await signed())).status, 200);
});

async function unsignedHeader(request: Request): Promise<Headers> {
  const headers = new Headers(request.headers);
  headers.set('x-amz-acl', 'public-read');
  return headers;
}
