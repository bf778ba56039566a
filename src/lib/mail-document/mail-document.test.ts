import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import type { Block, MailDocument } from './document.ts';
import { COLOURS } from './style.ts';
import { writeMail } from './write.ts';

function documentOf(...blocks: readonly Block[]): MailDocument {
  return {
    subject: 'Down: job',
    preview: 'A line beside the subject',
    top: { from: 'Acme', date: 'Sun 15 Nov, 03:30 CET' },
    pill: { tone: 'down', word: 'Down' },
    title: 'job',
    lead: [{ text: 'Down since 03:30', as: 'down' }, ' for a reason.'],
    blocks,
    foot: {
      date: 'Sun, 15 Nov 2026',
      why: 'Sent to you.',
      stop: { label: 'Stop', href: 'https://example.org/?a=1&b=2' },
    },
  };
}

suite('a mail', () => {
  test('says the same in both parts, in the same order', () => {
    const { text, html } = writeMail(
      documentOf(
        { kind: 'facts', facts: [{ label: 'Last ping', value: 'never' }] },
        { kind: 'link', label: 'Open job', href: 'https://example.org/job/' },
        { kind: 'runs', marks: ['ok', 'missed'], sentence: 'Two runs.' },
        { kind: 'output', heading: 'Its output', aside: '', lines: ['a  b', 'c'] },
        { kind: 'paragraphs', heading: { heading: 'Right now', aside: '' }, texts: ['All is well.'] },
      ),
    );

    assert.equal(
      text,
      [
        'DOWN  job  (Acme)\n\nDown since 03:30 for a reason.\n\nLast ping  never\n',
        'Open job:\nhttps://example.org/job/\n\nTwo runs.\n\nIts output\n> a  b\n> c\n',
        'Right now\nAll is well.\n\n--\nSun, 15 Nov 2026\nSent to you.\nStop:\nhttps://example.org/?a=1&b=2\n',
      ].join('\n'),
    );
    const order = [
      'A line beside',
      'Acme',
      'Sun 15 Nov',
      'Down since',
      'Last ping',
      'Open job',
      'Two runs.',
      'Its output',
      'Right now',
      'Sent to you.',
      'a=1&amp;b=2',
    ];
    const places = order.map((piece) => html.indexOf(piece, html.indexOf('<body')));
    assert.ok(!places.includes(-1));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
  });

  test('has tables that only arrange things, but for one of numbers', () => {
    const grid = { columns: [{ label: 'Check' }, { label: 'Down' }], rows: [['job', '1 time']] };
    const { html, text } = writeMail(
      documentOf({ kind: 'grid', heading: { heading: 'Acme', aside: '2 checks' }, grid, note: '1 other.' }),
    );

    assert.equal(html.match(/<table (?!role="presentation")/g)?.length, 1);
    assert.equal(html.match(/<th scope="col"/g)?.length, 2);
    assert.match(text, /^Acme: 2 checks\n {9}Down\n {2}job {2}1 time\n {2}1 other\.$/m);
  });

  test('keeps output as it was written, and makes no link of it', () => {
    const lines = ['<b>  two blanks', 'http://evil.example/ me@evil.example v1.2'];
    const { html } = writeMail(documentOf({ kind: 'output', heading: 'Output', aside: '', lines }));

    assert.match(
      html,
      /&lt;b&gt;&nbsp; two blanks<br>http&zwnj;:\/\/evil&zwnj;\.example\/ me&zwnj;@evil&zwnj;\.example v1\.2</,
    );
  });
});

test('the colours of mails are those of the pages', async () => {
  const tokens = (await readFile('web/ui/tokens.css', 'utf8')).toLowerCase();
  // In the light, text on a button is the surface, and in the dark the inset.
  for (const [name, { light, dark }] of Object.entries(COLOURS)) {
    assert.ok(tokens.includes(light), `${name}: ${light}`);
    assert.ok(tokens.includes(dark), `${name}: ${dark}`);
  }
});
