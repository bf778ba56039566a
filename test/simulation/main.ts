/** `npm run simulate -- --seed 7 --days 30`: an installation with all its mishaps, in virtual time. */
import { parseArgs } from 'node:util';
import { simulate } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    days: { type: 'string', default: '10' },
    checks: { type: 'string', default: '30' },
    'until-broken': { type: 'boolean', default: false },
  },
});

const first = Number(values.seed);
let failures = 0;
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const options = { seed, days: Number(values.days), checks: Number(values.checks) };
  const { violation, counts, digest } = await simulate(options);
  if (violation === null) {
    const told = Object.entries(counts ?? {}).map(([what, count]) => `${count} ${what}`);
    console.log(`seed ${seed}: every promise kept: ${told.join(', ')} (${digest})`);
    continue;
  }
  failures++;
  const { days, checks } = options;
  console.log(`seed ${seed}: BROKEN: ${violation.message}`);
  console.log(violation.trace.join('\n'));
  console.log(`again: npm run simulate -- --seed ${seed} --days ${days} --checks ${checks}\n`);
  if (values['until-broken']) break;
}
process.exitCode = failures === 0 ? 0 : 1;
