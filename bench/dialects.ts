/**
 * The speed of pings to addresses of other programs, next to pings of the same checks by their UUIDs:
 *
 *     node bench/dialects.ts [--postgres] [--rounds=5]
 */
import { createHash, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fillChecks, uuidOf } from './lib/checks.ts';
import { type BenchDatabase, createBenchDatabase } from './lib/database.ts';
import type { Request } from './lib/load.ts';
import { compare, middle, type Round, ratio } from './lib/measure.ts';
import { printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const CHECKS = 1_000;
const CONNECTIONS = 128;
const ROUND_MILLIS = 2_000;
/** The least that a dialect may have of the rate of our own addresses. */
const LEAST_RATIO = 0.8;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
}

const OWNER = 'bench@example.org';
const PING_KEY = 'benchbenchbenchbenchbe';
const DECLARATION = {
  accounts: [{ email: OWNER }],
  projects: [{ name: 'Bench', owner: OWNER, keys: { ping: PING_KEY } }],
};

const ADDRESSES: Readonly<Record<string, (check: number) => string>> = {
  'our slugs': (check) => `/ping/${PING_KEY}/check-${check}`,
  'Uptime Kuma': (check) => `/api/push/${tokenOf(check)}?status=up&msg=OK&ping=`,
  'Cronitor, by slug': (check) => `/p/${PING_KEY}/check-${check}?state=complete`,
  'Cronitor below /ping/': (check) => `/ping/${PING_KEY}/check-${check}?state=complete`,
};

export default async function run(
  { postgres, rounds }: Options = { postgres: false, rounds: 5 },
): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using tocsin = await startTocsin(database, DECLARATION);
  await database.run(fillChecks(database, CHECKS));
  await database.run(acceptAll(database));
  const rows: string[][] = [];
  for (const [name, addressOf] of Object.entries(ADDRESSES)) {
    const compared = await compare(
      [tocsin, roundOf(addressOf)],
      [tocsin, roundOf((check) => `/ping/${uuidOf(check)}`)],
      { rounds, warmUpMillis: ROUND_MILLIS },
    );
    const share = ratio(compared, 'perSecond');
    rows.push([
      name,
      middle(compared.ours, 'perSecond').toFixed(0),
      middle(compared.theirs, 'perSecond').toFixed(0),
      share.toFixed(2),
      ratio(compared, 'perProcessorSecond').toFixed(2),
      share >= LEAST_RATIO ? '' : `below ${LEAST_RATIO}`,
    ]);
  }
  printTable([postgres ? 'PostgreSQL' : 'SQLite', 'pings/s', 'by UUID', 'ratio', 'core ratio', ''], rows);
}

function roundOf(addressOf: (check: number) => string): Round {
  const request = (n: number): Request => ({
    method: 'GET',
    path: addressOf(n % CHECKS),
    headers: { 'User-Agent': 'bench' },
    body: '',
  });
  return { connections: CONNECTIONS, request, expect: 200, millis: ROUND_MILLIS };
}

function tokenOf(check: number): string {
  return `token-${String(check).padStart(10, '0')}`;
}

/** The project accepts all dialects, and each check has a token of Uptime Kuma. */
function acceptAll({ engine }: BenchDatabase): string {
  const cast = engine === 'sqlite' ? '' : '::uuid';
  const rows = Array.from({ length: CHECKS }, (_, check) => {
    const digest = createHash('sha256').update(tokenOf(check)).digest('hex');
    return `('${randomUUID()}'${cast}, 'kuma', '${digest}', '', (select id from checks where uuid = '${uuidOf(check)}'), 0)`;
  });
  return `
    update projects set dialects = '{"kuma":true,"cronitor":{"create":false}}';
    insert into ping_aliases (uuid, dialect, token_digest, token_sealed, check_id, created_at)
    values ${rows.join(', ')};`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
    },
  });
  await run({ postgres: values.postgres, rounds: Number(values.rounds) });
}
