import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent, recordingPorts, SERVER, UUID } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../settings/channel-settings.ts';
import { shellCommand } from './command.ts';
import { shell } from './shell.ts';

const ENABLED = { ...SERVER, SHELL_ENABLED: true };
const CHECK = { name: 'a&b', tags: "prod a'b" };

/** The output of a real shell, for a check with this name. */
function printed(template: string, check: Parameters<typeof aCheck>[0] = CHECK): string {
  const { command, variables } = shellCommand(template, anEvent({ check: aCheck(check) }));
  return execFileSync('/bin/sh', ['-c', command], { env: variables, encoding: 'utf8' });
}

suite('a value in a command', { skip: process.platform === 'win32' }, () => {
  test('is one word, whatever it contains and however it is quoted', () => {
    assert.equal(printed(`printf '<%s>' $NAME $TAG1 $TAG2 $TAGS plain`), "<a&b><prod><a'b><prod a'b><plain>");
    assert.equal(printed(`printf '<%s>' "$NAME" "\${NAME}!" '$NAME'`), '<a&b><a&b!><a&b>');
    assert.equal(printed(`printf '<%s>' '{"name": "$NAME"}'`), '<{"name": "a&b"}>');
    assert.equal(printed(`printf '<%s>' "it's $NAME" \\"$NAME\\" '\\'$NAME`), '<it\'s a&b><"a&b"><\\a&b>');
  });

  test('is never run, wherever it stands', () => {
    const evil = `'; echo RUN; "$(echo RUN)" \`echo RUN\` "; echo RUN; ' $(echo RUN) \\`;
    for (const template of [
      'echo $NAME',
      'echo "$NAME"',
      "echo '$NAME'",
      'echo "$(echo $NAME)"',
      "# it's\necho $NAME",
      `echo \${NAME}`,
      `echo "it's" $NAME '"'$NAME`,
      'cat <<END\n$NAME\nEND',
    ]) {
      const output = printed(template, { name: evil, tags: '' });
      assert.doesNotMatch(output, /^RUN/m, template);
    }
  });

  test('stays literal after a backslash, and a name that only begins like ours is another', () => {
    assert.equal(printed(`printf '<%s>' \\$NAME "$NAMES" $TAG10`), '<$NAME><>');
  });

  test('tells of the direction and the time, and of the UUID only if it is asked', () => {
    assert.equal(printed('echo $STATUS $NOW'), 'down 2024-03-10T12:30:05+00:00\n');
    assert.equal(printed('echo $CODE'), `${UUID}\n`);
    assert.ok(!JSON.stringify(shellCommand('echo $NAME', anEvent())).includes(UUID));
  });
});

suite('a shell command', () => {
  test('is delivered when it ends with 0, and tried again otherwise', async () => {
    const settings = { cmd_down: 'true', cmd_up: '' };
    const ends = (result: Awaited<ReturnType<ReturnType<typeof recordingPorts>['shell']>>) =>
      shell.deliver(anEvent(), settings, { ...recordingPorts(), shell: async () => result }, ENABLED);

    assert.deepEqual(await ends({ exitCode: 0 }), { kind: 'delivered' });
    assert.deepEqual(await ends({ exitCode: 1 }), {
      kind: 'try_again',
      error: 'Command returned exit code 1',
      afterSeconds: null,
    });
    assert.deepEqual(await ends({ error: 'Command timed out' }), {
      kind: 'try_again',
      error: 'Command timed out',
      afterSeconds: null,
    });
  });

  test('is not run unless the operator allows it', async () => {
    const ports = recordingPorts();

    const outcome = await shell.deliver(anEvent(), { cmd_down: 'true', cmd_up: '' }, ports, {
      ...ENABLED,
      SHELL_ENABLED: false,
    });

    assert.deepEqual(outcome, { kind: 'refused', error: 'Shell commands are not enabled' });
    assert.deepEqual(ports.commands, []);
    assert.equal(shell.server.SHELL_ENABLED.default, 'False');
  });

  test('that is empty stands for nothing to do, and one of the two is enough', () => {
    assert.equal(shell.wants({ cmd_down: '', cmd_up: 'true' }, 'down'), false);
    assert.equal(shell.wants({ cmd_down: '', cmd_up: 'true' }, 'up'), true);
    assert.ok(readSettings('shell', { cmd_down: ' ' }) instanceof Fault);
    assert.ok(readSettings('shell', { cmd_down: 'x'.repeat(1_001) }) instanceof Fault);
  });
});
