import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type {
  BoardChannelJson,
  CheckDetailListJson,
  CheckRowJson,
} from '../../../src/wire/dashboard/check-board-output.ts';
import type { BulkResultJson } from '../../../src/wire/dashboard/check-bulk-output.ts';
import { get, post } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { tell, tellError, tellWithAction, tellWithUndo } from '../../ui/toasts.tsx';
import { rowsQuery, type Scope } from './board.ts';
import { labelOf } from './check-row.tsx';

/** As the server allows in one request. */
const MAX_AT_ONCE = 500;
/** Rows that are read again one by one. More are read all at once. */
const MAX_READ_AGAIN = 100;

/** What is done to the checks that are selected. */
export type BulkChange =
  | { readonly verb: 'pause' | 'resume' }
  | { readonly verb: 'adjust'; readonly add_tags?: string; readonly remove_tags?: string }
  | {
      readonly verb: 'adjust';
      readonly add_channels?: readonly string[];
      readonly remove_channels?: readonly string[];
    }
  | { readonly verb: 'move'; readonly project: string }
  | { readonly verb: 'delete' | 'restore' };

function words(change: BulkChange, count: number): string {
  const { done } = m.checks;
  switch (change.verb) {
    case 'pause':
      return done.pausedMany(count);
    case 'resume':
      return done.resumedMany(count);
    case 'move':
      return done.movedMany(count);
    case 'delete':
      return done.deletedMany(count);
    case 'restore':
      return done.restoredMany(count);
    case 'adjust':
      if ('add_tags' in change) return done.taggedMany(count);
      if ('remove_tags' in change) return done.untaggedMany(count);
      return 'add_channels' in change ? done.assignedMany(count) : done.unassignedMany(count);
    default:
      return change satisfies never;
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : m.errors.unexpected(null);

/** Only whoever may change checks knows their UUIDs. */
const uuidsOf = (rows: readonly CheckRowJson[]): string[] => rows.flatMap(({ uuid }) => uuid ?? []);

/** What can be done to checks from the list. Rows show it before the server has answered, and go back if it refuses. */
export function useActs(scope: Scope, readSoon: (keys: readonly string[]) => void) {
  const queries = useQueryClient();
  return useMemo(() => {
    const { queryKey } = rowsQuery(scope);
    const projectOf = (row: CheckRowJson): string => row.project ?? scope ?? '';
    const send = (project: string, change: BulkChange, uuids: readonly string[]) =>
      post<BulkResultJson>(`/projects/${project}/checks/bulk`, {
        ...change,
        checks: uuids,
        // Whoever gets here has typed the number.
        ...(change.verb === 'delete' && { typed: String(uuids.length) }),
      });

    const show = (key: string, change: (row: CheckRowJson) => CheckRowJson) =>
      queries.setQueryData<readonly CheckRowJson[]>(queryKey, (rows) =>
        rows?.map((row) => (row.key === key ? change(row) : row)),
      );

    /** One check: shown at once, and taken back with the reason if it fails. */
    const one = async (row: CheckRowJson, change: BulkChange, guess: (row: CheckRowJson) => CheckRowJson) => {
      show(row.key, guess);
      try {
        const { refused } = await send(projectOf(row), change, uuidsOf([row]));
        if (refused[0] !== undefined) throw new Error(refused[0].error);
        readSoon([row.key]);
        return true;
      } catch (error) {
        show(row.key, () => row);
        tellError(reasonOf(error));
        return false;
      }
    };

    const pause = async (row: CheckRowJson) => {
      const done = await one(row, { verb: 'pause' }, (now) => ({ ...now, status: 'paused', next: null }));
      // Whoever resumes it waits for a ping: what it was before does not come back.
      if (done)
        tellWithAction(m.checks.done.paused(labelOf(row)), m.checks.menu.resume, () => void resume(row));
    };
    const resume = async (row: CheckRowJson) => {
      const done = await one(row, { verb: 'resume' }, (now) => ({
        ...now,
        ...{ status: 'new', next: null, ready: now.lastPing !== null || now.ready, lastPing: null },
      }));
      if (done) tell(m.checks.done.resumed(labelOf(row)));
    };

    /** Many checks, some at a time. Returns whether all of it was done. */
    const many = async (rows: readonly CheckRowJson[], change: BulkChange): Promise<boolean> => {
      const done: string[] = [];
      let failed = 0;
      let reason = '';
      try {
        for (const [project, some] of Map.groupBy(rows, projectOf)) {
          for (let from = 0; from < some.length; from += MAX_AT_ONCE) {
            const result = await send(project, change, uuidsOf(some.slice(from, from + MAX_AT_ONCE)));
            done.push(...result.done);
            failed += result.refused.reduce((sum, { checks }) => sum + checks.length, 0);
            reason ||= result.refused[0]?.error ?? '';
          }
        }
      } catch (error) {
        failed = rows.length - done.length;
        reason = reasonOf(error);
      }
      if (rows.length <= MAX_READ_AGAIN) readSoon(rows.map(({ key }) => key));
      else void queries.invalidateQueries({ queryKey, exact: true });
      if (failed > 0) tellError(m.checks.done.failedMany(done.length, failed, reason));
      else if (change.verb === 'delete') {
        const gone = rows.filter(({ uuid }) => uuid !== null && done.includes(uuid));
        tellWithUndo(words(change, done.length), () => void many(gone, { verb: 'restore' }));
      } else tell(words(change, done.length));
      return failed === 0;
    };

    return {
      many,
      pause: (row: CheckRowJson) => void pause(row),
      resume: (row: CheckRowJson) => void resume(row),
      toggleChannel: (row: CheckRowJson, { uuid }: BoardChannelJson, isOn: boolean) =>
        void one(
          row,
          { verb: 'adjust', ...(isOn ? { add_channels: [uuid] } : { remove_channels: [uuid] }) },
          (now) => ({
            ...now,
            channels: isOn ? [...now.channels, uuid] : now.channels.filter((other) => other !== uuid),
          }),
        ),
      copyUrl: async (row: CheckRowJson) => {
        try {
          const path = `/projects/${projectOf(row)}/checks/details?checks=${row.key}`;
          const { checks } = await get<CheckDetailListJson>(path);
          const url = checks[0]?.pingUrl ?? null;
          if (url === null) {
            tellError(m.checks.done.noUrl);
            return;
          }
          await navigator.clipboard.writeText(url);
          tell(m.checks.done.copied);
        } catch {
          tellError(m.checks.done.notCopied);
        }
      },
    };
  }, [scope, queries, readSoon]);
}
