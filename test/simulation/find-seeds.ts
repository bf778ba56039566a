/**
 * Finds for planted bugs the seed that reveals each of them soonest. The courses of all seeds change with the program, so that the
 * first seeds written beside the bugs grow old: `node test/simulation/find-seeds.ts --tries=20 'a lease never runs out'`. Without
 * names it looks at all bugs.
 */
import { parseArgs } from 'node:util';
import { simulateWith } from './mutations.test-suite.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

const { values, positionals } = parseArgs({
  options: {
    /** So many seeds are tried, from the first one on. */
    tries: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    /** Seeds that take longer are of no use. */
    most: { type: 'string', default: '60' },
  },
  allowPositionals: true,
});

/** A run that takes longer than the best one so far is of no use. */
async function secondsWith(mutation: Mutation, seed: number, most: number): Promise<number | null> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(Math.ceil(most * 1_000));
  const { code } = await simulateWith({ ...mutation, firstSeed: seed }, 1, signal);
  return code === 1 ? (performance.now() - startedAt) / 1_000 : null;
}

for (const mutation of MUTATIONS) {
  if (positionals.length > 0 && !positionals.includes(mutation.name)) continue;
  let best = { seed: 0, seconds: Number(values.most) };
  const from = Number(values.from);
  for (let seed = from; seed < from + Number(values.tries); seed++) {
    const seconds = await secondsWith(mutation, seed, best.seconds);
    if (seconds !== null && seconds < best.seconds) best = { seed, seconds };
  }
  const found = best.seed === 0 ? 'not found' : `seed ${best.seed}, ${best.seconds.toFixed(1)} s`;
  console.log(`${mutation.name}: ${found} (now ${mutation.firstSeed ?? 1})`);
}
