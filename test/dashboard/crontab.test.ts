import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { SITE } from '../node-parts.ts';
import { storedChecks } from '../records.ts';
import { givenTeam } from './team.ts';

const JOBS = [
  { name: 'backup.sh', slug: 'backup', schedule: '0 3 * * *', tz: 'Europe/Riga' },
  { name: 'Feeds', slug: '', schedule: '*/5 * * * *', tz: 'UTC' },
];

forOneEngine((engine) => {
  const app = sharedTestApp(engine);
  const given = async () => {
    const team = await givenTeam(app());
    const names = async () => (await storedChecks(app().deps.store, team.project)).map(({ name }) => name);
    return {
      ...team,
      names,
      add: (jobs: unknown) => team.browser.post(`${team.path}/do/importCrontab`, { jobs }),
    };
  };

  test('every line of a crontab is answered, with a name for each job', async () => {
    const { browser, path } = await givenTeam(app());
    const text = `# jobs\n0 3 * * * /bin/a x\r\n@daily a\n61 * * * * c\n0 1 * * * curl ${SITE.pingEndpoint}u`;
    const { hasUsers, lines } = (await browser.post(`${path}/read/crontabLines`, { text })).json;
    assert.equal(hasUsers, false);
    assert.deepEqual(
      lines.map(({ meaning: { is, name, words, reason } }: { meaning: Record<string, string> }) => [
        is,
        name ?? (reason === undefined ? null : 'a reason'),
        words ?? null,
      ]),
      [
        ['comment', null, null],
        ['job', 'a', 'Every day at 03:00'],
        ['job', 'a 2', 'Every day at 00:00'],
        ['broken', 'a reason', null],
        ['pings', null, null],
      ],
    );
    assert.equal(lines[1].end, '\r\n');
  });

  test('a crontab becomes checks that every integration is told of, and their addresses are answered', async () => {
    const { add, project, names } = await given();
    const channel = await app().givenChannel(project, {});

    const { status, json } = await add(JOBS);

    assert.equal(status, 200);
    const stored = await storedChecks(app().deps.store, project);
    assert.deepEqual(
      stored.map(({ name, slug, kind, schedule, tz }) => ({ name, slug, kind, schedule, tz })),
      JOBS.map((job) => ({ ...job, kind: 'cron' })),
    );
    assert.deepEqual(
      json.map(({ pingUrl }: { pingUrl: string }) => pingUrl),
      stored.map(({ uuid }) => SITE.pingEndpoint + uuid),
    );
    for (const { id } of stored)
      assert.deepEqual(await app().deps.store.checks.channelsOf(id), [channel.uuid]);
    assert.deepEqual(await names(), ['backup.sh', 'Feeds']);
  });

  test('all are added or none: a job that is wrong, or no room for the last one', async () => {
    const { add, names, account } = await given();
    const wrong = (await add([JOBS[0], { ...JOBS[1], schedule: '61 * * * *' }])).json;
    assert.equal(wrong.field, 'jobs');
    assert.match(wrong.error, /^Check 2: /);
    assert.equal((await add([{ name: 'x' }])).json.error, 'Check 1: slug is missing');
    assert.equal((await add([])).json.field, 'jobs');
    assert.deepEqual(await names(), []);

    await app().deps.store.transaction((tx) => tx.accounts.setLimits(account.id, { checks: 1, pings: 100 }));
    const refused = await add(JOBS);
    assert.equal(refused.status, 409);
    assert.equal(refused.json.error, 'There is room for 1 more check, and these are 2. None was added.');
    assert.deepEqual(await names(), []);
    assert.equal((await add(JOBS.slice(0, 1))).status, 200);
  });
});
