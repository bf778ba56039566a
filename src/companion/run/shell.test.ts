import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { byShell, controlDescriptor, isKeptByShells } from './shell.ts';

test('a shell is noticed by variables whose names it does not understand', () => {
  assert.equal(isKeptByShells({ PATH: '/bin', _x1: '' }), true);
  assert.equal(isKeptByShells({ 'BASH_FUNC_f%%': '() { :; }' }), false);
  assert.equal(isKeptByShells({ 'npm-config': 'x' }), false);
});

test('the shell speaks over a descriptor that the job does not want', () => {
  assert.equal(controlDescriptor([]), 3);
  assert.equal(controlDescriptor([3, 4, 12]), 5);
  assert.equal(controlDescriptor([3, 4, 5, 6, 7, 8, 9]), null);
});

test('a job has the limit, the words and the variables that it was given, and none of the shell', () => {
  const environment = { PATH: process.env.PATH ?? '', x: 'mine' };
  const words = ['/bin/sh', '-c', 'ulimit -Sn; echo "$0 $1"', 'a b', '$x'];
  const run = (command: readonly string[]) => {
    const [program = '', ...args] = byShell(command, environment, { limit: '77', control: null });
    return spawnSync(program, args, { env: environment, encoding: 'utf8' }).stdout;
  };

  assert.equal(run(words), '77\na b $x\n');
  assert.deepEqual(run(['env']).trim().split('\n').toSorted(), [`PATH=${environment.PATH}`, 'x=mine']);
});
