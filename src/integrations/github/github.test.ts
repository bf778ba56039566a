import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { suite, test } from 'node:test';
import type { Outcome } from '../../domain/alert/delivery.ts';
import { Fault } from '../../lib/fields.ts';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import {
  AT,
  anEvent,
  anEventWithBody,
  aReply,
  recordingPorts,
  SERVER,
  TEST_RSA_KEY,
  VAULT,
} from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { Reply } from '../kind/kind.ts';
import type { RecoveryAct } from '../kind/recovery-setting.ts';
import { openChannel } from '../send/open-channel.ts';
import { readSettings } from '../settings/channel-settings.ts';
import { github } from './github.ts';

const REPO = {
  installation_id: 77,
  repo: 'acme/backups',
  labels: 'incident, night',
  on_recovery: 'nothing',
} as const;
const OPERATOR = { ...SERVER, GITHUB_CLIENT_ID: 'Iv1.app' };

/** An attempt at a GitHub that answers like this, first about the token. */
async function attempt(
  token: Reply,
  issue: Reply,
  event: AlertEvent = anEvent(),
  act: RecoveryAct = 'nothing',
) {
  const ports = recordingPorts(({ url }) => (url.endsWith('/access_tokens') ? token : issue));
  const outcome = await github.deliver(event, { ...REPO, on_recovery: act }, ports, OPERATOR);
  return { outcome, requests: ports.requests };
}

const pauseOf = (outcome: Outcome) => (outcome.kind === 'try_again' ? outcome.afterSeconds : undefined);

const TOKEN = aReply(201, { token: 'ghs_1' });

suite('an issue on GitHub', () => {
  test('is opened with a token of the installation, for which the app proves who it is', async () => {
    const { outcome, requests } = await attempt(TOKEN, aReply(201));

    assert.deepEqual(outcome, { kind: 'delivered' });
    assert.deepEqual(
      requests.map(({ url }) => url),
      [
        'https://api.github.com/app/installations/77/access_tokens',
        'https://api.github.com/repos/acme/backups/issues',
      ],
    );
    const [header = '', claims = '', signature = ''] = (requests[0]?.headers.Authorization ?? '')
      .replace('Bearer ', '')
      .split('.');
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    assert.deepEqual(decoded(header), { alg: 'RS256', typ: 'JWT' });
    const { iat, exp, iss } = decoded(claims);
    assert.deepEqual([exp - iat, iss], [600, 'Iv1.app']);
    assert.ok(iat <= AT / 1_000_000 && exp > AT / 1_000_000);
    assert.ok(
      verify(
        'RSA-SHA256',
        Buffer.from(`${header}.${claims}`),
        createPublicKey(TEST_RSA_KEY),
        Buffer.from(signature, 'base64url'),
      ),
    );
    assert.deepEqual(JSON.parse(String(requests[0]?.body)), {
      repositories: ['backups'],
      permissions: { issues: 'write' },
    });
    assert.equal(requests[1]?.headers.Authorization, 'Bearer ghs_1');
    const issue = JSON.parse(String(requests[1]?.body));
    assert.equal(issue.title, 'Nightly backup is DOWN');
    assert.deepEqual(issue.labels, ['incident', 'night']);
    assert.match(issue.body, /<pre>line 1\nline 2 &lt;ok&gt; &amp; &quot;done&quot;<\/pre>/);
  });

  test('quotes a body that contains fences and tags', async () => {
    const { requests } = await attempt(TOKEN, aReply(201), anEventWithBody('a ``` b </pre>'));

    assert.match(String(requests[1]?.body), /<pre>a ``` b &lt;\/pre&gt;<\/pre>/);
  });

  test('is not opened when a check comes up', () => {
    assert.equal(github.wants(REPO, 'up'), false);
  });

  test('is commented and closed when the outage is over, if its owner wants that', async () => {
    const { outcome: opened } = await attempt(TOKEN, aReply(201, { number: 5 }));
    assert.deepEqual(opened, { kind: 'delivered', providerId: 'acme/backups 5' });
    const end = (act: RecoveryAct, providerId: string | null, reply = aReply(200)) => {
      const answers = { deliveryId: anEvent().deliveryId, providerId };
      return attempt(TOKEN, reply, anEvent({ to: 'up', reason: '', answers }), act);
    };
    const sent = async (act: RecoveryAct, providerId: string | null) =>
      (await end(act, providerId)).requests
        .slice(1)
        .map(({ method, url, body }) => [method, new URL(url).pathname, JSON.parse(String(body))]);
    const comment = ['POST', '/repos/acme/backups/issues/5/comments', { body: 'Nightly backup is UP.' }];
    const close = ['PATCH', '/repos/acme/backups/issues/5', { state: 'closed', state_reason: 'completed' }];

    assert.deepEqual(await sent('comment', opened.providerId ?? null), [comment]);
    assert.deepEqual(await sent('close', opened.providerId ?? null), [close, comment]);
    for (const none of [null, 'acme/other 5']) {
      const { outcome, requests } = await end('close', none);
      assert.deepEqual([outcome, requests], [{ kind: 'delivered' }, []]);
    }
    const ended = async (reply: Reply) => (await end('close', 'acme/backups 5', reply)).outcome.kind;
    assert.deepEqual([await ended(aReply(410)), await ended(aReply(500))], ['delivered', 'try_again']);
    assert.equal(github.wants({ ...REPO, on_recovery: 'close' }, 'up'), true);
  });

  test('without access is tried again, and without issues never', async () => {
    const denied = await attempt(aReply(404), aReply(201));
    const outside = await attempt(
      aReply(422, { message: 'not accessible to the installation' }),
      aReply(201),
    );
    const closed = await attempt(TOKEN, aReply(410, { message: 'Issues are disabled for this repo' }));
    const forbidden = await attempt(TOKEN, aReply(403, { message: 'Resource not accessible' }));

    assert.deepEqual(denied.outcome, {
      kind: 'try_again',
      error: 'GitHub denied access to acme/backups',
      afterSeconds: null,
    });
    assert.deepEqual(outside.outcome, denied.outcome);
    assert.equal(denied.requests.length, 1);
    assert.deepEqual(closed.outcome, {
      kind: 'permanent',
      error: 'Received status code 410 with a message: "Issues are disabled for this repo"',
    });
    assert.equal(forbidden.outcome.kind, 'try_again');
    for (const garbage of [aReply(201, 'no JSON'), aReply(201, { token: 7 })]) {
      assert.equal((await attempt(garbage, aReply(201))).outcome.kind, 'try_again');
    }
  });

  test('waits until the limit of requests ends, which is told by the time at which it does', async () => {
    const now = Math.floor(anEvent().now / MICROS_PER_SECOND);
    const limited = (status: number, headers: Reply['headers']) =>
      aReply(status, { message: 'API rate limit exceeded' }, { 'x-ratelimit-remaining': '0', ...headers });
    const waits = {
      kind: 'try_again',
      error: 'Received status code 403 with a message: "API rate limit exceeded"',
      afterSeconds: 1_200,
    };

    const byOurClock = limited(403, { 'x-ratelimit-reset': String(now + 1_200) });
    // Its own clock counts, if it tells the time.
    const byTheirs = limited(403, {
      date: 'Sun, 10 Mar 2024 00:00:00 GMT',
      'x-ratelimit-reset': String(Date.UTC(2024, 2, 10, 0, 20) / 1000),
    });
    const end = anEvent({ to: 'up', answers: { deliveryId: 'x', providerId: 'acme/backups 5' } });

    for (const reply of [byOurClock, byTheirs]) {
      assert.deepEqual((await attempt(reply, aReply(201))).outcome, waits);
      assert.deepEqual((await attempt(TOKEN, reply)).outcome, waits);
      assert.deepEqual((await attempt(TOKEN, reply, end, 'comment')).outcome, waits);
    }
    const tooMany = limited(429, { 'x-ratelimit-reset': String(now + 60) });
    assert.deepEqual((await attempt(TOKEN, tooMany)).outcome, {
      kind: 'try_again',
      error: 'Received status code 429 with a message: "API rate limit exceeded"',
      afterSeconds: 60,
    });
    // Something else is forbidden.
    const forbidden = limited(403, { 'x-ratelimit-remaining': '17', 'x-ratelimit-reset': String(now + 60) });
    assert.equal(pauseOf((await attempt(TOKEN, forbidden)).outcome), null);
    // A secondary limit says it in another way.
    assert.equal(pauseOf((await attempt(TOKEN, aReply(403, '', { 'retry-after': '90' }))).outcome), 90);
  });

  test('needs an app of the operator', async () => {
    const server = { ...OPERATOR, GITHUB_PRIVATE_KEY: null };

    assert.deepEqual(await github.deliver(anEvent(), REPO, recordingPorts(), server), {
      kind: 'refused',
      error: 'GitHub notifications are not enabled.',
    });
  });

  test('can be previewed without the key', async () => {
    const channel = openChannel({ kind: 'github', settings: { open: REPO, sealed: null } }, SERVER, VAULT);

    const { requests, error } = await channel.preview(anEvent(), recordingPorts());

    assert.equal(error, '');
    assert.equal(requests[0]?.headers.Authorization, 'Bearer ••••••••');
    assert.equal(requests.length, 2);
  });
});

test('a key of one line with signs for line breaks is read, and anything else refused', () => {
  const { parse } = github.server.GITHUB_PRIVATE_KEY.kind;

  assert.equal(parse(TEST_RSA_KEY.replaceAll('\n', '\\n')), TEST_RSA_KEY);
  assert.equal(parse('hunter2'), undefined);
});

test('a repository has an owner and a name, and labels are separated by commas', () => {
  assert.deepEqual(readSettings('github', { ...REPO, labels: ' a,, b ,' }), { ...REPO, labels: 'a, b' });
  for (const repo of ['acme', 'acme/a/b', '../x y', 'acme/']) {
    assert.ok(readSettings('github', { ...REPO, repo }) instanceof Fault, repo);
  }
  assert.ok(readSettings('github', { ...REPO, labels: 'x'.repeat(51) }) instanceof Fault);
});
