import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import pino from 'pino';
import { demoEnvironment } from '../../src/cli/demo.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { DEMO_SEED } from '../../src/demo/demonstration.ts';
import { demoParts, MAX_VISITOR_SESSIONS } from '../../src/demo/parts.ts';
import { VISITOR_REQUESTS_PER_MINUTE, Visitors } from '../../src/demo/visitors.ts';
import { READ_ONLY_KEY, uuidOf } from '../../src/demo/world.ts';
import { addressesOf } from '../../src/http/dispatcher.ts';
import { createHttpServer, type HttpServer, routesOf } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { systemTimers } from '../../src/lib/timers.ts';
import { startApp } from '../../src/main.ts';
import { buildNode } from '../../src/node/node.ts';
import { SqliteDriver } from '../../src/storage/sqlite/driver.ts';
import { DEMONSTRATION_LINE } from '../../src/wire/demonstration.ts';
import { listen } from '../app.ts';
import { createMigratedPlace } from '../engines.ts';
import { FakeClock } from '../fake-clock.ts';
import { form } from '../form.ts';
import {
  configFor,
  makePlace,
  makeTestMonth,
  type Place,
  rowsOf,
  SECRET,
  SHORT_END,
  startTestDemonstration,
} from './demonstration.test-support.ts';

const SENTENCE = 'This is a demonstration: nothing can be changed.';
/** Methods that are not among the reads are all refused in the same place. */
const METHODS = form.isLong ? ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['GET', 'POST'];
const ORIGIN = 'http://testserver';

/** The demonstration as visitors meet it, with its loops at rest: whatever is written then, a request has written. */
async function startAtRest(path: string) {
  await using opened = new AsyncDisposableStack();
  const config = configFor(path);
  const driver = opened.use(new SqliteDriver(path));
  const clock = new FakeClock(SHORT_END);
  const visitors = new Visitors({
    prefix: '',
    trustedProxies: config.http.trustedProxies,
    isExempt: () => false,
    clock,
  });
  const parts = demoParts({
    ...{ config, driver, clock, timers: systemTimers, random: systemRandom, secret: SECRET },
    ...{ version: '0.0.0', log: pino({ level: 'silent' }), guard: (store) => visitors.guard(store) },
  });
  const node = opened.use(await buildNode(parts));
  const options = { ...node.http, keyUses: { note: () => undefined } };
  const server: HttpServer = opened.use(createHttpServer(node.deps, node.pings, options));
  server.server.removeAllListeners('request');
  server.server.on('request', visitors.receive(server.receive));
  const port = await listen(server);
  const resources = opened.move();
  return { node, options, clock, port, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

type AtRest = Awaited<ReturnType<typeof startAtRest>>;

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** From an address that is counted. */
function ask({ port }: Pick<AtRest, 'port'>, path: string, { headers = {}, ...sent }: Sent = {}) {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    ...sent,
    redirect: 'manual',
    headers: { Origin: ORIGIN, 'X-Forwarded-For': '203.0.113.7', ...headers },
  });
}

async function lookAround(at: Pick<AtRest, 'port'>, from = '203.0.113.7'): Promise<string> {
  const reply = await ask(at, '/dashboard/api/do/lookAround', {
    method: 'POST',
    headers: { 'X-Forwarded-For': from, 'Sec-Fetch-Site': 'same-origin' },
    body: '{}',
  });
  assert.equal(reply.status, 204, await reply.text());
  return reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

describe('a demonstration', () => {
  let month: Place;
  before(async () => {
    month = await makePlace();
    await makeTestMonth(month.path, SHORT_END);
  });
  after(() => month[Symbol.asyncDispose]());

  async function givenCopy(): Promise<Place> {
    const place = await makePlace();
    await copyFile(month.path, place.path);
    return place;
  }

  test('writes nothing, whoever tries whatever operation by whatever method', async () => {
    await using place = await givenCopy();
    await using at = await startAtRest(place.path);
    const cookie = await lookAround(at);
    const callers: Record<string, Readonly<Record<string, string>>> = {
      visitor: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
      ...(form.isLong && { stranger: {}, program: { 'X-Api-Key': READ_ONLY_KEY } }),
    };
    const before = rowsOf(place.path, ['sessions']);
    const check = uuidOf(DEMO_SEED, { slug: 'nightly-etl' });
    const own = await ask(at, '/dashboard/api/read/ownProjects', { headers: { Cookie: cookie } });
    const { projects } = (await own.json()) as { projects: { uuid: string; name: string }[] };
    const known = { check, project: projects.find(({ name }) => name === 'Data team')?.uuid ?? '' };
    const routes = routesOf(at.node.deps, at.options, '');

    let refused = 0;
    for (const { path } of [...routes.flatMap(addressesOf), { path: `/ping/${check}` }]) {
      const address = filled(path, known);
      for (const method of METHODS) {
        for (const [who, headers] of Object.entries(callers)) {
          if (path.endsWith('/do/lookAround') || path.endsWith('/do/signOut')) continue;
          // Each has an address of its own: the limit is another matter.
          const from = `198.51.${refused % 250}.${Math.floor(refused / 250) % 250}`;
          const isBodiless = method === 'GET' || method === 'HEAD';
          const controller = new AbortController();
          const reply = await ask(at, address, {
            method,
            headers: { ...headers, 'X-Forwarded-For': from },
            ...(!isBodiless && { body: '{}' }),
            ...{ signal: controller.signal },
          });
          refused++;
          const what = `${method} ${address} as ${who}`;
          assert.ok(reply.status < 500, `${what}: ${reply.status}`);
          const isRead = isBodiless || (method === 'POST' && /\/read\/\w+$/.test(path));
          if (path.startsWith('/ping/')) assert.equal(reply.status, 404, what);
          else if (!isRead) assert.equal(((await reply.json()) as { error: string }).error, SENTENCE, what);
          controller.abort();
        }
      }
    }

    assert.deepEqual(rowsOf(place.path, ['sessions']), before);
    assert.equal((await at.node.deps.store.sessions.ofAccount(1)).length, 0);
  });

  test('lets everybody look around, read-only, at most two hundred at a time, and is not indexed', async () => {
    await using place = await givenCopy();
    await using at = await startAtRest(place.path);
    const cookies: string[] = [];
    for (let n = 0; n <= MAX_VISITOR_SESSIONS; n++) {
      at.clock.advance({ seconds: 1 });
      cookies.push(await lookAround(at, `198.51.100.${n % 250}`));
    }

    const account = (cookie = '') =>
      ask(at, '/dashboard/api/read/ownProjects', { headers: { Cookie: cookie } });
    const last = await account(cookies.at(-1));

    assert.equal((await account(cookies[0])).status, 401);
    assert.equal(last.status, 200);
    assert.equal(last.headers.get('x-robots-tag'), 'noindex');
    assert.equal(last.headers.get('date'), new Date(at.clock.now() / 1_000).toUTCString());
    const { projects } = (await last.json()) as { projects: { name: string; role: string }[] };
    assert.deepEqual(projects.map(({ name }) => name).toSorted(), ['Data team', 'Harbour Coffee', 'Homelab']);
    assert.ok(projects.every(({ role }) => role === 'read_only'));
  });

  test('says what it is on the pages of the documentation, too', async () => {
    await using place = await givenCopy();
    await using at = await startAtRest(place.path);
    for (const path of ['/docs/', '/docs/search/?q=ping', '/docs/api/', '/docs/no-such-page/'])
      assert.ok((await (await ask(at, path)).text()).includes(DEMONSTRATION_LINE), path);
  });

  test('limits requests by address, those of visitors as well', async () => {
    await using place = await givenCopy();
    await using at = await startAtRest(place.path);
    const cookie = await lookAround(at);
    const status = async (from: string) => {
      const headers = { Cookie: cookie, 'X-Forwarded-For': from };
      const reply = await ask(at, '/dashboard/api/read/signedIn', { headers });
      await reply.arrayBuffer();
      return reply.status;
    };
    for (let n = 1; n < VISITOR_REQUESTS_PER_MINUTE; n++) await status('203.0.113.7');

    assert.equal(await status('203.0.113.7'), 429);
    assert.equal(await status('203.0.113.8'), 200);
  });

  test('refuses the database of a real installation, and leaves it as it is', async () => {
    await using real = await createMigratedPlace('sqlite');
    assert.ok(real.database.engine === 'sqlite');
    const { path } = real.database;
    const before = await readFile(path);

    await assert.rejects(startTestDemonstration(configFor(path)), /belongs to a real installation/);
    const postgres = readConfig(demoEnvironment({ DATABASE_URL: 'postgres://127.0.0.1/tocsin' }));
    await assert.rejects(startTestDemonstration(postgres), /has a SQLite database of its own/);

    assert.ok((await readFile(path)).equals(before));
  });

  test('is no database for a real service', async () => {
    await using place = await givenCopy();
    const config = readConfig({
      ...{ DATABASE_URL: `sqlite:${place.path}`, HOST: '127.0.0.1', PORT: '0', SECRET_KEY: SECRET },
    });
    const world = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

    await assert.rejects(startApp(config, world), /was made by tocsin demo/);
  });

  test('takes no settings by which something could come in or leave', () => {
    const { smtp, mail, heartbeat, integrations, openId, backups, objects, provisionFile } = readConfig(
      demoEnvironment({
        SMTPD_PORT: '2525',
        EMAIL_HOST: 'mail.example.org',
        HEARTBEAT_URL: 'https://example.org/',
        SHELL_ENABLED: 'True',
        REGISTRATION_OPEN: 'True',
        PROVISION_FILE: '/etc/tocsin.yaml',
      }),
    );

    assert.deepEqual(
      { smtp, mail, heartbeat, openId, backups, objects, provisionFile },
      {
        smtp: null,
        mail: null,
        heartbeat: null,
        openId: null,
        backups: null,
        objects: null,
        provisionFile: null,
      },
    );
    assert.equal(integrations.SHELL_ENABLED, false);
  });
});

/** An address of the route. Parameters stand for things that exist, where they can. */
function filled(path: string, known: { readonly check: string; readonly project: string }): string {
  return path
    .replaceAll(/:(\w+)(?:\((?:[^()]|\([^()]*\))*\))?/g, (_all, name: string) =>
      name.startsWith('project') ? known.project : name === 'check' ? known.check : 'x',
    )
    .replace(/\*$/, 'x');
}
