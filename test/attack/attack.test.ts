import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmptyPlace, forEachEngine } from '../engines.ts';
import { ATTACKS } from './attacks.ts';
import { BODY_ATTACKS } from './bodies.ts';
import { tryAttack } from './trial.ts';

/** What the service may take at the most, whatever strangers do to it. */
const MAX_MEGABYTES = 600;

forEachEngine((engine) => {
  // What hostile mails and connections cost, they cost before the database is asked. `npm run attack` tries all on both.
  const attacks = engine === 'sqlite' ? ATTACKS : BODY_ATTACKS;
  for (const attack of attacks) {
    test(`under ${attack.name}, others ping as ever`, { timeout: 300_000 }, async () => {
      await using place = await createEmptyPlace(engine);

      const { wrong, peakMegabytes, blindSpans, isReady } = await tryAttack(attack, {
        database: place.database,
        size: 'short',
      });

      assert.deepEqual(wrong, []);
      assert.ok(peakMegabytes < (attack.maxMegabytes ?? MAX_MEGABYTES), `${peakMegabytes} MB`);
      assert.equal(blindSpans, 0);
      assert.ok(isReady);
    });
  }
});
