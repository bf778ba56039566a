import { type Instant, MICROS_PER_SECOND, type Micros, seconds } from '../../lib/instant.ts';
import { ask, NoAnswer } from '../asking.ts';
import type { Installation } from '../installation.ts';
import { fail, type Look, skip, together, warn } from '../look.ts';
import type { Row } from '../row.ts';

const WARNS_ABOVE = seconds(1);
const FAILS_ABOVE = seconds(5);

/** A time between two, by somebody else's clock. */
interface Reading {
  readonly whose: string;
  readonly from: Instant;
  readonly until: Instant;
}

export const clock: Row = {
  name: 'clock',
  looksAt: 'the clock of this machine, against that of the database and of `SITE_ROOT`',
  fails: 'more than 5 seconds apart',
  warns: 'more than 1 second apart',
  async look(installation, signal) {
    const compared = await Promise.all([againstDatabase(installation), againstSite(installation, signal)]);
    const known = compared.filter((difference) => difference !== null);
    if (known.length === 0) return skip('Nobody else could be asked for the time.');
    const troubles = known.map(({ whose, apart }) => judge(whose, apart));
    return together(troubles, `It agrees with ${known.map(({ whose }) => whose).join(' and ')}.`);
  },
};

function judge(whose: string, apart: Micros): Look | null {
  if (Math.abs(apart) <= WARNS_ABOVE) return null;
  const direction = apart > 0 ? 'ahead of' : 'behind';
  const sentence = `This machine is ${(Math.abs(apart) / MICROS_PER_SECOND).toFixed(1)} s ${direction} ${whose}.`;
  const advice = 'Let both follow a time server (timedatectl set-ntp true).';
  return Math.abs(apart) > FAILS_ABOVE ? fail(sentence, advice) : warn(sentence, advice);
}

/** The least time by which ours differs, since we read it before or after. */
function difference({ from, until }: Reading, before: Instant, after: Instant): Micros {
  if (before > until) return before - until;
  return after < from ? after - from : 0;
}

type Compared = { readonly whose: string; readonly apart: Micros } | null;

/** SQLite has no clock of its own. */
async function againstDatabase(installation: Installation): Promise<Compared> {
  const { clock: own } = installation.world;
  const database = await installation.database().catch(() => null);
  // The first question may open a connection, which takes time.
  await database?.store.time();
  const before = own.now();
  const at = (await database?.store.time()) ?? null;
  if (at === null) return null;
  const whose = 'the database';
  return { whose, apart: difference({ whose, from: at, until: at }, before, own.now()) };
}

/** The header tells whole seconds. */
async function againstSite(installation: Installation, signal: AbortSignal): Promise<Compared> {
  const { clock: own, names } = installation.world;
  try {
    const before = own.now();
    const { headers } = await ask(`${installation.config.site.root}/api/v3/live/`, names, signal);
    const after = own.now();
    const at = Date.parse(headers.date ?? '') * 1000;
    if (Number.isNaN(at)) return null;
    const whose = 'SITE_ROOT';
    return { whose, apart: difference({ whose, from: at, until: at + seconds(1) }, before, after) };
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}
