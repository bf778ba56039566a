import assert from 'node:assert/strict';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { seconds } from '../lib/instant.ts';
import { scheduleCommand } from './schedule.ts';

/** 2024-03-29T22:00:00Z. */
const NOW = seconds(1_711_749_600);

async function run(args: string[], input: Iterable<string | Buffer> = []) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(stdout), text(stderr)]);
  const code = await scheduleCommand(args, {
    stdin: Readable.from(input, { objectMode: false }),
    stdout,
    stderr,
    now: NOW,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, out, err };
}

async function answer(...lines: string[]): Promise<unknown[]> {
  const { code, out, err } = await run(['--json'], [lines.map((line) => `${line}\n`).join('')]);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  return out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

suite('for people', () => {
  test('the kind, the meaning and the next runs in the zone and in UTC are printed', async () => {
    const { code, out, err } = await run(['30 3 * * *', '--tz', 'Europe/Riga', '--count', '3']);

    assert.deepEqual({ code, err }, { code: 0, err: '' });
    assert.equal(
      out,
      `Kind:    cron
Meaning: At 03:30, every day

Next runs in Europe/Riga         in UTC
Sat 2024-03-30 03:30:00 +02:00   2024-03-30T01:30:00Z
Sun 2024-03-31 04:00:00 +03:00   2024-03-31T01:00:00Z
Mon 2024-04-01 03:30:00 +03:00   2024-04-01T00:30:00Z
`,
    );
  });

  test('five runs in UTC from now are the default', async () => {
    const { out } = await run(['daily']);

    assert.match(out, /^Kind: {4}oncalendar\n/);
    assert.deepEqual(out.match(/\S+Z$/gm), [
      '2024-03-30T00:00:00Z',
      '2024-03-31T00:00:00Z',
      '2024-04-01T00:00:00Z',
      '2024-04-02T00:00:00Z',
      '2024-04-03T00:00:00Z',
    ]);
  });

  test('the start may be given with any offset, and a zone by its older name', async () => {
    const { out } = await run([
      '0 12 * * *',
      '--from',
      '2020-07-01T15:00:00.5+03:00',
      '--tz',
      'Europe/Kiev',
      '--count=1',
    ]);

    assert.match(out, /Next runs in Europe\/Kyiv/);
    assert.match(out, /Thu 2020-07-02 12:00:00 \+03:00 {3}2020-07-02T09:00:00Z/);
  });

  test('a schedule that ends says so', async () => {
    assert.match(
      (await run(['2030-01-01'])).out,
      /2030-01-01T00:00:00Z\nNo further runs: the schedule has ended\.\n$/,
    );
    assert.match(
      (await run(['2019-01-01'])).out,
      /January 2019\n\nNo further runs: the schedule has ended\.\n$/,
    );
  });

  test('a wrong expression is explained on standard error, with exit code 1', async () => {
    assert.deepEqual(await run(['0 0 * * 8']), {
      code: 1,
      out: '',
      err: 'In the day-of-week field, "8" is not between 0 and 7.\n',
    });
    assert.deepEqual(await run(['@daily']), {
      code: 1,
      out: '',
      err: 'Aliases such as "@daily" are not accepted: write "0 0 * * *".\n',
    });
    assert.equal((await run(['0 0 */20 * 1L'])).code, 1);
    assert.equal((await run(['1999-12-31'])).code, 1);
    assert.equal((await run([''])).code, 1);
  });

  test('an unknown zone is a wrong expression too', async () => {
    const { code, err } = await run(['daily', '--tz', 'Europe/Nowhere']);

    assert.equal(code, 1);
    assert.match(err, /^"Europe\/Nowhere" is not a known time zone/);
  });

  const misused: [string[], RegExp][] = [
    [[], /^An expression is missing\./],
    [['0', '0', '*', '*', '*'], /^Put the expression in quotes/],
    [['daily', '--count', '0'], /^"count" is not a whole number from 1 to 1000\./],
    [['daily', '--count', '1001'], /^"count" is not a whole number/],
    [['daily', '--count', '1.5'], /^"count" is not a whole number/],
    [['daily', '--count', ''], /^"count" is not a whole number/],
    [['daily', '--from', 'tomorrow'], /^"from" is not an instant such as/],
    [['daily', '--from', '2024-03-30T22:00:00'], /^"from" is not an instant such as/],
    [['daily', '--zone', 'UTC'], /^Unknown option '--zone'/],
    [['daily', '--tz'], /^Option '--tz <value>' argument missing/],
    [['daily', '--json'], /^With --json, expressions come from standard input\./],
  ];
  for (const [args, reason] of misused) {
    test(`exit code 2 for: ${args.join(' ')}`, async () => {
      const { code, out, err } = await run(args);

      assert.deepEqual({ code, out }, { code: 2, out: '' });
      assert.match(err, reason);
      assert.match(err, /\nTry: tocsin schedule --help\n$/);
    });
  }
});

suite('for scripts', () => {
  test('each line is answered with the kind and the next instants', async () => {
    assert.deepEqual(
      await answer(
        '{"expr": "* * * * *", "tz": "UTC", "from": "2021-11-04T20:30:30Z", "count": 2}',
        '{"expr": "daily", "tz": "Europe/Riga", "from": "2021-11-04T20:30:30.500Z", "count": 1}',
        '{"expr": "2030-01-01\\n2031-01-01 UTC"}',
        '{"expr": "2019-01-01"}',
      ),
      [
        { kind: 'cron', next: ['2021-11-04T20:31:00Z', '2021-11-04T20:32:00Z'] },
        { kind: 'oncalendar', next: ['2021-11-04T22:00:00Z'] },
        { kind: 'oncalendar', next: ['2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'] },
        { kind: 'oncalendar', next: [] },
      ],
    );
  });

  test('UTC, now and five runs are the defaults', async () => {
    assert.deepEqual(await answer('{"expr": "*/30 * * * *"}'), [
      {
        kind: 'cron',
        next: [
          '2024-03-29T22:30:00Z',
          '2024-03-29T23:00:00Z',
          '2024-03-29T23:30:00Z',
          '2024-03-30T00:00:00Z',
          '2024-03-30T00:30:00Z',
        ],
      },
    ]);
  });

  test('what is wrong with a line is its answer, and the next line is answered all the same', async () => {
    assert.deepEqual(
      await answer(
        'not json',
        '',
        '"daily"',
        'null',
        '[]',
        '{}',
        '{"expr": null}',
        '{"expr": "daily", "tz": 5}',
        '{"expr": "daily", "tz": "Mars/Olympus"}',
        '{"expr": "daily", "count": "5"}',
        '{"expr": "daily", "count": 1e9}',
        '{"expr": "daily", "from": 0}',
        '{"expr": "60 * * * *"}',
        '{"expr": "1999-12-31"}',
        '{"expr": "daily", "count": 1, "__proto__": {"expr": 5}}',
      ),
      [
        { error: 'The line is not JSON.' },
        { error: 'The line is not JSON.' },
        { error: 'The line is not a JSON object.' },
        { error: 'The line is not a JSON object.' },
        { error: 'The line is not a JSON object.' },
        { error: '"expr" is not a string.' },
        { error: '"expr" is not a string.' },
        { error: '"tz" is not a string.' },
        { error: '"Mars/Olympus" is not a known time zone: names look like Europe/Riga, and case matters.' },
        { error: '"count" is not a whole number from 1 to 1000.' },
        { error: '"count" is not a whole number from 1 to 1000.' },
        { error: '"from" is not an instant such as 2024-03-30T22:00:00Z.' },
        { error: 'In the minute field, "60" is not between 0 and 59.' },
        { error: 'The expression never runs: no time after 1999 satisfies all of it.' },
        { kind: 'oncalendar', next: ['2024-03-30T00:00:00Z'] },
      ],
    );
  });

  test('lines may arrive in pieces, split in the middle of a letter, and the last needs no newline', async () => {
    const bytes = Buffer.from('{"expr": "0 0 * * ё"}\n{"expr": "daily", "count": 1}');
    const pieces = Array.from(bytes, (byte) => Buffer.of(byte));

    const { out } = await run(['--json'], pieces);

    assert.match(
      out,
      /^\{"error":"In the day-of-week field, \\"Ё\\" is not known.*\n\{"kind":"oncalendar".*\n$/,
    );
  });

  test('a line separator of Unicode inside a string ends no line', async () => {
    assert.equal((await answer('{"expr": "daily\u2028"}')).length, 1);
  });

  test('no input is no answer', async () => {
    assert.deepEqual(await run(['--json']), { code: 0, out: '', err: '' });
  });

  test('thousands of lines are answered in order', async () => {
    const minutes = Array.from({ length: 5000 }, (_, index) => index % 60);

    const answers = await answer(...minutes.map((minute) => `{"expr": "${minute} 12 * * *", "count": 1}`));

    assert.deepEqual(
      answers,
      minutes.map((minute) => ({
        kind: 'cron',
        next: [`2024-03-30T12:${String(minute).padStart(2, '0')}:00Z`],
      })),
    );
  });

  test('a reader that goes away ends the command without a fuss', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const stdin = Readable.from(['{"expr": "daily"}\n'.repeat(1000)]);

    assert.equal(
      await scheduleCommand(['--json'], { stdin, stdout, stderr: new PassThrough(), now: NOW }),
      0,
    );
  });
});
