import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import type { AccountLimits } from '../src/domain/people/account.ts';
import { aReply, SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { seconds } from '../src/lib/instant.ts';
import { recordFlips } from '../src/services/core/flips.ts';
import { drain as drainAlerts, FakeSender, newNotifier } from './alerts.ts';
import { SITE, START, sharedTestApp } from './app.ts';
import { messageNode, textOf } from './channel-messages.test-support.ts';
import { tellBot } from './dashboard/telegram.ts';
import { forEachEngine, openTestDriver } from './engines.ts';

const PUBLIC = { ...SITE, root: 'https://tocsin.example.org', name: 'Tocsin' };
const ADDRESS = /\/buttons\/([-0-9a-f]{36})\/(acknowledge|snooze|pause)\/([0-9a-f]{40})\//g;
const CHAT = -100_123;

const KINDS: Record<string, object> = {
  slack: {},
  ntfy: { topic: 'ops', priority_down: 5, priority_up: 2 },
  telegram: { id: CHAT, type: 'supergroup', name: 'Ops' },
};

/** An address of its own tells requests of one project from those of another. */
function addressIn(kind: string, { uuid }: { readonly uuid: string }): object {
  if (kind === 'telegram') return {};
  return { url: `https://${kind}.example/${uuid}` };
}

const MANY = { limits: { checks: 500, pings: 100 } as AccountLimits };

forEachEngine((engine) => {
  const server = { ...SERVER, TELEGRAM_TOKEN: '42:secret' };
  const askProvider = async () => aReply(200, { ok: true, result: {} });
  const app = sharedTestApp(engine, {}, { offer: { server, hasMail: true }, askProvider });

  const heading = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

  /** All of these checks have gone down, and the integration got one message about those after the first two. */
  async function told(
    count = 6,
    { kind = 'slack', settings = {} as object, tags = '', repeats = false } = {},
  ) {
    const { deps, clock } = app();
    const made = await app().givenProject(MANY);
    const channel = await app().givenChannel(made.project, {
      kind,
      name: 'Ops',
      settings: { ...addressIn(kind, made.project), ...KINDS[kind], together_above: 2, ...settings },
    });
    const checks: Check[] = [];
    for (let n = 1; n <= count; n++) {
      const check = await app().givenCheck(made.project, {
        name: `web<${n}>`,
        tags,
        status: 'up',
        lastPingAt: START,
      });
      await app().assign(check, channel);
      checks.push(check);
    }
    const node = messageNode(app(), PUBLIC);
    node.answers.repeats = repeats;
    // Other tests may have left messages.
    const requests = () =>
      node.requests.filter(({ url }) => url.includes(made.project.uuid) || kind === 'telegram');
    const notifier = newNotifier(app(), new FakeSender());
    const pass = async (span: { readonly seconds: number }) => {
      clock.advance(span);
      await drainAlerts({ app: app(), notifier });
      await node.drain();
    };
    const flip = (some: readonly Check[], newStatus: 'up' | 'down') =>
      deps.store.transaction(async (tx) => {
        const now = clock.now();
        await tx.checks.noteChanges(some);
        const [oldStatus, reason] = newStatus === 'up' ? (['down', ''] as const) : (['up', 'fail'] as const);
        const flips = some.map(({ id: checkId }) => ({
          checkId,
          createdAt: now,
          oldStatus,
          newStatus,
          reason,
          cause: '',
        }));
        return recordFlips(deps, tx, flips, now);
      });
    if (tags !== '') {
      const body = { tags: [{ tag: tags, as_one: true }] };
      assert.equal((await app().request('POST', '/api/v3/alerting/', { key: made.key, body })).status, 200);
    }
    await flip(checks, 'down');
    await pass({ seconds: 31 });
    const text = textOf(requests()[0] ?? assert.fail());
    const paths = new Map([...text.matchAll(ADDRESS)].map(([path, , verb = '']) => [verb, path]));
    const pathOf = (verb: string) => paths.get(verb) ?? assert.fail(`${verb} in ${text}`);
    const outages = async () => {
      const all = await deps.store.transaction((tx) => tx.outages.lockOpen(checks.map(({ id }) => id)));
      return checks.map(({ id }) => all.find(({ checkId }) => checkId === id) ?? null);
    };
    const acts = async () => {
      const page = { after: null, from: null, before: null, most: 600 };
      return deps.store.auditLog.page({ projectId: made.project.id }, page);
    };
    return { ...made, channel, checks, requests, pass, flip, text, paths, pathOf, outages, acts };
  }

  test('a message about many has a button to acknowledge all of them and one to snooze them, and none to pause', async () => {
    const { text, paths } = await told(6, { settings: { buttons: 'pause' } });

    assert.match(text, /Acknowledge all.*Snooze all 1 h/s);
    assert.deepEqual([...paths.keys()], ['acknowledge', 'snooze']);
  });

  test('its page names the checks that are still down, and changes nothing', async () => {
    const { checks, flip, pathOf, outages } = await told();
    await flip(checks.slice(5), 'up');

    const replies = [];
    for (const method of ['GET', 'HEAD', 'GET'])
      replies.push(await app().request(method, pathOf('acknowledge')));

    const { text } = replies[0] ?? assert.fail();
    assert.equal(heading(text), 'Down: 3 checks');
    assert.match(text, /web&lt;3&gt;, web&lt;4&gt;, web&lt;5&gt;\./);
    assert.match(text, /<button type="submit">Acknowledge all<\/button>/);
    assert.match(text, /\/checks\/\?status=down">Open the list<\/a>/);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.ok((await outages()).every((outage) => outage?.acknowledgedAt == null));
  });

  test('a press acknowledges those of the message that are still down, and no others', async () => {
    const { checks, flip, pathOf, outages, acts } = await told();
    await flip(checks.slice(5), 'up');

    const reply = await app().request('POST', pathOf('acknowledge'));

    assert.equal(heading(reply.text), '3 checks acknowledged by a phone with Slack Ops.');
    assert.deepEqual(
      (await outages()).map((outage) => outage?.acknowledgedBy ?? null),
      [null, null, ...Array(3).fill('a phone with Slack Ops'), null],
    );
    assert.deepEqual(
      (await acts())
        .map(({ action, actor, means, subject }) => [action, actor, means, subject.name])
        .toSorted(),
      [3, 4, 5].map((n) => ['check.acknowledged', 'a phone with Slack Ops', 'link', `web<${n}>`]),
    );
  });

  test('a second press says so, and finishes what somebody has left', async () => {
    const { checks, pathOf, outages } = await told();
    const other = await app().request('POST', pathOf('acknowledge'), {
      headers: { accept: 'application/json' },
    });
    assert.deepEqual(JSON.parse(other.text), { text: '4 checks acknowledged by a phone with Slack Ops.' });
    const [taken] = (await outages()).slice(2);
    await app().deps.store.transaction((tx) =>
      tx.outages.save([{ ...(taken ?? assert.fail()), acknowledgedAt: null, acknowledgedBy: null }]),
    );

    const second = await app().request('POST', pathOf('acknowledge'));
    const third = await app().request('POST', pathOf('acknowledge'));

    assert.equal(
      heading(second.text),
      '1 check acknowledged by a phone with Slack Ops. 3 were acknowledged before.',
    );
    assert.equal(heading(third.text), 'All of them were acknowledged before.');
    assert.equal(checks.length, 6);
  });

  test('all of them are snoozed for an hour', async () => {
    const { checks, pathOf } = await told();

    const reply = await app().request('POST', pathOf('snooze'));

    assert.match(heading(reply.text) ?? '', /^4 checks snoozed until \d\d:\d\d UTC\.$/);
    const until = app().deps.clock.now() + seconds(3600);
    const after = await app().deps.store.checks.byIds(checks.map(({ id }) => id));
    assert.deepEqual(
      after.map(({ snoozedUntilAt }) => snoozedUntilAt),
      [null, null, until, until, until, until],
    );
  });

  test('when all have come up nothing is changed, also in their next outages', async () => {
    const { checks, flip, pathOf, outages } = await told();
    await flip(checks, 'up');
    await flip(checks, 'down');

    for (const [method, verb] of [
      ['GET', 'acknowledge'],
      ['POST', 'acknowledge'],
      ['POST', 'snooze'],
    ] as const) {
      const reply = await app().request(method, pathOf(verb));

      assert.equal(heading(reply.text), 'None of these checks is down any more. Nothing was changed.');
    }
    assert.ok((await outages()).every((outage) => outage !== null && outage.acknowledgedAt === null));
  });

  test('a check that was deleted is left alone', async () => {
    const { key, checks, pathOf } = await told();
    await app().request('DELETE', `/api/v3/checks/${checks[2]?.uuid}`, { key });

    const shown = await app().request('GET', pathOf('acknowledge'));
    const reply = await app().request('POST', pathOf('acknowledge'));

    assert.doesNotMatch(shown.text, /web&lt;3&gt;/);
    assert.equal(heading(reply.text), '3 checks acknowledged by a phone with Slack Ops.');
  });

  test('a button that was altered, of another message, or of a single check is refused', async () => {
    const one = await told();
    const two = await told();
    const path = one.pathOf('acknowledge');
    const [token = ''] = /[0-9a-f]{40}/.exec(path) ?? [];
    const [delivery] = await app().deps.store.deliveries.ofChannel(one.channel.id, 1);
    for (const wrong of [
      path.replace(token, `${token.slice(0, 39)}${token.endsWith('0') ? '1' : '0'}`),
      path.replace('/acknowledge/', '/pause/'),
      path.replace('/acknowledge/', '/snooze/'),
      two.pathOf('acknowledge').replace(/[0-9a-f]{40}/, token),
      path.replace(/[-0-9a-f]{36}/, delivery?.uuid ?? assert.fail()),
    ])
      for (const method of ['GET', 'POST'])
        assert.equal((await app().request(method, wrong)).status, 404, wrong);
    app().clock.advance({ seconds: 8 * 86_400 });
    assert.equal((await app().request('POST', path)).status, 404);
    assert.ok((await one.outages()).every((outage) => outage?.acknowledgedAt == null));
  });

  test('buttons that were switched off since say so, and those of an integration that is gone are no longer known', async () => {
    const { project, channel, pathOf, outages } = await told();
    const open = { ...addressIn('slack', project), buttons: 'none' };
    await app().deps.store.transaction((tx) => tx.channels.setSettings(channel, { open, sealed: null }));

    for (const method of ['GET', 'POST'])
      assert.match(
        (await app().request(method, pathOf('snooze'))).text,
        /buttons of this integration were switched off/,
      );
    assert.ok((await outages()).every((outage) => outage?.acknowledgedAt == null));

    await app().deps.store.transaction((tx) => tx.channels.delete(channel));
    assert.equal((await app().request('POST', pathOf('acknowledge'))).status, 404);
  });

  test('what is kept of the request, the log and the page of an answer have no address of a button', async () => {
    const { key, channel, checks, pathOf, acts } = await told(6, { repeats: true });
    const pressed = await app().request('POST', pathOf('acknowledge'));
    const [token = ''] = /[0-9a-f]{40}/.exec(pathOf('acknowledge')) ?? [];
    await using driver = await openTestDriver(app().database);

    const kept = await driver.all('select request, answer from channel_messages where channel_id = $1', [
      channel.id,
    ]);
    const listed = await app().request('GET', `/api/v3/checks/${checks[5]?.uuid}/deliveries/`, { key });

    assert.match(JSON.stringify(kept), /Acknowledge all/);
    for (const text of [JSON.stringify(kept), JSON.stringify(await acts()), pressed.text, listed.text])
      assert.equal(text.includes(token.slice(8, 24)), false, text);
  });

  test('who has them is told in one message to those who want to know', async () => {
    const settings = { events: ['down_timeout', 'down_fail', 'up', 'answered'] };
    const { pathOf, requests, pass } = await told(6, { settings });

    await app().request('POST', pathOf('acknowledge'));
    await pass({ seconds: 1 });

    assert.equal(requests().length, 2);
    assert.match(
      textOf(requests()[1] ?? assert.fail()),
      /a phone with Slack Ops has web&lt;3&gt; and 3 more.*They are still down/s,
    );
  });

  test('the page of a message about a tag leads to the checks of that tag', async () => {
    const { pathOf } = await told(3, { settings: { together_above: 0 }, tags: 'a&b' });

    const { text } = await app().request('GET', pathOf('acknowledge'));

    assert.equal(heading(text), 'Down: 3 checks');
    assert.match(text, /\/checks\/\?tag=a%26b">Open the list<\/a>/);
  });

  test('a tap in Telegram acknowledges all of them by the name of the person', async () => {
    const { requests, outages } = await told(6, { kind: 'telegram' });
    const { reply_markup: markup } = JSON.parse(textOf(requests()[0] ?? assert.fail()));
    const [acknowledge, snooze] = markup.inline_keyboard[0];
    assert.deepEqual([acknowledge.text, snooze.text], ['Acknowledge all', 'Snooze all 1 h']);
    const update = (chat: number) => ({
      update_id: 1,
      callback_query: {
        id: 'tap',
        from: { id: 7, first_name: 'Anna' },
        data: acknowledge.callback_data,
        message: { message_id: 5, chat: { id: chat } },
      },
    });

    await tellBot(app(), update(4711));
    assert.ok((await outages()).every((outage) => outage?.acknowledgedAt == null));
    await tellBot(app(), update(CHAT));

    assert.equal(
      (await outages()).filter((outage) => outage?.acknowledgedBy === 'Anna in Ops (Telegram)').length,
      4,
    );
  });

  test('a message about checks that are down is as loud as an alarm, and one that all are up is not', async () => {
    const { checks, flip, requests, pass } = await told(6, { kind: 'ntfy' });
    await pass({ seconds: 300 });
    await flip(checks, 'up');
    await pass({ seconds: 31 });

    const [down, up] = requests().map((request) => JSON.parse(textOf(request)));
    assert.deepEqual([down.priority, down.actions.length], [5, 2]);
    assert.equal(up.priority, 2);
    assert.doesNotMatch(JSON.stringify(up), /buttons/);
  });

  test('an integration is told of no changes together that it does not want to hear one by one', async () => {
    const { project, channel, requests, flip, pass, checks } = await told();
    const open = { ...addressIn('slack', project), together_above: 2, events: ['down_timeout', 'up'] };
    await app().deps.store.transaction((tx) => tx.channels.setSettings(channel, { open, sealed: null }));
    await flip(checks, 'up');
    await pass({ seconds: 600 });
    await flip(checks, 'down');
    await pass({ seconds: 600 });

    assert.equal(requests().length, 2);
    assert.match(textOf(requests()[1] ?? assert.fail()), /4 checks up again/);
  });
});
