import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { HttpClient, type HttpResult } from '../../lib/http-client.ts';
import { discordConnection } from '../discord/connection.ts';
import { githubConnection } from '../github/connection.ts';
import { SERVER } from '../kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../kind/outbound-request.ts';
import { matrix } from '../matrix/matrix.ts';
import { pagerDutyConnection } from '../pagerduty/connection.ts';
import { pushbulletConnection } from '../pushbullet/connection.ts';
import { pushoverConnection } from '../pushover/connection.ts';
import { slackConnection } from '../slack/connection.ts';
import { trelloConnection } from '../trello/connection.ts';
import type { Connection } from './connection.ts';

const BACK = { address: 'https://tocsin.example.org/integrations/back/', state: 'abc123' };

const answered = (value: unknown): HttpResult => ({
  status: 200,
  headers: {},
  body: Buffer.from(JSON.stringify(value)),
});

/** The result of a visit from which the person brings `brought`, and the requests that were sent meanwhile. */
async function visit(
  connection: Connection,
  brought: Readonly<Record<string, string>>,
  answer: (request: OutboundRequest) => unknown = () => ({}),
  kept: string | null = null,
) {
  const asked: OutboundRequest[] = [];
  const result = await connection.finish(new URLSearchParams(brought), {
    http: async (request) => {
      asked.push(request);
      return answered(answer(request));
    },
    server: SERVER,
    backAddress: BACK.address,
    kept,
  });
  return { result, asked };
}

/** All connections take the server's settings of their own kind alone. */
const any = (connection: unknown) => connection as Connection;

const pageOf = (connection: Connection) => new URL(connection.address(BACK, SERVER));

suite('the way to a provider', () => {
  test('names the app, the way back and the state', () => {
    for (const connection of [slackConnection, discordConnection, pushbulletConnection, githubConnection].map(
      any,
    )) {
      const { protocol, searchParams } = pageOf(connection);
      assert.equal(protocol, 'https:');
      assert.equal(searchParams.get('redirect_uri'), BACK.address);
      assert.equal(searchParams.get('state'), BACK.state);
      assert.match(searchParams.get('client_id') ?? '', /-client-id$/);
    }
  });

  test('carries the state in the way back, where the provider hands none back', () => {
    const back = `${BACK.address}?state=${BACK.state}`;

    assert.equal(pageOf(any(pagerDutyConnection)).searchParams.get('redirect_url'), back);
    assert.equal(pageOf(any(pushoverConnection)).searchParams.get('success'), back);
    assert.equal(pageOf(any(trelloConnection)).searchParams.get('return_url'), back);
    assert.equal(pageOf(any(pushoverConnection)).searchParams.get('failure'), `${back}&error=access_denied`);
  });
});

test('what is asked of a provider meets the guard of messages, and reaches no private address', async () => {
  await using client = new HttpClient({
    userAgent: 'test',
    allowPrivateAddresses: false,
    proxies: { http: null, https: null },
    resolve: async () => ['127.0.0.1'],
  });
  const results: HttpResult[] = [];
  const http = async (request: OutboundRequest) => {
    const result = await client.send(request);
    results.push(result);
    return result;
  };
  const connections = [slackConnection, discordConnection, pushbulletConnection, githubConnection].map(any);
  for (const connection of [...connections, any(trelloConnection)]) {
    const answer = new URLSearchParams({ code: 'c', token: 't' });
    const tools = { http, server: SERVER, backAddress: BACK.address, kept: null };
    assert.equal((await connection.finish(answer, tools)).kind, 'failed', connection.path);
  }
  const joined = await matrix.prepare?.({ room: '#ops:example.org' }, http, SERVER);
  assert.ok(joined instanceof Fault);

  const refused = { error: 'Connections to private IP addresses are not allowed' };
  assert.deepEqual(results, Array(6).fill(refused));
});

suite('the way back from a provider', () => {
  test('a code becomes the address of a webhook, with the name of the channel', async () => {
    const reply = {
      ok: true,
      incoming_webhook: { channel: '#ops', url: 'https://hooks.slack.com/services/x' },
    };
    const { result, asked } = await visit(any(slackConnection), { code: 'the-code' }, () => reply);

    assert.deepEqual(result, {
      kind: 'found',
      connectables: [{ name: '#ops', group: '', settings: { url: reply.incoming_webhook.url } }],
    });
    const form = new URLSearchParams(String(asked[0]?.body));
    assert.equal(form.get('code'), 'the-code');
    assert.equal(form.get('redirect_uri'), BACK.address);
    assert.ok(!asked[0]?.url.includes('the-code'), 'secrets are in no address');
  });

  test('a code becomes a webhook of Discord, unless the channel has as many as it can have', async () => {
    const webhook = { name: 'Tocsin', url: 'https://discord.com/api/webhooks/1/token' };
    const { result } = await visit(any(discordConnection), { code: 'c' }, () => ({
      access_token: 'x',
      webhook,
    }));

    assert.deepEqual(result, {
      kind: 'found',
      connectables: [{ name: 'Tocsin', group: '', settings: { url: webhook.url } }],
    });
    const full = await visit(any(discordConnection), { code: 'c' }, () => ({ code: 30_007 }));
    assert.match('error' in full.result ? (full.result.error ?? '') : '', /as many webhooks as it can have/);
  });

  test('a code becomes an access token', async () => {
    const { result } = await visit(any(pushbulletConnection), { code: 'c' }, () => ({
      access_token: 'o.token',
    }));

    assert.deepEqual(result, {
      kind: 'found',
      connectables: [{ name: '', group: '', settings: { token: 'o.token' } }],
    });
  });

  test('each integration key of PagerDuty becomes a channel with its name', async () => {
    const config = {
      integration_keys: [
        { integration_key: 'e93facc04764012d7bfb002500d5d1a6', name: 'Database' },
        { integration_key: 'f93facc04764012d7bfb002500d5d1a6', name: 'Web' },
      ],
      account: { name: 'Acme' },
    };
    const { result } = await visit(any(pagerDutyConnection), { config: JSON.stringify(config) });

    assert.ok(result.kind === 'found' && result.becomeAllChannels);
    assert.deepEqual(
      result.connectables.map(({ name }) => name),
      ['Database', 'Web'],
    );
  });

  test('Pushover brings the key of the subscriber', async () => {
    const { result } = await visit(any(pushoverConnection), { pushover_user_key: 'u123' });

    assert.deepEqual(result, {
      kind: 'found',
      connectables: [{ name: '', group: '', settings: { user_key: 'u123' } }],
    });
  });

  test('the lists of all boards of Trello can be chosen, and the token is in no address', async () => {
    const boards = [
      { id: 'b1', name: 'Operations', lists: [{ id: '5abbe4b7ddc1b351ef961414', name: 'To do' }] },
      { id: 'b2', name: 'Empty', lists: [] },
    ];
    const { result, asked } = await visit(any(trelloConnection), { token: 'a-token' }, () => boards);

    assert.deepEqual(result, {
      kind: 'found',
      connectables: [
        {
          name: 'To do',
          group: 'Operations',
          settings: {
            token: 'a-token',
            list_id: '5abbe4b7ddc1b351ef961414',
            board_name: 'Operations',
            list_name: 'To do',
          },
        },
      ],
    });
    assert.ok(!asked[0]?.url.includes('a-token'));
    const without = await visit(any(trelloConnection), { token: 'a-token' }, () => []);
    assert.match('error' in without.result ? (without.result.error ?? '') : '', /no board with an open list/);
    const garbage = await visit(any(trelloConnection), { token: 'a-token' }, () => 'invalid key');
    assert.deepEqual(garbage.result, { kind: 'failed' });
  });

  test('whoever denies Trello the access has cancelled, and nothing is asked', async () => {
    const { result, asked } = await visit(any(trelloConnection), { error: 'Token request rejected' });

    assert.deepEqual([result, asked], [{ kind: 'cancelled' }, []]);
  });

  const installed = (repositories: readonly string[]) => (request: OutboundRequest) => {
    if (request.url.includes('access_token')) return { access_token: 'ghu_token' };
    if (request.url.includes('/12/repositories'))
      return { repositories: repositories.map((full_name) => ({ full_name })) };
    return { installations: [{ id: 12 }] };
  };

  test('the repositories of GitHub can be chosen, in the order of their names', async () => {
    const { result } = await visit(any(githubConnection), { code: 'c' }, installed(['acme/web', 'acme/api']));

    assert.deepEqual(result, {
      kind: 'found',
      connectables: ['acme/api', 'acme/web'].map((repo) => ({
        name: repo,
        group: '',
        settings: { installation_id: 12, repo },
      })),
    });
  });

  test('all repositories of GitHub can be chosen, however many pages they fill', async () => {
    const names = Array.from({ length: 70 }, (_, n) => `acme/${String(n).padStart(2, '0')}`);
    const { result, asked } = await visit(any(githubConnection), { code: 'c' }, (request) => {
      const { searchParams } = new URL(request.url);
      const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
      return installed(names.slice((page - 1) * size, page * size))(request);
    });

    assert.ok(result.kind === 'found');
    assert.deepEqual(
      result.connectables.map(({ name }) => name),
      names,
    );
    // GitHub tells six kilobytes of a repository.
    const pages = asked.filter(({ url }) => url.includes('/repositories'));
    for (const { maxAnswerBytes = 0 } of pages) assert.ok(maxAnswerBytes > 30 * 6 * 1024);
    assert.equal(pages.length, 3);
  });

  test('whoever has not installed the app on GitHub does so, and comes back without a second code', async () => {
    const first = await visit(any(githubConnection), { code: 'c' }, installed([]));

    assert.ok(first.result.kind === 'unfinished');
    assert.equal(first.result.address('next'), `${SERVER.GITHUB_PUBLIC_LINK}/installations/new?state=next`);
    const { result, asked } = await visit(
      any(githubConnection),
      { installation_id: '12' },
      installed(['acme/api']),
      first.result.kept,
    );
    assert.equal(result.kind, 'found');
    assert.ok(!asked.some(({ url }) => url.includes('access_token')));
  });

  test('access to GitHub that was revoked is told as such', async () => {
    const { result } = await visit(any(githubConnection), {}, () => ({ message: 'Bad credentials' }), 'old');

    assert.deepEqual(result, { kind: 'failed', error: 'GitHub setup failed, GitHub access was revoked.' });
  });

  test('nothing comes of an answer that nobody expects', async () => {
    const connections = [
      slackConnection,
      discordConnection,
      pushbulletConnection,
      pagerDutyConnection,
      pushoverConnection,
      githubConnection,
    ];
    for (const connection of connections.map(any)) {
      for (const garbage of [null, [], 'error', { ok: true }, { ok: false, error: 'invalid_code' }]) {
        const { result } = await visit(connection, { code: 'c', config: '{' }, () => garbage);
        assert.deepEqual(result, { kind: 'failed' }, connection.path);
      }
    }
  });
});
