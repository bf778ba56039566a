import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import {
  MAX_NOTICE_UPDATES,
  MAX_SHOWN_NOTICES,
  MAX_SHOWN_UPDATES,
  MAX_STATUS_COMPONENTS,
  MAX_STATUS_PAGES,
  STATUS_DAYS,
} from '../../src/domain/public/status-page.ts';
import { seconds } from '../../src/lib/instant.ts';
import type { InPortions } from '../../src/lib/portions.ts';
import { MAX_KEPT_STATUS_BYTES, PublicStatusPages } from '../../src/services/public/public-status.ts';
import { StatusViews } from '../../src/services/public/status-view.ts';
import { START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { flipRecord, noticeRecord, noticeUpdateRecord, statusPageRecord, unique } from '../records.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

const DAY = seconds(86_400);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

const slugOf = () => `s-${unique().slice(0, 8)}`;

/** The reads. One of them tells the ids of its calls. */
function noting<Noun extends object>(
  reads: Noun,
  noted: keyof Noun,
  note: (ids: readonly number[]) => void,
): Noun {
  return new Proxy(reads, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: [readonly number[]]) => {
        if (name === noted) note(given[0]);
        return value.apply(target, given);
      };
    },
  });
}

/** Does all of the work. */
async function wholeOf<Result>(work: InPortions<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await work.next();
    if (done === true) return value;
  }
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  /** The public page, as a browser without JavaScript asks for it. */
  async function look(slug: string, file = '', headers: Record<string, string> = {}) {
    const reply = await injectInto(app().server, { url: `/status/${slug}/${file}`, headers });
    return { status: reply.statusCode, headers: reply.headers, text: reply.body };
  }

  async function givenPage(components?: (checks: Check[]) => object[]) {
    const team = await givenTeam(app());
    const checks = [
      await app().givenCheck(team.project, {
        name: 'db-backup-internal',
        tags: 'backup prod',
        status: 'up',
        lastPingAt: START,
      }),
      await app().givenCheck(team.project, {
        name: 'etl-internal',
        tags: 'data',
        status: 'up',
        lastPingAt: START,
      }),
    ];
    const slug = slugOf();
    const made = await team.browser.post(`${team.path}/do/createStatusPage`, {
      ...{ title: 'Example status', slug },
    });
    assert.equal(made.status, 200, made.text);
    const page: string = made.json.uuid;
    /** An act on the page. */
    const act = (name: string, given: object = {}, browser = team.browser) =>
      browser.post(`${team.path}/do/${name}`, { page, ...given });
    const editor = (browser = team.browser) => browser.post(`${team.path}/read/statusPage`, { page });
    const given = components?.(checks) ?? [
      { id: 'a', name: 'Backups', group: '', tag: 'backup' },
      { id: 'b', name: 'Exports', group: 'Data', check: checks[1]?.uniqueKey },
    ];
    const edited = await act('editStatusPage', {
      ...{ title: 'Example status', slug, about: '', tz: 'Europe/Berlin' },
      components: given,
    });
    assert.equal(edited.status, 204, edited.text);
    return { ...team, checks, slug, act, editor };
  }

  async function givenPublished() {
    const given = await givenPage();
    assert.equal((await given.act('publishStatusPage')).status, 204);
    return given;
  }

  async function givenFlips(
    check: Check | undefined,
    flips: readonly [days: number, from: string, to: string][],
  ) {
    await app().deps.store.transaction((tx) =>
      tx.flips.insertMany(
        flips.map(([days, oldStatus, newStatus]) =>
          flipRecord(check?.id ?? 0, {
            createdAt: app().clock.now() - Math.round(days * DAY),
            ...({ oldStatus, newStatus } as object),
          }),
        ),
      ),
    );
  }

  test('a page is not there until it is published, and gone when it is taken back', async () => {
    const { slug, act } = await givenPage();
    assert.equal((await look(slug)).status, 404);
    assert.equal((await look(slug, 'feed.xml')).status, 404);

    assert.equal((await act('publishStatusPage')).status, 204);
    app().clock.advance({ seconds: 1 });
    assert.equal((await look(slug)).status, 200);

    await act('unpublishStatusPage');
    app().clock.advance({ seconds: 1 });
    assert.equal((await look(slug)).status, 404);
  });

  test('outsiders see chosen names alone: no UUID, no ping address, no name of a check or of the project', async () => {
    const { slug, act, project, checks, account } = await givenPublished();
    await act('openIncident', {
      ...{ title: 'Backups wait', components: ['a'], state: 'looking', text: 'We look.' },
    });
    for (const file of ['', 'feed.xml']) {
      const { status, text } = await look(slug, file);
      assert.equal(status, 200);
      assert.doesNotMatch(text, UUID);
      for (const secret of [
        project.name,
        account.email,
        'internal',
        '/ping/',
        ...checks.map((one) => one.uniqueKey),
      ])
        assert.ok(!text.includes(secret), secret);
    }
  });

  test('a page says Works, Late and Down in words, and since when', async () => {
    const { slug, checks } = await givenPublished();
    const [backup, etl] = checks;
    await givenFlips(backup, [[2, 'new', 'up']]);
    app().clock.set(START);
    await app().deps.store.transaction(async (tx) => {
      const held = [await tx.checks.lock(backup?.id ?? 0), await tx.checks.lock(etl?.id ?? 0)];
      if (held[0]) await tx.checks.saveState({ ...held[0], status: 'down' });
      if (held[1]) await tx.checks.saveState({ ...held[1], lastPingAt: START - seconds(86_400 + 60) });
      await tx.flips.insertMany([
        flipRecord(backup?.id ?? 0, {
          createdAt: START - seconds(3_600),
          oldStatus: 'up',
          newStatus: 'down',
        }),
      ]);
    });
    const { text } = await look(slug);

    assert.match(text, /<h1>Some jobs are not running as planned<\/h1>/);
    assert.match(text, /<b>Backups<\/b><span class="pill down">.*Down<\/span>/);
    assert.match(text, /<b>Exports<\/b><span class="pill late">.*Late<\/span>/);
    // START is noon in UTC.
    assert.match(text, /Backups and Exports are affected since 12:00/);
    assert.match(text, /Times in Europe\/Berlin/);
  });

  test('days before the history is known are empty, and the others tell how long it was down', async () => {
    const { slug, checks } = await givenPublished();
    await givenFlips(checks[0], [
      [10, 'new', 'up'],
      [5, 'up', 'down'],
      [4.75, 'down', 'up'],
    ]);
    const { text } = await look(slug);

    const [backups = '', exports = ''] = text.match(/<svg viewBox[^>]*>.*?<\/svg>/gs) ?? [];
    assert.match(backups, new RegExp(`viewBox="0 0 ${8 * STATUS_DAYS - 2} 28"`));
    // Eleven days with today have a history.
    assert.match(backups, /<rect x="0" width="630" height="28" fill="url\(#bar-n\)"\/>/);
    assert.match(backups, /fill="url\(#bar-d\)"><title>\d+ Feb: down 6 h<\/title>/);
    assert.match(backups, /aria-label="Backups: 97.5 % in 11 days, down on \d+ Feb"/);
    // The other check was never pinged as far as its history tells.
    assert.match(exports, /aria-label="Exports: nothing is known of the last 90 days"/);
    assert.doesNotMatch(exports, /bar-o/);
  });

  test('a page is below 30 kB with twenty components and a busy history', async () => {
    const given = await givenPage((checks) =>
      Array.from({ length: 20 }, (_, n) => ({
        ...{
          id: `c${n}`,
          name: `Component number ${n}`,
          group: n < 10 ? '' : 'More',
          check: checks[n % 2]?.uniqueKey,
        },
      })),
    );
    for (const check of given.checks)
      await givenFlips(check, [
        [80, 'new', 'up'],
        ...[70, 50, 30, 10].flatMap((at) => [[at, 'up', 'down'] as const, [at - 0.2, 'down', 'up'] as const]),
      ] as [number, string, string][]);
    await given.act('publishStatusPage');
    const { text, headers } = await look(given.slug);

    assert.ok(Buffer.byteLength(text) < 30_000, `${Buffer.byteLength(text)}`);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(text, / style=|<style|<script>/);
  });

  test('a page is asked for with its tag, and sent compressed', async () => {
    const { slug } = await givenPublished();
    const { headers } = await look(slug);
    const again = await look(slug, '', { 'if-none-match': String(headers.etag) });

    assert.deepEqual([again.status, again.text], [304, '']);
    const small = await look(slug, '', { 'accept-encoding': 'gzip' });
    assert.equal(small.headers['content-encoding'], 'gzip');
    const style = /href="([^"]*style[^"]*)"/.exec((await look(slug)).text)?.[1] ?? '';
    const file = await injectInto(app().server, {
      url: new URL(style, `http://host/status/${slug}/`).pathname,
    });
    assert.equal(file.statusCode, 200);
    assert.match(String(file.headers['cache-control']), /immutable/);
  });

  test('many who look cost one reading a second', async () => {
    const { slug } = await givenPublished();
    let asked = 0;
    const { reads } = app().deps;
    const ask = reads.ask.bind(reads);
    reads.ask = (...question) => {
      asked++;
      return ask(...question);
    };
    try {
      await Promise.all(Array.from({ length: 20 }, () => look(slug)));
      for (let n = 0; n < 20; n++) await look(slug);
      await look('there-is-no-such-page');
      assert.equal(asked, 1);
    } finally {
      reads.ask = ask;
    }
  });

  test('an incident is opened, told of, resolved, and stays among the past ones', async () => {
    const { slug, act, editor, project, account } = await givenPublished();
    const incident = { title: 'Backups wait', components: ['a'], text: 'The disk <b>is</b> full.' };
    for (const state of ['over', 'note'])
      assert.equal((await act('openIncident', { ...incident, state })).json.field, 'state');
    const opened = await act('openIncident', { ...incident, state: 'looking' });
    assert.equal(opened.status, 200, opened.text);
    const notice = opened.json.uuid;
    const tell = (state: string, text: string) => act('postNoticeUpdate', { notice, state, text });
    app().clock.advance({ minutes: 30 });
    const open = (await look(slug)).text;
    assert.match(open, /Backups wait/);
    assert.match(open, /Open since/);
    assert.match(open, /The disk &lt;b&gt;is&lt;\/b&gt; full\./);

    assert.equal((await tell('found', 'A log file.')).status, 204);
    const [{ updates, phase }] = (await editor()).json.notices;
    assert.equal(phase, 'open');
    assert.deepEqual(
      updates.map((one: { stateWords: string; author: string }) => [one.stateWords, one.author]),
      [
        ['Cause found', account.email],
        ['Looking into it', account.email],
      ],
    );
    const corrected = await act('correctNoticeUpdate', {
      ...{ notice, update: updates[1].uuid, text: 'The disk was full.' },
    });
    assert.equal(corrected.status, 204);
    await tell('over', 'All runs.');
    app().clock.advance({ seconds: 1 });
    const over = (await look(slug)).text;
    assert.match(over, /Past incidents/);
    assert.match(over, /The disk was full\./);
    assert.doesNotMatch(over, /Open since/);
    const feed = await look(slug, 'feed.xml');
    assert.match(String(feed.headers['content-type']), /^application\/rss\+xml/);
    assert.equal(feed.text.match(/<item>/g)?.length, 3);
    assert.match(feed.text, /<title>Backups wait: Over<\/title>/);

    const actions = (await actsIn(app(), project)).map(({ action }) => action);
    assert.deepEqual(actions, [
      ...['status_page.created', 'status_page.edited', 'status_page.published', 'incident.opened'],
      ...['incident.updated', 'incident.corrected', 'incident.resolved'],
    ]);
  });

  test('a page tells of so many notices and updates: what is open first, and the newest of each', async () => {
    const { slug, editor } = await givenPublished();
    const now = app().clock.now();
    await app().deps.store.transaction(async (tx) => {
      const found = (await tx.statusPages.published(slug)) ?? assert.fail();
      const add = async (title: string, from: number, until: number | null, updates: number) => {
        const times = { startsAt: now + from * DAY, endsAt: until === null ? null : now + until * DAY };
        const { id } = await tx.statusPages.insertNotice(noticeRecord(found.id, { title, ...times }));
        for (let n = 1; n <= updates; n++)
          await tx.statusPages.insertUpdate(noticeUpdateRecord(id, { text: `${title} update ${n}.` }));
      };
      await add('Open', -10, null, MAX_NOTICE_UPDATES);
      for (let n = 1; n <= MAX_SHOWN_NOTICES - 2; n++) await add(`Planned ${n}`, n, n + 1, 6);
      await add('Lately', -3, -1, 1);
      await add('Long ago', -3, -2, 1);
      await tx.statusPages.touch(found.id);
    });
    app().clock.advance({ seconds: 1 });

    const shown = (await editor()).json.notices as { title: string; updates: { text: string }[] }[];
    const { text } = await look(slug);

    assert.equal(shown.length, MAX_SHOWN_NOTICES);
    assert.deepEqual(
      [shown[0]?.title, ...shown.slice(-2).map(({ title }) => title)],
      [`Planned ${MAX_SHOWN_NOTICES - 2}`, 'Lately', 'Open'],
    );
    assert.equal(
      shown.reduce((sum, { updates }) => sum + updates.length, 0),
      MAX_SHOWN_UPDATES,
    );
    assert.equal(shown.at(-1)?.updates[0]?.text, `Open update ${MAX_NOTICE_UPDATES}.`);
    assert.ok(text.includes('Open update 100.') && !text.includes('Open update 1.'));
    assert.ok(!text.includes('Long ago'));
  });

  test('each check of a page is read once, however many components cover it', async () => {
    const { project, act, slug, checks } = await givenPage(([first]) => [
      ...Array.from({ length: 10 }, (_, n) => ({
        ...{ id: `c${n}`, name: `Part ${n}`, group: '', tag: n % 2 === 0 ? 'backup' : 'prod' },
      })),
      { id: 'one', name: 'One', group: '', check: first?.uniqueKey },
    ]);
    const late = await app().givenCheck(project, { tags: 'prod', status: 'down', lastPingAt: START });
    await act('publishStatusPage');
    const { store, clock } = app().deps;
    const found = (await store.statusPages.published(slug)) ?? assert.fail();
    const read: number[] = [];
    const flipsRead: number[] = [];
    const counting = {
      ...store,
      checks: noting(store.checks, 'timedByIds', (ids) => read.push(...ids)),
      flips: noting(store.flips, 'ofChecks', (ids) => flipsRead.push(...ids)),
    };

    const { view, covered } = await wholeOf(new StatusViews({ store: counting }).of(found, clock.now()));

    const ids = [checks[0]?.id, late.id];
    assert.deepEqual([read, flipsRead, covered], [ids, ids, 2]);
    assert.deepEqual(
      view.components.map(({ name, state, checks }) => `${name} ${state} ${checks}`),
      [
        ...Array.from({ length: 10 }, (_, n) => `Part ${n} ${n % 2 === 0 ? 'works 1' : 'down 2'}`),
        'One works 1',
      ],
    );
  });

  /** Public pages whose making takes as many seconds as a test says. Nothing is read. */
  function imaginedPages(took: () => number, sizeOf: (slug: string) => number = () => 1) {
    const state = { made: [] as string[], revision: 1, isPublished: true };
    const { clock } = app();
    const store = { ...app().deps.store, statusPages: { ...app().deps.store.statusPages } };
    store.statusPages.published = async (slug) => {
      const page = { ...statusPageRecord(1), slug, revision: state.revision, id: 1 };
      // The first letter of an address tells whose page it is.
      return state.isPublished ? { ...page, ownerId: slug.charCodeAt(0) } : null;
    };
    async function* pieces(slug: string) {
      yield Buffer.from(slug);
    }
    const ask = async ({ slug }: { slug: string }) => {
      clock.advance({ seconds: took() });
      return { head: true, pieces: pieces(slug) };
    };
    const pages = new PublicStatusPages({ store, clock }, ask, async (_form, bytes) => {
      const slug = bytes.toString();
      state.made.push(slug);
      return { byteLength: sizeOf(slug) };
    });
    const get = (slug: string) => pages.get({ slug, form: 'html', files: { style: '', script: '' } });
    return { state, get };
  }

  test('pages that are kept for those who ask take so much memory, and one account pushes out its own alone', async () => {
    const { state, get } = imaginedPages(
      () => 0,
      () => MAX_KEPT_STATUS_BYTES / 4,
    );

    for (const slug of ['b1', 'a1', 'a2', 'a3', 'a4', 'a4', 'b1', 'a1']) await get(slug);

    assert.deepEqual(state.made, ['b1', 'a1', 'a2', 'a3', 'a4', 'a1']);
  });

  test('a page is kept ten times as long as it took to make, a second at least and a minute at the most', async () => {
    let took = 0.01;
    const { state, get } = imaginedPages(() => took);
    const { clock } = app();
    /** Makes the page, and looks at it twice: so many seconds after it was made, and a tenth of a second later. */
    const madeAgain = async (seconds: number) => {
      clock.advance({ minutes: 2 });
      await get('page');
      const { length } = state.made;
      clock.advance({ seconds });
      await get('page');
      const isKept = state.made.length === length;
      clock.advance({ seconds: 0.1 });
      await get('page');
      return isKept ? state.made.length - length : 'before';
    };

    assert.equal(await madeAgain(0.95), 1);
    took = 2;
    assert.equal(await madeAgain(19.95), 1);
    took = 20;
    assert.equal(await madeAgain(59.95), 1);
  });

  test('what editors write shows within a second, and a page that is withdrawn is gone, however long it takes to make', async () => {
    const { state, get } = imaginedPages(() => 5);
    const { clock } = app();
    await get('page');
    clock.advance({ seconds: 2 });
    assert.ok(await get('page'));
    assert.equal(state.made.length, 1);

    state.revision++;
    clock.advance({ seconds: 1 });
    await get('page');
    assert.equal(state.made.length, 2);
    state.isPublished = false;
    clock.advance({ seconds: 1 });
    assert.equal(await get('page'), null);
  });

  test('a maintenance is announced, under way, and done by itself', async () => {
    const { slug, act } = await givenPublished();
    const at = (minutes: number) => new Date(app().clock.now() / 1_000 + minutes * 60_000).toISOString();
    const plan = (starts: string, ends: string | null) =>
      act('planMaintenance', {
        ...{ title: 'Moving house', components: [], text: 'Exports pause.', starts, ends },
      });
    for (const ends of [at(30), null]) {
      const wrong = await plan(at(60), ends);
      assert.deepEqual([wrong.status, wrong.json.field], [400, 'ends']);
    }

    assert.equal((await plan(at(60), at(120))).status, 200);
    assert.match((await look(slug)).text, /Planned for/);
    app().clock.advance({ minutes: 61 });
    assert.match((await look(slug)).text, /Under way until/);
    app().clock.advance({ minutes: 60 });
    assert.match((await look(slug)).text, /Done, /);
  });

  test('an address belongs to one page of the installation', async () => {
    const one = await givenPage();
    const other = await givenTeam(app());
    const create = (title: string, slug: string) =>
      other.browser.post(`${other.path}/do/createStatusPage`, { title, slug });
    const taken = await create('Other', one.slug);
    assert.deepEqual([taken.status, taken.json.code, taken.json.field], [409, 'slug_taken', 'slug']);
    for (const slug of ['a', 'Upper', '-x-', 'a/b', 'ä-b', 'x'.repeat(61), ''])
      assert.equal((await create('O', slug)).status, 400, slug);
  });

  test('a component without checks is refused, and too many are', async () => {
    const { act, slug } = await givenPage();
    const edit = (components: object[]) =>
      act('editStatusPage', { title: 'T', slug, about: '', tz: 'UTC', components });
    const other = await app().givenProject();
    const foreign = await app().givenCheck(other.project, { tags: 'foreign' });
    const refused = [{ tag: 'nothing-has-it' }, { tag: 'foreign' }, { check: foreign.uniqueKey }, {}];
    for (const covers of refused) {
      const reply = await edit([{ id: 'x', name: 'X', group: '', ...covers }]);
      assert.deepEqual([reply.status, reply.json.field], [400, 'components'], JSON.stringify(covers));
    }
    const many = Array.from({ length: MAX_STATUS_COMPONENTS + 1 }, (_, n) => ({
      ...{ id: `c${n}`, name: 'X', group: '', tag: 'backup' },
    }));
    assert.equal((await edit(many)).status, 400);
    assert.equal((await edit(many.slice(1))).status, 204);
  });

  test('of two who edit a page the later one is told', async () => {
    const { act, editor, slug } = await givenPage();
    const { revision } = (await editor()).json;
    const body = { title: 'New title', slug, about: '', tz: 'UTC', components: [], revision };
    assert.equal((await act('editStatusPage', body)).status, 204);
    const late = await act('editStatusPage', { ...body, title: 'Newer title' });
    assert.deepEqual([late.status, late.json.code], [409, 'status_page_changed']);
  });

  test('a component whose check is deleted tells that nothing is known', async () => {
    const { slug, checks, editor } = await givenPublished();
    await app().deps.store.transaction(async (tx) => {
      const check = await tx.checks.lock(checks[1]?.id ?? 0);
      if (check) await tx.checks.delete(check);
    });
    assert.match((await look(slug)).text, /<b>Exports<\/b><span class="pill none">.*No data<\/span>/);
    const [, component] = (await editor()).json.components;
    assert.deepEqual([component.checks, component.checkName], [0, null]);
  });

  test('the editor says what a page covers, and a preview shows a draft that nobody else sees', async () => {
    const { slug, editor, browser, path, project } = await givenPublished();
    await app().givenCheck(project, { name: 'lonely', tags: '' });
    const { uuid: page, checks, uncovered, components } = (await editor()).json;
    assert.deepEqual([checks, uncovered], [3, 1]);
    assert.deepEqual(
      components.map((one: { tag: string; checkName: string; stateWords: string }) => [
        ...[one.tag, one.checkName, one.stateWords],
      ]),
      [
        ['backup', null, 'Works'],
        [null, 'etl-internal', 'Works'],
      ],
    );
    const update = { notice: null, title: 'A new one', state: 'looking', text: 'Nobody knows yet.' };
    const preview = await browser.post(`${path}/read/statusPagePreview`, {
      ...{ page, draft: null, update },
    });
    assert.equal(preview.status, 200, preview.text);
    assert.match(preview.json.html, /not published/);
    assert.match(preview.json.html, /Nobody knows yet\./);
    assert.doesNotMatch((await look(slug)).text, /Nobody knows yet/);
  });

  test('who may only read sees pages and changes nothing', async () => {
    const { path, act, editor, project } = await givenPage();
    const { browser } = await givenMember(app(), project, 'read_only');
    assert.equal((await browser.get(`${path}/read/statusPages`)).json.length, 1);
    assert.equal((await editor(browser)).status, 200);
    assert.equal((await editor(browser)).text.match(UUID)?.[0].length, 36);
    const changes = [
      'createStatusPage',
      'editStatusPage',
      'publishStatusPage',
      'openIncident',
      'planMaintenance',
    ];
    for (const name of [...changes, 'deleteStatusPage'])
      assert.equal((await act(name, {}, browser)).json.code, 'permission_denied', name);
  });

  test('a deleted page is gone with what it told, and a project has so many pages', async () => {
    const { act, editor, slug, project } = await givenPublished();
    await app().deps.store.transaction(async (tx) => {
      for (let n = 1; n < MAX_STATUS_PAGES; n++) await tx.statusPages.insert(statusPageRecord(project.id));
    });
    const create = (free: string) => act('createStatusPage', { title: 'One more', slug: free });
    const more = await create(slugOf());
    assert.equal(more.json.code, 'status_page_limit_reached');

    assert.equal((await act('deleteStatusPage')).status, 204);
    app().clock.advance({ seconds: 1 });
    assert.equal((await look(slug)).status, 404);
    assert.equal((await editor()).json.code, 'status_page_not_found');
    assert.equal((await create(slug)).status, 200);
  });
});
