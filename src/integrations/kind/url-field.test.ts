import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MASK } from './setting.ts';
import { maskedText, maskedUrl } from './url-field.ts';

suite('an address as people see it', () => {
  const shown: [url: string, expected: string][] = [
    ['https://a.example', 'https://a.example'],
    ['https://a.example/', 'https://a.example/'],
    ['https://a.example/token/of/mine', `https://a.example/${MASK}`],
    ['https://user:pass@a.example/', `https://${MASK}@a.example/`],
    [
      'https://a.example/x?key=secret&name=$NAME&flag',
      `https://a.example/${MASK}?key=${MASK}&name=$NAME&${MASK}`,
    ],
    ['https://a.example/$CODE/ping', `https://a.example/${MASK}$CODE${MASK}`],
    ['https://$NAME.example/', 'https://$NAME.example/'],
    ['https://a.example/?$SECRET', `https://a.example/?${MASK}`],
  ];
  for (const [url, expected] of shown) {
    test(url, () => assert.equal(maskedUrl(url), expected));
  }
});

test('of a text only its placeholders are seen', () => {
  assert.equal(maskedText('Bearer abc'), MASK);
  assert.equal(maskedText('$STATUS'), '$STATUS');
  assert.equal(maskedText('$NAME_JSON and $ABC'), `$NAME_JSON${MASK}`);
});
