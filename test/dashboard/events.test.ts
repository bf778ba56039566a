import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { withSnakeCase } from '../../src/lib/snake-case.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { MAX_SEARCHED_BYTES } from '../../src/services/history/event-bodies.ts';
import { MAX_PAGE_EVENTS } from '../../src/services/history/event-log.ts';
import { Pruner } from '../../src/services/ping/pruning.ts';
import { FakeSender, failure, newNotifier, OK } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { askEvents } from './ask-events.ts';
import type { Browser } from './browser.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

const RUN_A = '5c7e2a10-93b4-4d6f-8a21-00000000000a';
const RUN_B = '5c7e2a10-93b4-4d6f-8a21-00000000000b';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenWatched(overrides: Partial<Check> = {}) {
    const team = await givenTeam(app());
    const check = await app().givenCheck(team.project, {
      ...{ status: 'up', lastPingAt: app().clock.now(), timeoutSeconds: 3600, graceSeconds: 3600 },
      ...overrides,
    });
    return { ...team, check, events: `/checks/${check.uuid}/events` };
  }

  const ask = (browser: Browser, address: string) => {
    const [path = '', query] = address.split('?');
    return askEvents(browser, path.replace('/events', ''), query);
  };

  async function read(browser: Browser, address: string) {
    const reply = await ask(browser, address);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a page of events holds.
  const told = (page: any): string[] =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    page.events.map((event: any) =>
      event.kind === 'flip'
        ? `${event.oldStatus} > ${event.newStatus}`
        : `${event.result ?? event.kind} ${event.signals.map(({ n }: { n: number }) => n).join(',')}`,
    );

  /** Limits the pings that are kept of each check. */
  async function limitPings({ id }: Project, pings: number): Promise<void> {
    await app().deps.store.transaction(async (tx) => {
      const owner = await tx.accounts.ownerOf(id);
      await tx.accounts.setLimits(owner?.id ?? 0, { checks: 100, pings });
    });
  }

  /** Sends all messages that are due. */
  async function deliver(outcome = OK): Promise<void> {
    const sender = new FakeSender();
    sender.answer = () => outcome;
    const notifier = newNotifier(app(), sender);
    while ((await notifier.tick()) === true) await notifier.settled();
  }

  const minute = () => app().clock.advance({ minutes: 1 });

  test('failures stay among the events and on the page of their check when their pings are gone', async () => {
    const { browser, project, check, events } = await givenWatched({ runRules: '{"exit_map":"24=warn"}' });
    await limitPings(project, 5);
    await app().ping(`/${check.uuid}/3`, { method: 'POST', body: 'copying\ndisk full' });
    minute();
    await app().ping(`/${check.uuid}/24`);
    for (let n = 3; n <= 8; n++) {
      minute();
      await app().ping(`/${check.uuid}`);
    }
    const prune = async () => {
      await app().deps.store.transaction((tx) => tx.pruning.addMany([check.id]));
      const pruner = new Pruner(app().deps, 1, 93);
      while (await pruner.tick());
    };

    for (const pass of [async () => {}, prune]) {
      await pass();
      const page = await read(browser, `${events}?kinds=success,fail`);
      assert.deepEqual(told(page), ['ok 8', 'ok 7', 'ok 6', 'ok 5', 'ok 4', 'warned 2', 'failed 1']);
      assert.deepEqual([page.counts.success, page.counts.fail], [6, 1]);
      const failed = page.events.at(-1);
      assert.deepEqual(
        [failed.isKept, failed.exitStatus, failed.signals[0].excerpt],
        [true, 3, ['copying', 'disk full']],
      );
      assert.deepEqual(told(await read(browser, `${events}?kinds=fail`)), ['failed 1']);
      assert.deepEqual(told(await read(browser, `${events}?q=disk`)), ['failed 1']);
      const shown = (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
      assert.deepEqual(shown.lastSuccess, null);
    }
    const { earlier } = (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    assert.deepEqual(
      earlier.map((run: Record<string, unknown>) => [
        run.n,
        run.result,
        run.exitStatus,
        run.isKept,
        run.line,
      ]),
      [
        [2, 'warned', 24, true, null],
        [1, 'failed', 3, true, 'disk full'],
      ],
    );
  });

  test('a late signal tells when it happened, in the list, on its page and in exports', async () => {
    const { browser, check, events } = await givenWatched();
    const at = (age: number) => toIsoMicros(app().clock.now() - seconds(age));
    await app().ping(`/${check.uuid}/start?age=7200&rid=${RUN_A}`);
    await app().ping(`/${check.uuid}?age=7140&rid=${RUN_A}`);
    await app().ping(`/${check.uuid}/log`);

    const [log, run] = (await read(browser, events)).events;
    const page = await browser.post(`/checks/${check.uuid}/read/pingPage`, { n: 2, isWhole: false });
    const { text } = await browser.get(`${events}/export?kinds=success`);

    assert.deepEqual([run.at, run.duration], [at(0), 60]);
    assert.deepEqual(
      run.signals.map(({ occurred }: { occurred: string }) => occurred),
      [at(7200), at(7140)],
    );
    assert.ok(!('occurred' in log.signals[0]));
    assert.deepEqual(
      [page.json.at, page.json.occurred, page.json.others[0].occurred],
      [at(0), at(7140), at(7200)],
    );
    const [header = '', row = ''] = text.split('\r\n');
    assert.deepEqual([header.split(',').at(-1), row.split(',').at(-1)], ['"occurred"', `"${at(7140)}"`]);
  });

  test('signals of a run are one event, also of runs that overlap, and changes of status stand between them', async () => {
    const { browser, check, events } = await givenWatched();
    await app().receive(check, 'start', RUN_A);
    minute();
    await app().receive(check, 'start', RUN_B);
    app().clock.advance({ seconds: 30 });
    await app().receive(check, 'success', RUN_B);
    minute();
    await app().receive(check, 'fail', RUN_A);
    minute();
    await app().receive(check, 'log');

    const page = await read(browser, events);

    assert.deepEqual(told(page), ['log 5', 'up > down', 'failed 1,4', 'ok 2,3']);
    const [, , failed, ok] = page.events;
    assert.deepEqual([failed.duration, ok.duration], [150, 30]);
    assert.deepEqual([failed.runId, ok.runId], [RUN_A, RUN_B]);
    assert.deepEqual(page.counts, { success: 1, fail: 1, start: 2, log: 1, ign: 0, flip: 1 });
    assert.equal(page.older, null);
    const single = await read(browser, `${events}?view=signals`);
    assert.deepEqual(told(single), ['log 5', 'up > down', 'failed 4', 'ok 3', 'start 2', 'start 1']);
  });

  test('the log says which pings did not count, and keywords decide what the others mean', async () => {
    const { browser, check, events } = await givenWatched({
      ...{ methods: 'POST', filterHttpBody: true, successKeywords: 'OK' },
    });
    const say = (body: string) => app().ping(`/${check.uuid}`, { method: 'POST', body });
    const counts = async () => (await read(browser, events)).counts;
    const status = async () => (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json.status;
    await app().ping(`/${check.uuid}`);
    await say('bad');
    await say('all OK');
    assert.deepEqual(await counts(), { success: 1, fail: 0, start: 0, log: 0, ign: 2, flip: 0 });
    assert.equal(await status(), 'up');

    await browser.post(`/checks/${check.uuid}/do/updateCheck`, { filter_default_fail: true });
    await say('bad');
    assert.deepEqual([await status(), (await counts()).fail], ['down', 1]);
  });

  test('a ping resumes a paused check, unless the check stays paused until somebody resumes it', async () => {
    const { browser, check, events } = await givenWatched({ manualResume: true });
    const status = async () => (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json.status;
    await browser.post(`/checks/${check.uuid}/do/pauseCheck`);
    await app().ping(`/${check.uuid}`);
    assert.deepEqual([await status(), (await read(browser, events)).counts.ign], ['paused', 1]);
    await browser.post(`/checks/${check.uuid}/do/resumeCheck`);
    assert.equal(await status(), 'new');

    await browser.post(`/checks/${check.uuid}/do/updateCheck`, { manual_resume: false });
    await browser.post(`/checks/${check.uuid}/do/pauseCheck`);
    await app().ping(`/${check.uuid}`);
    assert.equal(await status(), 'up');
  });

  test('a check is late within its grace, then down, and its page lists whom it told', async () => {
    const { browser, project, check, events } = await givenWatched();
    const channel = await app().givenChannel(project);
    await app().assign(check, channel);
    const page = async () => (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    app().clock.advance({ minutes: 61 });
    assert.equal((await page()).status, 'late');

    app().clock.advance({ minutes: 61 });
    while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));
    await deliver();
    const { status, channels } = await page();
    assert.deepEqual([status, channels[0].id, channels[0].told.state], ['down', channel.uuid, 'delivered']);
    assert.deepEqual(told(await read(browser, events)).slice(0, 1), ['up > down']);
  });

  test('a change of status has its cause, how long it was otherwise, and whom it was told', async () => {
    const { browser, project, check, events } = await givenWatched();
    const channel = await app().givenChannel(project);
    await app().assign(check, channel);
    minute();
    await app().receive(check, 'fail');
    await deliver();
    minute();
    await app().receive(check, 'success');

    const page = await read(browser, events);

    assert.deepEqual(told(page), ['down > up', 'ok 2', 'up > down', 'failed 1']);
    const [up, , down] = page.events;
    assert.deepEqual(down.cause, { kind: 'failed', exitStatus: null });
    assert.deepEqual([up.lasted, up.cause], [60, null]);
    assert.equal(down.deliveries.length, 1);
    const [delivery] = down.deliveries;
    assert.deepEqual(delivery.channel, { id: channel.uuid, label: 'Email', name: channel.name });
    assert.deepEqual([delivery.state, delivery.tries, delivery.error], ['delivered', 1, '']);
    assert.ok(delivery.finishedAt !== null && delivery.triedAt !== null);
    assert.deepEqual([up.deliveries[0].state, up.deliveries[0].tries], ['open', 0]);
  });

  test('pages follow each other without a gap', async () => {
    const { browser, project, check, events } = await givenWatched();
    await limitPings(project, 1_000);
    const count = MAX_PAGE_EVENTS * 2 + 7;
    for (let n = 1; n <= count; n++) {
      app().clock.advance({ seconds: 1 });
      await app().receive(check, n % 10 === 0 ? 'fail' : n % 10 === 1 ? 'success' : 'log');
    }
    const first = await read(browser, events);

    const seen = [...told(first)];
    for (let cursor = first.older; cursor !== null; ) {
      const page = await read(browser, `${events}?cursor=${cursor}`);
      assert.ok(page.events.length <= MAX_PAGE_EVENTS);
      assert.equal(page.counts, null);
      seen.push(...told(page));
      cursor = page.older;
    }
    assert.equal(seen.filter((event) => !event.includes('>')).length, count);
    assert.equal(new Set(seen.filter((event) => !event.includes('>'))).size, count);
  });

  test('a run that has ended replaces its beginning', async () => {
    const { browser, check, events } = await givenWatched();
    await app().receive(check, 'start', RUN_A);
    const first = await read(browser, events);
    minute();
    await app().receive(check, 'success', RUN_A);

    const page = await read(browser, events);

    assert.deepEqual(told(first), ['running 1']);
    assert.deepEqual(told(page), ['ok 1,2']);
    assert.equal(page.events[0].id, first.events[0].id);
  });

  test('kinds and times are filtered, and counts are those of the time', async () => {
    const { browser, check, events } = await givenWatched();
    for (const signal of ['success', 'fail', 'log', 'success'] as const) {
      minute();
      await app().receive(check, signal);
    }
    const at = Math.floor(app().clock.now() / 1_000_000);

    assert.deepEqual(told(await read(browser, `${events}?kinds=fail,log`)), ['log 3', 'failed 2']);
    assert.deepEqual(told(await read(browser, `${events}?kinds=flip`)), ['down > up', 'up > down']);
    assert.deepEqual(told(await read(browser, `${events}?kinds=`)), []);
    const older = await read(browser, `${events}?end=${at - 60}`);
    assert.deepEqual(told(older), ['up > down', 'failed 2', 'ok 1']);
    assert.deepEqual(older.counts, { success: 1, fail: 1, start: 0, log: 0, ign: 0, flip: 1 });
    assert.deepEqual(told(await read(browser, `${events}?start=${at}`)), ['down > up', 'ok 4']);
  });

  test('words are found in bodies and user agents, with the lines around them', async () => {
    const { browser, check, events } = await givenWatched();
    await app().givenPing(check, { body: Buffer.from('one\ntwo\nConnection REFUSED\nfour') });
    await app().givenPing(check, { userAgent: 'refuser/1.0' });
    await app().givenPing(check, { body: Buffer.from(`${'x'.repeat(200)} refused`) });
    await app().givenPing(check, { body: Buffer.from('nothing') });
    const mail = 'From: a@b\nSubject: =?utf-8?q?All_ref=75sed?=\n\ntext';
    await app().givenPing(check, { body: Buffer.from(mail), scheme: 'email', method: '' });

    const page = await read(browser, `${events}?q=%20Refused`);

    assert.deepEqual(told(page), ['ok 5', 'ok 3', 'ok 1']);
    assert.deepEqual(page.events[2].signals[0].excerpt, ['two', 'Connection REFUSED', 'four']);
    assert.equal(told(await read(browser, `${events}?q=refuse`)).length, 4);
    assert.deepEqual(told(await read(browser, `${events}?q=absent`)), []);
  });

  test('a search reads so many bytes, then answers with what it found and where to go on', async () => {
    const { browser, project, check, events } = await givenWatched();
    await limitPings(project, 1_000);
    const long = Buffer.alloc(100_000, 'x');
    const count = Math.ceil(MAX_SEARCHED_BYTES / long.length) + 60;
    await app().givenPing(check, { body: Buffer.from('needle') });
    for (let n = 0; n < count; n++) await app().givenPing(check, { body: long });

    const first = await read(browser, `${events}?q=needle`);
    assert.deepEqual(first.events, []);
    assert.notEqual(first.older, null);
    const second = await read(browser, `${events}?q=needle&cursor=${first.older}`);

    assert.deepEqual(told(second), ['ok 1']);
    assert.equal(second.older, null);
  });

  test('what is filtered can be exported, with the same events', async () => {
    const { browser, check, events } = await givenWatched();
    await app().receive(check, 'start');
    minute();
    await app().receive(check, 'fail');
    minute();
    await app().receive(check, 'success');

    const lines = (await browser.get(`${events}/export?format=jsonl&kinds=fail,flip`)).text
      .trim()
      .split('\n');
    const shown = await read(browser, `${events}?kinds=fail,flip`);
    assert.deepEqual(
      lines.map((line: string) => JSON.parse(line)),
      withSnakeCase(shown.events),
    );
    assert.match(lines.join(), /"old_status":.*"exit_status":/);
    const csv = await browser.get(`${events}/export?kinds=fail,flip`);
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.match(String(csv.headers['content-disposition']), /filename="events\.csv"/);
    const rows = csv.text.trim().split('\r\n');
    assert.equal(rows.length, 1 + shown.events.length);
    assert.match(rows[0] ?? '', /^"time","event","number","run_id","result"/);
    assert.match(rows.at(-1) ?? '', /"fail","2","","failed","","60"/);
  });

  test('only so many pings are kept, and the log ends with the oldest of them', async () => {
    const { browser, project, check, events } = await givenWatched();
    await limitPings(project, 3);
    for (let n = 0; n < 5; n++) await app().givenPing(check);

    assert.deepEqual(told(await read(browser, events)), ['ok 5', 'ok 4', 'ok 3']);
  });

  test('whatever is asked in a wrong way is told with its field', async () => {
    const { browser, events } = await givenWatched();
    for (const [query, field] of [
      ['kinds=none', 'kinds'],
      ['start=yesterday', 'start'],
      ['end=-1', 'end'],
      ['cursor=1', 'cursor'],
      ['cursor=1.2.99999999999999999', 'cursor'],
      ['view=table', 'view'],
      [`q=${'x'.repeat(201)}`, 'q'],
    ] as const) {
      const reply = await ask(browser, `${events}?${query}`);
      assert.deepEqual([reply.status, reply.json.field], [400, field], query);
    }
    assert.equal((await browser.get(`${events}/export?format=xml`)).json.field, 'format');
  });

  test('a message that waits for its next try is sent at once when a member asks for it', async () => {
    const { browser, project, check, events } = await givenWatched();
    const channel = await app().givenChannel(project);
    await app().assign(check, channel);
    await app().receive(check, 'fail');
    await deliver(failure('503 from the provider'));
    const waiting = (await read(browser, `${events}?kinds=flip`)).events[0].deliveries[0];
    assert.equal(waiting.state, 'open');
    assert.notEqual(waiting.error, '');
    const path = `/checks/${check.uuid}/do/hurryMessage`;
    const given = { delivery: waiting.id };
    const { browser: reader } = await givenMember(app(), project, 'read_only');
    assert.equal((await reader.post(path, given)).json.code, 'permission_denied');
    const { browser: stranger } = await givenTeam(app());
    assert.equal((await stranger.post(path, given)).json.code, 'check_not_found');

    assert.equal((await browser.post(path, given)).status, 204);

    await deliver();
    const after = (await read(browser, `${events}?kinds=flip`)).events[0].deliveries[0];
    assert.deepEqual([after.state, after.tries], ['delivered', 2]);
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['channel.hurried'],
    );
    assert.equal((await browser.post(path, given)).json.code, 'delivery_not_found');
  });
});
