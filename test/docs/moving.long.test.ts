import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KumaFixture } from '../../src/import/kuma/fixture.test-support.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { insertAlias, setDialects } from '../../src/services/ping/aliases.ts';
import { setPingKey } from '../../src/services/project/projects.ts';
import { startTestApp } from '../app.ts';
import { temporaryFolder } from '../process.ts';
import { commandsOf, runCommands, TOCSIN } from './commands.ts';

interface Ran {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly programs?: Readonly<Record<string, string>>;
  /** What the commands of each block may end with, by the block. */
  readonly codes?: readonly number[];
}

/** Runs the commands of one section, and returns what each block said. */
async function runSection(
  section: string,
  { codes = [], programs = {}, ...options }: Ran,
): Promise<string[]> {
  const said: string[] = [];
  const blocks = (await commandsOf('moving.md')).filter((block) => block.section === section);
  for (const [index, { script }] of blocks.entries()) {
    const { code, stdout, stderr } = await runCommands(script, {
      ...options,
      programs: { tocsin: TOCSIN, ...programs },
    });
    assert.equal(code, codes[index] ?? 0, `${script}\n${stdout}${stderr}`);
    said.push(stdout);
  }
  return said;
}

test('the page moves Uptime Kuma in', async () => {
  await using folder = await temporaryFolder();
  using fixture = new KumaFixture('2');
  const docker = `if [ "$1" = cp ]; then mkdir "$3" && cp '${fixture.path}' "$3"; fi`;

  const [asked = '', done = ''] = await runSection('From Uptime Kuma', {
    cwd: folder.path,
    programs: { docker },
  });

  assert.match(asked, /checks 11/);
  assert.match(asked, /Nothing was written/);
  assert.match(done, /checks 11[\s\S]*\/accounts\/password\/#/);
  const { stdout } = await runCommands('cat .env; ls', { cwd: folder.path });
  assert.match(stdout, /^TELEGRAM_TOKEN=/m);
  assert.doesNotMatch(stdout, /^kuma\.env$/m);
});

test('the page moves Cronitor in', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('sqlite');
  const { project } = await app.givenProject();
  const by = { accountId: null, name: 'alice', means: 'session', remoteAddr: null } as const;
  await setDialects(app.deps, systemActor(project.id, by), { kuma: false, cronitor: { create: true } });
  const CRONITOR_KEY = '0123456789abcdef0123456789abcdef';
  await app.deps.store.transaction(async (tx) => {
    await setPingKey(app.deps, tx, project, 'a-ping-key-of-the-project');
    await insertAlias(app.deps, tx, { dialect: 'cronitor', token: CRONITOR_KEY, projectId: project.id });
  });
  const env = { TOCSIN: `http://127.0.0.1:${await app.port()}`, CRONITOR_KEY };

  const [said] = await runSection('From Cronitor', { cwd: folder.path, env });

  assert.equal(said, 'CreatedOK');
  const [check] = await app.deps.store.transaction((tx) => tx.checks.namesOfProject(project.id));
  assert.equal(check?.slug, 'nightly');
});

test('the page keeps everything in files', async () => {
  await using folder = await temporaryFolder();
  const env = { SLACK_URL: 'https://hooks.slack.com/services/T0/B0/x' };

  const said = await runSection('Everything in files', { cwd: folder.path, env });

  assert.match(said[0] ?? '', /created check Alpha\/nightly/);
  assert.equal(said[1], 'Nothing to change.\n');
});
