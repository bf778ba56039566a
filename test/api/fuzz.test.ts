import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Check } from '../../src/domain/check/check.ts';
import { type GivenProject, type Reply, sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { form } from '../form.ts';
import { within } from '../waiting.ts';
import { type FuzzRequest, fuzzRequests, type Known, rawRequests } from './fuzz-requests.ts';

/** The factor for the number of requests, in the long form. */
const EFFORT = Number(process.env.FUZZ_RUNS ?? 1);
const FIXED_SEED = 20_240_301;
/** The long form also tries what no run before it has; a failure prints the seed with which to repeat it. */
const FRESH_SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const SEEDS: Record<string, number> = {
  'a fixed seed': FIXED_SEED,
  ...(form.isLong && { 'a fresh seed': FRESH_SEED }),
};

const BATCHES = form.isLong ? 700 * EFFORT : 150;
const LARGEST_BATCH = 6;
const RAW_BATCHES = form.isLong ? 25 * EFFORT : 8;
const QUIET_MS = 100;
const METRICS_KEY = 'a key for the metrics of the instance';
const MARKER = 'zqxjkvmarker';
const OWN_CHECKS = 4;
const EXTRA_CHECKS = 40;

/** The attacker's project, the victim's, and what must not get from the one to the other. */
interface Scene {
  readonly app: TestApp;
  readonly own: GivenProject;
  readonly ownChecks: readonly Check[];
  readonly victim: GivenProject;
  readonly secrets: readonly string[];
  readonly known: Known;
  /** Checks that requests have made, oldest first, to be removed before the limit is reached. */
  readonly made: string[];
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine, { metricsKey: METRICS_KEY });

  for (const [name, seed] of Object.entries(SEEDS)) {
    test(`no request breaks the service or reaches another project, from ${name}`, async () => {
      const scene = await setScene(app());
      const untouched = await rowsOf(app(), scene.victim);

      await fc.assert(
        fc.asyncProperty(
          fc.array(fuzzRequests(scene.known), { minLength: 1, maxLength: LARGEST_BATCH }),
          async (batch) => {
            const replies = await Promise.all(batch.map((request) => send(scene, request)));
            for (const [index, request] of batch.entries()) judge(scene, request, replies[index]);
            await tidy(scene, batch, replies);
          },
        ),
        { numRuns: BATCHES, seed, unbiased: true },
      );

      assert.deepEqual(await rowsOf(app(), scene.victim), untouched);
    });
  }

  test('a socket that speaks no HTTP is answered with 4xx or closed, and others are served', async () => {
    const scene = await setScene(app());
    const untouched = await rowsOf(app(), scene.victim);

    const port = await listeningPort(app());
    for (const seed of Object.values(SEEDS)) {
      await fc.assert(
        fc.asyncProperty(fc.array(rawRequests(scene.known), { maxLength: 10 }), async (messages) => {
          const answers = await Promise.all(messages.map((bytes) => exchange(port, bytes)));
          for (const [index, bytes] of messages.entries()) {
            const answer = answers[index] ?? '';
            for (const status of statusesOf(answer)) assert.ok(status < 500, `answered ${status}`);
            assertNoSecrets(scene, answer, bytes.toString('latin1'));
          }
          assert.deepEqual(statusesOf(await exchange(port, STATUS_REQUEST)), [200]);
        }),
        { numRuns: RAW_BATCHES, seed, unbiased: true },
      );
    }

    assert.deepEqual(await rowsOf(app(), scene.victim), untouched);
  });

  test('clients that send slowly or never end hold nobody up', async () => {
    const scene = await setScene(app());
    const port = await listeningPort(app());
    const head = `POST /api/v3/checks/ HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${scene.own.key}\r\nConnection: close\r\n`;

    const idle = Array.from({ length: 50 }, (_, index) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(index % 2 === 0 ? head.slice(0, 40) : `${head}Content-Length: 100\r\n\r\n{"name"`);
      return socket;
    });
    const slow = trickle(port, `${head}Content-Length: 16\r\n\r\n{"name": "slow"}`);
    const others = await Promise.all(Array.from({ length: 20 }, () => exchange(port, STATUS_REQUEST)));

    assert.deepEqual(others.flatMap(statusesOf), Array(20).fill(200));
    assert.deepEqual(statusesOf(await slow), [201]);
    for (const socket of idle) socket.destroy();
  });
});

async function setScene(app: TestApp): Promise<Scene> {
  const limits = { checks: OWN_CHECKS + EXTRA_CHECKS + LARGEST_BATCH, pings: 100 };
  const own = await app.givenProject({ limits });
  const victim = await app.givenProject();
  const ownChecks: Check[] = [];
  for (let index = 0; index < OWN_CHECKS; index++) {
    ownChecks.push(await app.givenCheck(own.project, { name: 'backup', slug: 'backup', tags: 'db prod' }));
  }
  const ownChannel = await app.givenChannel(own.project, { name: 'own mail' });
  const victimChannel = await app.givenChannel(victim.project, { name: `${MARKER} mail` });
  const victimChecks: Check[] = [];
  for (const status of ['up', 'new'] as const) {
    const check = await app.givenCheck(victim.project, {
      name: `${MARKER} name`,
      slug: `${MARKER}-slug`,
      tags: `${MARKER} db prod`,
      description: MARKER,
      status,
    });
    await app.assign(check, victimChannel);
    await app.receive(check, 'fail');
    await app.givenPing(check, { body: Buffer.from(MARKER), userAgent: MARKER });
    victimChecks.push(check);
  }
  for (const check of ownChecks.slice(0, 2)) {
    await app.receive(check, 'start');
    await app.receive(check, 'success');
    await app.givenPing(check, { body: Buffer.from('own body') });
  }
  const checks = [...ownChecks, ...victimChecks];
  const sign = (badgeKey: string, tag: string) => app.deps.vault.badgeSignature(badgeKey, tag);
  return {
    app,
    own,
    ownChecks,
    victim,
    made: [],
    secrets: [
      MARKER,
      victimChannel.uuid,
      victim.key,
      victim.readOnlyKey,
      victim.project.badgeKey,
      victim.project.uuid,
      ...victimChecks.flatMap(({ uuid, uniqueKey, badgeKey }) => [uuid, uniqueKey, badgeKey]),
    ],
    known: {
      keys: [own.key],
      readOnlyKeys: [own.readOnlyKey],
      uuids: checks.map((check) => check.uuid),
      uniqueKeys: checks.map((check) => check.uniqueKey),
      channels: [ownChannel.uuid, ownChannel.name, victimChannel.uuid],
      projects: [own.project.uuid, victim.project.uuid],
      badgeKeys: [own.project.badgeKey, victim.project.badgeKey],
      // Valid for the attacker's own badges alone.
      signatures: ['*', 'db', 'a/b', '\0'].map((tag) => sign(own.project.badgeKey, tag)),
      checkBadgeKeys: [
        ...ownChecks.map((check) => check.badgeKey),
        ...victimChecks.map((check) => check.uuid),
      ],
      metricsKey: METRICS_KEY,
    },
  };
}

/** All that the project has. */
async function rowsOf({ deps: { store } }: TestApp, { project }: GivenProject): Promise<unknown> {
  const checks = await store.checks.ofProject(project.id);
  const history = checks.map(async ({ id }) => ({
    pings: await store.pings.latest(id, 100),
    flips: await store.flips.ofCheck(id, { from: null, before: null }),
    channels: await store.checks.channelsOf(id),
  }));
  return {
    project: await store.projects.byId(project.id),
    owner: await store.accounts.ownerOf(project.id),
    keys: await store.apiKeys.ofProject(project.id),
    channels: await store.channels.ofProject(project.id),
    checks,
    history: await Promise.all(history),
  };
}

async function send({ app }: Scene, { method, path, headers, body }: FuzzRequest): Promise<Reply> {
  const reply = app.request(method, path, { headers, ...(body !== null && { body }) });
  return within(reply, () => `${method} ${path.slice(0, 200)} is not answered`);
}

function judge(scene: Scene, request: FuzzRequest, reply: Reply | undefined): void {
  assert.ok(reply !== undefined);
  const { status, headers, text } = reply;
  assert.ok(status >= 200 && status < 500, `answered ${status}: ${text.slice(0, 500)}`);
  assertNoSecrets(scene, `${JSON.stringify(headers)}${text}`, `${request.path}${request.body ?? ''}`);
  assert.notEqual(status, 415, 'any content type will do');
  if (status >= 400 && request.method !== 'HEAD') assertErrorText(text);
  if (request.hasCors) assertCors(request, reply);
}

function assertErrorText(text: string): void {
  const { error }: { error?: unknown } = JSON.parse(text);
  assert.ok(typeof error === 'string' && error !== '', `no reason is given: ${text.slice(0, 500)}`);
}

function assertCors({ method }: FuzzRequest, { status, headers, text }: Reply): void {
  assert.equal(headers['access-control-allow-origin'], '*', `${status} ${text.slice(0, 200)}`);
  assert.equal(headers['access-control-allow-headers'], 'X-Api-Key');
  assert.equal(headers['access-control-max-age'], '600');
  assert.match(headers['access-control-allow-methods'] ?? '', /\bOPTIONS$/);
  if (method === 'OPTIONS') assert.equal(status, 204);
}

/** Text of the request itself may come back in an error; the other project's own texts are never said. */
function assertNoSecrets({ secrets }: Scene, answer: string, said: string): void {
  for (const secret of secrets) {
    if (!answer.includes(secret) || (secret !== MARKER && said.includes(secret))) continue;
    assert.fail(`the answer shows another project's ${secret}: ${answer.slice(0, 2_000)}`);
  }
}

/** Restores the checks that requests delete, and deletes most of those that they make. */
async function tidy(
  { app, own, ownChecks, made }: Scene,
  batch: readonly FuzzRequest[],
  replies: readonly Reply[],
): Promise<void> {
  for (const [index, reply] of replies.entries()) {
    if (reply.status === 201) made.push(String(Object(reply.json).uuid));
    if (reply.status !== 200 || batch[index]?.method !== 'DELETE') continue;
    const deleted = ownChecks.find((check) => batch[index]?.path.includes(check.uuid));
    if (deleted !== undefined) await app.givenCheck(own.project, deleted);
  }
  while (made.length > EXTRA_CHECKS) {
    const { status } = await app.request('DELETE', `/api/v3/checks/${made.shift()}`, { key: own.key });
    assert.equal(status, 200);
  }
}

const STATUS_REQUEST = Buffer.from('GET /api/v3/status/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

async function listeningPort({ server: app }: TestApp): Promise<number> {
  const { server } = app;
  if (!server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** All that comes back until the server closes, or has been quiet for a while and is told that this was it. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  if (bytes !== STATUS_REQUEST) socket.setTimeout(QUIET_MS, () => socket.end());
  return answerOn(socket);
}

/** One byte at a time. */
async function trickle(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answer = answerOn(socket);
  for (const character of text) {
    socket.write(character);
    await sleep(1);
  }
  return answer;
}

function answerOn(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  // The server may close before it has read everything: that is an answer, too.
  socket.on('error', () => undefined).on('close', () => resolve(answer));
  return within(promise, () => 'the socket is not answered').finally(() => socket.destroy());
}

function statusesOf(answer: string): number[] {
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status)).filter(
    (status) => status !== 100,
  );
}
