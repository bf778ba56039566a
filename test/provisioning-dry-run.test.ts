import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { applyCommand } from '../src/cli/apply.ts';
import { applyHere } from '../src/cli/apply-here.ts';
import { changeLines, differenceLines } from '../src/cli/differences.ts';
import { toIsoSeconds } from '../src/lib/instant.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { updateCheck } from '../src/services/check/checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import type { Driver } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { sharedTestApp } from './app.ts';
import { DECLARATION, runHere, settingsFor } from './cli.test-support.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { temporaryFolder } from './process.ts';

const apply = applyCommand(async () => applyHere);

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  function files() {
    const app = started();
    const email = `${app.deps.random.uuid()}@example.org`;
    const content = (check: string, key: string) => `accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    integrations: [{ kind: ntfy, name: Ops, url: https://ntfy.example.org, topic: jobs, token: ${key} }]
    checks: [{ slug: heartbeat, ${check}, integrations: [Ops] }]
`;
    const changesOf = (text: string, isDryRun: boolean) =>
      provision(app.deps, parseProvisionFile('tocsin.yaml', text), { isDryRun });
    return { app, email, content, changesOf };
  }

  test('differences show variables and not what they hold', async () => {
    const { app, email } = files();
    const text = `accounts: [{ email: ${email}, name: "\${SECRET} of Alice" }]
projects:
  - name: Alpha
    owner: ${email}
    integrations: [{ kind: ntfy, name: Ops, url: "https://\${SECRET}.example.org", topic: jobs, token: "\${SECRET}" }]
    checks: [{ slug: heartbeat, desc: "\${SECRET}", subject: "\${SECRET}", grace: 300, integrations: [Ops] }]
    views: [{ name: Broken, owner: ${email}, query: "tag=\${SECRET}" }]
`;
    const changesOf = (SECRET: string) =>
      provision(app.deps, parseProvisionFile('tocsin.yaml', text, { SECRET }));
    await changesOf('s3cret');

    const changes = await changesOf('s3cret2');

    assert.deepEqual(
      differenceLines(changes).map((line) => line.replaceAll(email, 'a@b').replace(/ {2,}/, '  ')),
      [
        `~ account a@b  name: (secret) → "\${SECRET} of Alice"`,
        '~ integration Alpha/ntfy/Ops  token: (secret) changed',
        `~ integration Alpha/ntfy/Ops  url: (secret) → https://\${SECRET}.example.org`,
        `~ check Alpha/heartbeat  desc: (secret) → \${SECRET}`,
        `~ check Alpha/heartbeat  success_kw: (secret) → \${SECRET}`,
        `~ view Alpha/a@b/Broken  query: (secret) → tag=\${SECRET}`,
      ],
    );
  });

  test('a dry run tells what applying the file does, and writes nothing', async () => {
    const { app, email, content, changesOf } = files();
    const first = content('grace: 300', 'tk_one');

    const foreseen = await changesOf(first, true);
    assert.equal(await app.deps.store.accounts.byEmail(email), null);
    assert.deepEqual(await changesOf(first, false), foreseen);
    assert.deepEqual(await changesOf(first, true), []);

    const second = content('grace: 600', 'tk_two');
    const differing = await changesOf(second, true);
    assert.deepEqual(
      await changesOf(first, false),
      [],
      'the dry run has left the first file as it was applied',
    );
    assert.deepEqual(differenceLines(differing), [
      '~ integration Alpha/ntfy/Ops  token: (secret) changed',
      '~ check Alpha/heartbeat       grace: 300 → 600',
    ]);
    assert.deepEqual(await changesOf(second, false), differing);
    assert.deepEqual(changeLines(differing), [
      'updated integration Alpha/ntfy/Ops: settings',
      'updated check Alpha/heartbeat: grace',
    ]);
  });

  test('a command that keeps edits lists them and ends as if there were no difference', async () => {
    await using place = await createMigratedPlace(engine);
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'tocsin.yaml');
    const run = async (...options: string[]) => {
      const { code, stdout } = await runHere(apply, [file, ...options], settingsFor(place));
      return [code, stdout.split('\n')[0]];
    };
    await writeFile(file, DECLARATION);
    await run();
    await using driver = await openTestDriver(place.database);
    const store = createSqlStore(driver);
    const deps = { ...started().deps, store };
    const [{ projectId, id } = assert.fail()] = await checksIn(driver);
    const alice = { accountId: null, name: 'alice@example.org', means: 'session', remoteAddr: null } as const;
    await updateCheck(deps, systemActor(projectId, alice), id, { edit: { graceSeconds: 900 } });
    const graceNow = async () => (await store.checks.byId(id))?.graceSeconds;
    const day = toIsoSeconds(deps.clock.now()).slice(0, 10);
    const whose = `(set by alice@example.org, ${day})`;

    assert.deepEqual(await run('--dry-run', '--keep-edits'), [
      0,
      `= check Alpha/heartbeat  grace: 900 stays, not 300 ${whose}`,
    ]);
    assert.deepEqual(await run('--keep-edits'), [0, `kept check Alpha/heartbeat: grace ${whose}`]);
    assert.equal(await graceNow(), 900);
    assert.deepEqual(await run('--dry-run'), [2, `~ check Alpha/heartbeat  grace: 900 → 300 ${whose}`]);
    assert.equal(await graceNow(), 900);
    assert.deepEqual(await run(), [0, `updated check Alpha/heartbeat: grace ${whose}`]);
    assert.equal(await graceNow(), 300);
    assert.deepEqual(await run('--dry-run', '--keep-edits'), [0, 'Nothing to change.']);
  });
});

async function checksIn(driver: Driver): Promise<{ id: number; projectId: number }[]> {
  return await driver.all('select id, project_id as "projectId" from checks');
}
