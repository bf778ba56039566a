import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { objectKey } from '../../src/objects/object-key.ts';
import { S3ObjectStore } from '../../src/objects/s3.ts';
import type { Database } from '../../src/storage/open.ts';
import { createEmptyPlace, forEachEngine } from '../engines.ts';
import { listening, type RunningProcess, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { longBody } from './bodies.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

const KEY = 'hcw_0123456789abcdefghijklmnopqr';

const DECLARATION = `accounts:
  - email: ops@example.org
projects:
  - name: Alpha
    owner: ops@example.org
    keys:
      read_write: ${KEY}
`;

let server: S3Server;
before(async () => {
  server = await startS3Server();
});
after(() => server?.[Symbol.asyncDispose]());

/** The whole service, as an operator would set it up. */
async function startService(folder: string, database: Database, endpoint: string): Promise<RunningProcess> {
  const declaration = join(folder, 'declaration.yaml');
  const secret = join(folder, 'secret');
  await writeFile(declaration, DECLARATION);
  await writeFile(secret, `${server.config.secretKey}\n`);
  return startCli(['serve'], {
    cwd: folder,
    env: {
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      PROVISION_FILE: declaration,
      SECRET_KEY: 'a secret of this test, and long enough to be one',
      S3_BUCKET: server.config.bucket,
      S3_ENDPOINT: endpoint,
      S3_REGION: server.config.region,
      S3_ACCESS_KEY: server.config.accessKey,
      S3_SECRET_KEY_FILE: secret,
      S3_SECURE: 'False',
    },
  });
}

async function createCheck(url: string): Promise<string> {
  const reply = await fetch(`${url}/api/v3/checks/`, {
    method: 'POST',
    headers: { 'X-Api-Key': KEY },
    body: '{"name": "backup"}',
  });
  assert.equal(reply.status, 201);
  return ((await reply.json()) as { uuid: string }).uuid;
}

forEachEngine((engine) => {
  test('the service moves bodies by itself, answers while storage is away, and removes what is deleted', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    await using service = await startService(folder.path, place.database, server.config.endpoint);
    const url = await listening(service);
    const s3 = new S3ObjectStore({ ...server.config, clock: systemClock });
    const [doomed, kept] = [await createCheck(url), await createCheck(url)];
    const ping = async (uuid: string, n: number) =>
      (await fetch(`${url}/ping/${uuid}`, { method: 'POST', body: longBody(n) })).status;
    const body = (n: number) =>
      fetch(`${url}/api/v3/checks/${kept}/pings/${n}/body`, { headers: { 'X-Api-Key': KEY } });
    const isMoved = async (uuid: string, n: number) => (await s3.get(objectKey(uuid, n), 1_000)) !== null;

    for (const uuid of [doomed, kept]) assert.equal(await ping(uuid, 1), 200);
    await until('the bodies are in storage', async () => (await isMoved(doomed, 1)) && isMoved(kept, 1));
    assert.equal(await (await body(1)).text(), longBody(1));
    const deleted = await fetch(`${url}/api/v3/checks/${doomed}`, {
      method: 'DELETE',
      headers: { 'X-Api-Key': KEY },
    });
    assert.equal(deleted.status, 200);
    await until('the deleted check has no object left', async () => !(await isMoved(doomed, 1)));

    await server.stop();
    assert.equal(await ping(kept, 2), 200);
    await service.output(/"event":"bodies.move_failed"/);
    assert.equal(await (await body(2)).text(), longBody(2));
    const refused = await body(1);
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.deepEqual(await refused.json(), { error: 'ping body temporarily unavailable' });

    await server.start();
    assert.equal(await ping(kept, 3), 200);
    await until('the next body is in storage', () => isMoved(kept, 3));
    assert.equal(await (await body(1)).text(), longBody(1));
    service.signal('SIGTERM');
    const { code, stdout, stderr } = await service.exit();
    assert.equal(code, 0);
    for (const uuid of [doomed, kept]) {
      assert.ok(!(stdout + stderr).includes(uuid), 'the UUID of a check is not for the log');
    }
  });
});

test('a storage that accepts and then says nothing holds up neither a ping nor a stop', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('sqlite');
  const contacted = Promise.withResolvers<void>();
  const silent = createServer(() => contacted.resolve());
  await using opened = new AsyncDisposableStack();
  opened.defer(() => void silent.close());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = silent.address() as AddressInfo;
  await using service = await startService(folder.path, place.database, `127.0.0.1:${port}`);
  const url = await listening(service);
  const uuid = await createCheck(url);

  const reply = await fetch(`${url}/ping/${uuid}`, { method: 'POST', body: longBody(1) });
  assert.equal(reply.status, 200);
  await contacted.promise;
  service.signal('SIGTERM');

  // One that waited for the storage would end with another code, when its patience with accepted requests is over.
  assert.equal((await service.exit()).code, 0);
});
