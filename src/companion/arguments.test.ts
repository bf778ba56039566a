import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from './arguments.ts';
import { RUN_OPTIONS } from './options.ts';

function parse(argv: string[], environment: Record<string, string> = {}) {
  return parseArguments(RUN_OPTIONS, { argv, environment, runsJob: true });
}

test('everything behind the first -- is the job and is not looked at', () => {
  const { job, values, faults } = parse(['--slug', 'a', '--', 'tar', '--slug', 'b', '--', '-c']);

  assert.deepEqual(job, { kind: 'program', words: ['tar', '--slug', 'b', '--', '-c'] });
  assert.equal(values.slug, 'a');
  assert.deepEqual(faults, []);
});

test('without -- the first word that is no option begins the job', () => {
  assert.deepEqual(parse(['--slug=a', 'git', 'log', '--', 'x']).job, {
    kind: 'program',
    words: ['git', 'log', '--', 'x'],
  });
});

test('a text for the shell follows -c', () => {
  assert.deepEqual(parse(['-c', 'a | b', '--slug', 'x']).job, { kind: 'shell', text: 'a | b' });
  assert.equal(parse(['-c']).job, null);
  assert.deepEqual(parse(['-c', 'a', '--', 'b']).faults, ['there is -c and a command']);
});

test('an option that is not known does not hide the job behind --', () => {
  const { job, faults } = parse(['--no-such-option', 'value', '--', 'true']);

  assert.deepEqual(job, { kind: 'program', words: ['true'] });
  assert.deepEqual(faults, ['there is no option --no-such-option']);
});

test('without -- an option that is not known leaves nothing to run', () => {
  assert.equal(parse(['--no-such-option', 'true']).job, null);
});

test('a value that is not understood is told without the value, and the default holds', () => {
  const { values, faults } = parse(['--timeout', 'sekret', '--', 'true'], { TOCSIN_RETRIES: 'many' });

  assert.equal(values.timeout, null);
  assert.equal(values.retries, 0);
  assert.deepEqual(faults, [
    '--timeout is not understood: write it as 90, 90s, 15m or 2h',
    'TOCSIN_RETRIES is not understood: it is a number',
  ]);
});

test('an option without a value is told, and the job is found', () => {
  const { job, faults } = parse(['--slug', '--', 'true']);

  assert.deepEqual(job, { kind: 'program', words: ['true'] });
  assert.deepEqual(faults, ['--slug has no value']);
});

test('a flag wins over its variable, that over variables of other programs, and an empty one is none', () => {
  const environment = {
    TOCSIN_UUID: '',
    CHECK_UUID: 'two',
    TOCSIN_PING_KEY: 'own',
    PING_KEY: 'other',
    TOCSIN_SLUG: 'x',
  };
  const { values, sources } = parse(['--slug', 'flag', '--', 'true'], environment);

  assert.deepEqual([values.uuid, values['ping-key'], values.slug], ['two', 'own', 'flag']);
  assert.deepEqual(
    ['uuid', 'ping-key', 'slug', 'url'].map((name) => sources.get(name)),
    ['other variable', 'variable', 'flag', undefined],
  );
});

test('secrets may be in the file that a variable names', () => {
  const { values, sources } = parse(['--', 'true'], { TOCSIN_PING_KEY_FILE: '/run/key' });

  assert.equal(values['ping-key'], 'file:/run/key');
  assert.equal(sources.get('ping-key'), 'variable');
});

test('the name of a lock is the next word only where the job begins behind it', () => {
  assert.equal(parse(['--lock', 'night', '--', 'true']).values.lock, 'night');
  assert.equal(parse(['--lock=night', 'true']).values.lock, 'night');
  const { values, job } = parse(['--lock', 'backup.sh', 'all']);
  assert.equal(values.lock, '');
  assert.deepEqual(job, { kind: 'program', words: ['backup.sh', 'all'] });
  assert.equal(parse(['--', 'true']).values.lock, null);
});

test('options that may be repeated collect their values', () => {
  const { values } = parse([
    '--pass-fd',
    '3',
    '--pass-fd=5',
    '--redact',
    'a',
    '--redact',
    'b,c',
    '--redact-env',
    'A,B',
  ]);

  assert.deepEqual(values['pass-fd'], [3, 5]);
  assert.deepEqual(values.redact, ['a', 'b,c']);
  assert.deepEqual(values['redact-env'], ['A', 'B']);
});

test('short options and help stand before the job', () => {
  assert.equal(parse(['-q', 'true']).values.quiet, true);
  assert.equal(parse(['-h']).wantsHelp, true);
  assert.equal(parse(['true', '-h']).wantsHelp, false);
});
