import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../src/domain/people/account.ts';
import { NO_ROW } from '../../src/domain/people/session.ts';
import { SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../../src/integrations/registry.ts';
import type { HttpResult } from '../../src/lib/http-client.ts';
import {
  beginConnection,
  finishConnection,
  MAX_CHOICES,
} from '../../src/services/alert/channel-connections.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import type { Browser } from './browser.ts';
import { givenMember, givenTeam, signedIn } from './team.ts';

const OFFER = { server: SERVER, hasMail: true };
const HOOK = 'https://hooks.slack.com/services/T000/B000/secret-part';
const CONNECTED = { ok: true, incoming_webhook: { channel: '#alerts', url: HOOK } };

const json = (value: unknown): HttpResult => ({
  status: 200,
  headers: {},
  body: Buffer.from(JSON.stringify(value)),
});

forOneEngine((engine) => {
  let asked: OutboundRequest[] = [];
  let provider: (request: OutboundRequest) => HttpResult = () => json(CONNECTED);
  const app = sharedTestApp(
    engine,
    {},
    {
      offer: OFFER,
      askProvider: async (request) => {
        asked.push(request);
        return provider(request);
      },
    },
  );

  async function given() {
    asked = [];
    provider = () => json(CONNECTED);
    return givenTeam(app());
  }

  /** Goes to the provider, and tells with which state the browser is sent back. */
  async function leave(browser: Browser, path: string, kind = 'slack'): Promise<URL> {
    const { status, json } = await browser.post(`${path}/do/beginConnection`, { kind });
    assert.equal(status, 200);
    return new URL(json.address);
  }

  const stateIn = (address: URL) => address.searchParams.get('state') ?? assert.fail();

  const comeBack = (browser: Browser, answer: Record<string, string>, path = 'add_slack_btn') =>
    browser.post('/do/finishConnection', { path, answer: new URLSearchParams(answer).toString() });

  test('a person goes to the provider and comes back with a channel for all checks', async () => {
    const { browser, path, project } = await given();
    await app().givenCheck(project);
    const address = await leave(browser, path);
    assert.equal(address.origin + address.pathname, 'https://slack.com/oauth/v2/authorize');
    assert.equal(address.searchParams.get('redirect_uri'), `${SITE.root}/integrations/add_slack_btn/`);
    assert.ok(!address.href.includes(SERVER.SLACK_CLIENT_SECRET ?? assert.fail()));

    const { status, json: made } = await comeBack(browser, { code: 'a-code', state: stateIn(address) });

    assert.equal(status, 200);
    assert.deepEqual([made.project, made.label, made.added], [project.uuid, 'Slack', ['#alerts']]);
    assert.match(String(asked[0]?.body), /code=a-code/);
    const { json: listed } = await browser.get(`${path}/read/channelOverview`);
    assert.deepEqual(
      listed.channels.map(({ name, checks }: { name: string; checks: number }) => [name, checks]),
      [['#alerts', 1]],
    );
  });

  test('a way back can be used once', async () => {
    const { browser, path } = await given();
    const answer = { code: 'a-code', state: stateIn(await leave(browser, path)) };
    assert.equal((await comeBack(browser, answer)).status, 200);

    const again = await comeBack(browser, answer);

    assert.deepEqual([again.status, again.json.code, asked.length], [403, 'connection_expired', 1]);
  });

  test('a way back belongs to the session in which it began, and to its kind', async () => {
    const { browser, path, account } = await given();
    const other = await signedIn(app(), account);
    const state = stateIn(await leave(browser, path));

    const refused = [
      await comeBack(other.browser, { code: 'a-code', state }),
      await comeBack(browser, { code: 'a-code', state }, 'add_discord'),
      await comeBack(browser, { code: 'a-code', state: `${state}x` }),
      await comeBack(browser, { code: 'a-code' }),
    ];

    for (const { status, json } of refused)
      assert.deepEqual([status, json.code], [403, 'connection_expired']);
    assert.equal((await comeBack(browser, { code: 'a-code', state })).status, 200);
  });

  test('where a proxy names people, a way back belongs to the person who began it', async () => {
    const { account, project } = await given();
    const other = await givenMember(app(), project, 'manager');
    const deps = app().node.accounts;
    const tools = { offer: OFFER, root: SITE.root, http: async () => json(CONNECTED) };
    const personOf = ({ id: accountId, email }: Account) => ({
      session: { id: NO_ROW, accountId },
      actor: {
        accountId,
        caller: { kind: 'session', sessionId: NO_ROW, isConfirmed: true, isAdmin: false } as const,
        by: { accountId, name: email, means: 'proxy', remoteAddr: null } as const,
      },
    });
    const { session } = personOf(account);
    const address = await beginConnection(deps, systemActor(project.id), session, 'slack', tools);
    const answer = new URLSearchParams({ code: 'a-code', state: stateIn(new URL(address)) });
    const finish = (person: Account) =>
      finishConnection(deps, personOf(person), 'add_slack_btn', answer, tools);

    await assert.rejects(finish(other.account), { code: 'connection_expired' });
    assert.equal((await finish(account)).kind, 'slack');
  });

  test('a way back ends after an hour', async () => {
    const { browser, path } = await given();
    const state = stateIn(await leave(browser, path));
    app().clock.advance({ seconds: 3_600 });

    assert.equal((await comeBack(browser, { code: 'a-code', state })).status, 403);
  });

  test('whoever may no longer edit the project adds nothing to it', async () => {
    const { project, path, browser } = await given();
    const member = await givenMember(app(), project, 'member');
    const state = stateIn(await leave(member.browser, path));
    await app().deps.store.transaction((tx) =>
      tx.projects.setRole(project.id, member.account.id, 'read_only'),
    );

    const { status } = await comeBack(member.browser, { code: 'a-code', state });

    assert.deepEqual([status, asked.length], [403, 0]);
    assert.deepEqual((await browser.get(`${path}/read/channelOverview`)).json.channels, []);
  });

  test('a person who changes their mind is told so, and nothing is added', async () => {
    const { browser, path } = await given();
    const state = stateIn(await leave(browser, path));

    const { status, json } = await comeBack(browser, { error: 'access_denied', state });

    assert.deepEqual([status, json.error], [409, 'Slack setup was cancelled.']);
    assert.equal(asked.length, 0);
  });

  test('a refusal without a state is told as such, by providers that are known', async () => {
    const { browser } = await given();
    const refuse = (path: string) => comeBack(browser, { error: 'access_denied' }, path);

    const { status, json } = await refuse('add_pushbullet');

    assert.deepEqual([status, json.error], [409, 'Pushbullet setup was cancelled.']);
    assert.equal((await refuse('add_nothing')).status, 404);
  });

  test('an answer that nobody expects adds nothing', async () => {
    for (const reply of [
      json({ ok: false }),
      json([]),
      json({ ok: true }),
      { error: 'Connection failed' as const },
    ]) {
      const { browser, path } = await given();
      provider = () => reply;
      const state = stateIn(await leave(browser, path));

      const { status, json: told } = await comeBack(browser, { code: 'a-code', state });

      assert.equal(status, 424);
      assert.equal(told.error, 'Received an unexpected response from Slack. Integration not added.');
    }
  });

  test('each key that PagerDuty hands over becomes a channel with its name', async () => {
    const { browser, path } = await given();
    const back = (await leave(browser, path, 'pd')).searchParams.get('redirect_url') ?? '';
    const keys = ['Database', 'Web'].map((name, n) => ({ integration_key: `${n}`.repeat(32), name }));
    const config = JSON.stringify({ integration_keys: keys, account: { name: 'Acme' } });
    const answer = { config, state: stateIn(new URL(back)) };
    assert.equal((await comeBack(browser, { ...answer, state: 'x' }, 'add_pagerduty')).status, 403);

    const { json: made } = await comeBack(browser, answer, 'add_pagerduty');

    assert.deepEqual(made.added, ['Database', 'Web']);
    const { json: listed } = await browser.get(`${path}/read/channelOverview`);
    const kinds = listed.channels.map(({ kind, name }: Record<string, string>) => `${kind} ${name}`);
    assert.deepEqual(kinds.sort(), ['pd Database', 'pd Web']);
  });

  test('only so many destinations can be chosen from', async () => {
    const { browser, path } = await given();
    const lists = Array.from({ length: MAX_CHOICES + 1 }, (_, n) => ({
      id: 'a'.repeat(24),
      name: `List ${n}`,
    }));
    provider = () => json([{ id: 'b', name: 'Board', lists }]);
    const back = (await leave(browser, path, 'trello')).searchParams.get('return_url') ?? '';

    const { json: found } = await comeBack(
      browser,
      { token: 'a-token', state: stateIn(new URL(back)) },
      'add_trello',
    );

    assert.equal(found.choices.length, MAX_CHOICES);
    assert.ok(!JSON.stringify(found).includes('a-token'), 'the page never sees the secret');
  });

  test('only those who may edit the project go to a provider, for kinds that have one', async () => {
    const { project, path, browser } = await given();
    const reader = await givenMember(app(), project, 'read_only');
    const stranger = await givenTeam(app());

    assert.equal((await reader.browser.post(`${path}/do/beginConnection`, { kind: 'slack' })).status, 403);
    assert.equal((await stranger.browser.post(`${path}/do/beginConnection`, { kind: 'slack' })).status, 404);
    for (const kind of ['email', 'nothing'])
      assert.equal((await browser.post(`${path}/do/beginConnection`, { kind })).status, 404);
  });
});
