import assert from 'node:assert/strict';
import { test } from 'node:test';
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
});
