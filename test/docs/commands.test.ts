import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../process.ts';
import { commandsIn, runCommands, TOCSIN } from './commands.ts';

const PAGE = [
  '# Page',
  'Text with `code`.',
  '## First',
  '```sh',
  'tocsin version',
  '```',
  '```yaml',
  'not: a command',
  '```',
  '### Second',
  '```sh',
  'echo one',
  '',
  'echo two',
  '```',
].join('\n');

test('commands are taken from a page with their headings', () => {
  assert.deepEqual(commandsIn(PAGE), [
    { section: 'First', script: 'tocsin version\n' },
    { section: 'Second', script: 'echo one\n\necho two\n' },
  ]);
});

test('commands run in their folder with the programs that they are given', async () => {
  await using folder = await temporaryFolder();
  const programs = { tocsin: TOCSIN, docker: 'echo "docker $*"' };

  const { code, stdout } = await runCommands('pwd\ntocsin version\ndocker run -d tocsin\n', {
    cwd: folder.path,
    programs,
  });

  assert.equal(code, 0);
  const [place, version, docker] = stdout.split('\n');
  assert.deepEqual([place, docker], [folder.path, 'docker run -d tocsin']);
  assert.match(version ?? '', /^tocsin \d/);
});

test('the first command that fails ends them', async () => {
  await using folder = await temporaryFolder();

  const { code, stdout } = await runCommands('false\necho reached\n', { cwd: folder.path });

  assert.deepEqual([code, stdout], [1, '']);
});
