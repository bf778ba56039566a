import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownHtml } from './html.ts';
import { parseInline, parseMarkdown, plainText } from './parse.ts';

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

test('headings of the same name have different addresses', () => {
  const ids = parseMarkdown('## A\n## A').map((block) => block.kind === 'heading' && block.id);

  assert.deepEqual(ids, ['a', 'a-1']);
});

test('the plain text of a line is what people read', () => {
  assert.equal(plainText(parseInline('see **the [list](x)** of `y`')), 'see the list of y');
});
