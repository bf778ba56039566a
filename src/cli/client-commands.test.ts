import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT } from './client-commands.ts';
import { COMMANDS } from './commands.ts';

test('the client knows every command by its name, and its overview lists those that it has', async () => {
  const lines = (await CLIENT.overview()).split('\n');

  assert.deepEqual(Object.keys(CLIENT.commands).toSorted(), Object.keys(COMMANDS).toSorted());
  assert.ok(lines.some((line) => line.startsWith('  export [OPTIONS] ')));
  assert.ok(!lines.some((line) => line.startsWith('  serve ')));
});
