import { uniqueKeyOf } from '../domain/check/check.ts';
import { expressionWords } from '../domain/check/schedule-words.ts';
import { splitTags } from '../domain/check/tags.ts';
import { isAllowed } from '../domain/people/permission.ts';
import { listQuietTimes } from '../services/check/quiet-times.ts';
import { quietTimeJson } from '../wire/api/quiet-time-output.ts';
import type { CheckRowJson } from './board-json.ts';
import { projectView } from './view.ts';

/** Quiet times of the project that run or will come, and recurring ones. */
export const quietTimes = projectView({
  permission: 'policies.view',
  async *read(deps, { actor }) {
    const now = deps.clock.now();
    const seesAddresses = isAllowed(actor.caller, 'checks.view_addresses');
    const all = (await listQuietTimes(deps, actor))
      .map((quietTime) => quietTimeJson(quietTime, { now, seesAddresses }))
      .map(({ whole_project: isWhole, ...quietTime }) => ({ ...quietTime, isWhole }))
      .filter(({ state, schedule }) => state !== 'over' || schedule !== null);
    const rows = all.length === 0 ? [] : yield* deps.checkBoards.rows(actor, null, deps.clock);
    const coverage = coverageOf(rows);
    return {
      quietTimes: all.map(({ checks, ...quietTime }) => ({
        ...quietTime,
        /** The checks that it names. */
        checks: checks.flatMap((ref) => coverage.named(ref)),
        /** How many checks it covers. */
        covered: quietTime.isWhole ? rows.length : coverage.count(quietTime.tags, checks),
        /** When it begins again and again, in words. */
        words: quietTime.schedule && expressionWords(quietTime.schedule),
      })),
      knownTags: await deps.store.checks.tagsOfProject(actor.projectId),
    };
  },
});

/** Counts checks without looking at each of them for each quiet time. */
function coverageOf(rows: readonly CheckRowJson[]) {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const byTag = Map.groupBy(
    rows.flatMap(({ key, tags }) => tags.map((tag) => ({ key, tag }))),
    ({ tag }) => tag,
  );
  const keyOf = (ref: string) => (byKey.has(ref) ? ref : uniqueKeyOf(ref));
  return {
    named: (ref: string) => {
      const row = byKey.get(keyOf(ref));
      return row === undefined ? [] : [{ key: row.key, uuid: row.uuid, name: row.name || row.slug }];
    },
    count: (tags: string, checks: readonly string[]): number => {
      const named = checks.map(keyOf).filter((key) => byKey.has(key));
      const tagged = splitTags(tags).flatMap((tag) => (byTag.get(tag) ?? []).map(({ key }) => key));
      return new Set([...named, ...tagged]).size;
    },
  };
}
