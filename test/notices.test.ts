import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import type { Check } from '../src/domain/check/check.ts';
import { PLACEHOLDER_EMAIL } from '../src/domain/people/account.ts';
import { seconds } from '../src/lib/instant.ts';
import { queueBlindnessNotices } from '../src/services/mail/blind-spans.ts';
import { queueFlappingNotices } from '../src/services/mail/flapping.ts';
import type { Store } from '../src/storage/store.ts';
import { addMember, FakeMailSender, mailPreferencesOf, post } from './account-mails.ts';
import { leaseMail } from './alerts.ts';
import { START, startTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { NO_READS } from './node-parts.ts';
import { accountRecord } from './records.ts';

/** So many changes of status within the last hour. */
async function flip(app: TestApp, { id: checkId }: Check, count: number): Promise<void> {
  const now = app.clock.now();
  await app.deps.store.transaction((tx) =>
    tx.flips.insertMany(
      Array.from({ length: count }, (_, n) => ({
        checkId,
        createdAt: now - seconds(3600) + seconds(n),
        oldStatus: n % 2 === 0 ? ('up' as const) : ('down' as const),
        newStatus: n % 2 === 0 ? ('down' as const) : ('up' as const),
        reason: '' as const,
        cause: '',
      })),
    ),
  );
}

async function addresses(app: TestApp, ...accountIds: number[]): Promise<string[]> {
  const found = await Promise.all(accountIds.map((id) => mailPreferencesOf(app, id)));
  return found.map(({ email }) => email).sort();
}

async function tellAllFlapping(app: TestApp): Promise<void> {
  while (await queueFlappingNotices(app.deps));
}

async function queueAllBlindnessNotices(app: TestApp, sendsMail = true): Promise<void> {
  while (await queueBlindnessNotices(app.deps, sendsMail));
}

const recipients = ({ sent }: FakeMailSender) => sent.map(({ to }) => to).sort();

forEachEngine((engine) => {
  test('of 201 changes within a day owner and members are told; of 200 nobody', async () => {
    await using app = await startTestApp(engine);
    const { project, ownerId } = await app.givenProject();
    const member = await addMember(app, project);
    await app.givenProject();
    const [restless, lively] = [
      await app.givenCheck(project, { name: 'Restless' }),
      await app.givenCheck(project, { name: 'Lively' }),
    ];
    await flip(app, restless, 201);
    await flip(app, lively, 200);
    const sender = new FakeMailSender();

    await tellAllFlapping(app);
    await post(app, sender);

    assert.deepEqual(sender.subjects(), Array(2).fill('The check "Restless" is flapping'));
    assert.deepEqual(recipients(sender), await addresses(app, ownerId, member));
    assert.match(sender.sent[0]?.text ?? '', /project Alpha changed\sits status 201 times/);
    assert.equal(sender.sent[0]?.headers['List-Unsubscribe'], undefined);
  });

  test('of a check that goes on flapping people are told once in a day', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    const check = await app.givenCheck(project);
    const sender = new FakeMailSender();
    const hours: number[] = [];

    for (let hour = 0; hour <= 48; hour++) {
      await flip(app, check, 50);
      await tellAllFlapping(app);
      await post(app, sender);
      if (sender.sent.length > hours.length) hours.push(hour);
      app.clock.advance({ hours: 1 });
    }

    assert.deepEqual(hours, [4, 28]);
  });

  test('flapping is looked for once in an hour, by one of several nodes', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    const [first, second] = [await app.givenCheck(project), await app.givenCheck(project)];
    await flip(app, first, 201);
    const sender = new FakeMailSender();

    await Promise.all([1, 2, 3].map(() => queueFlappingNotices(app.deps)));
    await flip(app, second, 201);
    app.clock.advance({ minutes: 59 });
    await tellAllFlapping(app);
    await post(app, sender);
    assert.equal(sender.sent.length, 1);
    app.clock.advance({ minutes: 1 });
    await tellAllFlapping(app);
    await post(app, sender);

    assert.equal(sender.sent.length, 2);
  });

  test('a node that dies while it looks for flapping checks is followed by another', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    await flip(app, await app.givenCheck(project), 201);
    await assert.rejects(queueFlappingNotices({ ...app.deps, reads: NO_READS }));
    const sender = new FakeMailSender();

    await tellAllFlapping(app);
    await post(app, sender);
    assert.equal(sender.sent.length, 0);
    app.clock.advance({ minutes: 5 });
    await tellAllFlapping(app);
    await post(app, sender);

    assert.equal(sender.sent.length, 1);
  });

  test('more flapping checks than are told of at once are all told of', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject({ limits: { checks: 1000, pings: 10 } });
    for (let n = 0; n < 101; n++) await flip(app, await app.givenCheck(project), 201);
    const sender = new FakeMailSender();

    await tellAllFlapping(app);
    await post(app, sender);

    assert.equal(sender.sent.length, 101);
  });

  test('a check that is deleted is not told of', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    const check = await app.givenCheck(project);
    await flip(app, check, 201);
    await tellAllFlapping(app);

    await app.deps.store.transaction((tx) => tx.checks.delete(check));
    const sender = new FakeMailSender();
    await post(app, sender);

    assert.deepEqual(sender.sent, []);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('of a time of blindness everybody with a check that is watched is told, once', async () => {
    await using app = await startTestApp(engine);
    const deadlineLoop = new DeadlineLoop(app.deps, pino({ level: 'silent' }));
    await deadlineLoop.tick();
    const mine = await app.givenProject();
    const other = await app.givenProject();
    const [idle, empty] = [await app.givenProject(), await app.givenProject()];
    const member = await addMember(app, mine.project);
    const watched = { status: 'up', lastPingAt: START, timeoutSeconds: 3600, graceSeconds: 60 } as const;
    await app.givenCheck(mine.project, watched);
    await app.givenCheck(mine.project, watched);
    await app.givenCheck(mine.project, { ...watched, timeoutSeconds: 86_400 });
    await app.givenCheck(other.project, { ...watched, timeoutSeconds: 86_400 });
    await app.givenCheck(idle.project, { status: 'paused' });
    const sender = new FakeMailSender();

    app.clock.advance({ hours: 3 });
    await deadlineLoop.tick();
    await queueAllBlindnessNotices(app);
    await queueAllBlindnessNotices(app);
    await post(app, sender);

    assert.deepEqual(recipients(sender), await addresses(app, mine.ownerId, member, other.ownerId));
    assert.ok(!recipients(sender).includes((await mailPreferencesOf(app, empty.ownerId)).email));
    const { email } = await mailPreferencesOf(app, mine.ownerId);
    const text = (to: string) => sender.sent.find((mail) => mail.to === to)?.text ?? '';
    assert.match(sender.sent[0]?.subject ?? '', /not watching for 3 hours/i);
    assert.match(text(email), /\b2 of your checks/);
    const [theirs = ''] = await addresses(app, other.ownerId);
    assert.match(text(theirs), /None of your checks/);
  });

  test('a node that dies while it tells of blindness neither forgets nor repeats', async () => {
    await using app = await startTestApp(engine);
    const ids: number[] = [];
    for (let n = 0; n < 205; n++) {
      const { project, ownerId } = await app.givenProject();
      await app.givenCheck(project, { status: 'up', lastPingAt: START });
      ids.push(ownerId);
    }
    await app.deps.store.transaction((tx) => tx.liveness.addBlindSpan({ from: START, until: START + 1 }));
    const failing: Store = {
      ...app.deps.store,
      transaction: (work) =>
        app.deps.store.transaction(async (tx) => {
          await work(tx);
          throw new Error('killed before the commit');
        }),
    };
    const sender = new FakeMailSender();

    await assert.rejects(queueBlindnessNotices({ ...app.deps, store: failing }, true));
    await queueBlindnessNotices(app.deps, true);
    await assert.rejects(queueBlindnessNotices({ ...app.deps, store: failing }, true));
    await Promise.all([queueBlindnessNotices(app.deps, true), queueBlindnessNotices(app.deps, true)]);
    await queueAllBlindnessNotices(app);
    await post(app, sender);

    assert.deepEqual(recipients(sender), await addresses(app, ...ids));
  });

  test('a notice whose sender dies is sent by another', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    await app.givenCheck(project, { status: 'up', lastPingAt: START });
    await app.deps.store.transaction((tx) => tx.liveness.addBlindSpan({ from: START, until: START + 1 }));
    await queueAllBlindnessNotices(app);
    await leaseMail(app.deps, 10);
    const sender = new FakeMailSender();

    app.clock.advance({ seconds: 15 });
    await post(app, sender);

    assert.equal(sender.sent.length, 1);
  });

  test('where no mail can be sent blindness counts as told, and is not told when there is a mail server later', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    await app.givenCheck(project, { status: 'up', lastPingAt: START });
    await app.deps.store.transaction((tx) => tx.liveness.addBlindSpan({ from: START, until: START + 1 }));

    await queueAllBlindnessNotices(app, false);
    await queueAllBlindnessNotices(app, true);

    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });

  test('the owner that a new installation begins with has no mailbox, and is not written to', async () => {
    await using app = await startTestApp(engine);
    const account = await app.deps.store.transaction((tx) =>
      tx.accounts.insert(accountRecord({ email: PLACEHOLDER_EMAIL, createdAt: START })),
    );
    const { project } = await app.givenProject({ ownerId: account.id });
    await app.givenCheck(project, { status: 'up', lastPingAt: START });
    await app.deps.store.transaction((tx) => tx.liveness.addBlindSpan({ from: START, until: START + 1 }));
    const sender = new FakeMailSender();

    await queueAllBlindnessNotices(app);
    await post(app, sender);

    assert.deepEqual(sender.sent, []);
    assert.equal(await app.deps.store.mails.nextAttemptAt(), null);
  });
});
