import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { changeLines } from '../src/cli/differences.ts';
import { exportCommand as commandOf } from '../src/cli/export.ts';
import { exportOwn } from '../src/cli/export-own.ts';
import { type CheckConfig, DEFAULT_CONFIG } from '../src/domain/check/settings.ts';
import { statusAt } from '../src/domain/check/status.ts';
import { generateApiKey } from '../src/domain/people/api-key.ts';
import { fromIso, seconds } from '../src/lib/instant.ts';
import { exportProject } from '../src/provision/export.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { addApiKey } from '../src/services/project/projects.ts';
import { ProvisionError } from '../src/services/provisioning/declaration.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import { drain, FakeSender, newNotifier } from './alerts.ts';
import { START, startTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const exportCommand = commandOf(async () => exportOwn);

const OWNER = 'alice@example.org';

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const pieces: string[] = [];
  const stream = new Writable({
    write: (piece, _encoding, done) => {
      pieces.push(String(piece));
      done();
    },
  });
  return { stream, text: () => pieces.join('') };
}

/** Runs the command against the server. */
async function exported(app: TestApp, key: string, ...args: string[]) {
  const [stdout, stderr] = [collector(), collector()];
  const url = `http://127.0.0.1:${await app.port()}/`;
  const code = await exportCommand.run(['--url', url, '--owner', OWNER, ...args], {
    stdin: process.stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment: () => ({ TOCSIN_API_KEY: key }),
    stopSignal: () => new Promise(() => undefined),
    exit: () => assert.fail(),
  });
  return { code, text: stdout.text(), said: stderr.text() };
}

const apply = async (app: TestApp, text: string) =>
  changeLines(await provision(app.deps, parseProvisionFile('tocsin.yaml', text)));

const configOf = (check: CheckConfig) =>
  Object.fromEntries(Object.keys(DEFAULT_CONFIG).map((field) => [field, check[field as keyof CheckConfig]]));

async function checksOf(app: TestApp, owner: string) {
  const account = (await app.deps.store.accounts.byEmail(owner)) ?? assert.fail();
  const [project = assert.fail()] = await app.deps.store.projects.byOwnerAndName(account.id, 'Alpha');
  const ids = (await app.deps.store.checks.ofProject(project.id)).map(({ id }) => id);
  return app.deps.store.checks.byIds(ids);
}

const MINUTE = seconds(60);
const HOUR = seconds(3_600);

/** When checks of the project changed their status, in order. */
async function flipTimes(app: TestApp) {
  const ids = (await checksOf(app, OWNER)).map(({ id }) => id);
  return (await app.deps.store.flips.ofChecks(ids, 0))
    .map(({ createdAt }) => createdAt)
    .toSorted((a, b) => a - b);
}

forEachEngine((engine) => {
  test('a project is exported, and applied elsewhere with its addresses, schedules and assignments', async () => {
    await using from = await startTestApp(engine);
    await using to = await startTestApp(engine);
    const { project, key, readOnlyKey } = await from.givenProject();
    const sink = await from.givenChannel(project, {
      ...{ kind: 'webhook', name: 'Sink', settings: { down: { url: 'https://example.org/' } } },
    });
    const nameless = await from.givenChannel(project, { name: '' });
    const given = [
      await from.givenCheck(project, {
        name: 'A "job"\n: #1',
        slug: 'job',
        tags: 'prod db',
        description: 'x: y',
      }),
      await from.givenCheck(project, { slug: 'job', timeoutSeconds: 300, graceSeconds: 60, methods: 'POST' }),
      await from.givenCheck(project, {
        kind: 'cron',
        schedule: '0 3 * * *',
        tz: 'US/Eastern',
        status: 'paused',
      }),
      await from.givenCheck(project, {
        ...{ kind: 'oncalendar', schedule: 'Mon..Fri 09:00\nSat 10:00', tz: 'Europe/Paris' },
        ...{ filterHttpBody: true, successKeywords: 'OK', filterDefaultFail: true, manualResume: true },
      }),
    ];
    await from.assign(given[0] ?? assert.fail(), sink, nameless);
    await assert.rejects(exported(from, readOnlyKey), /may only read/);
    await assert.rejects(exported(from, 'wrong'), /does not accept the key/);

    const { code, text, said } = await exported(
      from,
      key,
      '--project',
      'Alpha',
      '--ping-key',
      'a'.repeat(22),
    );

    assert.equal(code, 0);
    assert.match(
      said,
      /^Checks: 4\nFill in how the integrations are set up, before you apply the file: 2\. Checks that alert nobody until then: 1\.\nAPI keys do not move\./,
    );
    assert.doesNotMatch(said, /--ping-key/);
    assert.ok(!text.includes(key));
    assert.equal((await apply(to, text)).filter((line) => line.startsWith('created check Alpha/')).length, 4);
    assert.deepEqual(await apply(to, text), []);
    const moved = await checksOf(to, OWNER);
    assert.deepEqual(
      moved.map((check) => [check.uuid, check.uniqueKey, check.status, configOf(check)]),
      given.map((check) => [check.uuid, check.uniqueKey, check.status, configOf(check)]),
    );
    assert.equal((await to.ping(`/${given[1]?.uuid}`, { body: 'done' })).status, 200);

    const filled = text
      .replaceAll(/^( +)# (?=integrations| {2}- )/gm, '$1')
      .replace('name: "Sink" }', 'name: "Sink", down: { url: "https://example.org/" } }')
      .replace(/(name: "email-\w{8}") \}/, '$1, email: ops@example.org }');
    assert.ok((await apply(to, filled)).includes('updated check Alpha/job: integrations'));
    assert.equal((await to.deps.store.checks.channelsOf(moved[0]?.id ?? 0)).length, 2);
    // If the addresses are taken, nothing is applied.
    await assert.rejects(apply(from, text), (error: Error) => {
      assert.ok(error instanceof ProvisionError);
      assert.match(error.message, /belongs to a check of another project/);
      return true;
    });
    assert.equal(await from.deps.store.accounts.byEmail(OWNER), null);
  });

  test('parents go along, and who is told of each success is written with the integrations', async () => {
    await using from = await startTestApp(engine);
    await using to = await startTestApp(engine);
    const { project, key } = await from.givenProject();
    const sink = await from.givenChannel(project, { name: 'Sink' });
    const router = await from.givenCheck(project, { slug: 'router' });
    const shop = await from.givenCheck(project, { slug: 'shop' });
    await from.assign(shop, sink);
    const body = { parents: ['router'], done_channels: sink.uuid };
    const edited = await from.request('POST', `/api/v3/checks/${shop.uuid}`, { key, body });
    assert.equal(edited.status, 200, edited.text);

    const { text } = await exported(from, key, '--project', 'Alpha');

    assert.match(text, /# integrations: \["Sink"\]\n +# done: \["Sink"\]/);
    await apply(to, text);
    assert.deepEqual(await apply(to, text), []);
    assert.deepEqual(
      (await checksOf(to, OWNER)).map(({ slug, parents }) => [slug, parents]),
      [
        ['router', ''],
        ['shop', router.uniqueKey],
      ],
    );
  });

  test('how outages are told goes along, with hours and quiet times, and is the same there', async () => {
    await using from = await startTestApp(engine);
    await using to = await startTestApp(engine);
    const { project, key } = await from.givenProject();
    const post = async (path: string, body: object) => {
      const reply = await from.request('POST', `/api/v3/${path}`, { key, body });
      assert.ok(reply.status < 300, reply.text);
    };
    await from.givenChannel(project, {
      ...{ kind: 'webhook', name: 'Sink', settings: { down: { url: 'https://example.org/' } } },
    });
    await post('checks/', { name: `costs \${HOME}`, slug: 'shop', tags: 'web' });
    await post('checks/', { slug: 'other' });
    await post('calendars/', {
      ...{
        name: 'day',
        schedule: 'Mon..Fri 08:00',
        tz: 'Europe/Riga',
        duration: 36_000,
        except: ['2026-12-24'],
      },
    });
    await post('policies/', { name: 'by day', hours: 'day', always_tags: 'important', again: 3600 });
    // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
    await post('policies/', { name: 'then-next', then: [{ after: 900, tell: ['Sink'] }] });
    const tags = [
      { tag: 'web', policy: 'then-next', as_one: true },
      { tag: 'db', policy: 'twice' },
      { tag: 'cdn', as_one: true },
    ];
    await post('alerting/', { policy: 'by day', tags });
    for (const [slug, policy] of [
      ['shop', 'then-next'],
      ['other', 'at-once'],
    ])
      await post('checks/', { slug, policy, unique: ['slug'] });
    await post('quiet-times/', { name: 'sunday', tags: 'web', schedule: 'Sun 01:00', duration: 14_400 });
    await post('quiet-times/', { name: 'deploy', reason: 'deploy 412', checks: ['shop'], duration: 7200 });
    await post('quiet-times/', { name: 'all', duration: 3600 });
    await post('checks/', { slug: 'goes' });
    await post('quiet-times/', { name: 'gone', checks: ['goes'], duration: 3600 });
    const goes = (await from.deps.store.checks.namesOfProject(project.id)).find(
      ({ slug }) => slug === 'goes',
    );
    await from.request('DELETE', `/api/v3/checks/${goes?.uuid}`, { key });

    const { text, said } = await exported(from, key, '--project', 'Alpha');

    assert.match(said, /^Not moved: the quiet time gone: its checks are gone$/m);
    assert.match(said, /^Policies that are comments until their integrations are filled in: 1\.$/m);
    // Before anything is filled in, it is applied without what names integrations.
    await apply(to, text);
    assert.deepEqual(await apply(to, text), []);
    const filled = text
      .replaceAll(/^( +)# (?!Fill)/gm, '$1')
      .replace('name: "Sink" }', 'name: "Sink", down: { url: "https://example.org/" } }');
    await apply(to, filled);
    assert.deepEqual(await apply(to, filled), []);
    const account = (await to.deps.store.accounts.byEmail(OWNER)) ?? assert.fail();
    const [moved = assert.fail()] = await to.deps.store.projects.byOwnerAndName(account.id, 'Alpha');
    const other = generateApiKey('read_write', to.deps.random.bytes);
    await to.deps.store.transaction((tx) =>
      addApiKey(to.deps, tx, moved, { kind: 'read_write', name: 'test', key: other }),
    );
    assert.equal((await exported(to, other, '--project', 'Alpha')).text, text);
  });

  test('checks go on where they came from: with their status, and one whose job has died rings once', async () => {
    await using from = await startTestApp(engine);
    await using to = await startTestApp(engine);
    const { project, key } = await from.givenProject();
    const sink = await from.givenChannel(project, {
      ...{ kind: 'webhook', name: 'Sink', settings: { down: { url: 'https://example.org/' } } },
    });
    const given = [
      { name: 'up', status: 'up', lastPingAt: START - HOUR },
      { name: 'late', status: 'up', lastPingAt: START - 24 * HOUR - 10 * MINUTE },
      { name: 'dead', status: 'up', lastPingAt: START, timeoutSeconds: 300, graceSeconds: 60 },
      { name: 'down', status: 'down', lastPingAt: START - 2 * HOUR },
      { name: 'never ended', status: 'down', lastPingAt: null },
      { name: 'new', status: 'new' },
      { name: 'paused', status: 'paused', lastPingAt: START - 50 * HOUR },
    ] as const;
    for (const check of given) await from.assign(await from.givenCheck(project, check), sink);

    const { text, said } = await exported(from, key, '--project', 'Alpha');
    const filled = text
      .replaceAll(/^( +)# (?=integrations| {2}- )/gm, '$1')
      .replace('name: "Sink" }', 'name: "Sink", down: { url: "https://example.org/" } }');
    assert.match(said, /counted from their last ping in the file: 3\./);
    to.clock.advance({ minutes: 1 });
    await apply(to, filled);
    const cameAt = to.clock.now();

    const shown = async () =>
      (await checksOf(to, OWNER)).map((check) => [check.name, statusAt(check, to.clock.now())]);
    assert.deepEqual(await shown(), [
      ...[
        ['up', 'up'],
        ['late', 'grace'],
        ['dead', 'up'],
      ],
      ...[
        ['down', 'down'],
        ['never ended', 'down'],
        ['new', 'new'],
        ['paused', 'paused'],
      ],
    ]);
    assert.deepEqual(
      (await checksOf(to, OWNER)).map(({ lastPingAt, pingCount }) => [lastPingAt, pingCount]),
      given.map((check) => ['lastPingAt' in check ? check.lastPingAt : null, 0]),
    );
    assert.deepEqual(await flipTimes(to), []);

    const sender = new FakeSender();
    const rung = async () => {
      await drain({ app: to, notifier: newNotifier(to, sender) });
      return sender.sent.splice(0).map(({ event }) => `${event.check.name} ${event.to}`);
    };
    assert.deepEqual(await rung(), []);
    to.clock.set(START + 6 * MINUTE);
    assert.deepEqual(await rung(), ['dead down']);
    assert.deepEqual(await flipTimes(to), [START + 6 * MINUTE]);
    assert.deepEqual(await apply(to, filled), []);
    to.clock.set(START + HOUR);
    assert.deepEqual(await rung(), ['late down']);
    for (const check of await checksOf(to, OWNER))
      if (check.status === 'down') await to.ping(`/${check.uuid}`);
    assert.deepEqual((await rung()).toSorted(), ['dead up', 'down up', 'late up', 'never ended up']);
    assert.deepEqual(await apply(to, filled), []);
    assert.ok((await flipTimes(to)).every((at) => at > cameAt));
  });

  test('a check whose deadline has passed before it comes rings at once, and once', async () => {
    await using app = await startTestApp(engine);
    const uuid = app.deps.random.uuid();
    const file = `accounts: [{ email: ${OWNER} }]
projects:
  - name: Alpha
    owner: ${OWNER}
    integrations: [{ kind: email, name: Mail, email: ${OWNER}, verified: true }]
    checks: [{ uuid: ${uuid}, name: dead, timeout: 300, grace: 60, last_ping: 2024-03-01T11:00:00Z, integrations: "*" }]
`;
    const sender = new FakeSender();
    const rung = async () => {
      await drain({ app, notifier: newNotifier(app, sender) });
      return sender.sent.splice(0).map(({ event }) => `${event.check.name} ${event.to}`);
    };

    await apply(app, file);
    assert.deepEqual(await rung(), ['dead down']);
    assert.deepEqual(await flipTimes(app), [START]);
    app.clock.advance({ days: 90 });
    assert.deepEqual(await apply(app, file), []);
    assert.deepEqual(await rung(), []);
    assert.deepEqual(await flipTimes(app), [START]);
  });

  test('whoever is reminded of what is down is reminded of a check that came down', async () => {
    await using app = await startTestApp(engine);
    const file = (check: string) => `accounts: [{ email: ${OWNER}, reminders: hourly }]
projects: [{ name: Alpha, owner: ${OWNER}, checks: [{ slug: job, ${check} }] }]`;

    await apply(app, file('last_ping: 2024-03-01T11:00:00Z, down: true'));
    const account = (await app.deps.store.accounts.byEmail(OWNER)) ?? assert.fail();
    const preferences = await app.deps.store.mailPreferences.ofAccount(account.id);
    assert.equal(preferences?.nextReminderAt, START + HOUR);
  });

  test('a last ping in the future is refused with its line, unless the check exists', async () => {
    await using app = await startTestApp(engine);
    const file = (lastPing: string) => `accounts: [{ email: ${OWNER} }]
projects:
  - name: Alpha
    owner: ${OWNER}
    checks:
      - { slug: job, last_ping: "${lastPing}" }`;

    await assert.rejects(
      apply(app, file('2024-03-01T12:00:31+00:00')),
      new ProvisionError(
        6,
        'last_ping is in the future: 2024-03-01T12:00:31+00:00. Here it is 2024-03-01T12:00:00+00:00',
      ),
    );
    assert.equal(await app.deps.store.accounts.byEmail(OWNER), null);
    await apply(app, file('2024-03-01T12:00:30+00:00'));
    assert.deepEqual(await apply(app, file('2024-03-01T13:00:00+00:00')), []);
    const [check] = await checksOf(app, OWNER);
    assert.deepEqual([check?.status, check?.lastPingAt], ['up', START]);
  });

  test('a UUID tells which check is meant: its slug changes, and a paused one stays as it is', async () => {
    await using app = await startTestApp(engine);
    const uuid = app.deps.random.uuid();
    const file = (check: string) => `accounts: [{ email: ${OWNER} }]
projects: [{ name: Alpha, owner: ${OWNER}, checks: [${check}] }]`;

    assert.deepEqual(
      (await apply(app, file(`{ uuid: ${uuid}, slug: old, paused: true }`))).at(-1),
      'created check Alpha/old',
    );
    await app.ping(`/${uuid}`);
    assert.deepEqual(await apply(app, file(`{ uuid: ${uuid}, slug: new, paused: true }`)), [
      'updated check Alpha/new: slug',
    ]);
    const [check] = await checksOf(app, OWNER);
    assert.deepEqual([check?.uuid, check?.slug, check?.status, check?.pingCount], [uuid, 'new', 'up', 1]);
    await assert.rejects(
      apply(app, file(`{ uuid: ${app.deps.random.uuid()}, slug: new }`)),
      /the slug new belongs to another check, with another UUID/,
    );
  });
});

describe('an export', () => {
  test('leaves out what it cannot move of how outages are told, and says so', () => {
    const uuid = '5c7e2a10-93b4-4d6f-8a21-00000000000a';
    const { text, remarks } = exportProject(
      { name: 'Alpha', owner: OWNER, pingKey: 'a'.repeat(22) },
      { checks: [{ uuid, name: 'shop', policy: 'odd' }], channels: [] },
      {
        alerting: {
          policy: 'odd',
          tags: [
            { tag: 'db', policy: 'odd' },
            { tag: 'web', policy: 'odd', as_one: true },
          ],
        },
        calendars: [{ name: 'never', schedule: 'every now and then', duration: 60 }, { name: 'day' }],
        policies: [
          { uuid: 'p', name: 'odd', sometimes: true },
          { uuid: 'q', name: 'night', wait: 900, hours: 'never' },
        ],
        quietTimes: [
          { name: 'once', state: 'over', schedule: null, checks: [], tags: '', whole_project: true },
          {
            name: 'when',
            state: 'coming',
            schedule: null,
            from: 'soon',
            until: null,
            tags: 'web',
            checks: [],
          },
          {
            name: 'sunday',
            state: 'coming',
            schedule: 'Sun 01:00',
            tz: 'UTC',
            duration: 60,
            tags: 'a',
            checks: [],
          },
          {
            name: 'sunday',
            state: 'coming',
            schedule: 'Sun 02:00',
            tz: 'UTC',
            duration: 60,
            tags: 'b',
            checks: [],
          },
        ],
      },
    );

    assert.equal(
      text.slice(text.indexOf('    policies:')),
      `    policies:
      - { name: "night", wait: 900 }
    tags:
      - { tag: "web", as_one: true }
    quiet_times:
      - { name: "sunday", tags: "a", schedule: "Sun 01:00", tz: "UTC", duration: 60 }
    checks:
      - uuid: ${uuid}
        name: "shop"
`,
    );
    assert.deepEqual(remarks.slice(0, -2), [
      'Not moved: the policy of shop: odd is not known',
      'Not moved: the calendar day: schedule is missing',
      'Not moved: the calendar never: schedule is not a valid cron or OnCalendar expression: A cron expression has five fields, not 4: minute, hour, day of month, month, day of week.',
      'Not moved: the hours of the policy night: never is not known',
      'Not moved: the policy odd: policy has an unknown key "sometimes"',
      'Not moved: the policy of the project: odd is not known',
      'Not moved: the policy of the tag db: odd is not known',
      'Not moved: the policy of the tag web: odd is not known',
      'Not moved: the quiet time when: its times cannot be read',
      'Not moved: the quiet time sunday: another one has this name',
    ]);
  });

  test('says what could not be moved, and leaves out what is as usual', () => {
    const uuid = '5c7e2a10-93b4-4d6f-8a21-00000000000a';
    const child = '5c7e2a10-93b4-4d6f-8a21-00000000000b';
    const { text, remarks } = exportProject(
      { name: 'Alpha', owner: OWNER, pingKey: null },
      {
        checks: [
          {
            name: 'fine',
            slug: '',
            timeout: 86_400,
            grace: 3_600,
            ping_url: `https://hc.example.org/${uuid}`,
          },
          { name: 'odd', schedule: 'every now and then', tz: 'UTC', uuid },
          { name: 'nobody', timeout: 60 },
          { uuid: child, parents: [uuid, '33333333-3333-4333-8333-333333333333'] },
        ],
        channels: [],
      },
    );

    assert.equal(
      text,
      `accounts:
  - email: "alice@example.org"
projects:
  - name: "Alpha"
    owner: "alice@example.org"
    checks:
      - uuid: ${uuid}
        name: "fine"
      - uuid: ${child}
        parents: ["${uuid}"]
`,
    );
    assert.deepEqual(remarks, [
      'Not moved: odd: schedule is not a valid cron or OnCalendar expression',
      'Not moved: nobody: its UUID is not known',
      'API keys do not move. Give those that programs use in the file, as keys: { read_write: …, read_only: … }, or make new ones there.',
      'The ping key does not move without --ping-key. Jobs need it for addresses with slugs.',
      'These stay behind as well: the log of pings, the history of statuses, members, status pages, and the addresses of badges.',
    ]);
  });

  test('tells of each check how it comes, as far as the server does', () => {
    const uuid = (n: number) => `5c7e2a10-93b4-4d6f-8a21-00000000000${n}`;
    const lastPing = '2026-11-17T08:00:00+00:00';
    const told = [
      { status: 'up', last_ping: lastPing },
      { status: 'grace', last_ping: lastPing, started: true },
      { status: 'started', last_ping: lastPing },
      { status: 'down', last_ping: lastPing },
      { status: 'down', last_ping: null },
      { status: 'paused', last_ping: lastPing },
      { status: 'new', last_ping: null },
      { status: 'new', last_ping: null, started: true },
      { status: 'up', last_ping: 'just now' },
    ];

    const { text, remarks } = exportProject(
      { name: 'Alpha', owner: OWNER, pingKey: 'a'.repeat(22) },
      { checks: told.map((check, n) => ({ ...check, uuid: uuid(n), name: `job ${n}` })), channels: [] },
    );

    const [alpha] = parseProvisionFile('f', text).projects;
    const lastPingAt = fromIso(lastPing);
    assert.deepEqual(
      alpha?.checks.map(({ arrival }) => arrival),
      [
        ...Array(3).fill({ status: 'up', lastPingAt }),
        { status: 'down', lastPingAt },
        { status: 'down', lastPingAt: null },
        { status: 'paused', lastPingAt },
        ...Array(3).fill(undefined),
      ],
    );
    assert.deepEqual(remarks.slice(0, 3), [
      'Not watched before its next ping: job 7: its first run is under way',
      'Not watched before its next ping: job 8: its last ping is not known',
      'Checks that go down there unless they ping in time, counted from their last ping in the file: 3. Apply it soon, or export again.',
    ]);
  });

  test('takes a UUID in one spelling alone', () => {
    const faults = (uuid: string) => () =>
      parseProvisionFile('f', `projects: [{ name: A, owner: ${OWNER}, checks: [{ uuid: "${uuid}" }] }]`);
    for (const wrong of [
      '5C7E2A10-93B4-4D6F-8A21-00000000000A',
      '{5c7e2a10-93b4-4d6f-8a21-00000000000a}',
      '5c7e2a10-93b4-1d6f-8a21-00000000000a',
    ])
      assert.throws(faults(wrong), /UUID of version 4/, wrong);
  });
});
