import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { m } from '../../web/messages/index.ts';
import { plainLine, styledLines } from '../../web/pages/check/ansi.ts';
import { jsonLines } from '../../web/pages/check/json-layout.ts';
import { diffLines, MAX_COMPARED_LINES } from '../../web/pages/check/line-diff.ts';
import { SNIPPET_KINDS, snippetOf } from '../../web/pages/check/snippets.ts';
import { resultWords } from '../../web/ui/run-results.ts';

const URL = 'https://ping.example.org/f3a1c9d2-7b40-4e1c-9a55-0c2d8e6b71f4';

suite('runs', () => {
  test('that were missed one after the other are counted in the summary', () => {
    assert.equal(m.runs.summary('oomol', [12]), '16 runs: 3 ok, 1 late, 12 missed');
    assert.equal(
      m.runs.summary('omsou', [1_001, 2, 1]),
      '1,006 runs: 2 ok, 1,001 missed, 2 skipped, 1 unknown',
    );
    assert.equal(m.runs.summary('oo', []), '2 runs, all ok');
  });

  test('that were missed are told where a run is pointed at', () => {
    const strip = { results: 'omosf', counts: [1, 12] };

    assert.deepEqual(
      [0, 1, 3, 4].map((place) => resultWords(strip, place)),
      ['Ok', 'Missed', 'Skipped, 12 runs', 'Failed'],
    );
  });
});

test('a schedule that fits says how far from their times the runs came', () => {
  const { seen } = m.checkEditor.preview;
  assert.equal(seen(24, null, '53 s'), 'The last 24 runs came within 53 s of the time.');
  assert.equal(seen(24, '20 s', '53 s'), 'The last 24 runs came 20 s to 53 s after the time.');
  assert.equal(seen(24, '20 s', '20 s'), 'The last 24 runs came 20 s after the time.');
});

suite('lines of a terminal', () => {
  test('have the colours that they ask for, across lines', () => {
    const lines = styledLines([
      '\u001b[31mERROR\u001b[0m x',
      '\u001b[1;32mok',
      'still\u001b[m no',
      '\u001b[38;5;9mz\u001b[2Ky',
    ]);

    assert.deepEqual(
      lines.map((line) => line.map(({ text, tone, isBold }) => `${text}/${tone}/${isBold}`)),
      [
        ['ERROR/red/false', ' x/null/false'],
        ['ok/green/true'],
        ['still/green/true', ' no/null/false'],
        ['z/null/false', 'y/null/false'],
      ],
    );
  });

  test('show what was written last, and no escape sequence', () => {
    assert.equal(plainLine('10 %\r50 %\r\u001b[32m100 %\u001b[0m\r'), '100 %');
  });
});

suite('JSON', () => {
  const texts = (source: string) => jsonLines(source).map((line) => line.map(({ text }) => text).join(''));

  test('is laid out in lines, and its numbers stay as they were', () => {
    assert.deepEqual(texts('{"a":[1,12345678901234567890.10,{}],"b":"x\\"y, {"}'), [
      '{',
      '  "a": [',
      '    1,',
      '    12345678901234567890.10,',
      '    {}',
      '  ],',
      '  "b": "x\\"y, {"',
      '}',
    ]);
  });

  test('has keys, texts and numbers', () => {
    assert.deepEqual(
      jsonLines('{"a":"b","c":1}')
        .flat()
        .filter(({ kind }) => kind !== 'mark')
        .map(({ kind, text }) => `${kind} ${text}`),
      ['key "a"', 'text "b"', 'key "c"', 'number 1'],
    );
  });
});

suite('a comparison of lines', () => {
  test('tells what is new, what is gone and what is the same', () => {
    assert.deepEqual(
      diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])?.map(({ kind, text }) => `${kind} ${text}`),
      ['same a', 'removed b', 'added x', 'same c', 'same d', 'added e'],
    );
  });

  test('of too much is not made', () => {
    const many = (word: string) =>
      Array.from({ length: MAX_COMPARED_LINES + 1 }, (_, index) => `${word}${index}`);

    assert.equal(diffLines(many('a'), many('b')), null);
  });
});

suite('ready lines', () => {
  for (const kind of SNIPPET_KINDS) {
    test(`for ${kind} have the address, and tell what they are asked to`, () => {
      const plain = snippetOf(kind, {
        url: URL,
        crontab: '*/15 * * * *',
        start: false,
        exitStatus: false,
        output: false,
      });
      const all = snippetOf(kind, {
        url: URL,
        crontab: '*/15 * * * *',
        start: true,
        exitStatus: true,
        output: true,
      });

      assert.ok(plain.includes(URL), plain);
      assert.ok(!plain.includes('/start'), plain);
      assert.ok(all.includes('/start'), all);
    });
  }

  test('for a crontab have its time', () => {
    const options = { url: URL, start: false, exitStatus: true, output: false };

    assert.equal(
      snippetOf('crontab', { ...options, crontab: '*/15 * * * *' }),
      `*/15 * * * * /path/to/job.sh; curl -fsS -m 10 --retry 5 -o /dev/null ${URL}/$?`,
    );
    assert.match(snippetOf('crontab', { ...options, crontab: null }), /^# Set the time/);
  });
});
