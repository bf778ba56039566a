import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Signal } from '../ping.ts';
import { readPattern } from '../values.ts';
import { bodyOf, sharesOf } from './body.ts';
import type { Ending } from './job.ts';
import { KeptOutput } from './output.ts';
import { NO_SECRETS, type Secrets, secretsOf } from './redaction.ts';
import { USUAL_REPORT } from './report.test-support.ts';
import type { ReportOptions } from './report.ts';

interface Given {
  readonly options?: Partial<ReportOptions>;
  readonly ending?: Ending;
  readonly timeoutMs?: number;
  readonly signal?: Signal;
  readonly secrets?: Secrets;
  readonly limit?: number;
  readonly unmet?: readonly string[];
  readonly head?: string;
  readonly remarks?: readonly string[];
}

function body(output: string | Uint8Array, given: Given = {}): string {
  return Buffer.from(bodyBytes(output, given)).toString('utf8');
}

function bodyBytes(output: string | Uint8Array, given: Given): Uint8Array {
  const options = { ...USUAL_REPORT, ...given.options };
  const secrets = given.secrets ?? NO_SECRETS;
  const kept = new KeptOutput(sharesOf(options, secrets));
  kept.add(Buffer.from(output));
  return bodyOf({
    outcome: {
      ending: given.ending ?? { kind: 'exit', code: 0 },
      timeoutMs: given.timeoutMs ?? null,
      durationMs: 12_400,
      unmet: given.unmet ?? [],
    },
    kept: kept.take(),
    secrets,
    options,
    signal: given.signal ?? 'success',
    limit: given.limit ?? 10_000,
    head: given.head ?? '',
    remarks: given.remarks ?? [],
  });
}

const numbers = (count: number) => Array.from({ length: count }, (_none, index) => `${index}\n`).join('');

test('an output that fits is sent as it is, also after a failure that the ping tells', () => {
  assert.equal(body('all well\n'), 'all well\n');
  assert.equal(body('no\n', { ending: { kind: 'exit', code: 3 }, signal: 3 }), 'no\n');
  assert.equal(body(''), '');
});

test('of a long output the last bytes are sent, with a line that counts the rest', () => {
  const output = 'x'.repeat(25_000);

  const sent = body(output, { ending: { kind: 'exit', code: 3 }, signal: 3 });

  assert.equal(sent.length, 10_000);
  const [, tail = '', count] =
    /^(x+)\n\[tocsin\] exit status 3 after 12\.4 s; (\d+) bytes left out$/.exec(sent) ?? [];
  assert.equal(tail.length + Number(count), 25_000);
  assert.equal(body(numbers(25_000)).length, 10_000);
});

test('the count is right and the body fits whatever the lengths', () => {
  for (let length = 60; length < 1_300; length += 7) {
    for (const end of ['', '\n']) {
      const sent = body(`${'y'.repeat(length - end.length)}${end}`, { limit: 100 });
      const line = /\n?\[tocsin\] .*; (\d+) bytes left out$/.exec(sent);
      const tail = (line === null ? sent : sent.slice(0, line.index)).replace('\n', '') + end;

      assert.ok(sent.length <= 100, sent);
      assert.equal(tail.length + Number(line?.[1] ?? 0), length);
    }
  }
});

test('where the line has no room, the output has', () => {
  assert.equal(body('0123456789', { limit: 4 }), '6789');
});

test('--no-summary sends output alone', () => {
  const ending: Ending = { kind: 'signal', signal: 'SIGTERM' };

  assert.equal(body('abc', { ending, signal: 143, options: { 'no-summary': true } }), 'abc');
  assert.equal(body(numbers(100), { limit: 8, options: { 'no-summary': true } }), '97\n98\n99\n'.slice(-8));
});

test('a line tells what the ping does not', () => {
  const signal: Ending = { kind: 'signal', signal: 'SIGTERM' };
  const three: Ending = { kind: 'exit', code: 3 };

  assert.equal(body('a', { ending: signal, signal: 143 }), 'a\n[tocsin] ended by SIGTERM after 12.4 s');
  assert.equal(body('a\n', { ending: three, signal: 'fail' }), 'a\n[tocsin] exit status 3 after 12.4 s');
  assert.equal(body('', { ending: three, signal: 'log' }), '[tocsin] exit status 3 after 12.4 s');
  assert.equal(body('', { timeoutMs: 12_000, signal: 124 }), '[tocsin] stopped after 12.4 s, by --timeout');
});

test('a job that could not be started gives the reason', () => {
  const ending: Ending = { kind: 'not started', code: 127, reason: 'nope: not found' };

  assert.equal(body('', { ending, signal: 127 }), 'nope: not found');
});

test('--output head keeps the first bytes, ends both, none nothing', () => {
  const output = numbers(400);
  const head = body(output, { limit: 100, options: { output: 'head' } });
  const ends = body(output, { limit: 100, options: { output: 'ends' } });

  assert.match(head, /^0\n1\n2\n[\d\n]*\n\[tocsin\] exit status 0 after 12\.4 s; \d+ bytes left out$/);
  assert.match(ends, /^0\n1\n2\n[\d\n]+\[… \d+ bytes left out …\]\n[\d\n]+\n398\n399\n$/);
  const [, front = '', count, back = ''] =
    /^([\d\n]+)\n\[… (\d+) bytes left out …\]\n([\d\n]+)$/.exec(ends) ?? [];
  assert.equal(front.length, 25);
  assert.equal(front.length + Number(count) + back.length, output.length);
  assert.ok(Buffer.byteLength(ends) <= 100);
  assert.equal(body(output, { options: { output: 'none' } }), '');
  assert.equal(body('short', { options: { output: 'ends' } }), 'short');
});

test('--output-on failure attaches nothing to a success', () => {
  const options = { 'output-on': 'failure' } as const;

  assert.equal(body('abc', { options }), '');
  assert.equal(body('abc', { options, ending: { kind: 'exit', code: 1 }, signal: 1 }), 'abc');
});

test('no cut divides a character', () => {
  const options = { 'no-summary': true };
  for (let limit = 1; limit < 20; limit++) {
    const tail = body('aäö€😀z'.repeat(5), { limit, options });
    const head = body('aäö€😀z'.repeat(5), { limit, options: { ...options, output: 'head' } });

    assert.ok(!`${tail}${head}`.includes('\ufffd'), `${limit}: ${tail} ${head}`);
    assert.ok(Buffer.byteLength(tail) > limit - 4 && Buffer.byteLength(tail) <= limit);
  }
});

test('bytes that are no text are sent as they are', () => {
  const output = Buffer.from([0x00, 0xff, 0x80, 0x80, 0x80, 0x80, 0xe2, 0x82]);

  assert.deepEqual([...bodyBytes(output, {})], [...output]);
  assert.deepEqual(
    [...bodyBytes(output, { limit: 4, options: { 'no-summary': true } })],
    [...output.subarray(-4)],
  );
});

test('no cut lets half a secret through', () => {
  const secrets = secretsOf({ DB_PASSWORD: 'correct-horse' }, { names: [], own: [], userPatterns: [] });
  const output = 'a correct-horse b '.repeat(2_000);
  const half = /(?<!c)orrect|correc(?!t)|horse|correct/;
  for (let limit = 90; limit < 130; limit++) {
    for (const mode of ['tail', 'head', 'ends'] as const) {
      const sent = body(output, { limit, secrets, options: { output: mode } });

      assert.doesNotMatch(sent, half);
      assert.match(sent, /\[redacted\]/);
      assert.ok(Buffer.byteLength(sent) <= limit);
    }
  }
});

test('the count of bytes left out is that of the output, not of what replaces it', () => {
  const secrets = secretsOf({ DB_PASSWORD: 'correct-horse' }, { names: [], own: [], userPatterns: [] });
  const sent = body(`${'x'.repeat(500)}correct-horse!`, { limit: 100, secrets });
  const [, tail = '', count] = /^(x+)\[redacted\]!\n\[tocsin\] .*; (\d+) bytes left out$/.exec(sent) ?? [];

  assert.equal(tail.length + 'correct-horse!'.length + Number(count), 514);
});

test('patterns that take too long leave the output out, and the line says so', () => {
  const userPatterns = [readPattern('(a+)+$')].filter((one) => one !== null);
  const secrets = secretsOf({}, { names: [], own: [], userPatterns });

  assert.equal(
    body(`${'a'.repeat(60)}b`, { secrets }),
    '[tocsin] exit status 0 after 12.4 s; output left out: the patterns of --redact took too long',
  );
});

test('numbers are the first line, and count for the limit', () => {
  const head = 'files=3 errors=0';

  assert.equal(body('all well\n', { head }), 'files=3 errors=0\nall well\n');
  assert.equal(body('', { head }), head);
  assert.equal(body('abc', { head, options: { 'output-on': 'failure' } }), head);
  assert.equal(body('0123456789', { head, limit: 20, options: { 'no-summary': true } }), `${head}\n789`);
  assert.equal(body('0123456789', { head, limit: 10 }), '0123456789');
});

test('what is missing is told in the last line, without secrets', () => {
  const secrets = secretsOf({ DB_PASSWORD: 'correct-horse' }, { names: [], own: [], userPatterns: [] });
  const unmet = ['/b/ä-correct-horse: nothing is there'];

  assert.equal(
    body('done\n', { signal: 'fail', unmet, secrets, options: { 'output-on': 'failure' } }),
    'done\n[tocsin] exit status 0 after 12.4 s; /b/ä-[redacted]: nothing is there',
  );
  for (let limit = 80; limit < 130; limit++) {
    assert.ok(bodyBytes('x'.repeat(500), { signal: 'fail', unmet, limit }).length <= limit);
  }
});

test('a remark makes a last line of its own', () => {
  assert.equal(
    body('odd\n', { remarks: ['no numbers'] }),
    'odd\n[tocsin] exit status 0 after 12.4 s; no numbers',
  );
});
