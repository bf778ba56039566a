import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLines } from '../src/cli/apply.ts';
import { differenceLines } from '../src/cli/differences.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

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
});
