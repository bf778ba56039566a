import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { numbersLine } from '../numbers.ts';
import { bytesOf, objectsOf } from './reading.ts';
import type { Said } from './summary.ts';
import { SUMMARIES } from './tools.ts';

const TOOLS = ['restic', 'borg', 'borgmatic', 'rclone', 'rsync', 'pg_dump'] as const;
type Tool = (typeof TOOLS)[number];

const said = (text = ''): Said => ({ text, bytes: Buffer.byteLength(text) });
const summarize = (tool: Tool, out = '', err = '') => SUMMARIES[tool]({ out: said(out), err: said(err) });

/** What real tools have written, by version and case. */
async function recorded(tool: Tool) {
  const text = await readFile(new URL(`recorded/${tool}.txt`, import.meta.url), 'utf8');
  const cases = new Map<string, { out: string; err: string }>();
  for (const part of text.split(/^#{8} /m).slice(1)) {
    const [, name = '', stream, said = ''] = /^(\S+) (out|err)\n(.*)$/s.exec(part) ?? [];
    const streams = cases.get(name) ?? { out: '', err: '' };
    cases.set(name, stream === 'out' ? { ...streams, out: said } : { ...streams, err: said });
  }
  return cases;
}

/** The line for each recorded output; null where there is no summary. */
const LINES: Readonly<Record<Tool, Readonly<Record<string, string | null>>>> = {
  restic: {
    '0.14-again': 'files=5 bytes_added=2233 bytes_total=2999976 errors=0',
    '0.14-empty-json': 'files=0 bytes_added=719 bytes_total=0 errors=0',
    '0.14-empty': 'files=0 bytes_added=0 bytes_total=0 errors=0',
    '0.14-full-json': null,
    '0.14-full': null,
    '0.14-json': 'files=4 bytes_added=3002515 bytes_total=3000008 errors=0',
    '0.14-missing': 'files=5 bytes_added=0 bytes_total=2999976 errors=1',
    '0.14-unreadable-json': 'files=1 bytes_added=1060 bytes_total=2 errors=1',
    '0.14-unreadable': 'files=1 bytes_added=0 bytes_total=2 errors=1',
    '0.18-again': 'files=5 bytes_added=2233 bytes_total=2999976 errors=0',
    '0.18-empty-json': 'files=0 bytes_added=719 bytes_total=0 errors=0',
    '0.18-empty': 'files=0 bytes_added=0 bytes_total=0 errors=0',
    '0.18-full-json': null,
    '0.18-full': null,
    '0.18-json': 'files=4 bytes_added=3002515 bytes_total=3000008 errors=0',
    '0.18-missing': 'files=5 bytes_added=0 bytes_total=2999976 errors=1',
    '0.18-unreadable-json': 'files=1 bytes_added=1060 bytes_total=2 errors=1',
    '0.18-unreadable': 'files=1 bytes_added=0 bytes_total=2 errors=1',
  },
  borg: {
    '1.2-empty-json': 'files=0 bytes_added=479 bytes_total=497 errors=0',
    '1.2-empty': 'files=0 bytes_added=466 bytes_total=498 errors=0',
    '1.2-full': null,
    '1.2-json': 'files=4 bytes_added=3000498 bytes_total=3000511 errors=0',
    '1.2-missing-log-json': 'files=4 bytes_added=488 bytes_total=3000534 errors=1',
    '1.2-missing': 'files=4 bytes_added=479 bytes_total=3000000 errors=1',
    '1.2-plain': null,
    '1.2-stats': 'files=4 bytes_added=470 bytes_total=3000000 errors=0',
    '1.2-unreadable-json': 'files=1 bytes_added=479 bytes_total=504 errors=1',
    '1.2-unreadable': 'files=1 bytes_added=479 bytes_total=505 errors=1',
    '2.0b5-json': 'files=4 bytes_added=3000516 bytes_total=3000516 errors=0',
    '2.0b5-stats': 'files=4 bytes_added=474 bytes_total=3000000 errors=0',
  },
  borgmatic: {
    '1.7-empty-json': 'files=0 bytes_added=1017 bytes_total=1118 errors=0',
    '1.7-json': 'files=8 bytes_added=3001042 bytes_total=6001146 errors=0',
    '1.7-missing': 'files=0 bytes_added=953 bytes_total=1054 errors=2',
    '1.7-plain': null,
    '1.7-stats-v1': 'files=8 bytes_added=1040 bytes_total=6000000 errors=0',
    '1.7-stats': 'files=8 bytes_added=1027 bytes_total=6000000 errors=0',
    '1.9-empty-json': 'files=4 bytes_added=1691 bytes_total=1884 errors=0',
    '1.9-json': 'files=12 bytes_added=1687 bytes_total=6001902 errors=0',
    '1.9-missing-json': 'files=4 bytes_added=1695 bytes_total=1888 errors=4',
    '1.9-missing': 'files=4 bytes_added=1128 bytes_total=1890 errors=4',
    '1.9-plain': null,
    '1.9-stats-v1': 'files=12 bytes_added=1146 bytes_total=6000000 errors=0',
    '1.9-stats': 'files=12 bytes_added=1134 bytes_total=6000000 errors=0',
  },
  rclone: {
    '1.60-again': 'files=0 files_checked=4 bytes_added=0 errors=0',
    '1.60-empty-json': 'files=0 files_checked=0 bytes_added=0 errors=0',
    '1.60-empty': 'files=0 files_checked=0 bytes_added=0 errors=0',
    '1.60-full-json': 'files=3 files_checked=0 bytes_added=8 errors=1',
    '1.60-full': 'files=3 files_checked=0 bytes_added=8 errors=1',
    '1.60-json': 'files=4 files_checked=0 bytes_added=3000008 errors=0',
    '1.60-missing-json': 'files=0 files_checked=0 bytes_added=0 errors=1',
    '1.60-one-line': null,
    '1.60-plain': null,
    '1.60-progress': 'files=4 files_checked=0 bytes_added=2999976 errors=0',
    '1.60-unreadable-json': 'files=1 files_checked=0 bytes_added=2 errors=1',
    '1.60-unreadable': 'files=1 files_checked=0 bytes_added=2 errors=1',
    '1.60-verbose': 'files=4 files_checked=0 bytes_added=2999976 errors=0',
  },
  rsync: {
    '3.5-again': 'files=4 bytes_added=0 bytes_total=3000008 errors=0',
    '3.5-bytes': 'files=4 bytes_added=3000008 bytes_total=3000008 errors=0',
    '3.5-empty': 'files=0 bytes_added=0 bytes_total=0 errors=0',
    '3.5-full': null,
    '3.5-human': 'files=4 bytes_added=3000000 bytes_total=3000000 errors=0',
    '3.5-missing': 'files=4 bytes_added=3000008 bytes_total=3000008 errors=1',
    '3.5-plain': null,
    '3.5-stats': 'files=4 bytes_added=3000008 bytes_total=3000008 errors=0',
    '3.5-unreadable': 'files=2 bytes_added=2 bytes_total=4 errors=1',
    '3.5-verbose': 'bytes_total=3000008 errors=0',
  },
  pg_dump: {
    '15-empty': 'tables=0 errors=0',
    '15-file': 'errors=0',
    '15-full-plain': 'errors=0',
    '15-full': 'tables=2 errors=1',
    '15-missing': 'errors=1',
    '15-plain-verbose': 'tables=2 bytes_total=3654 errors=0',
    '15-plain': 'bytes_total=3376 errors=0',
    '15-verbose': 'tables=2 errors=0',
  },
};

for (const tool of TOOLS) {
  test(`what ${tool} has really written becomes numbers`, async () => {
    const found = [...(await recorded(tool))].map(([name, { out, err }]) => {
      const summary = summarize(tool, out, err);
      return [name, summary === null ? null : numbersLine(summary)];
    });

    assert.deepEqual(Object.fromEntries(found), LINES[tool]);
  });

  test(`of ${tool} nothing else has numbers, and no output makes it throw`, async () => {
    assert.equal(summarize(tool, 'all well\n', 'really\n'), null);
    const texts = [...(await recorded(tool)).values()].flatMap(({ out, err }) => [out, err]);
    fc.assert(
      fc.property(mangled(texts), mangled(texts), (out, err) => {
        const line = numbersLine(SUMMARIES[tool]({ out: said(out), err: said(err) }) ?? {});
        assert.match(line, /^([a-z_]+=\d{1,15}( (?!$)|$))*$/);
      }),
    );
  });
}

/** Real output with some of it lost, doubled or replaced. */
function mangled(texts: readonly string[]): fc.Arbitrary<string> {
  const strange = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('999999999999999999999', '{"a":[', '\n{\n', '\n]\n').map((text) => Buffer.from(text)),
  );
  const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(200), strange), {
    maxLength: 5,
  });
  return fc.tuple(fc.constantFrom('', ...texts), changes).map(([text, all]) => {
    const change = (bytes: Buffer, [where, lost, put]: (typeof all)[number]) => {
      const at = Math.floor(where * bytes.length);
      return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + lost)]);
    };
    return all.reduce(change, Buffer.from(text)).toString('utf8');
  });
}

test('a summary is found behind colours, and behind what a progress bar has overwritten', () => {
  const out = '10%\r50%\r\u001b[32mprocessed 3 files, 1.000 KiB in 0:01\u001b[0m\n';

  assert.deepEqual(summarize('restic', out), { files: 3, bytes_total: 1_024, errors: 0 });
});

test('the last of several summaries counts', () => {
  const line = (files: number) => `{"message_type":"summary","total_files_processed":${files}}\n`;

  assert.equal(summarize('restic', line(1) + line(2))?.files, 2);
});

test('sizes are read as tools write them', () => {
  const sizes = {
    '0 B': 0,
    '12 B': 12,
    '1.5 kB': 1_500,
    '1.5 KiB': 1_536,
    '2 GiB': 2 ** 31,
    '1,234': 1_234,
    '3.00M': 3e6,
  };

  for (const [text, bytes] of Object.entries(sizes)) assert.equal(bytesOf(text), bytes, text);
  for (const text of ['', '-', 'x', '1 XB', '1.2.3 B', undefined]) assert.equal(bytesOf(text), undefined);
});

test('objects of JSON are found in lines, over lines and in lists', () => {
  assert.deepEqual(objectsOf('x\n{"a":1}\n{\n  "b": 2\n}\n[{"c":3},4]\n{"d":\n'), [
    { a: 1 },
    { b: 2 },
    { c: 3 },
  ]);
  assert.deepEqual(objectsOf('['.repeat(100_000) + ']'.repeat(100_000)), []);
});

test('numbers that the server does not read are not told', () => {
  const numbers = {
    files: 1.4,
    'not a name': 1,
    bytes_added: 1e15,
    errors: -1,
    bytes_total: Number.NaN,
    ok: 0,
  };

  assert.equal(numbersLine(numbers), 'files=1 ok=0');
});
