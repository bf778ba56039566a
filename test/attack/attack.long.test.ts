import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEmptyPlace, forEachEngine } from '../engines.ts';
import { ATTACKS } from './attacks.ts';
import { BODY_ATTACKS } from './bodies.ts';
import { RULE_ATTACKS } from './rules.ts';
import { attackerAddress } from './sockets.ts';
import { startVictim, tryAttack, type Victim } from './trial.ts';
import { WEBHOOK_ATTACKS } from './webhooks.ts';

/** The service's most memory under any attack. */
const MAX_MEGABYTES = 600;

forEachEngine((engine) => {
  // Hostile mails and connections cost the same on both engines. `npm run attack` tries all on both.
  const attacks = engine === 'sqlite' ? ATTACKS : [...BODY_ATTACKS, ...WEBHOOK_ATTACKS, ...RULE_ATTACKS];
  // One service suffers all attacks that need the same settings, one after the other.
  for (const [settings, group] of Map.groupBy(attacks, ({ env = {} }) => JSON.stringify(env))) {
    describe(`with the settings ${settings}`, () => {
      const opened = new AsyncDisposableStack();
      let victim: Victim;
      before(async () => {
        const { database } = opened.use(await createEmptyPlace(engine));
        victim = opened.use(await startVictim({ database, env: JSON.parse(settings) }));
      });
      after(() => opened.disposeAsync());

      for (const [index, attack] of group.entries()) {
        test(`under ${attack.name}, others ping and are alerted as ever`, async () => {
          const trial = { size: 'short', from: attackerAddress(index) } as const;

          const { wrong, peakMegabytes, blindSpans, isReady } = await tryAttack(attack, victim, trial);

          assert.deepEqual(wrong, []);
          assert.ok(peakMegabytes < (attack.maxMegabytes ?? MAX_MEGABYTES), `${peakMegabytes} MB`);
          assert.equal(blindSpans, 0);
          assert.ok(isReady);
        });
      }
    });
  }
});
