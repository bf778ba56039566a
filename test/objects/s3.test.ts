import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ObjectsConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { S3ObjectStore } from '../../src/objects/s3.ts';
import { unique } from '../records.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

let server: S3Server;
before(async () => {
  server = await startS3Server();
});
after(() => server[Symbol.asyncDispose]());

function storeAt(overrides: Partial<ObjectsConfig> = {}): S3ObjectStore {
  return new S3ObjectStore({ ...server.config, ...overrides, clock: systemClock });
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

test('a key of nobody is refused, and is not in the error', async () => {
  const store = storeAt({ accessKey: 'hunter2' });

  await assert.rejects(store.put('secret-uuid/zi-1', new Uint8Array(1)), (error: Error) => {
    assert.match(error.message, /^put: the storage answered 403 \w+$/);
    assert.doesNotMatch(error.stack ?? '', /hunter2|secret-uuid/);
    return true;
  });
});
