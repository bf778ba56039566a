import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staysDownJson } from './board-json.ts';

test('an outage says whether anybody is told again before it ends', () => {
  const again = (...states: ('delivered' | 'open' | 'given_up')[]) => toldAgain(states, false);
  const toldAgain = (states: readonly ('delivered' | 'open' | 'given_up')[], isToldMore: boolean) =>
    staysDownJson(
      null,
      states.map((state) => ({ state })),
      isToldMore,
    ).toldAgain;

  assert.equal(again(), null);
  assert.equal(again('open'), null, 'nobody was told yet');
  assert.equal(again('delivered', 'given_up'), 'nobody');
  assert.equal(again('delivered', 'open'), 'nobody_else', 'one is still being tried');
  assert.equal(toldAgain(['delivered'], true), null, 'somebody is told again');
});
