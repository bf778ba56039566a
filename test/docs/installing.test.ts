import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { COMMANDS } from '../../src/cli/commands.ts';
import { commandsOf } from './commands.ts';

suite('the page about installing', () => {
  test('names commands of Tocsin that exist', async () => {
    const scripts = (await commandsOf('installing.md')).map(({ script }) => script).join('');
    const named = [...scripts.matchAll(/\btocsin(?:-server)?(?:@latest)? ([a-z][a-z-]*)(?= |$)/gm)].map(
      ([, name = '']) => name,
    );
    // Releases, containers and namespaces are called so, too.
    const known = [
      ...Object.keys(COMMANDS),
      'tocsin',
      'tocsin-server',
      'deploy',
      'exec',
      'logs',
      'delete',
      'node',
    ];

    assert.ok(named.includes('backup') && named.includes('unit'));
    assert.deepEqual(
      named.filter((name) => !known.includes(name)),
      [],
    );
  });

  test('has every way to run it, with the commands to install, look, back up, upgrade and remove', async () => {
    const sections = new Map<string, string>();
    for (const { section, script } of await commandsOf('installing.md'))
      sections.set(section, (sections.get(section) ?? '') + script);

    assert.deepEqual([...sections.keys()], ['npx', 'A container', 'Compose', 'systemd', 'Helm']);
    for (const [section, scripts] of sections) assert.match(scripts, /tocsin(-server)? backup /, section);
  });
});
