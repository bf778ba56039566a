import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountRecord,
  addCheck,
  flipRecord,
  givenCheck,
  givenProject,
  mailRecord,
  projectRecord,
  unique,
} from '../../../test/records.ts';
import type { MailSubject, QueuedMail } from '../../domain/alert/mail.ts';
import type { MailPreferences } from '../../domain/people/account.ts';
import type { Store } from '../store.ts';
import { LARGEST, MICROSECOND, plain } from './records.test-support.ts';

export function mailPreferences(store: () => Store): void {
  const join = (projectId: number, accountId: number) =>
    store().transaction((tx) => tx.projects.addMember(projectId, accountId, 'member', MICROSECOND));
  const of = async (accountId: number): Promise<MailPreferences> =>
    plain(await store().mailPreferences.ofAccount(accountId)) ?? assert.fail();

  test('of a new account is a monthly report without a date, and no reminders', async () => {
    const { account } = await givenProject(store());

    const expected = {
      accountId: account.id,
      uuid: account.uuid,
      email: account.email,
      tz: 'UTC',
      reports: 'monthly',
      nextReportAt: null,
      reminderSeconds: 0,
      nextReminderAt: null,
      language: '',
      dateFormat: 'text',
      clock: '24h',
    };
    assert.deepEqual(await of(account.id), expected);
    assert.deepEqual(plain(await store().mailPreferences.byUuid(account.uuid)), expected);
    assert.equal(await store().mailPreferences.ofAccount(0), null);
    assert.equal(await store().mailPreferences.byUuid(unique()), null);
  });

  test('changes for the one account, and begins anew when its reports change', async () => {
    const [{ account }, { account: other }] = [await givenProject(store()), await givenProject(store())];
    const before = await of(account.id);
    await store().transaction((tx) => tx.mailPreferences.moveReport(before, MICROSECOND));

    await store().transaction(async (tx) => {
      await tx.mailPreferences.setReports(account.id, 'weekly', 'Europe/Riga');
      await tx.mailPreferences.setReminders(account.id, 3600);
    });

    assert.deepEqual(await of(account.id), {
      ...before,
      reports: 'weekly',
      tz: 'Europe/Riga',
      reminderSeconds: 3600,
    });
    assert.deepEqual((await of(other.id)).reports, 'monthly');
  });

  test('has its report moved by whoever knows the present date, once', async () => {
    const { account } = await givenProject(store());
    const fresh = await of(account.id);
    const move = (from: MailPreferences, to: number) =>
      store().transaction((tx) => tx.mailPreferences.moveReport(from, to));

    const moves = await Promise.all([1, 2, 3].map((n) => move(fresh, MICROSECOND + n)));
    const dated = await of(account.id);

    assert.equal(moves.filter(Boolean).length, 1);
    assert.equal(await move({ ...dated, reports: 'daily' }, LARGEST), false);
    assert.equal(await move({ ...dated, tz: 'Europe/Riga' }, LARGEST), false);
    assert.equal(await move(dated, LARGEST), true);
    assert.equal((await of(account.id)).nextReportAt, LARGEST);
  });

  test('without a date for its report is found, unless reports are off', async () => {
    const accounts = await Promise.all([1, 2, 3].map(async () => (await givenProject(store())).account));
    const [fresh, off, dated] = accounts;
    if (fresh === undefined || off === undefined || dated === undefined) assert.fail();
    const datedOne = await of(dated.id);
    await store().transaction(async (tx) => {
      await tx.mailPreferences.setReports(off.id, 'off', 'UTC');
      await tx.mailPreferences.moveReport(datedOne, LARGEST);
    });

    const ids = async (latest: number) =>
      (await store().mailPreferences.withoutReportDate(latest, 1000)).map(({ accountId }) => accountId);
    const found = await ids(LARGEST);

    assert.deepEqual(
      [fresh.id, off.id, dated.id].map((id) => found.includes(id)),
      [true, false, false],
    );
    assert.ok((await ids(LARGEST - 1)).includes(dated.id), 'a date that cannot be');
    assert.equal((await store().mailPreferences.withoutReportDate(LARGEST, 1)).length, 1);
  });

  test('whose report is due is found, the longest overdue first', async () => {
    const accounts = await Promise.all(
      [3, 1, 2].map(async (at) => ({ ...(await givenProject(store())), at })),
    );
    for (const { account, at } of accounts) {
      const from = await of(account.id);
      await store().transaction((tx) => tx.mailPreferences.moveReport(from, at));
    }
    const mine = new Map(accounts.map(({ account, at }) => [account.id, at]));

    const due = async (now: number) =>
      (await store().mailPreferences.dueReports(now, 100)).flatMap(
        ({ accountId }) => mine.get(accountId) ?? [],
      );

    assert.deepEqual([await due(0), await due(2), await due(3)], [[], [1, 2], [1, 2, 3]]);
  });

  test('knows of pings to own checks and to those of projects one is a member of, and of no others', async () => {
    const [{ account, project }, { project: shared }, { project: foreign }] = [
      await givenProject(store()),
      await givenProject(store()),
      await givenProject(store()),
    ];
    const pinged = (since: number) => store().mailPreferences.wasPinged(account.id, since);
    await addCheck(store(), project);
    await addCheck(store(), foreign, { lastReceivedAt: LARGEST });
    assert.equal(await pinged(0), false);

    await addCheck(store(), project, { lastReceivedAt: MICROSECOND });
    assert.deepEqual([await pinged(MICROSECOND), await pinged(MICROSECOND + 1)], [true, false]);
    await addCheck(store(), shared, { lastReceivedAt: MICROSECOND + 1 });
    assert.equal(await pinged(MICROSECOND + 1), false);
    await join(shared.id, account.id);
    assert.equal(await pinged(MICROSECOND + 1), true);
  });

  test('knows of checks that are down, noticed or not, own ones and shared ones, and of no others', async () => {
    const [{ account, project }, { project: shared }, { project: foreign }] = [
      await givenProject(store()),
      await givenProject(store()),
      await givenProject(store()),
    ];
    const hasDown = () => store().mailPreferences.hasDown(account.id, MICROSECOND);
    const downOf = async ({ id }: { id: number }) =>
      (await store().checks.downOfProject(id, MICROSECOND)).map((check) => check.id);
    await addCheck(store(), project, { status: 'up', deadlineAt: MICROSECOND + 1 });
    await addCheck(store(), foreign, { status: 'down' });
    assert.deepEqual([await hasDown(), await downOf(project)], [false, []]);

    const overdue = await addCheck(store(), project, { status: 'up', deadlineAt: MICROSECOND });
    assert.deepEqual([await hasDown(), await downOf(project)], [true, [overdue.id]]);
    await store().transaction((tx) => tx.checks.delete(overdue));
    const down = await addCheck(store(), shared, { status: 'down' });
    assert.equal(await hasDown(), false);
    await join(shared.id, account.id);
    assert.deepEqual([await hasDown(), await downOf(shared)], [true, [down.id]]);
  });

  test('that wants reminders is found by the checks of own and shared projects', async () => {
    const [owner, member, second, foreign] = [
      await givenProject(store()),
      await givenProject(store()),
      await givenProject(store()),
      await givenProject(store()),
    ];
    await join(owner.project.id, member.account.id);
    await join(owner.project.id, second.account.id);
    const check = await addCheck(store(), owner.project);
    const other = await addCheck(store(), foreign.project);
    const reminded = (...ids: number[]) =>
      store().transaction((tx) => tx.mailPreferences.lockAccountsToRemind(ids));
    assert.deepEqual(await reminded(check.id, other.id), []);

    await store().transaction(async (tx) => {
      for (const { account } of [second, owner, foreign])
        await tx.mailPreferences.setReminders(account.id, 3600);
    });

    assert.deepEqual(await reminded(check.id), [owner.account.id, second.account.id]);
    assert.deepEqual(await reminded(other.id, check.id), [
      owner.account.id,
      second.account.id,
      foreign.account.id,
    ]);
    assert.deepEqual(await reminded(), []);
  });

  test('gets a date for a reminder while something is down, keeps it, and loses it when nothing is', async () => {
    const { account, project } = await givenProject(store());
    const { account: other } = await givenProject(store());
    const check = await addCheck(store(), project);
    await store().transaction(async (tx) => {
      for (const { id } of [account, other]) await tx.mailPreferences.setReminders(id, 86_400);
    });
    const review = async (status: 'up' | 'down', now: number) => {
      await store().transaction(async (tx) => {
        await tx.checks.saveState({ ...check, status });
        await tx.mailPreferences.updateReminderDates([account.id, other.id], now);
      });
      return [(await of(account.id)).nextReminderAt, (await of(other.id)).nextReminderAt];
    };
    const day = 86_400_000_000;

    assert.deepEqual(await review('up', MICROSECOND), [null, null]);
    assert.deepEqual(await review('down', MICROSECOND), [MICROSECOND + day, null]);
    assert.deepEqual(await review('down', MICROSECOND + 1), [MICROSECOND + day, null]);
    assert.deepEqual(await review('up', MICROSECOND + 2), [null, null]);
  });

  test('has its reminder moved by whoever knows the present date, once', async () => {
    const { account, project } = await givenProject(store());
    await addCheck(store(), project, { status: 'down' });
    await store().transaction(async (tx) => {
      await tx.mailPreferences.setReminders(account.id, 3600);
      await tx.mailPreferences.updateReminderDates([account.id], 0);
    });
    const first = await of(account.id);
    const dueAt = async (now: number, latest = LARGEST) =>
      (await store().mailPreferences.dueReminders(now, latest, 100)).some(
        ({ accountId }) => accountId === account.id,
      );
    const move = (from: MailPreferences, to: number | null) =>
      store().transaction((tx) => tx.mailPreferences.moveReminder(from, to));

    assert.deepEqual([await dueAt(3_599_999_999), await dueAt(3_600_000_000)], [false, true]);
    assert.equal(await dueAt(0, 3_599_999_999), true, 'a date that cannot be');
    const moves = await Promise.all([1, 2, 3].map((n) => move(first, 3_600_000_000 + n)));
    assert.equal(moves.filter(Boolean).length, 1);
    const second = await of(account.id);
    assert.equal(await move({ ...second, reminderSeconds: 86_400 }, null), false);
    assert.equal(await move(second, null), true);
    assert.equal(await move({ ...second, nextReminderAt: null }, 1), false, 'what has no date is not moved');
    assert.equal(await dueAt(LARGEST), false);
  });

  test('is about projects that one owns or is a member of, each once', async () => {
    const [{ account, project }, { project: shared }] = [
      await givenProject(store()),
      await givenProject(store()),
    ];
    await givenProject(store());
    assert.equal(await join(shared.id, account.id), true);
    assert.equal(await join(shared.id, account.id), false);
    await join(project.id, account.id);
    const second = await store().transaction((tx) => tx.projects.insert(projectRecord(account.id)));

    const found = await store().projects.accessibleTo(account.id);

    assert.deepEqual(
      found.map(({ id }) => id),
      [project.id, shared.id, second.id],
    );
  });

  test('is about checks that are read in pages', async () => {
    const { project } = await givenProject(store());
    await givenCheck(store());
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push((await addCheck(store(), project)).id);

    const page = async (after: number) =>
      (await store().checks.pageOfProject(project.id, after, 2)).map(({ id }) => id);

    assert.deepEqual(await page(0), ids.slice(0, 2));
    assert.deepEqual(await page(ids[1] ?? 0), ids.slice(2, 4));
    assert.deepEqual(await page(ids[3] ?? 0), ids.slice(4));
    assert.deepEqual(await page(ids[4] ?? 0), []);
  });

  test('is about flips of several checks since some time', async () => {
    const [one, two, other] = [
      await givenCheck(store()),
      await givenCheck(store()),
      await givenCheck(store()),
    ];
    await store().transaction((tx) =>
      tx.flips.insertMany(
        [one, two, other].flatMap(({ id }) =>
          [-1, 0, 1].map((n) => flipRecord(id, { createdAt: MICROSECOND + n })),
        ),
      ),
    );

    const found = await store().flips.ofChecks([one.id, two.id], MICROSECOND);

    assert.deepEqual(
      found.map(({ checkId, createdAt }) => [checkId, createdAt - MICROSECOND]).sort(),
      [
        [one.id, 0],
        [one.id, 1],
        [two.id, 0],
        [two.id, 1],
      ].sort(),
    );
    assert.deepEqual(await store().flips.ofChecks([], 0), []);
  });

  test('is about times of blindness that were not over by then', async () => {
    const at = LARGEST - 1000;
    await store().transaction(async (tx) => {
      for (const n of [0, 10, 20]) await tx.liveness.addBlindSpan({ from: at + n, until: at + n + 5 });
    });

    const since = async (from: number) =>
      (await store().liveness.blindSpansSince(from)).map((span) => span.from - at);

    assert.deepEqual(
      [await since(at + 4), await since(at + 15), await since(at + 25)],
      [[20, 10, 0], [20], []],
    );
  });
}

export function notices(store: () => Store): void {
  const join = (projectId: number, accountId: number) =>
    store().transaction((tx) => tx.projects.addMember(projectId, accountId, 'member', MICROSECOND));

  test('of checks that change their status too often: more than that, in the span, and not told lately', async () => {
    // Far from the flips of other tests.
    const at = LARGEST - 1_000_000;
    const [often, enough, told] = [
      await givenCheck(store()),
      await givenCheck(store()),
      await givenCheck(store()),
    ];
    const flipsOf = ({ id }: { id: number }, count: number) =>
      Array.from({ length: count }, (_, n) => flipRecord(id, { createdAt: at + n }));
    await store().transaction(async (tx) => {
      await tx.flips.insertMany([...flipsOf(often, 3), ...flipsOf(enough, 2), ...flipsOf(told, 3)]);
      await tx.flips.noteFlapping([told.id], at, 0);
    });
    const query = { since: at - 1, until: at + 10, moreThan: 2, notToldSince: at - 1, limit: 10 };
    const found = async (overrides: Partial<typeof query> = {}) =>
      (await store().flips.flapping({ ...query, ...overrides })).map(plain);

    assert.deepEqual(await found(), [{ checkId: often.id, flips: 3 }]);
    assert.deepEqual(await found({ since: at }), []);
    assert.deepEqual(await found({ until: at + 1 }), []);
    const both = [often.id, told.id].map((checkId) => ({ checkId, flips: 3 }));
    assert.deepEqual(await found({ notToldSince: at }), both);
    assert.deepEqual(await found({ notToldSince: at, limit: 1 }), both.slice(0, 1));
  });

  test('of such checks are given once in a while, however many want to', async () => {
    const [one, gone] = [await givenCheck(store()), await givenCheck(store())];
    await store().transaction((tx) => tx.checks.delete(gone));
    const note = (now: number, notSince: number) =>
      store().transaction((tx) => tx.flips.noteFlapping([one.id, gone.id], now, notSince));

    const notes = await Promise.all([note(10, 5), note(10, 5), note(10, 5)]);

    assert.deepEqual(notes.flat(), [one.id]);
    assert.deepEqual([await note(20, 9), await note(20, 10)], [[], [one.id]]);
    await store().transaction((tx) => tx.checks.delete(one));
  });

  test('go to owner and members, each once', async () => {
    const [mine, other] = [await givenProject(store()), await givenProject(store())];
    await join(mine.project.id, other.account.id);
    await join(mine.project.id, mine.account.id);
    const [one, two] = [await addCheck(store(), mine.project), await addCheck(store(), other.project)];

    const readers = await store().mailPreferences.readersOf([one.id, two.id]);

    assert.deepEqual(
      readers.map(({ checkId, accountId }) => [checkId, accountId]).sort(),
      [
        [one.id, mine.account.id],
        [one.id, other.account.id],
        [two.id, other.account.id],
      ].sort(),
    );
    assert.deepEqual(await store().mailPreferences.readersOf([]), []);
  });

  test('of blindness concern whoever has a check that is watched, and count what was excused', async () => {
    const at = MICROSECOND + 1_000;
    const [owner, member, idle, late] = [
      await givenProject(store()),
      await givenProject(store()),
      await givenProject(store()),
      await givenProject(store(), { account: { createdAt: at + 1 } }),
    ];
    await join(owner.project.id, member.account.id);
    await addCheck(store(), owner.project, { status: 'up', excusedUntilAt: at + 1 });
    await addCheck(store(), owner.project, { status: 'up', excusedUntilAt: at });
    await addCheck(store(), member.project, { status: 'new', excusedUntilAt: at + 1 });
    await addCheck(store(), idle.project, { status: 'paused' });
    await addCheck(store(), late.project, { status: 'up' });

    const page = await store().mailPreferences.afterBlindness(owner.account.id - 1, 4, at);

    assert.deepEqual(page, [
      { accountId: owner.account.id, isConcerned: true, excused: 1 },
      { accountId: member.account.id, isConcerned: true, excused: 2 },
      { accountId: idle.account.id, isConcerned: false, excused: 0 },
      { accountId: late.account.id, isConcerned: false, excused: 0 },
    ]);
    assert.equal((await store().mailPreferences.afterBlindness(owner.account.id, 2, at)).length, 2);
    assert.deepEqual(await store().mailPreferences.afterBlindness(late.account.id, 2, at), []);
  });

  test('of blindness are given in steps, the oldest time first, each step once', async () => {
    const tell = async (to: number | null) => {
      const span = await store().liveness.untoldSpan();
      return span && store().transaction((tx) => tx.liveness.moveTold(span.id, span.toldUpTo, to));
    };
    while ((await tell(null)) !== null);
    await store().transaction(async (tx) => {
      await tx.liveness.addBlindSpan({ from: 1, until: 2 });
      await tx.liveness.addBlindSpan({ from: 3, until: 4 });
    });

    const first = (await store().liveness.untoldSpan()) ?? assert.fail();
    assert.deepEqual([first.from, first.until, first.toldUpTo], [1, 2, 0]);
    const moves = await Promise.all(
      [7, 7, 7].map((to) => store().transaction((tx) => tx.liveness.moveTold(first.id, 0, to))),
    );
    assert.equal(moves.filter(Boolean).length, 1);
    assert.equal((await store().liveness.untoldSpan())?.toldUpTo, 7);
    await tell(null);
    assert.equal((await store().liveness.untoldSpan())?.from, 3);
    await tell(null);

    assert.equal(await store().liveness.untoldSpan(), null);
  });
}

export function jobs(store: () => Store): void {
  test('are claimed by one when they are due, and anew when the claim has run out', async () => {
    const name = unique();
    const claim = (now: number, until: number) =>
      store().transaction((tx) => tx.jobs.claim(name, now, until, now + 100));
    assert.equal(await store().jobs.dueAt(name), null);

    const claims = await Promise.all([claim(10, 20), claim(10, 20), claim(10, 20)]);

    assert.equal(claims.filter(Boolean).length, 1);
    assert.deepEqual([await claim(19, 30), await claim(20, 30)], [false, true]);
    await store().transaction((tx) => tx.jobs.postpone(name, 50));
    assert.equal(await store().jobs.dueAt(name), 50);
    assert.deepEqual([await claim(49, 60), await claim(50, 60)], [false, true]);
    await store().transaction((tx) => tx.jobs.postpone(name, 201));
    assert.deepEqual([await claim(101, 110), await claim(100, 110)], [false, true]);
  });
}

export function mails(store: () => Store): void {
  /** At most `limit` of each account. */
  const lease = (now: number, until: number, limit = 1000) =>
    store().transaction(async (tx) => {
      await tx.mails.endLapsed(now);
      const waiting = await tx.mails.waitingAccounts({ above: -1, upTo: LARGEST, limit: 10_000 });
      return tx.mails.lease({ now, until, turns: waiting.map(({ id }) => ({ accountId: id, limit })) });
    });
  const settle = (mail: QueuedMail) => store().transaction((tx) => tx.mails.settle([mail]));
  const account = () => store().transaction((tx) => tx.accounts.insert(accountRecord()));
  const finish = (mail: QueuedMail, at: number) =>
    settle({ ...mail, state: 'delivered', nextAttemptAt: null, finishedAt: at });

  const due = (accountId: number) => mailRecord(accountId, { nextAttemptAt: 1 });

  /** Leases everything and settles it, so that a test finds only mails of its own. */
  const clear = async () => {
    for (const mail of await lease(LARGEST, LARGEST)) await finish(mail, LARGEST);
  };

  test('keep every field, and whatever their subject says', async () => {
    await clear();
    const { id } = await account();
    const subjects: MailSubject[] = [
      { kind: 'report', parameters: { period: 'weekly', at: LARGEST } },
      { kind: 'reminder', parameters: {} },
      { kind: 'flapping', parameters: { checkId: LARGEST, flips: 201 } },
      { kind: 'blindness', parameters: { from: 1, until: MICROSECOND, excused: 7 } },
    ];
    const records = subjects.map((subject) => mailRecord(id, { subject, nextAttemptAt: MICROSECOND }));

    await store().transaction((tx) => tx.mails.insertMany(records));
    await store().transaction((tx) => tx.mails.insertMany([]));

    const leased = await lease(MICROSECOND, LARGEST);
    assert.deepEqual(
      leased.map(({ id: _id, ...mail }) => mail),
      records.map((record) => ({ ...record, attemptCount: 1, leasedUntilAt: LARGEST })),
    );
  });

  test('are leased by one, once, and again when the lease has run out', async () => {
    await clear();
    const { id } = await account();
    await store().transaction((tx) => tx.mails.insertMany([mailRecord(id, { nextAttemptAt: 10 })]));

    assert.equal(await store().mails.nextAttemptAt(), 10);
    assert.deepEqual(await lease(9, 50), []);
    const leases = await Promise.all([lease(10, 50), lease(10, 50), lease(10, 50)]);
    assert.equal(leases.flat().length, 1);
    assert.equal(await store().mails.nextAttemptAt(), 50);
    const [again] = await lease(50, 90);

    assert.deepEqual([again?.attemptCount, again?.nextAttemptAt, again?.leasedUntilAt], [2, 10, 90]);
    const [first] = leases.flat();
    assert.deepEqual(await finish(first ?? assert.fail(), 60), [], 'the first lease is void');
    assert.deepEqual(await finish(again ?? assert.fail(), 60), [again?.id]);
    assert.deepEqual(await lease(LARGEST, LARGEST), []);
  });

  test('whose lease is extended stay leased; what has failed meanwhile is not brought forward', async () => {
    await clear();
    const { id } = await account();
    await store().transaction((tx) => tx.mails.insertMany([due(id), due(id)]));
    const [slow, failed] = await lease(LARGEST, 50);
    if (slow === undefined || failed === undefined) assert.fail();
    await settle({ ...failed, error: 'busy', nextAttemptAt: 1000 });

    await store().transaction((tx) => tx.mails.extend([slow, failed], 70));

    assert.deepEqual(
      (await lease(70, 80)).map((mail) => mail.id),
      [slow.id],
    );
    assert.deepEqual(
      (await lease(1000, 1001)).map((mail) => mail.id),
      [slow.id, failed.id],
    );
  });

  test('that were leased can be given back at once; pauses after failures go on', async () => {
    await clear();
    const { id } = await account();
    await store().transaction((tx) => tx.mails.insertMany([due(id), due(id), due(id)]));
    const [leased, failed] = await lease(LARGEST, 50, 2);
    if (leased === undefined || failed === undefined) assert.fail();
    await settle({ ...failed, error: 'busy', nextAttemptAt: 1000 });

    assert.equal(await store().transaction((tx) => tx.mails.releaseAll()), 1);

    const [back] = await lease(20, 60);
    assert.deepEqual([back?.id, back?.attemptCount], [leased.id, 1]);
    const [retried] = await lease(1000, 1001, 1);
    assert.equal(retried?.id, leased.id);
    await lease(1000, 1001);
    assert.equal(await store().transaction((tx) => tx.mails.releaseAll()), 3, 'a retry is a lease again');
  });

  test('are open until they are over, for each account and kind', async () => {
    const [one, two] = [await account(), await account()];
    await store().transaction((tx) => tx.mails.insertMany([mailRecord(one.id)]));
    const hasOpen = (id: number, kind: MailSubject['kind']) => store().mails.hasOpen(id, kind);

    assert.deepEqual(
      [await hasOpen(one.id, 'reminder'), await hasOpen(one.id, 'report'), await hasOpen(two.id, 'reminder')],
      [true, false, false],
    );
    await clear();
    assert.equal(await hasOpen(one.id, 'reminder'), false);
  });

  test('tell when the last one of a kind was sent to an account', async () => {
    await clear();
    const [one, two] = [await account(), await account()];
    const lastSent = (id: number) => store().mails.lastSentAt(id, 'reminder');
    assert.equal(await lastSent(one.id), null);
    await store().transaction((tx) => tx.mails.insertMany([due(one.id), due(one.id), due(two.id)]));
    const leased = await lease(LARGEST, 50);
    const [first, second, foreign] = leased.toSorted((a, b) => a.id - b.id);
    if (first === undefined || second === undefined || foreign === undefined) assert.fail();
    await settle({ ...first, state: 'delivered', nextAttemptAt: null, finishedAt: 70 });
    await settle({ ...second, state: 'given_up', nextAttemptAt: null, finishedAt: 80 });
    await settle({ ...foreign, state: 'delivered', nextAttemptAt: null, finishedAt: 90 });

    assert.deepEqual([await lastSent(one.id), await lastSent(two.id)], [70, 90]);
    assert.equal(await store().mails.lastSentAt(one.id, 'report'), null);
  });

  test('that were finished long ago are removed, some at a time', async () => {
    await clear();
    const { id } = await account();
    await store().transaction((tx) =>
      tx.mails.insertMany(Array.from({ length: 5 }, () => mailRecord(id, { nextAttemptAt: 1 }))),
    );
    const leased = await lease(1, 2);
    for (const [index, mail] of leased.slice(0, 4).entries()) await finish(mail, index);
    const prune = (most: number) => store().transaction((tx) => tx.mails.prune(3, most));

    assert.deepEqual([await prune(2), await prune(2), await prune(2)], [2, 1, 0]);
    assert.equal(await store().mails.hasOpen(id, 'reminder'), true);
  });
}
