import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pino from 'pino';
import type { Project } from '../src/domain/people/project.ts';
import { everyKind, type LocalProvider, startProvider } from '../src/integrations/every-kind.test-support.ts';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { ConversationTarget, OutboundRequest } from '../src/integrations/kind/kind.ts';
import { describeKind, secretTexts } from '../src/integrations/registry.ts';
import { acceptedBy } from '../src/integrations/send/preview.ts';
import { HttpClient, type HttpResult } from '../src/lib/http-client.ts';
import { type Line, SocketClient } from '../src/lib/socket-client.ts';
import { startTestApp, type TestApp } from './app.ts';

const PRIVATE = 'Connections to private IP addresses are not allowed';
const METRICS_KEY = 'key-of-the-metrics';

/** A plain word in the path of an address, such as `services`, tells nothing, and others use it, too. So do placeholders. */
const isTelling = (text: string) => !/^[a-z]+$|\$[A-Z]/.test(text);

/** The address of an Apprise URL is for the server of the operator. */
const takesAddress = (kind: string) =>
  kind !== 'apprise' &&
  everyKind().some(
    (one) =>
      one.kind === kind &&
      Object.values(one.code.settings).some(({ control }) => control === 'url' || control === 'request'),
  );

interface Made {
  readonly kind: string;
  readonly path: string;
  readonly secrets: readonly string[];
}

/** One service for all kinds. Its HTTP requests go wherever the test says. */
suite('an integration of every kind', () => {
  const logged: string[] = [];
  const answered: string[] = [];
  let http: (request: OutboundRequest) => Promise<HttpResult>;
  let provider: LocalProvider;
  const guard = { allowPrivateAddresses: false, resolve: async () => ['127.0.0.1'] };
  const sockets = new SocketClient(guard);
  let app: TestApp;
  let project: Project;
  let key: string;
  const made: Made[] = [];

  const request = async (method: string, path: string, body?: unknown) => {
    const reply = await app.request(method, path, { key, body });
    answered.push(reply.text);
    return reply;
  };

  const create = async (kind: string, settings: object) => {
    const reply = await request('POST', '/api/v3/channels/', { kind, settings });
    assert.equal(reply.status, 201, `${kind}: ${reply.text}`);
    const { id } = reply.json as { id: string };
    // Nothing is sent to a recipient who has not confirmed it.
    const { store } = app.deps;
    const channel = (await store.channels.byUuid(id)) ?? assert.fail();
    await store.transaction((tx) => tx.channels.update({ ...channel, verified: true }));
    return id;
  };

  before(async () => {
    provider = await startProvider();
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
    const transports = {
      http: (sent: OutboundRequest) => http(sent),
      converse: <T>(
        { timeoutMs, isOperators: _, ...target }: ConversationTarget,
        talk: (line: Line) => Promise<T>,
      ) => sockets.converse(target, timeoutMs, talk),
      mail: { send: async () => null, [Symbol.asyncDispose]: async () => undefined },
    };
    app = await startTestApp('sqlite', { metricsKey: METRICS_KEY }, {}, null, {}, { log, transports });
    ({ project, key } = await app.givenProject());
    const member = await app.givenChannel(project, { kind: 'email' });
    for (const { kind, code, settings } of everyKind()) {
      http = async (sent) => acceptedBy(code, sent);
      const isForKeys =
        kind !== 'shell' && describeKind(kind, { server: SERVER, hasMail: true }).connectedOnly.length === 0;
      const id = !isForKeys
        ? (await app.givenChannel(project, { kind, settings })).uuid
        : await create(kind, kind === 'group' ? { channels: [member.uuid] } : code.example);
      const path = `/api/v3/channels/${id}`;
      made.push({ kind, path, secrets: secretTexts(kind, settings, SERVER).filter(isTelling) });
    }
  });

  after(async () => {
    await app[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await sockets[Symbol.asyncDispose]();
  });

  test('reaches no private address, whether it is given or a name leads there', async () => {
    await using client = new HttpClient({
      ...guard,
      userAgent: 'test',
      proxies: { http: null, https: null },
    });
    const asked = new Set<string>();
    for (const { kind, path } of made) {
      http = (sent) => {
        asked.add(kind);
        return client.send(sent);
      };

      const { ok, error } = (await request('POST', `${path}/test`)).json as { ok: boolean; error?: string };

      if (asked.has(kind) || takesAddress(kind)) assert.deepEqual([kind, ok, error], [kind, false, PRIVATE]);
    }
    assert.ok(asked.size > 20, [...asked].join());
  });

  test('shows no secret in a log line, an error, a metric or an answer', async () => {
    // It repeats what it was sent, as some providers do.
    const derived = new Set<string>();
    http = async ({ url, headers, body: given }) => {
      for (const part of (headers.Authorization ?? '').split(/[\s,]+/).slice(1)) {
        for (const text of [part, part.slice(part.indexOf('=') + 1)]) if (text.length >= 8) derived.add(text);
      }
      const words = `cannot take ${url} ${JSON.stringify(headers)} ${given}`;
      const body = JSON.stringify({
        description: words,
        message: words,
        msg: words,
        error: words,
        errmsg: words,
      });
      return { status: 500, headers: {}, body: new TextEncoder().encode(body) };
    };

    const check = await app.givenCheck(project, { status: 'up', lastPingAt: app.clock.now() });
    const channels = await app.deps.store.channels.ofProject(project.id);
    await app.assign(check, ...channels);
    await app.receive(check, 'fail');
    while ((await app.node.notifier.tick()) === true) await app.node.notifier.settled();
    for (const { path } of made) {
      await request('POST', `${path}/test`);
      await request('POST', `${path}/preview`, { event: 'down_timeout' });
      await request('GET', path);
    }
    await request('GET', '/api/v3/channels/?details=1');
    await request('GET', '/api/v3/channels/kinds/');
    await request('GET', `/api/v3/checks/${check.uuid}/deliveries/`);
    const metrics = await app.request('GET', '/metrics', { headers: { 'X-Metrics-Key': METRICS_KEY } });
    assert.equal(metrics.status, 200);

    const kinds = answered.splice(
      answered.findIndex((text) => text.startsWith('{"kinds"')),
      1,
    );
    assert.equal(kinds.length, 1, 'examples are for everybody');
    const shown = [...logged, ...answered, metrics.text].join('\n');
    for (const { kind, secrets } of made) {
      for (const secret of secrets) assert.ok(!shown.includes(secret), `${kind}: ${secret}`);
    }
    assert.ok(derived.size > 5);
    for (const secret of derived) assert.ok(!shown.includes(secret), secret);
  });
});
