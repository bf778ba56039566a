import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { recoveryOf } from '../src/domain/history/recovery.ts';
import type { PolicyRulesEdit } from '../src/domain/policy/rules.ts';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { type Instant, seconds } from '../src/lib/instant.ts';
import type { Mail } from '../src/lib/mail-sender.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import type { Notifier } from '../src/notifier/notifier.ts';
import { alertMail } from '../src/reading/alert-mail.ts';
import { acknowledgeCheck, snoozeCheck } from '../src/services/alert/answers.ts';
import { createPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { updateCheck } from '../src/services/check/checks.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { announceQuietTime } from '../src/services/check/quiet-times.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { readHistory } from '../src/services/history/check-board.ts';
import { FakeMailSender, mailPreferencesOf } from './account-mails.ts';
import { drain, newNotifier } from './alerts.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { unique } from './records.ts';

const HOUR = seconds(3600);
const NIGHTLY = { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3600 } as const;
const EACH_MINUTE = { ...NIGHTLY, schedule: '* * * * *', graceSeconds: 60 } as const;
const BODY = 'pg_dump: 214 tables\nconnection to db-1:5432 refused\n';

interface Fixture {
  readonly app: TestApp;
  readonly sender: FakeMailSender;
  readonly notifier: Notifier;
  readonly check: Check;
}

/** A check that is told to an address by mails as they are really written. */
async function fixture(
  app: TestApp,
  to: string,
  overrides: Partial<Check> = {},
  channelName = 'Ops',
): Promise<Fixture> {
  const { project } = await app.givenProject();
  const settings = { email: to };
  const channel = await app.givenChannel(project, { kind: 'email', name: channelName, settings });
  const check = await app.givenCheck(project, {
    name: 'nightly-etl',
    status: 'up',
    lastPingAt: START,
    lastReceivedAt: START,
    ...overrides,
  });
  await app.assign(check, channel);
  const sender = new FakeMailSender();
  const notifier = newNotifier(
    app,
    createChannelSender({
      http: () => assert.fail('nothing but mail is sent'),
      mail: { send: (mail) => sender.send(mail), [Symbol.asyncDispose]: async () => undefined },
      server: SERVER,
      vault: app.deps.vault,
      unsubscribeUrl: () => 'http://testserver/stop',
      writeMail: async (event, address, unsubscribeUrl) =>
        (await app.deps.reads.ask(alertMail, { event, to: address, unsubscribeUrl })).head,
    }),
  );
  return { app, sender, notifier, check };
}

async function deliver({ notifier }: Fixture): Promise<void> {
  while ((await notifier.tick()) === true) await notifier.settled();
}

async function ping({ app, check }: Fixture, suffix: string, body: string): Promise<void> {
  const { status } = await app.ping(`/${check.uuid}${suffix}`, { body });
  assert.equal(status, 200);
}

/** The job fails. Returns the check after that. */
async function fail(f: Fixture): Promise<Check> {
  await ping(f, '/2', BODY);
  return (await f.app.deps.store.checks.byId(f.check.id)) ?? assert.fail();
}

/** The last mail about its own check: checks of other tests may go down meanwhile. */
function lastOf({ sender, check }: Fixture): Mail {
  const mail = sender.sent.findLast(({ text }) => text.includes(check.uniqueKey));
  return mail ?? assert.fail('nothing was sent');
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** The same in a project with these rules, and a way to let time pass. */
  async function withRules(to: string, rules: PolicyRulesEdit, others: readonly string[] = []) {
    const f = await fixture(app(), to);
    const actor = systemActor(f.check.projectId);
    const project = (await app().deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    for (const name of others)
      await app().givenChannel(project, { name, settings: { email: `${name}@example.org` } });
    await createPolicy(f.app.deps, actor, 'own', rules);
    await setAlerting(f.app.deps, actor, { policy: 'own', tags: [] });
    const after = async (minutes: number) => {
      f.app.clock.advance({ minutes });
      await drain(f);
      return lastOf(f);
    };
    return { ...f, after };
  }

  test('a repeat tells the first cause once more, and says that it is one', async () => {
    const f = await withRules('again@example.org', { again: 1800 });
    await fail(f);
    const first = await f.after(1);
    await ping(f, '/log', 'still trying\n');
    const again = await f.after(29);

    assert.equal(first.subject, 'Down: nightly-etl – exit status 2');
    assert.equal(again.subject, 'Still down: nightly-etl – exit status 2');
    assert.match(again.text, /Still down since/);
    assert.match(again.text, /connection to db-1:5432 refused/, 'the output of the first failure');
    assert.match(again.text, /Told now +Ops\n/, 'each integration once');
    assert.equal(f.sender.sent.filter(({ subject }) => subject.includes('nightly-etl')).length, 2);
  });

  test('those that are told next hear who is told with them, and not who was told first', async () => {
    const then = [{ after: 900, tell: ['Boss', 'Deputy'] }];
    const f = await withRules('steps@example.org', Object.fromEntries([['then', then]]), ['Boss', 'Deputy']);
    await fail(f);
    const first = await f.after(1);
    const next = await f.after(14);
    await ping(f, '', 'fine again\n');
    const end = await f.after(1);

    assert.match(first.text, /^Told now +Ops$/m);
    assert.match(next.text, /^Told now +Boss, Deputy$/m);
    assert.match(end.text, /^Told now +Ops, Boss, Deputy$/m);
  });

  test('the end of an outage that went on after a first good run answers its begin, and is as long as all of it', async () => {
    const f = await withRules('sure@example.org', { good_runs: 2 });
    await fail(f);
    const begin = await f.after(1);
    await ping(f, '', 'fine\n');
    await f.after(1);
    await fail(f);
    await f.after(1);
    await ping(f, '', 'fine\n');
    await f.after(1);
    await ping(f, '', 'fine\n');
    const end = await f.after(1);

    assert.equal(f.sender.sent.filter(({ subject }) => subject.includes('nightly-etl')).length, 2);
    assert.equal(end.answers, begin.id);
    assert.equal(end.subject, 'Up again: nightly-etl – was down for 3 min');
    assert.match(end.text, /^Was down {6}12:00 to 12:03 · exit status 2$/m);
  });

  test('other checks that are down are marked by who has them, and by what they wait for', async () => {
    const f = await withRules('others@example.org', {});
    const actor = systemActor(f.check.projectId, {
      name: 'Anna',
      accountId: null,
      means: 'link',
      remoteAddr: null,
    });
    const project = (await app().deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const given = (name: string) => app().givenCheck(project, { name, status: 'up', lastPingAt: START });
    const [taken, snoozed, child] = [await given('taken'), await given('snoozed'), await given('child')];
    await updateCheck(app().deps, actor, child.id, { edit: { parents: taken.uuid } });
    for (const check of [taken, snoozed, child]) await app().receive(check, 'fail');
    await acknowledgeCheck(app().deps, actor, taken.id);
    await snoozeCheck(app().deps, actor, snoozed.id, { for: HOUR });
    await fail(f);

    const { text } = await f.after(0);

    assert.match(text, /^\* taken · since 12:00, acknowledged by Anna · failure signal$/m);
    assert.match(text, /^\* snoozed · since 12:00, snoozed by Anna · failure signal$/m);
    assert.match(text, /^\* child · since 12:00, waits for taken · failure signal$/m);
  });

  test('a further failure says how often it has failed, and tells its own cause and output', async () => {
    const f = await withRules('further@example.org', { each_failure: true });
    await fail(f);
    await f.after(1);
    await ping(f, '/2', 'second try\n');
    const second = await f.after(1);
    await ping(f, '/7', 'third try\n');
    const third = await f.after(1);

    assert.equal(second.subject, 'Failed again: nightly-etl – exit status 2, 2nd time');
    assert.equal(third.subject, 'Failed again: nightly-etl – exit status 7, 3rd time');
    assert.match(third.text, /Failed again, 3rd time · exit status 7 · down since/);
    assert.match(third.text, /third try/);
    assert.doesNotMatch(third.text, /second try|connection to db-1/);
  });

  test('an alert tells why, the last ping, the last runs, the output, and what else is down', async () => {
    const f = await fixture(app(), 'ops@example.org');
    const project = (await app().deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const other = await app().givenCheck(project, { name: 'db-backup', status: 'up', lastPingAt: START });
    await app().receive(other, 'fail');
    for (const signal of ['start', 'success', 'start'] as const) {
      await app().receive(f.check, signal);
      app().clock.advance({ minutes: 31 });
    }
    await fail(f);

    await deliver(f);

    const { subject, text } = lastOf(f);
    assert.equal(subject, 'Down: nightly-etl – exit status 2');
    assert.match(text, /^Down since 13:33 · exit status 2 after 31 min \(usually 31 min\)\.$/m);
    assert.match(text, /^Last ping {2}Fri 1 Mar, 13:33:00 · exit status 2 after 31 min/m);
    assert.match(text, /^Told now {3}Ops$/m);
    assert.match(text, /^The last 2 runs: 1 OK, the newest one failed\.$/m);
    assert.match(text, /^Its output\n> pg_dump: 214 tables\n> connection to db-1:5432 refused$/m);
    assert.match(text, /^Also down: 1 of 2\n\* db-backup · since 12:00 · failure signal$/m);
  });

  test('a retry says the same, even if the check was renamed and its pings are gone', async () => {
    const f = await fixture(app(), 'ops@example.org');
    const down = await fail(f);
    f.sender.answer = () => 'Mail was not accepted: busy';
    await deliver(f);
    const { store } = app().deps;
    await store.transaction(async (tx) => {
      await tx.checks.saveConfig({ ...down, name: 'renamed', description: 'another' });
      await tx.pings.prune(f.check.id, Number.MAX_SAFE_INTEGER, 100);
    });
    f.sender.answer = () => null;
    app().clock.advance({ minutes: 1 });

    await deliver(f);

    assert.equal(f.sender.sent.length, 2);
    const [first, second] = f.sender.sent;
    assert.deepEqual(second, first);
    const [delivery] = await store.deliveries.ofCheck(f.check.id, 1);
    assert.equal(
      await store.deliveries.keptStory(delivery?.id ?? 0),
      null,
      'nothing is kept of what was told',
    );
  });

  test('the mail about the end of an outage answers the one about its begin', async () => {
    const f = await fixture(app(), 'ops@example.org');
    await app().receive(f.check, 'fail');
    await deliver(f);
    app().clock.advance({ minutes: 90 });
    await app().receive(f.check, 'success');
    await deliver(f);

    const [down, up] = f.sender.sent;
    assert.equal(down?.answers, null);
    assert.equal(up?.answers, down?.id);
    assert.equal(up?.subject, 'Up again: nightly-etl – was down for 1 h 30 min');
    assert.match(up?.text ?? '', /^Was down {6}12:00 to 13:30 · failure signal$/m);
  });

  /** Time goes by, and a node watches. */
  async function watchUntil(at: Instant): Promise<void> {
    app().clock.set(at);
    await app().deps.store.transaction((tx) => tx.liveness.beat(unique(), at, 0));
  }

  test('the mail about the end of an outage counts the runs that never came', async () => {
    const f = await fixture(app(), 'ops@example.org', { timeoutSeconds: 3600, graceSeconds: 1800 });
    await ping(f, '', 'all well\n');
    await watchUntil(START + 2 * HOUR);
    while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));
    await deliver(f);
    await watchUntil(START + 5 * HOUR);
    await ping(f, '', 'all well again\n');
    await deliver(f);

    const { text, html } = lastOf(f);
    assert.match(text, /^Up since 17:00 · was down for 3 h 30 min, 4 runs missed\.$/m);
    assert.match(text, /^The last 6 runs: 2 OK, 4 missed\.$/m);
    assert.match(html, />Down from 13:30 to 17:00, 4 runs missed\./);
  });

  /** A nightly job or one of every minute comes back. Returns what its mail and its recovery say of the runs that never came. */
  async function backAt(f: Fixture, at: Instant) {
    await watchUntil(at);
    await ping(f, '', 'all well again\n');
    await deliver(f);
    const check = (await app().deps.store.checks.byId(f.check.id)) ?? assert.fail();
    const { lastFlips, runs } = await readHistory(app().deps, check, at);
    const recovery = recoveryOf(lastFlips, runs, at)?.sentence.at(-1);
    return [/, (.* missed)\.$/m.exec(lastOf(f).text)?.[1], /: (.*)\.$/.exec(String(recovery))?.[1]];
  }

  test('runs of three nights that never came are counted, also where a quiet time put the deadline off', async () => {
    for (const quiet of [false, true]) {
      const f = await fixture(app(), 'ops@example.org', NIGHTLY);
      app().clock.set(START);
      await ping(f, '', 'all well\n');
      const three = START + 15 * HOUR;
      if (quiet)
        await announceQuietTime(app().deps, systemActor(f.check.projectId), {
          ...{ name: 'deploy', reason: '', checks: [f.check.uuid], tags: '', schedule: '', tz: 'UTC' },
          ...{ fromAt: three + HOUR / 2, untilAt: three + 2 * HOUR, durationSeconds: null },
        });
      await watchUntil(three + HOUR / 2 - seconds(60));
      await drain(f);
      const fallsAt = quiet ? three + 3 * HOUR : three + HOUR;
      await watchUntil(fallsAt);
      await drain(f);
      const { status, lastFlipAt } = (await app().deps.store.checks.byId(f.check.id)) ?? assert.fail();
      assert.deepEqual([status, lastFlipAt], ['down', fallsAt]);

      assert.deepEqual(await backAt(f, three + 72 * HOUR + HOUR / 6), ['3 runs missed', '3 runs never came']);
    }
  });

  test('runs that never came are counted, also where nobody watched at first, without what is unknown', async () => {
    // Before the times of all other tests, which would not know of their runs.
    const [from, until] = [START - 720 * HOUR, START - 720 * HOUR + seconds(600)];
    const lastPingAt = from - seconds(60);
    const f = await fixture(app(), 'ops@example.org', {
      ...EACH_MINUTE,
      lastPingAt,
      lastReceivedAt: lastPingAt,
    });
    app().clock.set(lastPingAt);
    await ping(f, '', 'all well\n');
    app().clock.set(until);
    await app().deps.store.transaction(async (tx) => {
      await tx.liveness.addBlindSpan({ from, until });
      await tx.checks.excuseOverdue(from, until, seconds(300));
    });
    await watchUntil(until + seconds(300));
    await drain(f);

    assert.deepEqual(await backAt(f, from + seconds(2_400)), ['31 runs missed', '31 runs never came']);
  });

  test('times are in the zone of the account with the address', async () => {
    const { ownerId } = await app().givenProject();
    const preferences = await mailPreferencesOf(app(), ownerId);
    await app().deps.store.transaction((tx) => tx.mailPreferences.setReports(ownerId, 'off', 'Europe/Riga'));
    const f = await fixture(app(), preferences.email);
    await app().receive(f.check, 'fail');

    await deliver(f);

    assert.match(lastOf(f).text, /^Down since 14:00 · failure signal\.$/m);
    assert.match(lastOf(f).html, />Fri 1 Mar, 14:00 EET</);
  });

  test('who is told is named by their address if they have no name', async () => {
    const f = await fixture(app(), 'ops@example.org', {}, '');
    await app().receive(f.check, 'fail');

    await deliver(f);

    assert.match(lastOf(f).text, /^Told now {3}ops@example\.org$/m);
  });

  test('what is silent is told with what was expected and the last output', async () => {
    const f = await fixture(app(), 'ops@example.org', { timeoutSeconds: 3600, graceSeconds: 1800 });
    await ping(f, '', 'all well\n');
    app().clock.set(START + 2 * HOUR);
    while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));

    await deliver(f);

    const { subject, text } = lastOf(f);
    assert.equal(subject, 'Down: nightly-etl – no ping for 1 h 30 min');
    assert.match(text, /^Down since 13:30 · no ping for 1 h 30 min \(expected every hour\)\.$/m);
    assert.match(text, /^Expected {3}13:00, with 30 min of grace\. Nothing arrived by 13:30\.$/m);
    assert.match(text, /^Last output: 12:00, when it still worked\n> all well$/m);
  });
});
