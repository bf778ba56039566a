/**
 * Attacks the service in every known way, as hard as it was found to hurt, and prints what its other clients noticed, as
 * rows of Markdown: `npm run attack -- [--postgres] [--short] [--only WORDS] [--repository FOLDER]`.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createEmptyPlace } from '../engines.ts';
import { globalSetup, globalTeardown } from '../global-setup.ts';
import { ATTACKS } from './attacks.ts';
import { attackerAddress } from './sockets.ts';
import { type Outcome, startVictim, tryAttack } from './trial.ts';

const { values } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    repository: { type: 'string' },
  },
});

const engine = values.postgres ? 'postgres' : 'sqlite';
const repository = values.repository && resolve(values.repository);
const size = values.short ? 'short' : 'full';

if (values.postgres) await globalSetup();
try {
  console.log('| Attack | Longest wait | by mail | for an alert | Memory | Pings | Wrong | Blind | Ready |');
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|---|');
  for (const attack of ATTACKS.filter(({ name }) => name.includes(values.only))) {
    await using place = await createEmptyPlace(engine);
    await using victim = await startVictim({ database: place.database, repository, ...attack });
    const trial = tryAttack(attack, victim, { size, from: attackerAddress(0) });
    console.log(await trial.then(rowOf, (error: unknown) => `| ${attack.name} | ${error} |`));
  }
} finally {
  if (values.postgres) await globalTeardown();
}

function rowOf(outcome: Outcome): string {
  const { attack, maxWaitMs, maxMailMs, maxAlertMs, peakMegabytes, pings, wrong, blindSpans, isReady } =
    outcome;
  const kinds = Map.groupBy(wrong, (what) => what);
  const wrongCell = [...kinds].map(([what, all]) => `${all.length} × ${what}`).join(', ') || '0';
  const cells = [
    attack,
    seconds(maxWaitMs),
    seconds(maxMailMs),
    seconds(maxAlertMs),
    `${peakMegabytes} MB`,
    pings,
    wrongCell,
    blindSpans,
    isReady ? 'yes' : 'no',
  ];
  return `| ${cells.join(' | ')} |`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
