/**
 * How long wrong passwords take while accounts have hashes of Healthchecks, by what the account has. The medians must not tell
 * them apart. Each round tries all, and begins with another one, so that what else the machine does hits all alike. The ratios are
 * medians of the rounds' own.
 *
 *     node bench/old-passwords.ts [--rounds=30]
 */
import { parseArgs } from 'node:util';
import { hashPassword, readHash } from '../src/lib/password.ts';
import { systemRandom } from '../src/lib/random.ts';
import { PasswordWork } from '../src/services/people/password-work.ts';
import { median, printTable } from './lib/table.ts';

const ARGON2 =
  'argon2$argon2id$v=19$m=102400,t=2,p=8$STNmc2pCMlc3VnF6eERUQmJUczRWOA$2O0q3Ruk7Q3VmrCph+mNA6cd8/xpFScFav5kSjKK+Vo';
const PBKDF2 = 'pbkdf2_sha256$1500000$HR9e1bjI9iH0PGuIOOUGWk$fOUThBiDt5rqZvL2S397+qkkUl62RiFFXbGlfaNvh4A=';
const CHEAPER = PBKDF2.replace('1500000', '600000');
const REQUESTER = { network: '', isKnown: true };

export default async function run({ rounds } = { rounds: 30 }): Promise<void> {
  const costs = [ARGON2, PBKDF2].flatMap((hash) => readHash(hash)?.cost ?? []);
  const work = new PasswordWork(systemRandom, () => Promise.resolve(costs));
  const accounts: Readonly<Record<string, string | null>> = {
    'Argon2 of Healthchecks': ARGON2,
    'PBKDF2 of Healthchecks': PBKDF2,
    'PBKDF2 with fewer iterations': CHEAPER,
    'our own hash': await hashPassword('correct horse battery', systemRandom),
    'no account': null,
  };
  const taken = new Map(Object.keys(accounts).map((name): [string, Taken[]] => [name, []]));
  const all = Object.entries(accounts);
  for (let round = 0; round < rounds; round++) {
    const first = round % all.length;
    for (const [name, hash] of [...all.slice(first), ...all.slice(0, first)]) {
      const begin = performance.now();
      const before = process.cpuUsage();
      await work.verify('wrong horse battery', hash, REQUESTER);
      const { user, system } = process.cpuUsage(before);
      taken.get(name)?.push({ millis: performance.now() - begin, coreMillis: (user + system) / 1_000 });
    }
  }
  const middle = (name: string, field: keyof Taken) =>
    median((taken.get(name) ?? []).map((one) => one[field]));
  const rows = Object.keys(accounts).map((name) => [
    name,
    ...(['millis', 'coreMillis'] as const).flatMap((field) => [
      middle(name, field).toFixed(0),
      ratioTo(taken.get(name) ?? [], taken.get('no account') ?? [], field).toFixed(2),
    ]),
  ]);
  printTable(['', 'median ms', 'of no account', 'core ms', 'of no account'], rows);
}

function ratioTo(some: readonly Taken[], others: readonly Taken[], field: keyof Taken): number {
  return median(some.map((one, round) => one[field] / (others[round]?.[field] ?? Number.NaN)));
}

interface Taken {
  readonly millis: number;
  readonly coreMillis: number;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '30' } } });
  await run({ rounds: Number(values.rounds) });
}
