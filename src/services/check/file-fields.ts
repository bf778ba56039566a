import { isDeepStrictEqual } from 'node:util';
import { decodeSources, fileOf } from '../../domain/check/sources.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { ofProject, valueRead } from '../core/reads.ts';
import { type AdjustCheck, adjustedChannels, adjustedTags, adjustsChannels } from './checks.ts';

/** A field that a file has set, and the number of checks of which an adjustment changes it. */
export interface FileField {
  readonly field: 'tags' | 'integrations';
  /** The source that the file names. */
  readonly source: string;
  readonly checks: number;
}

interface Adjusted {
  /** UUIDs. */
  readonly checks: readonly string[];
  readonly adjustment: AdjustCheck;
}

/** What the adjustment of these checks changes although files have set it. Nothing is read of other checks. */
export const changedFileFields = valueRead(
  ofProject,
  async (
    { store }: Pick<Deps, 'store'>,
    { actor, checks, adjustment }: Adjusted & { readonly actor: Actor },
  ): Promise<FileField[]> => {
    requirePermission(actor, 'checks.edit');
    const found = (await store.checks.sourcedIn(actor.projectId, checks)).map((check) => ({
      ...check,
      sources: decodeSources(check.sources),
    }));
    const assigned = adjustsChannels(adjustment)
      ? await store.checks.channelsOfMany(found.map(({ id }) => id))
      : null;
    const isReassigned = (id: number) => {
      const before = assigned?.get(id) ?? [];
      return assigned !== null && !isDeepStrictEqual(adjustedChannels(before, adjustment), before);
    };
    return [
      ...countFiles(
        'tags',
        found.filter((check) => adjustedTags(check, adjustment) !== check.tags),
      ),
      ...countFiles(
        'integrations',
        found.filter(({ id }) => isReassigned(id)),
      ),
    ];
  },
);

function countFiles(
  field: FileField['field'],
  changed: readonly { readonly sources: ReturnType<typeof decodeSources> }[],
): FileField[] {
  const files = changed.map(({ sources }) => fileOf(sources, field)).filter((file) => file !== null);
  const bySource = Map.groupBy(files, (file) => file);
  return Array.from(bySource, ([source, { length: checks }]) => ({ field, source, checks }));
}
