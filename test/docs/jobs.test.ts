import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parseArguments } from '../../src/companion/arguments.ts';
import { PING_OPTIONS, RUN_OPTIONS, SPOOL_OPTIONS } from '../../src/companion/options.ts';

const page = await readFile(new URL('../../docs/jobs.md', import.meta.url), 'utf8');

/** What stands behind `tocsin run` and its like, to the end of the line or of the code in a sentence. */
function linesOf(command: string): string[][] {
  const found = page.matchAll(new RegExp(`tocsin ${command} ([^\`\\n]+)`, 'g'));
  return [...found].map(([, words = '']) => words.match(/'[^']*'|\S+/g) ?? []);
}

const read = (table: Parameters<typeof parseArguments>[0], argv: readonly string[], runsJob = false) =>
  parseArguments(table, { argv, environment: {}, runsJob });

test('every line of the page about jobs is understood', () => {
  const wrapped = linesOf('run').filter((words) => words.includes('--') || words.includes('-c'));
  assert.ok(wrapped.length >= 10);
  for (const argv of wrapped) {
    const { faults, job, sources } = read(RUN_OPTIONS, argv, true);
    assert.deepEqual(faults, [], argv.join(' '));
    assert.ok(job !== null && sources.has('slug'), argv.join(' '));
  }
  const pings = linesOf('ping');
  assert.equal(pings.length, 2);
  for (const argv of pings) assert.deepEqual(read(PING_OPTIONS, argv).faults, [], argv.join(' '));
  for (const argv of linesOf('spool')) assert.deepEqual(read(SPOOL_OPTIONS, argv).faults, []);
});

test('every option and variable that the page names exists', () => {
  const options = new Set([...Object.keys(RUN_OPTIONS), ...Object.keys(PING_OPTIONS), 'help']);
  const named = [...page.matchAll(/`--([a-z-]+)/g)].map(([, name = '']) => name);
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter((name) => !options.has(name)),
    [],
  );
});
