import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../arguments.ts';
import { RUN_OPTIONS } from '../options.ts';
import { jobStart } from './command.ts';

function startOf(argv: readonly string[], hasTerminal = false) {
  const { values } = parseArguments(RUN_OPTIONS, { argv, environment: {}, runsJob: true });
  return jobStart({ job: { kind: 'program', words: ['job'] }, values, environment: {}, hasTerminal });
}

test('a job with a time limit leads a session, unless a terminal has to reach it', () => {
  assert.equal(startOf(['--timeout', '1s']).leadsSession, true);
  assert.equal(startOf(['--timeout', '1s'], true).leadsSession, false);
  assert.equal(startOf([]).leadsSession, false);
});

test('a job whose output is not attached keeps our streams', () => {
  assert.equal(startOf(['--output', 'none']).keepsStreams, true);
  assert.equal(startOf(['--output', 'ends']).keepsStreams, false);
});
