import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badgesJson } from './badges-output.ts';

const SITE = { root: 'http://testserver', pingEndpoint: 'http://testserver/ping/', masterBadgeLabel: 'x' };

const signed = (tag: string) => ({ tag, badgeKey: 'alice', signature: 'HLoyq8dX' });

test('each tag has six addresses, in the order that clients know', () => {
  const badge = 'http://testserver/badge/alice/HLoyq8dX';

  assert.equal(
    JSON.stringify(badgesJson([signed('foo'), signed('*')], SITE)),
    JSON.stringify({
      foo: {
        svg: `${badge}-2/foo.svg`,
        svg3: `${badge}/foo.svg`,
        json: `${badge}-2/foo.json`,
        json3: `${badge}/foo.json`,
        shields: `${badge}-2/foo.shields`,
        shields3: `${badge}/foo.shields`,
      },
      '*': {
        svg: `${badge}-2.svg`,
        svg3: `${badge}.svg`,
        json: `${badge}-2.json`,
        json3: `${badge}.json`,
        shields: `${badge}-2.shields`,
        shields3: `${badge}.shields`,
      },
    }),
  );
});

test('a tag may be called like a property that every object has', () => {
  const names = ['__proto__', 'constructor', 'toString'];

  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(badgesJson(names.map(signed), SITE)))), names);
});
