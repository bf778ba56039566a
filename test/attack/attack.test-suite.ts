import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine } from '../../src/storage/dialect.ts';
import { createEmptyPlace } from '../engines.ts';
import type { Attack } from './attack.ts';
import { attackerAddress } from './sockets.ts';
import { startVictim, tryAttack, type Victim } from './trial.ts';

/** What the service may take at the most, whatever strangers do to it. */
const MAX_MEGABYTES = 600;

/** Declares a test for each attack. One service suffers all that need the same settings, one after the other. */
export function suffer(engine: Engine, attacks: readonly Attack[]): void {
  for (const [settings, group] of Map.groupBy(attacks, ({ env = {} }) => JSON.stringify(env))) {
    describe(`on ${engine}, with the settings ${settings}`, () => {
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
}
