import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { changeLines } from '../src/cli/apply.ts';
import { exportCommand } from '../src/cli/export.ts';
import { type CheckConfig, DEFAULT_CONFIG } from '../src/domain/check/check.ts';
import { exportProject } from '../src/provision/export.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { ProvisionError } from '../src/services/provisioning/declaration.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import { startTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

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
      /^Checks: 4\nFill in how the integrations are set up: 2\. Checks that alert nobody until then: 1\.\n$/,
    );
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
    // Where the addresses are taken, nothing is applied.
    await assert.rejects(apply(from, text), (error: Error) => {
      assert.ok(error instanceof ProvisionError);
      assert.match(error.message, /belongs to a check of another project/);
      return true;
    });
    assert.equal(await from.deps.store.accounts.byEmail(OWNER), null);
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
  test('says what could not be moved, and leaves out what is as usual', () => {
    const uuid = '5c7e2a10-93b4-4d6f-8a21-00000000000a';
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
`,
    );
    assert.deepEqual(remarks, [
      'Not moved: odd: schedule is not a valid cron or OnCalendar expression',
      'Not moved: nobody: its UUID is not known',
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
