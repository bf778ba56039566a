import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { NewFlip } from '../src/domain/check/flip.ts';
import { systemClock } from '../src/lib/clock.ts';
import { type Instant, seconds, toTemporal } from '../src/lib/instant.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { pruneMails, releaseMailLeases } from '../src/services/mail/mails.ts';
import { queueReports } from '../src/services/mail/reports.ts';
import { subscriptionToken } from '../src/services/people/mail-preferences.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import {
  FakeMailSender,
  instant,
  mailPreferencesOf,
  newAccountMailSender,
  post,
  setReports,
} from './account-mails.ts';
import { leaseMail } from './alerts.ts';
import { type GivenProject, startTestApp, type TestApp } from './app.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { startMailSink } from './mail-sink.ts';
import { addCheck, givenProject } from './records.ts';
import { until } from './waiting.ts';

/** A Wednesday. */
const NOW = instant('2020-01-15T12:00Z');
const CREATED = instant('2019-01-01T00:00Z');

interface Fixture extends GivenProject {
  readonly check: Check;
  readonly sender: FakeMailSender;
}

/** An account with a check that is pinged, and its first report scheduled. */
async function fixture(app: TestApp, overrides: Partial<Check> = {}): Promise<Fixture> {
  app.clock.set(NOW);
  const given = await app.givenProject({ limits: { checks: 1000, pings: 10 } });
  const check = await app.givenCheck(given.project, {
    name: 'Backup',
    status: 'up',
    createdAt: CREATED,
    lastPingAt: NOW,
    lastReceivedAt: NOW,
    ...overrides,
  });
  return { ...given, check, sender: new FakeMailSender() };
}

async function scheduledAt(app: TestApp, { ownerId }: Fixture): Promise<Instant> {
  await queueReports(app.deps, true);
  return (await mailPreferencesOf(app, ownerId)).nextReportAt ?? assert.fail('there is no date');
}

/** Goes to the day of the report and sends it. */
async function report(app: TestApp, given: Fixture): Promise<string> {
  app.clock.set(await scheduledAt(app, given));
  await queueReports(app.deps, true);
  await post(app, given.sender);
  return given.sender.sent.at(-1)?.text ?? assert.fail('there was no report');
}

async function addFlips(app: TestApp, ...flips: NewFlip[]): Promise<void> {
  await app.deps.store.transaction((tx) => tx.flips.insertMany(flips));
}

/** An outage of the check. */
function outage({ id: checkId }: Check, from: string, until: string): NewFlip[] {
  return [
    { checkId, createdAt: instant(from), oldStatus: 'up', newStatus: 'down', reason: 'fail', cause: '' },
    { checkId, createdAt: instant(until), oldStatus: 'down', newStatus: 'up', reason: '', cause: '' },
  ];
}

const inZone = (at: Instant, zone: string) => toTemporal(at).toZonedDateTimeISO(zone);

forEachEngine((engine) => {
  for (const [period, day] of [
    ['daily', '2020-01-16'],
    ['weekly', '2020-01-20'],
    ['monthly', '2020-02-01'],
  ] as const) {
    test(`a first ${period} report is only scheduled, for a morning in the account's zone`, async () => {
      await using app = await startTestApp(engine);
      const given = await fixture(app);
      await setReports(app, given.ownerId, period, 'Asia/Tokyo');

      const local = inZone(await scheduledAt(app, given), 'Asia/Tokyo');

      assert.equal(local.toPlainDate().toString(), day);
      assert.ok(local.hour === 9 || local.hour === 10, local.toString());
      assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
    });

    test(`a ${period} report that is due is sent, and the next one scheduled`, async () => {
      await using app = await startTestApp(engine);
      const given = await fixture(app);
      await setReports(app, given.ownerId, period);
      const first = await scheduledAt(app, given);

      app.clock.set(first - 1);
      await queueReports(app.deps, true);
      await post(app, given.sender);
      assert.deepEqual(given.sender.subjects(), []);
      app.clock.set(first);
      await queueReports(app.deps, true);
      await post(app, given.sender);

      const title = { daily: 'DAILY', weekly: 'WEEKLY', monthly: 'MONTHLY' }[period];
      assert.equal(given.sender.sent.length, 1);
      assert.ok(given.sender.sent[0]?.text.startsWith(`${title} REPORT  `));
      const { email, nextReportAt } = await mailPreferencesOf(app, given.ownerId);
      assert.equal(given.sender.sent[0]?.to, email);
      const days = inZone(nextReportAt ?? 0, 'UTC')
        .toPlainDate()
        .since(inZone(first, 'UTC').toPlainDate());
      assert.equal(days.days, { daily: 1, weekly: 7, monthly: 29 }[period]);
    });
  }

  test('accounts whose reports are off have no date and get none', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await setReports(app, given.ownerId, 'off');

    assert.equal(await queueReports(app.deps, true), false);

    assert.equal((await mailPreferencesOf(app, given.ownerId)).nextReportAt, null);
  });

  test('changing the setting finds the date anew', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await scheduledAt(app, given);

    await setReports(app, given.ownerId, 'daily');

    const local = inZone(await scheduledAt(app, given), 'UTC');
    assert.equal(local.toPlainDate().toString(), '2020-01-16');
  });

  test('a date that a wrong clock has given does not keep reports away', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.advance({ days: 100 });
    await scheduledAt(app, given);

    app.clock.set(NOW);

    assert.equal(
      inZone(await scheduledAt(app, given), 'UTC')
        .toPlainDate()
        .toString(),
      '2020-02-01',
    );
  });

  test('whoever had no ping for 180 days gets no report, but a new date', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const due = await scheduledAt(app, given);
    const setPing = (at: Instant) =>
      app.deps.store.transaction((tx) => tx.checks.saveState({ ...given.check, lastReceivedAt: at }));
    app.clock.set(due);

    await setPing(due - seconds(180 * 86_400) - 1);
    await queueReports(app.deps, true);
    const next = (await mailPreferencesOf(app, given.ownerId)).nextReportAt ?? 0;
    assert.equal(inZone(next, 'UTC').month, 3);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);

    app.clock.set(next);
    await setPing(next - seconds(180 * 86_400));
    await queueReports(app.deps, true);
    await post(app, given.sender);
    assert.deepEqual(given.sender.subjects(), ['February: nothing was down']);
  });

  test('a ping in a project that one is only a member of counts', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const member = await app.givenProject();
    await app.deps.store.transaction((tx) =>
      tx.projects.addMember(given.project.id, member.ownerId, 'member', NOW),
    );
    await setReports(app, given.ownerId, 'off');

    await report(app, { ...given, ...member });

    const { email } = await mailPreferencesOf(app, member.ownerId);
    assert.deepEqual(
      given.sender.sent.map(({ to }) => to),
      [email],
    );
    assert.match(given.sender.sent[0]?.text ?? '', /1 of 1 check never missed/);
  });

  test('of several nodes one queues the report, and one sends it', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.set(await scheduledAt(app, given));

    await Promise.all([1, 2, 3].map(() => queueReports(app.deps, true)));
    const senders = [1, 2, 3].map(() => newAccountMailSender(app, given.sender));
    await Promise.all(senders.map((mailSender) => mailSender.tick()));
    await Promise.all(senders.map((mailSender) => mailSender.settled()));
    await post(app, given.sender);

    assert.equal(given.sender.sent.length, 1);
  });

  test('a report tells of the two complete periods before it, in the account’s zone', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await setReports(app, given.ownerId, 'monthly', 'Europe/Riga');
    await addFlips(
      app,
      ...outage(given.check, '2019-12-10T00:00Z', '2019-12-10T02:00Z'),
      // In Riga this is January already, and that is February.
      ...outage(given.check, '2019-12-31T22:00Z', '2019-12-31T23:00Z'),
      ...outage(given.check, '2020-01-31T22:30Z', '2020-01-31T23:00Z'),
    );

    const text = await report(app, given);

    assert.match(text, /^1 time down, 1 h in all\.$/m);
    assert.match(text, /down longest: 1 h on 1 Jan\.\s+December: 1 time, 2 h\./);
    assert.match(text, /Backup +1 time +1 h +99\.86 % +99\.73 %/);
  });

  test('the uptime of a check counts from the time when it came to be', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const createdAt = instant('2020-01-22T00:00Z');
    const newcomer = await app.givenCheck(given.project, { name: 'Newcomer', status: 'up', createdAt });
    await addFlips(app, ...outage(newcomer, '2020-01-25T00:00Z', '2020-01-26T00:00Z'));

    const text = await report(app, given);

    assert.match(text, /Newcomer +1 time +24 h +90\.00 %\s*\n/);
    assert.match(text, /1 other: 100 %\./);
  });

  test('time in which nobody watched is not told as downtime', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await addFlips(app, ...outage(given.check, '2020-01-10T00:00Z', '2020-01-10T05:00Z'));
    await app.deps.store.transaction((tx) =>
      tx.liveness.addBlindSpan({ from: instant('2020-01-10T01:00Z'), until: instant('2020-01-10T04:00Z') }),
    );

    assert.match(await report(app, given), /^1 time down, 2 h in all\.$/m);
  });

  test('a report tells of many checks, of whatever project, each with its own history', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const second = await app.givenProject({ ownerId: given.ownerId });
    const checks: Check[] = [];
    for (let n = 0; n < 205; n++)
      checks.push(await app.givenCheck(second.project, { name: `Job ${n}`, createdAt: CREATED }));
    const [first, last] = [checks[0] ?? assert.fail(), checks[204] ?? assert.fail()];
    await addFlips(
      app,
      ...outage(first, '2020-01-10T00:00Z', '2020-01-10T01:00Z'),
      ...outage(last, '2020-01-10T00:00Z', '2020-01-10T02:00Z'),
    );
    const foreign = await app.givenProject();
    await app.givenCheck(foreign.project, { name: 'Foreign', createdAt: CREATED, lastReceivedAt: NOW });
    await setReports(app, foreign.ownerId, 'off');

    const text = await report(app, given);

    assert.match(text, /^2 times down, 3 h in all\.\n\n204 of 206 checks never missed\./m);
    assert.match(text, /Job 204 .*2 h [\s\S]*Job 0 .*1 h [\s\S]*203 others: 100 %\./);
    assert.doesNotMatch(text, /Foreign/);
  });

  test('a check that cannot be evaluated does not keep the report about the others', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...given.check, kind: 'cron', schedule: 'nonsense', deadlineAt: null }),
    );

    assert.match(await report(app, given), /1 of 1 check never missed/);
  });

  test('a sender that dies after its claim loses nothing: the same mail is sent by another', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.set(await scheduledAt(app, given));
    await queueReports(app.deps, true);
    const [lost] = await leaseMail(app.deps, 10);

    await post(app, given.sender);
    assert.deepEqual(given.sender.subjects(), []);
    app.clock.advance({ seconds: 15 });
    await post(app, given.sender);

    assert.equal(given.sender.sent.length, 1);
    assert.equal(given.sender.sent[0]?.id, lost?.uuid);
  });

  test('claims of an earlier life can be released at once', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.set(await scheduledAt(app, given));
    await queueReports(app.deps, true);
    await leaseMail(app.deps, 10);

    assert.equal(await releaseMailLeases(app.deps), 1);

    await post(app, given.sender);
    assert.equal(given.sender.sent.length, 1);
  });

  test('a mail that was refused is composed and tried again after growing pauses, under the same name', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await addFlips(app, ...outage(given.check, '2020-01-10T00:00Z', '2020-01-10T01:00Z'));
    given.sender.answer = () => 'Mail was not accepted: busy';
    await report(app, given);
    await app.deps.store.transaction((tx) => tx.checks.saveConfig({ ...given.check, name: 'Renamed' }));
    const pauses: number[] = [];

    for (const _ of [1, 2]) {
      const next = (await app.deps.store.mails.nextAttemptAt()) ?? assert.fail();
      pauses.push((next - app.clock.now()) / seconds(1));
      app.clock.set(next);
      await post(app, given.sender);
    }
    given.sender.answer = () => null;
    app.clock.advance({ minutes: 10 });
    await post(app, given.sender);
    await post(app, given.sender);

    const ids = given.sender.sent.map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size], [4, 1]);
    assert.ok(Math.abs((pauses[0] ?? 0) - 10) < 2.6 && Math.abs((pauses[1] ?? 0) - 60) < 16, `${pauses}`);
    assert.match(given.sender.sent[3]?.text ?? '', /Renamed/);
    assert.match(given.sender.sent[3]?.text ?? '', /^MONTHLY REPORT {2}1 to 31 January 2020$/m);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('a mail that takes longer than a claim holds is not sent by another', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.set(await scheduledAt(app, given));
    await queueReports(app.deps, true);
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<null>();
    given.sender.answer = () => {
      arrived.resolve();
      return answered.promise;
    };
    const mailSender = newAccountMailSender(app, given.sender);
    await mailSender.tick();
    await arrived.promise;

    for (let n = 0; n < 10; n++) {
      app.clock.advance({ seconds: 5 });
      await mailSender.extendLeases();
      await newAccountMailSender(app, given.sender).tick();
    }
    answered.resolve(null);
    await mailSender.settled();

    assert.equal(given.sender.sent.length, 1);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('one mail whose sending breaks does not keep the others', async () => {
    await using app = await startTestApp(engine);
    const one = await fixture(app);
    const two = await fixture(app);
    for (const { ownerId } of [one, two]) await setReports(app, ownerId, 'daily');
    await queueReports(app.deps, true);
    app.clock.advance({ days: 1 });
    await queueReports(app.deps, true);
    const { email } = await mailPreferencesOf(app, one.ownerId);
    const sender = new FakeMailSender();
    sender.answer = ({ to }) => {
      if (to === email) throw new Error('a bug');
      return null;
    };

    await post(app, sender);

    assert.equal(sender.sent.length, 2);
    assert.equal(await app.deps.store.mails.hasOpen(one.ownerId, 'report'), true);
    assert.equal(await app.deps.store.mails.hasOpen(two.ownerId, 'report'), false);
  });

  test('a mail that nobody takes for a day is given up, and forgotten after 93 days', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    given.sender.answer = () => 'Mail was not accepted: no';
    await report(app, given);
    app.clock.advance({ days: 1 });
    await post(app, given.sender);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
    const rows = () => app.deps.store.transaction((tx) => tx.mails.prune(Number.MAX_SAFE_INTEGER, 10));

    app.clock.advance({ days: 93, seconds: 1 });
    assert.equal(await pruneMails(app.deps), false);

    assert.equal(await rows(), 0);
  });

  test('a mail that is refused with a text that no database takes is given up as well', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    given.sender.answer = () => 'Mail was not accepted: \u0000';
    await report(app, given);

    app.clock.advance({ days: 1 });
    await post(app, given.sender);

    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('where no mail can be sent dates move on, and nothing is queued', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const due = await scheduledAt(app, given);
    app.clock.set(due);

    await queueReports(app.deps, false);

    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
    assert.ok(((await mailPreferencesOf(app, given.ownerId)).nextReportAt ?? 0) > due);
  });

  test('reports that were switched off while one waited are not sent', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.set(await scheduledAt(app, given));
    await queueReports(app.deps, true);

    await setReports(app, given.ownerId, 'off');
    await post(app, given.sender);

    assert.deepEqual(given.sender.sent, []);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('a report can be stopped by its link: by one click of a mail program, not by opening it', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await report(app, given);
    const { headers = {}, text = '' } = given.sender.sent[0] ?? {};
    const link = /^<http:\/\/testserver(.*)>$/.exec(headers['List-Unsubscribe'] ?? '')?.[1] ?? assert.fail();
    const reportsNow = async () => (await mailPreferencesOf(app, given.ownerId)).reports;

    assert.equal(headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
    assert.ok(text.includes(`http://testserver${link}`));
    const page = await app.request('GET', link);
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1>Stop these reports\?<\/h1><form method="post">/);
    assert.equal(await reportsNow(), 'monthly');
    const clicked = await app.request('POST', link, {
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

    assert.equal(clicked.status, 200);
    assert.equal(await reportsNow(), 'off');
    assert.equal((await mailPreferencesOf(app, given.ownerId)).nextReportAt, null);
  });

  test('a link that is not right stops nothing', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const other = await app.givenProject();
    const { uuid } = await mailPreferencesOf(app, given.ownerId);
    const foreign = await mailPreferencesOf(app, other.ownerId);
    const wrong = [
      subscriptionToken(app.deps, 'reminders', { uuid }),
      subscriptionToken(app.deps, 'reports', foreign),
      'x',
    ];

    for (const token of wrong) {
      const reply = await app.request('POST', `/accounts/${uuid}/unsubscribe/reports/${token}/`);
      assert.equal(reply.status, 404);
    }
    const token = subscriptionToken(app.deps, 'reports', { uuid });
    const put = await app.request('PUT', `/accounts/${uuid}/unsubscribe/reports/${token}/`);

    assert.deepEqual([put.status, put.headers.allow], [405, 'GET, POST']);
    assert.equal((await mailPreferencesOf(app, given.ownerId)).reports, 'monthly');
  });

  test('a report that is due when the service starts goes out by its mail server', async () => {
    await using place = await createMigratedPlace(engine);
    const { database } = place;
    await using driver = await openTestDriver(database);
    const store = createSqlStore(driver);
    const now = systemClock.now();
    const { account, project } = await givenProject(store);
    await addCheck(store, project, { name: 'Backup', status: 'up', lastReceivedAt: now });
    await store.transaction(async (tx) => {
      const dateless = (await tx.mailPreferences.ofAccount(account.id)) ?? assert.fail();
      await tx.mailPreferences.moveReport(dateless, now);
    });
    await using sink = await startMailSink();
    const config = readConfig({
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      HOST: '127.0.0.1',
      PORT: '0',
      SITE_ROOT: 'https://tocsin.example.org',
      SECRET_KEY: 'a secret for tests only, and a long one',
      EMAIL_HOST: '127.0.0.1',
      EMAIL_PORT: String(sink.port),
      EMAIL_USE_TLS: 'False',
      EMAIL_MAIL_FROM_TMPL: '%s@bounces.example.org',
    });

    await using app = await startApp(config, {
      clock: systemClock,
      random: systemRandom,
      log: pino({ level: 'silent' }),
    });
    await until('the report has been mailed', async () => sink.mails.length > 0);

    const [mail] = sink.mails;
    const text = (mail?.text ?? '').replace(/\r?\n[ \t]+/g, ' ');
    assert.deepEqual(mail?.to, [account.email]);
    assert.match(mail?.from ?? '', /^r\.[0-9a-f-]{36}\..*@bounces\.example\.org$/);
    assert.match(text, /^Subject: \w+: nothing was down$/m);
    assert.equal(text.match(/^Message-ID:/gim)?.length, 1);
    assert.match(text, /^Message-ID: <[0-9a-f-]{36}@localhost>$/m);
    assert.match(text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const [, path] =
      /^List-Unsubscribe: <https:\/\/tocsin\.example\.org(\/.*)>$/m.exec(text) ?? assert.fail(text);
    const stopped = await fetch(`http://127.0.0.1:${app.port}${path}`, { method: 'POST' });
    assert.equal(stopped.status, 200);
    assert.equal((await store.mailPreferences.ofAccount(account.id))?.reports, 'off');
  });
});
