import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { badgeUrl, parseBadgeAddress, splitExtension } from './addresses.ts';

const address = { badgeKey: 'alice', signature: 'HLoyq8dX', states: 2, format: 'svg' } as const;

/** The parts of the path as a server hands them over: decoded once. */
function partsOf(url: string): [badgeKey: string, signed: string, file: string | null] {
  const [, badgeKey = '', signed = '', file] = new URL(url).pathname
    .slice(1)
    .split('/')
    .map(decodeURIComponent);
  return [badgeKey, signed, file ?? null];
}

suite('the address of a tag', () => {
  const rows: [tag: string, path: string][] = [
    ['foo', 'foo'],
    ['db@dc1', 'db%2540dc1'],
    ['a/b', 'a%252Fb'],
    ['ü', '%25C3%25BC'],
    ['a-b_c.d~e', 'a-b_c.d~e'],
    ["!'()*", '%2521%2527%2528%2529%252A'],
    ['100%', '100%2525'],
    ['v1.0', 'v1.0'],
    ['?#&', '%253F%2523%2526'],
  ];
  for (const [tag, path] of rows) {
    test(`${tag} is written ${path}`, () => {
      assert.equal(
        badgeUrl('http://testserver', { ...address, tag }),
        `http://testserver/badge/alice/HLoyq8dX-2/${path}.svg`,
      );
    });
  }

  const tags = [
    ...rows.map(([tag]) => tag),
    ...[
      '.',
      '..',
      '...',
      '%',
      '%25',
      '%2F',
      '<b>',
      '日本',
      '👩‍👩‍👧',
      'x.svg',
      '-2',
      '\\',
      '"',
      '+',
      '**',
      'é',
      'e\u0301',
    ],
  ];
  for (const tag of tags) {
    test(`leads back to the tag: ${tag}`, () => {
      for (const states of [2, 3] as const) {
        const parts = partsOf(badgeUrl('http://testserver', { ...address, tag, states }));
        assert.deepEqual(parseBadgeAddress(...parts), { ...address, tag, states });
      }
    });
  }

  test('of all checks has no tag in it', () => {
    const url = badgeUrl('http://testserver', { ...address, tag: '*', format: 'shields' });

    assert.equal(url, 'http://testserver/badge/alice/HLoyq8dX-2.shields');
    assert.deepEqual(parseBadgeAddress(...partsOf(url)), { ...address, tag: '*', format: 'shields' });
  });
});

suite('a badge address that was asked for', () => {
  const rows: [signed: string, signature: string, states: 2 | 3][] = [
    ['HLoyq8dX', 'HLoyq8dX', 3],
    ['HLoyq8dX-2', 'HLoyq8dX', 2],
    ['HLoyq8dX-3', 'HLoyq8dX', 3],
    ['HLoyq8dX-22', 'HLoyq8dX', 3],
    ['HLoyq8dXjunk-2', 'HLoyq8dX', 3],
    ['HLoyq8-2', 'HLoyq8-2', 3],
    ['short', 'short', 3],
  ];
  for (const [signed, signature, states] of rows) {
    test(`with ${signed} is signed ${signature} and has ${states} states`, () => {
      const expected = { badgeKey: 'alice', signature, states, format: 'json' };

      assert.deepEqual(parseBadgeAddress('alice', signed, 'foo.json'), { ...expected, tag: 'foo' });
      assert.deepEqual(parseBadgeAddress('alice', `${signed}.json`, null), { ...expected, tag: '*' });
    });
  }

  const refused: [what: string, signed: string, file: string | null][] = [
    ['a format that there is not', 'HLoyq8dX', 'foo.png'],
    ['a format that only begins like one', 'HLoyq8dX', 'foo.jsonfoo'],
    ['a format in capitals', 'HLoyq8dX', 'foo.SVG'],
    ['no format', 'HLoyq8dX', 'foo'],
    ['no tag', 'HLoyq8dX', '.svg'],
    ['an empty file', 'HLoyq8dX', ''],
    ['a tag that was encoded only once', 'HLoyq8dX', 'db@dc1.svg'],
    ['a slash in the tag', 'HLoyq8dX', 'a/b.svg'],
    ['a broken percent sign', 'HLoyq8dX', 'a%2.svg'],
    ['bytes that are no UTF-8', 'HLoyq8dX', '%FF.svg'],
    ['no format of all checks', 'HLoyq8dX', null],
    ['a dot in the signature', 'HLoyq8dX.x.svg', null],
    ['a strange character in the signature', 'HLoyq8dX@.svg', null],
    ['no signature', '.svg', null],
  ];
  for (const [what, signed, file] of refused) {
    test(`with ${what} is none`, () => assert.equal(parseBadgeAddress('alice', signed, file), null));
  }

  test('may have letters of any script written plainly', () => {
    assert.equal(parseBadgeAddress('alice', 'HLoyq8dX', 'größe.svg')?.tag, 'größe');
  });
});

test('only what follows the last dot is the format', () => {
  assert.deepEqual(splitExtension('v1.0.svg'), ['v1.0', 'svg']);
  assert.deepEqual(splitExtension('svg'), ['', 'svg']);
  assert.deepEqual(splitExtension('x.svg.png'), ['x.svg', null]);
});
