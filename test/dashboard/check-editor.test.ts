import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../src/domain/alert/channel.ts';
import { AT_ONCE_NAME } from '../../src/domain/policy/presets.ts';
import { firstWay, PRESET_NAMES, withNext } from '../../src/domain/policy/ways.ts';
import { fromIso } from '../../src/lib/instant.ts';
import { askedChoice, type Choice } from '../../web/pages/alerting/chosen.ts';
import { type Foretold, meaningParts } from '../../web/pages/check-editor/telling-words.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenTeam } from './team.ts';

const DRAFT = {
  kind: 'cron',
  timeout: 3_600,
  schedule: '0 3 * * *',
  tz: 'UTC',
  grace: 3_600,
  zone: 'Europe/Riga',
};

const WORKING_HOURS = { schedule: 'Mon..Fri 08:00', tz: 'UTC', duration: 28_800 };

/** The choice of that name, as the form has it at first. */
function choiceOf(name: string, next: Channel): Choice {
  const preset = PRESET_NAMES.find((one) => one === name);
  if (preset === undefined) return { is: 'named', name };
  const way = firstWay(preset, []);
  if (preset === 'then-next') return { is: 'way', way: withNext(way, [next.uuid]) };
  return { is: 'way', way, ...(preset === 'working-hours' && { hours: WORKING_HOURS }) };
}

interface ChosenFor {
  readonly timing: { readonly kind: 'simple' | 'cron'; readonly timeout: number; readonly schedule: string };
  /** By the names of the choices. */
  readonly sentences: Readonly<Record<string, string>>;
}

/** Sentences of each choice with days and times. It is Tuesday the 2nd, 16:00, and a run has just ended well. */
const CHOICES_OF: Readonly<Record<string, ChosenFor>> = {
  'a period': {
    timing: { kind: 'simple', timeout: 86_400, schedule: '' },
    sentences: {
      'at-once': 'For this check: down at 03T17:00, Chat and Mail told at 03T17:00.',
      twice: 'For this check: down at 03T17:00, Chat and Mail told at 04T17:00.',
      patient: 'For this check: down at 03T17:00, Chat and Mail told at 03T17:15.',
      'working-hours': 'For this check: down at 03T17:00, Chat and Mail told at 04T08:00.',
      'keep-reminding':
        'For this check: down at 03T17:00, Chat and Mail told at 03T17:00, again at 03T17:30.',
      'then-next':
        'For this check: down at 03T17:00, Chat and Mail told at 03T17:00, then Phone at 03T17:15.',
    },
  },
  'a schedule': {
    timing: { kind: 'cron', timeout: 3_600, schedule: '0 3 * * *' },
    sentences: {
      'at-once': 'For this check: down at 03T04:00, Chat and Mail told at 03T04:00.',
      twice: 'For this check: down at 03T04:00, Chat and Mail told at 04T04:00.',
      patient: 'For this check: down at 03T04:00, Chat and Mail told at 03T04:15.',
      'working-hours': 'For this check: down at 03T04:00, Chat and Mail told at 03T08:00.',
      'keep-reminding':
        'For this check: down at 03T04:00, Chat and Mail told at 03T04:00, again at 03T04:30.',
      'then-next':
        'For this check: down at 03T04:00, Chat and Mail told at 03T04:00, then Phone at 03T04:15.',
    },
  },
};

const meaning = (telling: Foretold): string =>
  meaningParts(telling)
    .map((part) => (typeof part === 'string' ? part : part.at.slice(8, 16)))
    .join('');

interface DryRun {
  readonly supposed: { readonly at: string };
  readonly would_tell: readonly {
    readonly at: string;
    readonly event: Foretold['told'][number]['event'];
    readonly channel: { readonly name: string };
  }[];
}

/** The messages of a dry run, put together by their time. Of repeats only the first is told. */
function foretold({ supposed, would_tell: messages }: DryRun): Foretold {
  const again = messages.find(({ event }) => event === 'again');
  const told = messages.filter(({ event, at }) => event !== 'again' || at === again?.at);
  return {
    down: supposed.at,
    told: [...Map.groupBy(told, ({ at, event }) => `${at} ${event}`).values()].flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      return [{ ...first, channels: group.map(({ channel: { name } }) => ({ name, label: '' })) }];
    }),
    nobody: null,
  };
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the editor offers tags, integrations and zones of the project, those in use first', async () => {
    const { project, browser, path } = await givenTeam(app());
    const channel = await app().givenChannel(project, { name: 'Ops' });
    for (const tz of ['Europe/Riga', 'Asia/Tokyo', 'Asia/Tokyo'])
      await app().givenCheck(project, { kind: 'cron', tz, tags: 'db prod' });

    const { tags, channels, usedZones, zones, room, templates, newSettings } = (
      await browser.get(`${path}/read/editorChoices`)
    ).json;

    assert.deepEqual(tags, ['db', 'prod']);
    assert.deepEqual(channels, [
      { uuid: channel.uuid, kind: 'email', label: 'Email', name: 'Ops', isOff: false, takesAnyWords: true },
    ]);
    assert.deepEqual(usedZones, ['Asia/Tokyo', 'Europe/Riga']);
    assert.ok(zones.includes('America/New_York'));
    assert.equal(room.used, 3);
    assert.ok(templates.length >= 3);
    assert.deepEqual(newSettings, {
      ...{ name: '', slug: '', tags: '', desc: '', channels: [] },
      ...{ kind: 'simple', timeout: 86_400, schedule: '0 3 * * *', tz: 'UTC', grace: 3_600 },
      ...{ run_rules: {}, policy: '', parents: '', done_channels: '' },
      ...{ manual_resume: false, methods: '', start_kw: '', success_kw: '', failure_kw: '' },
      ...{ filter_subject: false, filter_body: false, filter_http_body: false, filter_default_fail: false },
    });
  });

  test('a name has a suggested slug, and a slug that another check has is told', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { name: 'Backup', slug: 'backup' });
    const ask = (question: object) =>
      browser.post(`${path}/read/slugAdvice`, { name: '', slug: '', ...question });

    assert.deepEqual((await ask({ name: 'Nightly DB – Žagare #1' })).json, {
      suggestion: 'nightly-db-zagare-1',
      takenBy: null,
    });
    assert.equal((await ask({ slug: 'backup' })).json.takenBy, 'Backup');
    assert.equal((await ask({ slug: 'backup', editedUuid: check.uuid })).json.takenBy, null);
    const foreign = await app().givenCheck((await givenTeam(app())).project, {});
    assert.equal((await ask({ editedUuid: foreign.uuid })).json.code, 'check_of_other_project');
    assert.deepEqual((await ask({ slug: '\0' })).json.field, 'slug');
  });

  test('a preview tells words, runs, errors with their place, and what was found in a pasted text', async () => {
    const { browser, path } = await givenTeam(app());
    const preview = async (draft: object) =>
      (await browser.post(`${path}/read/scheduleMeaning`, { ...DRAFT, ...draft })).json;

    const good = await preview({});
    assert.deepEqual(
      [good.words, good.runs[0], good.runs.length],
      ['Every day at 03:00', '2024-03-02T03:00:00+00:00', 5],
    );
    assert.equal(good.clockChanges[0].zone, 'Europe/Riga');
    const bad = await preview({ schedule: '0 61 * * *' });
    assert.deepEqual([bad.words, bad.fault.start, bad.fault.end], [null, 2, 4]);
    const { found } = await preview({ schedule: '*/5 * * * * /bin/flush' });
    assert.deepEqual(
      [found.schedule, found.command, found.words],
      ['*/5 * * * *', '/bin/flush', 'Every 5 minutes'],
    );
    const wrong = await browser.post(`${path}/read/scheduleMeaning`, { ...DRAFT, zone: 'Mars' });
    assert.deepEqual([wrong.status, wrong.json.field], [400, 'zone']);
  });

  test('for a check that exists the preview tells what changes now, and whether it fits its pings', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { kind: 'cron', schedule: '0 * * * *' });
    for (let n = 0; n < 6; n++) {
      app().clock.set(1_709_294_400_000_000 + n * 3_600_000_000 + 12_000_000);
      await app().ping(`/${check.uuid}`);
    }
    app().clock.advance({ minutes: 30 });
    const preview = async (draft: object) =>
      (await browser.post(`${path}/read/scheduleMeaning`, { ...DRAFT, editedUuid: check.uuid, ...draft }))
        .json;

    const same = await preview({ schedule: '0 * * * *' });
    assert.deepEqual(same.effect, {
      goesDown: false,
      lastPing: '2024-03-01T17:00:12+00:00',
      due: '2024-03-01T18:00:00+00:00',
      down: '2024-03-01T19:00:00+00:00',
    });
    assert.deepEqual(
      [same.fit.runs, same.fit.least, same.fit.most, same.fit.isWithinGrace],
      [5, 12, 12, true],
    );
    assert.equal((await preview({ kind: 'simple', timeout: 60, grace: 60 })).effect.goesDown, true);
  });

  test('keywords are tried on the last bodies and on a text', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project);
    for (const body of ['all OK', 'ERROR: OK', 'nothing']) await app().ping(`/${check.uuid}`, { body });

    const words = { startKeywords: '', successKeywords: 'OK', failureKeywords: 'ERROR' };
    const keywords = { ...words, filterDefaultFail: false, text: 'ok' };
    const trial = (await browser.post(`/checks/${check.uuid}/read/filterTrial`, keywords)).json;

    assert.deepEqual(
      trial.pings.map(({ n, signal, keyword, excerpt }: Record<string, unknown>) => [
        n,
        signal,
        keyword,
        excerpt,
      ]),
      [
        [3, 'ign', null, 'nothing'],
        [2, 'fail', 'ERROR', 'ERROR: OK'],
        [1, 'success', 'OK', 'all OK'],
      ],
    );
    assert.deepEqual(trial.text, { signal: 'ign', keyword: null });
  });

  test('the settings of a check say when it goes down and who is told then, before they are saved', async () => {
    app().clock.set(fromIso('2027-03-02T16:00:00Z') ?? assert.fail());
    const { project, browser, path } = await givenTeam(app());
    const [chat, mail] = [
      await app().givenChannel(project, { name: 'Chat' }),
      await app().givenChannel(project, { name: 'Mail' }),
    ];
    const settings = {
      ...{ kind: 'cron', timeout: 3_600, schedule: '0 3 * * *', tz: 'UTC', grace: 3_600 },
      ...{ run_rules: {}, tags: '', channels: [chat.uuid, mail.uuid], policy: '' },
    };
    const ask = async (more: object = {}) =>
      (await browser.post(`${path}/read/tellingMeaning`, { ...settings, ...more })).json;
    const shortly = async (more: object = {}) => {
      const { down, told } = await ask(more);
      const groups = told.map(({ at, event, channels }: Told) =>
        [at.slice(8, 16), event, ...channels.map(({ name }) => name)].join(' '),
      );
      return [down.slice(8, 16), ...groups];
    };

    assert.deepEqual(await shortly(), ['03T04:00', '03T04:00 first Chat Mail']);
    assert.deepEqual(await shortly({ rules: { bad_runs: 2 } }), ['03T04:00', '04T04:00 first Chat Mail']);
    assert.deepEqual(await shortly({ rules: { wait: 900 } }), ['03T04:00', '03T04:15 first Chat Mail']);
    assert.deepEqual(await shortly({ rules: { again: 1800 }, channels: [chat.uuid] }), [
      '03T04:00',
      '03T04:00 first Chat',
      '03T04:30 again Chat',
    ]);
    const next = Object.fromEntries([['then', [{ after: 900, tell: [mail.uuid] }]]]);
    assert.deepEqual(await shortly({ rules: next, channels: [chat.uuid] }), [
      '03T04:00',
      '03T04:00 first Chat',
      '03T04:15 step Mail',
    ]);
    const hours = { schedule: 'Mon..Fri 08:00', tz: 'UTC', duration: 36_000 };
    const working = { hours: 'working-hours', always_tags: 'important' };
    assert.deepEqual(await shortly({ rules: working, hours }), ['03T04:00', '03T08:00 first Chat Mail']);
    assert.deepEqual(await shortly({ rules: working, hours, tags: 'important' }), [
      '03T04:00',
      '03T04:00 first Chat Mail',
    ]);
    assert.deepEqual((await ask({ channels: [] })).nobody, null);
    assert.deepEqual(await shortly({ kind: 'simple' }), ['02T18:00', '02T18:00 first Chat Mail']);

    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    assert.deepEqual(await shortly({ editedUuid: check.uuid }), ['03T04:00', '03T04:00 first Chat Mail']);
    assert.equal(await ask({ schedule: 'never' }), null);
  });

  for (const [what, { timing, sentences }] of Object.entries(CHOICES_OF))
    test(`the sentence below each choice is what the dry run says of a check with ${what}`, async () => {
      app().clock.set(fromIso('2027-03-02T16:00:00Z') ?? assert.fail());
      const { project, browser, path } = await givenTeam(app());
      const givenChannel = (name: string) => app().givenChannel(project, { name });
      const [chat, mail, phone] = [
        await givenChannel('Chat'),
        await givenChannel('Mail'),
        await givenChannel('Phone'),
      ];
      const draft = {
        ...{ ...timing, tz: 'UTC', grace: 3_600, run_rules: {}, tags: '' },
        ...{ channels: [chat.uuid, mail.uuid], policy: '' },
      };
      const choices = [AT_ONCE_NAME, ...PRESET_NAMES].map((name) => ({
        name,
        choice: choiceOf(name, phone),
      }));

      const shown: Record<string, string> = {};
      for (const { name, choice } of choices) {
        const asked = { ...draft, ...askedChoice(choice, '') };
        shown[name] = meaning((await browser.post(`${path}/read/tellingMeaning`, asked)).json);
      }
      assert.deepEqual(shown, sentences);

      for (const { name, choice } of choices) {
        const { rules, hours } = { rules: null, hours: null, ...askedChoice(choice, '') };
        if (hours !== null) await browser.post(`${path}/do/createCalendar`, { name, ...hours, except: [] });
        if (rules !== null) await browser.post(`${path}/do/createPolicy`, { name, ...rules });
        const check = await app().givenCheck(project, {
          ...{ kind: timing.kind, schedule: timing.schedule, timeoutSeconds: timing.timeout },
          ...{ tz: 'UTC', graceSeconds: 3_600, status: 'up', lastPingAt: app().clock.now(), policy: name },
        });
        await app().assign(check, chat, mail);
        const { json } = await browser.post(`/checks/${check.uuid}/read/checkWhy`, { event: 'down_timeout' });
        assert.equal(meaning(foretold(json)), sentences[name], name);
      }
    });

  test('for what nobody would be told, and what cannot be said, there is an answer, too', async () => {
    const { project, browser, path } = await givenTeam(app());
    const chat = await app().givenChannel(project, { name: 'Chat', isOff: true });
    const settings = {
      ...{ kind: 'cron', timeout: 3_600, schedule: '0 3 * * *', tz: 'UTC', grace: 3_600 },
      ...{ run_rules: {}, tags: '', channels: [chat.uuid], policy: '' },
    };
    const ask = (more: object = {}) => browser.post(`${path}/read/tellingMeaning`, { ...settings, ...more });

    assert.deepEqual((await ask()).json.nobody, { because: 'off', until: null });
    for (const [wrong, said] of [
      [{ rules: 7 }, /rules is not an object/],
      [{ rules: { wait: 1 } }, /policy.wait/],
      [{ rules: { agian: 1 } }, /agian/],
      [{ hours: { tz: 'UTC' } }, /hours has no schedule/],
      [{ channels: ['x'] }, /channels has an entry that is no UUID/],
      [{ grace: 0 }, /grace/],
    ] as const) {
      const reply = await ask(wrong);
      assert.equal(reply.status, 400, JSON.stringify(wrong));
      assert.match(reply.json.error, said);
    }
    const foreign = await app().givenCheck((await givenTeam(app())).project, {});
    assert.equal((await ask({ editedUuid: foreign.uuid })).json.code, 'check_of_other_project');
  });
});

interface Told {
  readonly at: string;
  readonly event: string;
  readonly channels: readonly { readonly name: string }[];
}
