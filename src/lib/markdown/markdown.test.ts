import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inlineHtml, markdownHtml } from './html.ts';
import { Work } from './inline.ts';
import { type Inline, parseInline, parseMarkdown, plainText, readBlocks } from './parse.ts';

const html = (source: string) =>
  markdownHtml(parseMarkdown(source), (href) => (href.startsWith('decisions/') ? null : href));

for (const [name, source, expected] of [
  ['a paragraph is one text, however it was broken', 'one\ntwo', '<p>one two</p>'],
  [
    'a heading can be linked to as common viewers do',
    "## Your company's `.env`",
    '<h2 id="your-companys-env"><a href="#your-companys-env">Your company&#x27;s .env</a></h2>',
  ],
  ['a list goes on in the next line', '- one\n  more\n- two', '<ul><li>one more</li><li>two</li></ul>'],
  ['a numbered list', '1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
  [
    'code keeps its lines and signs',
    '```sh\na < b\n\n# c\n```',
    '<div class="code"><pre tabindex="0"><code>a &lt; b\n\n# c</code></pre></div>',
  ],
  [
    'indented lines are code',
    'text:\n\n    $ one\n    two',
    '<p>text:</p>\n<div class="code"><pre tabindex="0"><code>$ one\ntwo</code></pre></div>',
  ],
  [
    'a table has rows, numbers and bars that are text',
    '| a | b |\n|---|---:|\n| `x\\|y` | 1 |',
    '<div class="table" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col" class="number">b</th></tr></thead>\n<tbody><tr><td><code>x|y</code></td><td class="number">1</td></tr></tbody></table></div>',
  ],
  [
    'cells of a wide table know their column',
    '| a | `"b"` | |\n|---|---|---|\n| 1 | 2 | 3 |',
    '<div class="table wide" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col"><code>&quot;b&quot;</code></th><td></td></tr></thead>\n<tbody><tr><td>1</td><td data-column="&quot;b&quot;">2</td><td>3</td></tr></tbody></table></div>',
  ],
  ['emphasis', '**bold `x`** and *thin*', '<p><strong>bold <code>x</code></strong> and <em>thin</em></p>'],
  ['stars that stand alone are text', 'at 0 3 * * *', '<p>at 0 3 * * *</p>'],
  [
    'links, also bare ones',
    '[a](b.md) <https://example.org>',
    '<p><a href="b.md">a</a> <a href="https://example.org">https://example.org</a></p>',
  ],
  ['a link to nowhere is text', '[why](decisions/1.md)', '<p>why</p>'],
  ['HTML is text, and comments are left out', '<!-- no -->\n<b>', '<p>&lt;b&gt;</p>'],
] as const)
  test(name, () => assert.equal(html(source), expected));

test('quotes, breaks and other signs for items and emphasis', () => {
  assert.equal(
    html('> one\n> two\n\n* a\n+ b\n\n1) c\n\n__d__ _e_ f_g_h  \ni\\\nj\n\n## k ##\n## C#'),
    [
      '<blockquote>one two</blockquote>',
      '<ul><li>a</li><li>b</li></ul>',
      '<ol><li>c</li></ol>',
      '<p><strong>d</strong> <em>e</em> f_g_h<br>i<br>j</p>',
      '<h2 id="k"><a href="#k">k</a></h2>',
      '<h2 id="c"><a href="#c">C#</a></h2>',
    ].join('\n'),
  );
});

test('an address is a link without the sign that ends the sentence', () => {
  assert.deepEqual(parseInline('see https://example.org/x, (http://a.example).').map(plainTextOf), [
    'see ',
    '<https://example.org/x>',
    ', (',
    '<http://a.example>',
    ').',
  ]);
});

function plainTextOf(piece: Inline): string {
  return piece.kind === 'link' ? `<${piece.href}>` : plainText([piece]);
}

test('links that are not allowed are text, as they were written', () => {
  const text = '<script>alert(1)</script> [x](javascript:alert(1)) [y](javascript:z) <img src=x onerror=y>';

  assert.deepEqual(parseInline(text, { mayLink: (href) => href.startsWith('https:') }), [
    { kind: 'text', text },
  ]);
});

test('emphasis within emphasis is read to a depth, and beyond a number of pieces all is text', () => {
  const deep = `${'*_'.repeat(10)}x${'_*'.repeat(10)}`;
  assert.match(inlineHtml(parseInline(deep), String), /^[^x]*x[^x]*$/);

  const pieces = parseInline('*a* *b* *c*', { maxPieces: 2 });
  assert.equal(inlineHtml(pieces, String), '<em>a</em> <em>b</em> *c*');
});

const SIGNS = [
  ...[
    '[',
    '![',
    '](',
    '[a](',
    '[a](b',
    '[](',
    '[[a](b)',
    ']',
    '(',
    '((',
    '()',
    '<',
    '<http://',
    '<http://a',
    '<!--',
  ],
  ...[
    '*',
    '**',
    '***',
    '* ',
    '** ',
    '**a',
    '**a ',
    'a**',
    '*a',
    '*a ',
    '_',
    '__',
    '_a',
    '__a',
    ' _',
    ' __a',
    '_ ',
  ],
  ...[
    '`',
    '``',
    '`a',
    '` ',
    '`a`',
    '\\',
    '\\\n',
    ' ',
    '  \n',
    '\t',
    '\u2028',
    'h',
    'http://',
    'http://.',
    'https://a.',
  ],
  ...[
    '\n',
    '\n\n',
    '#',
    '# ',
    '# #',
    '#\n',
    '-',
    '- ',
    '- a\n',
    '1. ',
    '1. a\n',
    '1',
    '>',
    '> ',
    '> a\n',
    '|',
    '||',
    '| ',
  ],
  ...[
    '|a|\n',
    '|-|\n',
    '\\|',
    '```',
    '```\n',
    '```\na\n',
    '    a\n',
    '    ',
    'a\n',
    'a',
    'a ',
    '\r\n',
    '[`*_',
    '*[a](b)',
  ],
];

test('the work grows as the length of the text does, whatever somebody writes', () => {
  const stepsOf = (source: string) => {
    const work = new Work();
    readBlocks(source, work);
    return work.steps;
  };
  for (const sign of SIGNS)
    for (const [before, after] of [
      ['', ''],
      ['x', 'x'],
      ['# ', 'x'],
      ['- ', ')'],
      ['[', '](b)'],
      ['**a', ' **'],
      ['|', 'x'],
      ['`', ''],
      ['> ', ']'],
    ] as const) {
      const source = (length: number) => before + sign.repeat(Math.ceil(length / sign.length)) + after;
      const [short, long] = [stepsOf(source(1_000)), stepsOf(source(8_000))];

      const name = JSON.stringify(`${before}${sign}…${after}`);
      assert.ok(long <= 60 * source(8_000).length, `${name}: ${long} steps`);
      assert.ok(long <= 9 * short + 500, `${name}: ${short} steps, then ${long}`);
    }
});

test('headings of the same name have different addresses', () => {
  const ids = parseMarkdown('## A\n## A').map((block) => block.kind === 'heading' && block.id);

  assert.deepEqual(ids, ['a', 'a-1']);
});

test('the plain text of a line is what people read', () => {
  assert.equal(plainText(parseInline('see **the [list](x)** of `y`')), 'see the list of y');
});
