import type { CheckSummary } from '../../domain/check/check.ts';
import { type Answer, answerOf, withParent, withTelling } from '../../domain/history/answer.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reads, StoredOutage } from '../../storage/store.ts';
import { awaitedParents } from '../core/parents.ts';
import { factsOf, type PlanReads } from '../core/planned-checks.ts';
import { tellingIn } from '../core/telling.ts';

/** Open outages by the ids of their checks. */
export type OpenOutages = ReadonlyMap<number, StoredOutage>;

/** Outages are read only where one is open. */
export async function openOutagesOf(
  { outages }: Pick<Reads, 'outages'>,
  checks: readonly CheckSummary[],
): Promise<OpenOutages> {
  const heard = checks.filter(({ isHeard }) => isHeard).map(({ id }) => id);
  const open = heard.length === 0 ? [] : await outages.openOf(heard);
  return new Map(open.map((outage) => [outage.checkId, outage]));
}

/** Why nothing is told of these checks, which are down, by their ids. Those that wait for another check name it. */
export async function answersTo(
  { checkParents }: Pick<Reads, 'checkParents'>,
  checks: readonly CheckSummary[],
  outages: OpenOutages,
  now: Instant,
): Promise<Map<number, Answer>> {
  const answers = new Map<number, Answer>();
  for (const check of checks) {
    const answer = answerOf({ check, isDown: true, outage: outages.get(check.id) ?? null }, now);
    if (answer !== null) answers.set(check.id, answer);
  }
  const held = [...answers].filter(([, { kind }]) => kind === 'held');
  if (held.length === 0) return answers;
  const parents = await checkParents.ofChecks(held.map(([id]) => id));
  for (const [id, answer] of held) {
    const own = parents.filter(({ checkId }) => checkId === id);
    answers.set(id, withParent(answer, awaitedParents(own, now)));
  }
  return answers;
}

/** In the same way. Those that nobody was told of yet also say when that will be, and how many bad runs there are. */
export async function wholeAnswersTo(
  reads: PlanReads,
  checks: readonly CheckSummary[],
  outages: OpenOutages,
  now: Instant,
): Promise<ReadonlyMap<number, Answer>> {
  const answers = await answersTo(reads, checks, outages, now);
  const waiting = checks.filter(({ id }) => answers.get(id)?.kind === 'waiting');
  if (waiting.length === 0) return answers;
  const knownOf = await factsOf(reads, waiting, now);
  for (const check of waiting) {
    const [answer, outage, known] = [answers.get(check.id), outages.get(check.id), knownOf(check)];
    if (answer !== undefined && outage !== undefined)
      answers.set(check.id, withTelling(answer, outage, tellingIn(known), known.check, now));
  }
  return answers;
}
