import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageLimits, MonthlyLimits } from '../src/domain/alert/message-quota.ts';
import { aReply, SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest, Reply } from '../src/integrations/kind/kind.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { createTestSender } from '../src/notifier/test-sender.ts';
import { listDeliveries } from '../src/services/alert/deliveries.ts';
import { askForCaptcha, readUsage, returnQuota, takeQuota } from '../src/services/alert/undelivered.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { addMember, FakeMailSender, mailPreferencesOf, post } from './account-mails.ts';
import { log } from './alerts.ts';
import { SITE, START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { accountRecord } from './records.ts';

const NUMBER = '+15551234567';
/** Limits for all accounts. Nobody is new, and all of them together have enough. */
const limitsOf = (account: MonthlyLimits, others: Partial<MessageLimits> = {}): MessageLimits => ({
  account,
  newAccount: { sms: 0, calls: 0 },
  newAccountDays: 0,
  instance: { sms: 1_000_000, calls: 1_000_000 },
  ...others,
});
const PUBLIC_SITE = { ...SITE, name: 'Tocsin', root: 'https://tocsin.example.org' };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project whose messages are limited, and a node that sends them. */
  async function given(account: MonthlyLimits, others: Partial<MessageLimits> = {}) {
    const limits = limitsOf(account, others);
    const { deps } = app();
    const { project, ownerId } = await app().givenProject();
    const check = await app().givenCheck(project, { name: 'Backup', status: 'up', lastPingAt: START });
    const requests: OutboundRequest[] = [];
    const state = { answer: (): Reply => aReply(201) };
    const sender = createChannelSender({
      http: async (request) => {
        requests.push(request);
        return state.answer();
      },
      mail: null,
      server: SERVER,
      vault: deps.vault,
      unsubscribeUrl: () => '',
      quotas: {
        take: ({ projectId }, quota, message) => takeQuota(deps, projectId, quota, limits, message),
        giveBack: ({ projectId }, quota) => returnQuota(deps, projectId, quota),
      },
    });
    const notifier = new Notifier(deps, sender, {
      site: PUBLIC_SITE,
      log,
      maxConcurrent: 100,
      maxConcurrentPerDestination: 100,
    });
    return {
      ...{ project, ownerId, check, requests, state, sender },
      /** The check tells these. Returns the first. */
      channel: async (...kinds: readonly string[]) => {
        const settings = { phone: NUMBER };
        const made = await Promise.all(kinds.map((kind) => app().givenChannel(project, { kind, settings })));
        await app().assign(check, ...made);
        return made[0] ?? assert.fail();
      },
      /** The check fails, and comes up again. */
      alarm: async () => {
        await app().receive(check, 'fail');
        while ((await notifier.tick()) === true) await notifier.settled();
        await app().receive(check, 'success');
        while ((await notifier.tick()) === true) await notifier.settled();
      },
      used: async () =>
        (await deps.store.messageCounts.ofAccount(ownerId)).map(({ counter, used }) => [counter, used]),
      errors: async () =>
        (await listDeliveries(deps, systemActor(project.id), check)).map(({ error }) => error),
    };
  }

  test('messages beyond the limit are not sent, and owner and members learn which', async () => {
    const { project, ownerId, requests, channel, alarm, errors } = await given({ sms: 1, calls: 0 });
    const member = await addMember(app(), project);
    await channel('sms');
    const mails = new FakeMailSender();

    await alarm();
    await post(app(), mails);

    assert.equal(requests.length, 1);
    assert.deepEqual(await errors(), ['Monthly SMS limit exceeded', '']);
    const addresses = await Promise.all(
      [ownerId, member].map(async (id) => (await mailPreferencesOf(app(), id)).email),
    );
    assert.deepEqual(mails.sent.map(({ to }) => to).toSorted(), addresses.toSorted());
    const [mail = assert.fail()] = mails.sent;
    assert.equal(mail.subject, 'Monthly SMS Limit Reached');
    for (const words of ['Backup is UP', '+155******567', addresses[0] ?? '', 'month: 1']) {
      assert.ok(mail.text.replaceAll('\n', ' ').includes(words), `${words} in ${mail.text}`);
    }
    assert.ok(!mail.text.includes(NUMBER));
  });

  test('of further messages people are told once a day, and the next month counts anew', async () => {
    const { requests, channel, alarm, used } = await given({ sms: 0, calls: 1 });
    await channel('sms');
    const mails = new FakeMailSender();

    await alarm();
    app().clock.advance({ hours: 1 });
    await alarm();
    await post(app(), mails);
    assert.equal(mails.sent.length, 1);
    app().clock.advance({ days: 1 });
    await alarm();
    await post(app(), mails);

    assert.equal(mails.sent.length, 2);
    assert.deepEqual(requests, []);
    assert.deepEqual(await used(), [['sms', 0]]);
  });

  test('SMS and WhatsApp messages count together, calls by themselves', async () => {
    const { project, channel, alarm, used } = await given({ sms: 10, calls: 10 });
    await channel('sms', 'whatsapp', 'call');

    await alarm();

    assert.deepEqual(await used(), [
      ['calls', 1],
      ['sms', 4],
    ]);
    const limits = limitsOf({ sms: 10, calls: 10 });
    const usage = { sms: { used: 4, limit: 10 }, calls: { used: 1, limit: 10 } };
    assert.deepEqual(await readUsage(app().deps, systemActor(project.id), limits), usage);
    app().clock.advance({ days: 31 });
    await alarm();
    assert.deepEqual(await used(), [
      ['calls', 1],
      ['sms', 4],
    ]);
  });

  test('over the limit, WhatsApp messages and calls say so in their own words', async () => {
    const { channel, alarm, errors } = await given({ sms: 0, calls: 0 });
    await channel('whatsapp', 'call');
    const mails = new FakeMailSender();

    await alarm();
    await post(app(), mails);

    assert.deepEqual([...new Set(await errors())].sort(), [
      'Monthly message limit exceeded',
      'Monthly phone call limit exceeded',
    ]);
    assert.deepEqual(mails.subjects().sort(), [
      'Monthly Phone Call Limit Reached',
      'Monthly WhatsApp Limit Reached',
    ]);
  });

  test('what the provider has not taken does not count', async () => {
    const { channel, alarm, used, state } = await given({ sms: 1, calls: 1 });
    await channel('call');
    state.answer = () => aReply(500);

    await alarm();

    assert.deepEqual(await used(), [['calls', 0]]);
  });

  test('a test message counts like any other', async () => {
    const { project, channel, sender, used } = await given({ sms: 1, calls: 1 });
    const sendTest = createTestSender(app().deps, sender, PUBLIC_SITE);
    const sms = await channel('sms');

    assert.deepEqual(await sendTest(sms, project), { kind: 'delivered' });
    assert.deepEqual(await sendTest(sms, project), {
      kind: 'refused',
      error: 'Monthly SMS limit exceeded',
    });
    assert.deepEqual(await used(), [['sms', 1]]);
  });

  test('a new account may send little, an administrator is not new, and after some days nobody is', async () => {
    const limits = { newAccount: { sms: 1, calls: 0 }, newAccountDays: 7 };
    const { project, ownerId, channel, alarm, requests } = await given({ sms: 10, calls: 10 }, limits);
    const { deps } = app();
    await channel('sms');
    const left = async () =>
      (await readUsage(deps, systemActor(project.id), limitsOf({ sms: 10, calls: 10 }, limits))).sms;

    await alarm();
    assert.deepEqual([requests.length, await left()], [1, { used: 1, limit: 1 }]);

    const owner = (await deps.store.accounts.byId(ownerId)) ?? assert.fail();
    await deps.store.transaction((tx) => tx.accounts.save({ ...owner, isAdmin: true }));
    await alarm();
    assert.deepEqual([requests.length, await left()], [3, { used: 3, limit: 10 }]);

    await deps.store.transaction((tx) => tx.accounts.save({ ...owner, isAdmin: false }));
    await alarm();
    assert.equal(requests.length, 3);
    app().clock.advance({ days: 7 });
    await alarm();
    assert.ok(requests.length > 3);
    assert.equal((await left()).limit, 10);
  });

  test('what all accounts have sent together is limited, and told to the team and to administrators', async () => {
    const { deps } = app();
    const administrator = await deps.store.transaction((tx) =>
      tx.accounts.insert({ ...accountRecord(), isAdmin: true }),
    );
    // Earlier tests have sent some.
    app().clock.advance({ days: 62 });
    const instance = { sms: 3, calls: 1 };
    const one = await given({ sms: 2, calls: 1 }, { instance });
    const other = await given({ sms: 2, calls: 1 }, { instance });
    await one.channel('sms');
    await other.channel('sms');
    const mails = new FakeMailSender();

    await one.alarm();
    await other.alarm();
    await other.alarm();
    await post(app(), mails);

    assert.deepEqual([one.requests.length, other.requests.length], [2, 1]);
    const refused = 'Monthly SMS limit exceeded by all accounts of this service together';
    assert.deepEqual(await other.errors(), [refused, refused, refused, '']);
    assert.deepEqual(await other.used(), [['sms', 1]]);
    const told = async (id: number) => {
      const { email } = await mailPreferencesOf(app(), id);
      return mails.sent.filter(({ to }) => to === email).map(({ subject }) => subject);
    };
    assert.deepEqual(await told(other.ownerId), ['Monthly SMS Limit Reached']);
    assert.deepEqual(await told(administrator.id), ['SMS limit of all accounts reached']);
    await deps.store.transaction((tx) => tx.accounts.save({ ...administrator, isAdmin: false }));
  });

  test('what an account has sent counts for all even if the account is closed', async () => {
    const instance = { sms: 1, calls: 1 };
    app().clock.advance({ days: 124 });
    const gone = await given({ sms: 9, calls: 9 }, { instance });
    const other = await given({ sms: 9, calls: 9 }, { instance });
    await gone.channel('sms');
    await other.channel('sms');

    await gone.alarm();
    await app().deps.store.transaction(async (tx) => {
      await tx.projects.setOwner(gone.project.id, other.ownerId);
      await tx.accounts.delete(gone.ownerId);
    });
    await other.alarm();

    assert.deepEqual([gone.requests.length, other.requests.length], [1, 0]);
  });

  test('a captcha is told to administrators once an hour, and what was not delivered to the owner', async () => {
    const { deps } = app();
    const { project, ownerId } = await app().givenProject();
    const administrator = await deps.store.transaction((tx) =>
      tx.accounts.insert({ ...accountRecord(), isAdmin: true }),
    );
    const mails = new FakeMailSender();
    const message = { recipient: NUMBER, text: 'Backup is DOWN.\nReason: …' };

    await askForCaptcha(deps, project.id, 'challenge-1', message);
    await askForCaptcha(deps, project.id, 'challenge-2', message);
    await post(app(), mails);
    await askForCaptcha(deps, project.id, 'challenge-3', message);
    await post(app(), mails);

    const owner = (await mailPreferencesOf(app(), ownerId)).email;
    const toOwner = mails.sent.filter(({ to }) => to === owner);
    assert.deepEqual(
      toOwner.map(({ subject }) => subject),
      Array(3).fill('Signal notification failed: Backup is DOWN.'),
    );
    assert.match(toOwner[0]?.text ?? '', /\+155\*{6}567/);
    const [toAdministrator, ...others] = mails.sent.filter(({ to }) => to === administrator.email);
    assert.match(toAdministrator?.text ?? '', /tocsin signal-captcha challenge-1 CAPTCHA/);
    assert.deepEqual(others, []);
    await deps.store.transaction((tx) => tx.accounts.save({ ...administrator, isAdmin: false }));
  });

  test('the provider reports the fate of a message to the address that it was given', async () => {
    const { channel, alarm, errors, requests } = await given({ sms: 10, calls: 10 });
    await channel('call');
    await alarm();
    const form = new URLSearchParams(String(requests[0]?.body));
    const address = new URL(form.get('StatusCallback') ?? '');

    const reply = await app().request('POST', address.pathname, { body: 'CallStatus=failed' });

    assert.equal(reply.status, 200);
    assert.equal(address.origin, PUBLIC_SITE.root);
    assert.ok((await errors()).includes('Delivery failed (status=failed).'));
  });
});
