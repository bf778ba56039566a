import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { MAX_HTML_DEPTH, safeHtml } from './safe-html.ts';

suite('the HTML of a mail', () => {
  for (const [what, html, expected] of [
    [
      'keeps its structure',
      '<p>One <b>two</b></p><ul><li>x</ul>',
      '<p>One <b>two</b></p><ul><li>x</li></ul>',
    ],
    ['loses scripts with what they hold', 'a<script>alert(1)</script>b', 'ab'],
    ['loses styles', '<style>p{color:red}</style><p style="color:red">x</p>', '<p>x</p>'],
    ['loses handlers', '<p onclick="x()" id=a>x</p>', '<p>x</p>'],
    ['shows what a picture describes', '<img src="https://evil.example/x.png" alt="A graph">', '[A graph]'],
    ['loses pictures without a description', '<img src=x onerror=alert(1)>', ''],
    [
      'shows the address of a link beside its text',
      '<a href="https://example.org/?a&amp;b">here</a>',
      '<a>here</a> &lt;https://example.org/?a&amp;b&gt;',
    ],
    ['shows no address that would run', '<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    [
      'keeps the shape of tables',
      '<table><td colspan=2 width=9>x</table>',
      '<table><td colspan="2">x</td></table>',
    ],
    ['escapes its text again', '&lt;script&gt; & "x"', '&lt;script&gt; &amp; &quot;x&quot;'],
    ['loses frames and what they hold', '<iframe src=x>y</iframe>z', 'z'],
    ['loses ends without a beginning', '</b></p>x', 'x'],
    ['loses comments and declarations', '<!doctype html><!-- <p>x</p> -->y', 'y'],
  ] as const) {
    test(what, () => assert.equal(safeHtml(html), expected));
  }

  test('is not nested deeper than browsers bear', () => {
    const depth = safeHtml('<div>'.repeat(5_000)).match(/<div>/g)?.length;

    assert.equal(depth, MAX_HTML_DEPTH);
  });

  test('has only elements of the list and no attribute but numbers of cells, whatever it was', () => {
    const piece = fc.constantFrom(
      ...['<', '>', '"', "'", '/', '=', '<script', '<img src=x onerror=y', '<a href="', '<svg', '</', '<!--'],
      ...['<td colspan=', 'javascript:', '&lt;', '&#x3c;', 'x', ' ', '<p style=', ']]>', '<![CDATA[', '\0'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const rest = safeHtml(pieces.join('')).replace(
          /<\/?[a-z][a-z0-9]*( (colspan|rowspan)="\d{1,3}")*>/g,
          '',
        );
        assert.doesNotMatch(rest, /[<>]/);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });
});
