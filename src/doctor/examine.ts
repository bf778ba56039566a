import type { Finding } from '../domain/finding.ts';
import type { Timers } from '../lib/timers.ts';
import type { Installation } from './installation.ts';
import { type Look, warn } from './look.ts';
import type { Row } from './row.ts';

/** A look that takes longer is given up. */
export const MAX_ROW_MS = 10_000;

/** Looks at all rows at once. Each has its own time, so that one which hangs delays no other. */
export async function examine(
  installation: Installation,
  rows: readonly Row[],
  timers: Pick<Timers, 'callAfter'>,
): Promise<Finding[]> {
  return Promise.all(
    rows.map(async (row) => ({ name: row.name, ...(await lookInTime(row, installation, timers)) })),
  );
}

async function lookInTime(
  row: Row,
  installation: Installation,
  timers: Pick<Timers, 'callAfter'>,
): Promise<Look> {
  const giveUp = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<Look>();
  let step = '';
  const cancel = timers.callAfter(MAX_ROW_MS, () => {
    resolve(warn(`Nothing was heard within ${MAX_ROW_MS / 1000} s${step === '' ? '' : `: ${step}`}.`));
    giveUp.abort();
  });
  try {
    const looking = row.look(installation, giveUp.signal, (doing) => {
      step = doing;
    });
    return await Promise.race([looking.catch(unforeseen), late]);
  } finally {
    cancel();
    giveUp.abort();
  }
}

function unforeseen(error: unknown): Look {
  const reason = error instanceof Error ? error.message : String(error);
  return { verdict: 'fail', sentence: `This could not be looked at: ${reason}`, advice: null };
}
