import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresAt } from '../engines.ts';
import { startPostgres } from '../postgres.ts';
import { temporaryFolder } from '../process.ts';
import { timed, until } from '../waiting.ts';
import { startService } from './service.ts';

test('a service outlives an outage of its database, tells of it, and recovers by itself', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using service = await startService(folder.path, postgresAt(postgres.url));
  const check = await service.createCheck('heartbeat');
  assert.equal(await service.ping(check.uuid), true);
  assert.equal((await service.get('/api/v3/status/')).status, 200);

  await postgres.stop();

  for (let n = 0; n < 5; n++) {
    const { value: reply, elapsedMs } = await timed(service.get('/api/v3/checks/'));
    assert.equal(reply?.status, 503);
    assert.match(reply?.headers.get('retry-after') ?? '', /^\d+$/);
    assert.deepEqual(await reply?.json(), { error: 'temporarily unavailable' });
    assert.ok(elapsedMs < 2_500, `it took ${elapsedMs} ms`);
  }
  assert.equal((await service.get('/api/v3/status/')).status, 500);
  assert.equal((await service.get(`/ping/${check.uuid}`)).status, 503);

  await postgres.start();

  await until('the service finds its database again', async () => {
    const reply = await service.get('/api/v3/checks/');
    return reply.status === 200;
  });
  assert.equal((await service.get('/api/v3/status/')).status, 200);
  assert.equal(await service.ping(check.uuid), true);
  assert.deepEqual(
    (await service.checks()).map(({ uuid, n_pings }) => ({ uuid, n_pings })),
    [{ uuid: check.uuid, n_pings: 2 }],
  );
});

test('a crash of the database under load costs no acknowledged ping', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  await using service = await startService(folder.path, postgresAt(postgres.url));
  const check = await service.createCheck('heartbeat');
  const load = { isOn: true, acknowledged: 0 };
  const clients = Array.from({ length: 6 }, async () => {
    while (load.isOn) if (await service.ping(check.uuid)) load.acknowledged++;
  });
  await until('pings arrive', () => load.acknowledged > 20);

  await postgres.stop('immediate');
  await postgres.start();

  const before = load.acknowledged;
  await until('pings arrive again', () => load.acknowledged > before + 20);
  load.isOn = false;
  await Promise.all(clients);
  const [listed] = await service.checks();
  assert.ok((listed?.n_pings ?? 0) >= load.acknowledged);
});
