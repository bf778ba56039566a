import { type Load, load, type Outcome } from './load.ts';
import type { Program } from './program.ts';
import { median } from './table.ts';
import { loadByWrk } from './wrk.ts';

/** One round on one server. */
export interface Measured extends Outcome {
  /** Requests for each second that the server's process was on a processor. */
  readonly perProcessorSecond: number | null;
}

export type Round = Omit<Load, 'port'>;

/** Rounds on two servers. */
export interface Compared {
  readonly ours: readonly Measured[];
  readonly theirs: readonly Measured[];
}

/** Rounds on the two servers take turns, and in turns begin, so that what else the machine does hits both alike. */
export async function compare(
  [ours, ourRound]: readonly [Program, Round],
  [theirs, theirRound]: readonly [Program, Round],
  { rounds, warmUpMillis }: { readonly rounds: number; readonly warmUpMillis: number },
): Promise<Compared> {
  await measure(ours, { ...ourRound, millis: warmUpMillis });
  await measure(theirs, { ...theirRound, millis: warmUpMillis });
  const outcomes: { ours: Measured[]; theirs: Measured[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => outcomes.ours.push(await measure(ours, ourRound)),
      async () => outcomes.theirs.push(await measure(theirs, theirRound)),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
  }
  return outcomes;
}

async function measure(program: Program, round: Round): Promise<Measured> {
  const before = await program.processorSeconds();
  const drive = round.client === 'wrk' ? loadByWrk : load;
  const outcome = await drive({ ...round, port: program.port });
  const after = await program.processorSeconds();
  const perProcessorSecond = before === null || after === null ? null : outcome.requests / (after - before);
  return { ...outcome, perProcessorSecond };
}

type Figure = Exclude<keyof Measured, 'p99Windows'>;

/** The middle of what the rounds gave for a field. */
export function middle(rounds: readonly Measured[], field: Figure): number {
  return median(rounds.map((round) => round[field] ?? Number.NaN));
}

/** Ours divided by theirs. */
export function ratio({ ours, theirs }: Compared, field: Figure): number {
  return middle(ours, field) / middle(theirs, field);
}
