import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { after, before, beforeEach } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import { type Check, newCheck } from '../src/domain/check/check.ts';
import { DEFAULT_CONFIG } from '../src/domain/check/settings.ts';
import { deadlineOf } from '../src/domain/check/status.ts';
import type { AccountLimits } from '../src/domain/people/account.ts';
import { type ApiKeyKind, generateApiKey } from '../src/domain/people/api-key.ts';
import type { Project } from '../src/domain/people/project.ts';
import { type NewPing, NO_RUN_FACTS, type Signal } from '../src/domain/ping/ping.ts';
import { effectiveSignal, receivePing } from '../src/domain/ping/transition.ts';
import type { ApiOptions } from '../src/http/api/routes.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from '../src/http/server.ts';
import { isChannelKind, storedSettings } from '../src/integrations/registry.ts';
import type { Instant } from '../src/lib/instant.ts';
import { buildNode, type Node, type NodeParts } from '../src/node/node.ts';
import type { ObjectStore } from '../src/objects/object-store.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { recordFlips } from '../src/services/core/flips.ts';
import { Telemetry } from '../src/services/instance/telemetry.ts';
import { type Parts, Vitals } from '../src/services/instance/vitals.ts';
import type { AccountSettings } from '../src/services/people/deps.ts';
import type { PingWriter } from '../src/services/ping/ping-writer.ts';
import { addApiKey } from '../src/services/project/projects.ts';
import type { Engine } from '../src/storage/dialect.ts';
import type { Database } from '../src/storage/open.ts';
import type { Writes } from '../src/storage/store.ts';
import { openTestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { type InjectOptions, injectInto } from './inject.ts';
import { SITE, testDatabase, testParts } from './node-parts.ts';

export { SITE };

export interface GivenProject {
  readonly project: Project;
  readonly ownerId: number;
  /** Read-write and read-only key. */
  readonly key: string;
  readonly readOnlyKey: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The body as JSON; throws when it is not JSON. */
  readonly json: unknown;
}

export interface RequestOptions {
  /** Sent as `X-Api-Key`. */
  readonly key?: string;
  /** A text or bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PingOptions {
  /** POST when there is a body, else GET. */
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The beginning of the path. */
  readonly door?: string;
}

/** Settings in the clear, which are stored as those of any channel are. */
export interface ChannelOverrides
  extends Partial<Pick<Channel, 'uuid' | 'kind' | 'name' | 'verified' | 'createdAt'>> {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly isOff?: boolean;
}

/** The whole service below the socket, on one database and a clock that only the test moves. */
export interface TestApp extends AsyncDisposable {
  readonly node: Node;
  readonly deps: Deps;
  /** For one more way into it, as another node has it. */
  readonly database: Database;
  readonly clock: FakeClock;
  readonly pings: PingWriter;
  readonly server: HttpServer;
  /** The port. From the first call on the app listens. */
  port(): Promise<number>;
  /** A ping through a real socket, to what stands after `/ping`: `/<uuid>/start?rid=…`. */
  ping(path: string, options?: PingOptions): Promise<Reply>;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  givenProject(overrides?: {
    limits?: AccountLimits;
    ownerId?: number;
    badgeKey?: string;
  }): Promise<GivenProject>;
  /** A check with these fields, whatever they say; its deadline follows from them. */
  givenCheck(project: Project, overrides?: Partial<Check>): Promise<Check>;
  givenChannel(project: Project, overrides?: ChannelOverrides): Promise<Channel>;
  /** A stored ping, the next of its check unless it says otherwise; the check's state stays as it is. */
  givenPing(check: Check, overrides?: Partial<NewPing>): Promise<void>;
  /** A signal received now, with all that follows from it: ping, state, flips. */
  receive(check: Check, signal: Signal, rid?: string): Promise<Check>;
  assign(check: Check, ...channels: readonly Channel[]): Promise<void>;
}

/**
 * One app for all tests of a suite, which keep apart by making projects of their own. The clock is set
 * back before each test.
 */
export function sharedTestApp(
  engine: Engine,
  api: Partial<ApiOptions> = {},
  http: Partial<HttpOptions> = {},
  accounts: Partial<AccountSettings> = {},
): () => TestApp {
  let app: TestApp | undefined;
  const started = () => {
    if (app === undefined) throw new Error('the app is there only while tests run');
    return app;
  };
  before(async () => {
    app = await startTestApp(engine, api, http, null, accounts);
  });
  beforeEach(() => started().clock.set(START));
  after(() => app?.[Symbol.asyncDispose]());
  return started;
}

/** 2024-03-01T12:00:00Z. */
export const START: Instant = 1_709_294_400_000_000;

/** No limit, no key for metrics, everything else as it is by default. */
export async function startTestApp(
  engine: Engine,
  api: Partial<ApiOptions> = {},
  http: Partial<HttpOptions> = {},
  objects: ObjectStore | null = null,
  accounts: Partial<AccountSettings> = {},
  parts: Partial<NodeParts> = {},
): Promise<TestApp> {
  await using opened = new AsyncDisposableStack();
  const { store, database } = opened.use(await openTestDatabase(engine));
  const clock = new FakeClock(START);
  const given = testParts(testDatabase(store, engine), clock, {
    objects: objects && { store: objects, close: () => undefined },
    ...parts,
  });
  const settings = {
    ...given.settings,
    api: { ...given.settings.api, ...api },
    accounts: { ...given.settings.accounts, ...accounts },
  };
  const node = opened.use(await buildNode({ ...given, settings }));
  const { deps, pings } = node;
  let built: HttpServer | undefined;
  // Not before it is needed: it takes most of the time of a start, and many tests send no request.
  const server = () => (built ??= createHttpServer(deps, pings, { ...node.http, ...http }));
  opened.defer(() => built?.close());
  const agent = opened.adopt(new Agent({ keepAlive: true }), (one) => one.destroy());
  let listening: Promise<number> | undefined;
  const port = () => (listening ??= listen(server()));
  const resources = opened.move();
  return {
    node,
    deps,
    database,
    clock,
    pings,
    get server() {
      return server();
    },
    port,
    ping: async (path, options = {}) => sendPing(agent, await port(), path, options),
    request: (method, path, options = {}) => inject(server(), method, path, options),
    givenProject: (overrides = {}) => givenProject(deps, overrides),
    givenCheck: (project, overrides = {}) => givenCheck(deps, project, overrides),
    givenChannel: (project, overrides = {}) => givenChannel(deps, project, overrides),
    givenPing: (check, overrides = {}) => givenPing(deps, check, overrides),
    receive: (check, signal, rid) => receive(deps, check, signal, rid ?? null),
    assign: (check, ...channels) =>
      store.transaction((tx) =>
        tx.checks.setChannels(
          check,
          channels.map((channel) => channel.id),
        ),
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** For a node that has just written something, whatever time it is. */
const NO_TIME_PASSES = { now: () => START, monotonic: () => 0 };

/** The health of the service, where only the database can fail. */
export function vitalsOf(
  deps: Deps,
  pings: PingWriter,
  overrides: Partial<Parts> = {},
  telemetry = new Telemetry(NO_TIME_PASSES),
): Vitals {
  return new Vitals(deps, telemetry, {
    pings,
    heldBack: () => ({ channels: [], accounts: [] }),
    clockAhead: () => null,
    eventLoopLagSeconds: () => 0,
    residentBytes: () => 0,
    disk: async () => null,
    version: '0.0.0',
    ...overrides,
  });
}

async function inject(
  server: HttpServer,
  method: string,
  url: string,
  { key, body, headers = {} }: RequestOptions,
): Promise<Reply> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined || isRaw ? body : JSON.stringify(body);
  const reply = await injectInto(server, {
    // Some tests are about methods that nobody knows.
    method: method as NonNullable<InjectOptions['method']>,
    url,
    headers: { ...(key !== undefined && { 'x-api-key': key }), ...headers },
    ...(payload !== undefined && { payload }),
  });
  return {
    status: reply.statusCode,
    headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)])),
    text: reply.body,
    bytes: reply.rawPayload,
    get json() {
      return JSON.parse(reply.body);
    },
  };
}

/** The port that the system gave us. */
export async function listen(server: HttpServer): Promise<number> {
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens nowhere');
  return address.port;
}

async function sendPing(
  agent: Agent,
  port: number,
  path: string,
  { body, method = body === undefined ? 'GET' : 'POST', headers = {}, door = '/ping' }: PingOptions,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { agent, port, host: '127.0.0.1', method, path: door + path };
  const request = httpRequest({ ...options, headers: { ...length, ...headers } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(replyOf(response.statusCode, response.headers, Buffer.concat(chunks))));
    response.on('error', reject);
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

function replyOf(status = 0, headers: IncomingHttpHeaders, bytes: Buffer): Reply {
  const text = bytes.toString();
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    text,
    bytes,
    get json() {
      return JSON.parse(text);
    },
  };
}

async function givenProject(
  deps: Deps,
  { limits, ownerId, badgeKey }: { limits?: AccountLimits; ownerId?: number; badgeKey?: string },
): Promise<GivenProject> {
  const { random, clock } = deps;
  const key = generateApiKey('read_write', random.bytes);
  const readOnlyKey = generateApiKey('read_only', random.bytes);
  const keys: [ApiKeyKind, string][] = [
    ['read_write', key],
    ['read_only', readOnlyKey],
  ];
  return deps.store.transaction(async (tx) => {
    const owner =
      ownerId ??
      (
        await tx.accounts.insert({
          uuid: random.uuid(),
          email: `${random.uuid()}@example.org`,
          passwordHash: null,
          limits: limits ?? deps.defaultLimits,
          createdAt: clock.now(),
        })
      ).id;
    const project = await tx.projects.insert({
      uuid: random.uuid(),
      ownerId: owner,
      name: 'Alpha',
      badgeKey: badgeKey ?? random.uuid(),
      pingKeyDigest: null,
      pingKeySealed: null,
      createdAt: clock.now(),
    });
    for (const [kind, text] of keys) await addApiKey(deps, tx, project, { kind, name: 'test', key: text });
    return { project, ownerId: owner, key, readOnlyKey };
  });
}

async function givenCheck(deps: Deps, project: Project, overrides: Partial<Check>): Promise<Check> {
  const { id: _id, ...given } = overrides;
  const identity = {
    uuid: given.uuid ?? deps.random.uuid(),
    badgeKey: deps.random.uuid(),
    projectId: project.id,
    createdAt: deps.clock.now(),
  };
  const check = { ...newCheck(DEFAULT_CONFIG, identity), ...given };
  return deps.store.transaction(async (tx) => {
    const owner = await tx.accounts.ownerOf(project.id);
    if (owner === null || !(await tx.accounts.claimCheckSlot(owner.id)))
      throw new Error('the check limit is reached');
    return tx.checks.insert({ ...check, deadlineAt: deadlineOf(check) });
  });
}

async function givenChannel(deps: Deps, project: Project, overrides: ChannelOverrides): Promise<Channel> {
  const { kind = 'email', settings = { email: 'alice@example.org' }, isOff = false, ...given } = overrides;
  return deps.store.transaction((tx) =>
    tx.channels.insert({
      uuid: deps.random.uuid(),
      projectId: project.id,
      kind,
      name: 'Alice mail',
      settings: isChannelKind(kind)
        ? storedSettings(kind, settings, deps.vault)
        : { open: settings, sealed: null },
      verified: true,
      off: isOff ? { reason: 'switched_off', error: '', at: deps.clock.now() } : null,
      createdAt: deps.clock.now(),
      ...given,
    }),
  );
}

async function givenPing(deps: Deps, check: Check, overrides: Partial<NewPing>): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const current = await lockedCheck(tx, check);
    const ping = pingRecord(deps, current, overrides);
    await tx.pings.insertMany([ping]);
    await tx.checks.saveState({ ...current, pingCount: Math.max(ping.n, current.pingCount) });
  });
}

async function receive(deps: Deps, check: Check, signal: Signal, rid: string | null): Promise<Check> {
  return deps.store.transaction(async (tx) => {
    const current = await lockedCheck(tx, check);
    const now = deps.clock.now();
    const { check: after, flips } = receivePing(current, signal, rid, now);
    await tx.pings.insertMany([pingRecord(deps, current, { signal: effectiveSignal(current, signal), rid })]);
    await tx.checks.saveState(after);
    await recordFlips(deps, tx, flips, deps.clock.now());
    return after;
  });
}

async function lockedCheck(tx: Writes, { id }: Check): Promise<Check> {
  const check = await tx.checks.lock(id);
  if (check === null) throw new Error('there is no such check');
  return check;
}

function pingRecord(deps: Deps, check: Check, overrides: Partial<NewPing>): NewPing {
  return {
    checkId: check.id,
    n: check.pingCount + 1,
    createdAt: deps.clock.now(),
    occurredAt: null,
    ...NO_RUN_FACTS,
    signal: 'success',
    scheme: 'http',
    method: 'GET',
    remoteAddr: '192.0.2.7',
    userAgent: 'curl/8.5.0',
    rid: null,
    exitStatus: null,
    body: null,
    ...overrides,
  };
}
