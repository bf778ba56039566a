import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import type { ReminderSeconds } from '../src/domain/people/account.ts';
import { seconds } from '../src/lib/instant.ts';
import { acknowledgeCheck, snoozeCheck } from '../src/services/alert/answers.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { queueReminders } from '../src/services/mail/reminders.ts';
import { setReminders } from '../src/services/people/mail-preferences.ts';
import { addMember, FakeMailSender, mailPreferencesOf, newAccountMailSender, post } from './account-mails.ts';
import { leaseMail } from './alerts.ts';
import { type GivenProject, START, startTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const HOUR = seconds(3600);

interface Fixture extends GivenProject {
  readonly check: Check;
  readonly sender: FakeMailSender;
}

/** An account with hourly reminders and a check that is up. */
async function fixture(app: TestApp, reminders: ReminderSeconds = 3600): Promise<Fixture> {
  const given = await app.givenProject();
  const check = await app.givenCheck(given.project, {
    name: 'Backup',
    tags: 'prod',
    status: 'up',
    lastPingAt: START,
    lastReceivedAt: START,
  });
  await remind(app, given.ownerId, reminders);
  return { ...given, check, sender: new FakeMailSender() };
}

async function remind(app: TestApp, accountId: number, reminders: ReminderSeconds): Promise<void> {
  await app.deps.store.transaction((tx) => setReminders(tx, accountId, reminders, app.clock.now()));
}

async function dateOf(app: TestApp, accountId: number): Promise<number | null> {
  return (await mailPreferencesOf(app, accountId)).nextReminderAt;
}

async function remindAndPost(app: TestApp, { sender }: Fixture): Promise<void> {
  await queueReminders(app.deps, true);
  await post(app, sender);
}

forEachEngine((engine) => {
  test('going down sets the date for owner and members with reminders on, each by their own period', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const [daily, off, stranger] = [
      await addMember(app, given.project),
      await addMember(app, given.project),
      (await app.givenProject()).ownerId,
    ];
    await remind(app, daily, 86_400);
    await remind(app, stranger, 3600);
    assert.equal(await dateOf(app, given.ownerId), null);

    await app.receive(given.check, 'fail');

    assert.deepEqual(await Promise.all([given.ownerId, daily, off, stranger].map((id) => dateOf(app, id))), [
      START + HOUR,
      START + 24 * HOUR,
      null,
      null,
    ]);
  });

  test('a deadline that is missed sets the date, from the moment it is noticed', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.advance({ days: 2 });

    await flipOverdue({ ...app.deps, onPoison: () => undefined });

    assert.equal(await dateOf(app, given.ownerId), app.clock.now() + HOUR);
  });

  test('a ping through the door sets the date', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);

    await app.ping(`/${given.check.uuid}/fail`);

    assert.equal(await dateOf(app, given.ownerId), START + HOUR);
  });

  test('a date that is there is kept', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const second = await app.givenCheck(given.project, { status: 'up', lastPingAt: START });
    await app.receive(given.check, 'fail');

    app.clock.advance({ minutes: 30 });
    await app.receive(second, 'fail');

    assert.equal(await dateOf(app, given.ownerId), START + HOUR);
  });

  test('the last check that comes up clears the date, whatever project it is in', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const other = await app.givenProject({ ownerId: given.ownerId });
    const second = await app.givenCheck(other.project, { status: 'up', lastPingAt: START });
    await app.receive(given.check, 'fail');
    await app.receive(second, 'fail');

    await app.receive(given.check, 'success');
    assert.equal(await dateOf(app, given.ownerId), START + HOUR);
    await app.receive(second, 'success');

    assert.equal(await dateOf(app, given.ownerId), null);
  });

  test('pausing the last check that is down clears the date', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');

    await app.request('POST', `/api/v3/checks/${given.check.uuid}/pause`, { key: given.key });

    assert.equal(await dateOf(app, given.ownerId), null);
  });

  test('deleting the last check that is down clears the date, for members too', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const member = await addMember(app, given.project);
    await remind(app, member, 3600);
    await app.receive(given.check, 'fail');
    assert.equal(await dateOf(app, member), START + HOUR);

    await app.request('DELETE', `/api/v3/checks/${given.check.uuid}`, { key: given.key });

    assert.deepEqual([await dateOf(app, given.ownerId), await dateOf(app, member)], [null, null]);
  });

  test('a reminder is sent when it is due, and the next one dated', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');

    app.clock.set(START + HOUR - 1);
    await remindAndPost(app, given);
    assert.deepEqual(given.sender.subjects(), []);
    app.clock.advance({ minutes: 1 });
    await remindAndPost(app, given);
    await remindAndPost(app, given);

    const [mail] = given.sender.sent;
    assert.deepEqual(given.sender.subjects(), ['Still down: Backup']);
    assert.equal(mail?.to, (await mailPreferencesOf(app, given.ownerId)).email);
    assert.match(
      mail?.text ?? '',
      /^1 STILL DOWN {2}Backup {2}\(Reminder · Alpha\)\n[\s\S]*\* Backup · for 1 h 1 min\n {2}Since 12:00\. Failure signal\.\n/,
    );
    assert.equal(await dateOf(app, given.ownerId), app.clock.now() + HOUR);
  });

  test('where nothing is down any more the date is cleared, and no mail is sent', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const down = await app.receive(given.check, 'fail');
    // Past the code that keeps dates.
    await app.deps.store.transaction((tx) => tx.checks.saveState({ ...down, status: 'up' }));

    app.clock.advance({ hours: 1 });
    await remindAndPost(app, given);

    assert.deepEqual(given.sender.subjects(), []);
    assert.equal(await dateOf(app, given.ownerId), null);
  });

  test('what comes up before the mail leaves is not told', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const second = await app.givenCheck(given.project, { name: 'Other', status: 'up', lastPingAt: START });
    await app.receive(given.check, 'fail');
    await app.receive(second, 'fail');
    app.clock.advance({ hours: 1 });
    await queueReminders(app.deps, true);

    await app.receive(given.check, 'success');
    await post(app, given.sender);

    assert.deepEqual(given.sender.subjects(), ['Still down: Other']);
    assert.doesNotMatch(given.sender.sent[0]?.text ?? '', /Backup/);
  });

  test('a mail that finds nothing down is not sent', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });
    await queueReminders(app.deps, true);

    await app.receive(given.check, 'success');
    await post(app, given.sender);

    assert.deepEqual(given.sender.subjects(), []);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('what is overdue and not noticed yet is told with the rest', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.givenCheck(given.project, {
      name: 'Overdue',
      status: 'up',
      timeoutSeconds: 60,
      graceSeconds: 60,
      lastPingAt: START,
    });
    await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });

    await remindAndPost(app, given);

    assert.deepEqual(given.sender.subjects(), ['Still down: Overdue and Backup']);
  });

  test('whoever had no ping for 180 days is not reminded any more', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const down = await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });
    const lastReceivedAt = app.clock.now() - seconds(180 * 86_400) - 1;
    await app.deps.store.transaction((tx) => tx.checks.saveState({ ...down, lastReceivedAt }));

    await remindAndPost(app, given);

    assert.deepEqual(given.sender.subjects(), []);
    assert.equal(await dateOf(app, given.ownerId), null);
  });

  test('of several nodes one queues the reminder, and one sends it', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });

    await Promise.all([1, 2, 3].map(() => queueReminders(app.deps, true)));
    const senders = [1, 2, 3].map(() => newAccountMailSender(app, given.sender));
    await Promise.all(senders.map((mailSender) => mailSender.tick()));
    await Promise.all(senders.map((mailSender) => mailSender.settled()));

    assert.equal(given.sender.sent.length, 1);
  });

  test('a node whose clock is a little behind does not remind again', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app, 86_400);
    await app.receive(given.check, 'fail');
    app.clock.advance({ days: 1 });
    await remindAndPost(app, given);

    app.clock.advance({ seconds: -2 });
    await remindAndPost(app, given);

    assert.equal(given.sender.sent.length, 1);
  });

  test('a sender that dies after its claim loses nothing', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });
    await queueReminders(app.deps, true);
    const [lost] = await leaseMail(app.deps, 10);

    app.clock.advance({ seconds: 15 });
    await post(app, given.sender);

    assert.deepEqual(
      given.sender.sent.map(({ id }) => id),
      [lost?.uuid],
    );
  });

  test('while the mail server is away reminders do not pile up', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');
    given.sender.answer = () => 'Mail was not accepted: away';
    for (let hours = 0; hours < 5; hours++) {
      app.clock.advance({ hours: 1 });
      await remindAndPost(app, given);
    }
    given.sender.sent.length = 0;

    given.sender.answer = () => null;
    app.clock.advance({ minutes: 80 });
    await post(app, given.sender);

    assert.equal(given.sender.sent.length, 1);
  });

  test('a date that a wrong clock has given does not keep reminders away', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    app.clock.advance({ days: 100 });
    await app.receive(given.check, 'fail');

    app.clock.set(START);
    await queueReminders(app.deps, true);

    assert.equal(await dateOf(app, given.ownerId), START + HOUR);
  });

  test('where no mail can be sent dates move on, and nothing is queued', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });

    await queueReminders(app.deps, false);

    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
    assert.equal(await dateOf(app, given.ownerId), app.clock.now() + HOUR);
  });

  test('turning reminders on while something is down dates the first; turning them off forgets it', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app, 0);
    await app.receive(given.check, 'fail');
    assert.equal(await dateOf(app, given.ownerId), null);

    await remind(app, given.ownerId, 86_400);
    assert.equal(await dateOf(app, given.ownerId), START + 24 * HOUR);
    await remind(app, given.ownerId, 0);

    assert.equal(await dateOf(app, given.ownerId), null);
  });

  test('a reminder can be stopped by its link, which leaves reports alone', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    await app.receive(given.check, 'fail');
    app.clock.advance({ hours: 1 });
    await remindAndPost(app, given);
    const { headers = {} } = given.sender.sent[0] ?? {};
    const link = /^<http:\/\/testserver(.*)>$/.exec(headers['List-Unsubscribe'] ?? '')?.[1] ?? assert.fail();

    assert.match((await app.request('GET', link)).text, /<h1>Stop these reminders\?<\/h1>/);
    assert.equal((await mailPreferencesOf(app, given.ownerId)).reminderSeconds, 3600);
    assert.equal((await app.request('POST', link)).status, 200);

    const { reports, reminderSeconds, nextReminderAt } = await mailPreferencesOf(app, given.ownerId);
    assert.deepEqual([reports, reminderSeconds, nextReminderAt], ['monthly', 0, null]);
  });

  test('checks of two projects that go down and come up at once on several nodes leave the right dates', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const other = await app.givenProject();
    await app.deps.store.transaction((tx) =>
      tx.projects.addMember(other.project.id, given.ownerId, 'member', START),
    );
    await app.deps.store.transaction((tx) =>
      tx.projects.addMember(given.project.id, other.ownerId, 'member', START),
    );
    await remind(app, other.ownerId, 3600);
    const foreign = await app.givenCheck(other.project, { status: 'up', lastPingAt: START });

    for (let round = 0; round < 5; round++) {
      await Promise.all([app.receive(given.check, 'fail'), app.receive(foreign, 'success')]);
      assert.ok((await dateOf(app, given.ownerId)) !== null && (await dateOf(app, other.ownerId)) !== null);
      await Promise.all([app.receive(given.check, 'success'), app.receive(foreign, 'fail')]);
      assert.ok((await dateOf(app, given.ownerId)) !== null && (await dateOf(app, other.ownerId)) !== null);
    }
    await Promise.all([app.receive(given.check, 'success'), app.receive(foreign, 'success')]);

    assert.deepEqual([await dateOf(app, given.ownerId), await dateOf(app, other.ownerId)], [null, null]);
  });

  test('what is acknowledged is marked, what is snoozed or quiet is left out, and with nothing left there is no mail', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const other = await app.givenCheck(given.project, { name: 'Etl', status: 'up', lastPingAt: START });
    const deployed = await app.givenCheck(given.project, {
      ...{ name: 'Web', slug: 'web', status: 'up', lastPingAt: START },
    });
    const quiet = { key: given.key, body: { checks: ['web'], duration: 86_400 } };
    assert.equal((await app.request('POST', '/api/v3/quiet-times/', quiet)).status, 201);
    for (const check of [given.check, other, deployed]) await app.receive(check, 'fail');
    const anna = systemActor(given.project.id, {
      ...{ accountId: null, name: 'Anna', means: 'link', remoteAddr: null },
    });
    await acknowledgeCheck(app.deps, anna, given.check.id);
    await snoozeCheck(app.deps, anna, other.id, { for: seconds(86_400) });

    app.clock.advance({ hours: 1 });
    await remindAndPost(app, given);

    const [mail, ...more] = given.sender.sent;
    assert.deepEqual([mail?.subject, more], ['Still down: Backup', []]);
    assert.match(mail?.text ?? '', /acknowledged by Anna at/);
    assert.doesNotMatch(mail?.text ?? '', /Etl|Web/);
    await snoozeCheck(app.deps, anna, given.check.id, { for: seconds(86_400) });
    app.clock.advance({ hours: 1 });
    await remindAndPost(app, given);
    assert.equal(given.sender.sent.length, 1);
  });

  test('what nobody was told of yet names what it waits for', async () => {
    await using app = await startTestApp(engine);
    const given = await fixture(app);
    const [router, shop] = [
      await app.givenCheck(given.project, { name: 'Router', status: 'up', lastPingAt: START }),
      await app.givenCheck(given.project, { name: 'Shop', status: 'up', lastPingAt: START }),
    ];
    const edit = (check: Check, body: object) =>
      app.request('POST', `/api/v3/checks/${check.uuid}`, { key: given.key, body });
    assert.equal((await edit(given.check, { policy: 'twice' })).status, 200);
    assert.equal((await edit(shop, { parents: [router.uuid] })).status, 200);
    for (const check of [given.check, router, shop]) await app.receive(check, 'fail');

    app.clock.advance({ hours: 1 });
    await remindAndPost(app, given);

    const text = given.sender.sent[0]?.text ?? '';
    assert.match(text, /Since [^.]*, nobody told yet: first of 2 bad runs\./);
    assert.match(text, /Since [^.]*, waits for Router, down since [^.]*\./);
    assert.equal(text.match(/waits for|nobody told yet/g)?.length, 2);
  });
});
