import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { badgeSvg } from './svg.ts';

function widthOf(svg: string): number {
  return Number(/width="(\d+)" height="20" role/.exec(svg)?.[1]);
}

suite('an SVG badge', () => {
  for (const [status, color] of [
    ['up', '#0a6b51'],
    ['late', '#855000'],
    ['down', '#b3261e'],
  ] as const) {
    test(`that is ${status} has its colour beside the grey label`, () => {
      const svg = badgeSvg('foo', status);

      assert.deepEqual(
        [...svg.matchAll(/fill="(#\w+)"\/>/g)].map((match) => match[1]),
        ['#3a3f48', color],
      );
      assert.ok(svg.includes(`>${status}</text>`));
      assert.ok(svg.includes(`aria-label="foo: ${status}"`));
    });
  }

  test('is 20 pixels high and as wide as its two parts', () => {
    const svg = badgeSvg('foo', 'up');
    const parts = [...svg.matchAll(/<rect (?:x="\d+" )?width="(\d+)" height="20" fill/g)].map((match) =>
      Number(match[1]),
    );

    assert.equal(parts.length, 2);
    assert.equal(
      widthOf(svg),
      parts.reduce((sum, part) => sum + part, 0),
    );
    assert.ok(widthOf(badgeSvg('a much longer label', 'up')) > widthOf(svg));
    assert.ok(widthOf(badgeSvg('', 'up')) >= 20);
  });

  test('escapes what would be markup', () => {
    const svg = badgeSvg(`<b>"&'</b>`, 'up');

    assert.ok(svg.includes('>&lt;b&gt;&quot;&amp;&#x27;&lt;/b&gt;</text>'));
    assert.ok(svg.includes('aria-label="&lt;b&gt;&quot;&amp;&#x27;&lt;/b&gt;: up"'));
    assert.ok(!svg.includes('<b>'));
  });

  test('has no character that XML does not know', () => {
    const svg = badgeSvg('a\0b\tc\x1bd\x7fe\u0085f\uFFFEg\uFFFF', 'up');

    assert.ok(svg.includes('>a b c d e f g </text>'));
    // The production Char of XML 1.0, section 2.2.
    assert.match(svg, /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u);
  });
});
