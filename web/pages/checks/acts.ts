import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { BoardChannelJson, CheckRowJson } from '../../../src/views/board-json.ts';
import { MAX_ASKED_ROWS, MAX_LISTED_UUIDS } from '../../../src/wire/dashboard/limits.ts';
import { type SnoozeChoice, useAnswers } from '../../acts/answers.tsx';
import { pauseCheck, resumeCheck } from '../../acts/pause.ts';
import { act } from '../../app/act.ts';
import { now } from '../../app/clock.ts';
import { read } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { tell, tellError, tellWithUndo } from '../../ui/toasts.tsx';
import { rowsQuery, type Scope } from './board.ts';
import { labelOf } from './check-row.tsx';
import { changed } from './view.ts';

interface SomeChecks {
  readonly project: string;
  /** UUIDs. */
  readonly checks: string[];
}

type Done = Awaited<ReturnType<typeof act.adjustChecks>>;
/** What files have set. */
export type FileFields = Done['fromFiles'];
/** Whether a change only tells what files have set, or changes that, too. */
type OverFiles = Parameters<typeof act.adjustChecks>[0]['files'];

/** A change of the selected checks. */
export interface BulkChange {
  readonly send: (some: SomeChecks, files?: OverFiles) => Promise<Omit<Done, 'fromFiles'> & Partial<Done>>;
  /** Whether it may change what files have set. */
  readonly asks?: boolean;
  readonly done: (count: number) => string;
  /** The change that takes it back. */
  readonly undo?: BulkChange;
  /** Whether the checks stay selected for another change. */
  readonly isMinor?: boolean;
}

const { done: words } = m.checks;
const undoPauses: BulkChange = { send: act.undoPauses, done: words.pauseUndoneMany };
const takeBack: BulkChange = { send: act.unacknowledgeChecks, done: words.takenBackMany };
const endSnoozes: BulkChange = { send: act.unsnoozeChecks, done: words.snoozeEndedMany };
const restoreChecks: BulkChange = { send: act.restoreChecks, done: words.restoredMany };

export const CHANGES = {
  acknowledge: { send: act.acknowledgeChecks, done: words.acknowledgedMany, undo: takeBack },
  pause: { send: act.pauseChecks, done: words.pausedMany, undo: undoPauses },
  resume: { send: act.resumeChecks, done: words.resumedMany },
  delete: {
    // The person has typed the number.
    send: (some) => act.deleteChecks({ ...some, typedCount: String(some.checks.length) }),
    done: words.deletedMany,
    undo: restoreChecks,
  },
} as const satisfies Record<string, BulkChange>;

/** To undo it would also end the snoozes before it. */
export const snoozeFor = (choice: SnoozeChoice, wasSnoozed: boolean): BulkChange => ({
  send: (some) => act.snoozeChecks({ ...some, ...choice }),
  done: words.snoozedMany,
  ...(!wasSnoozed && { undo: endSnoozes }),
});

export const moveTo = (target: string): BulkChange => ({
  send: (some) => act.moveChecks({ ...some, target }),
  done: words.movedMany,
});

/** Of the project, which has the policy already. */
export const tellBy = (policy: string): BulkChange => ({
  send: (some) => act.setPolicyOfChecks({ ...some, policy }),
  done: words.toldByMany,
  isMinor: true,
});

type Adjustment = Omit<Parameters<typeof act.adjustChecks>[0], keyof SomeChecks | 'files'>;

const adjust = (adjustment: Adjustment, done: (count: number) => string): BulkChange => ({
  send: (some, files) => act.adjustChecks({ ...some, ...adjustment, ...(files && { files }) }),
  asks: true,
  done,
  isMinor: true,
});

export const addTags = (tags: string) => adjust({ addTags: tags }, words.taggedMany);
export const removeTags = (tags: string) => adjust({ removeTags: tags }, words.untaggedMany);
export const assign = (channel: string) => adjust({ addChannels: [channel] }, words.assignedMany);
export const unassign = (channel: string) => adjust({ removeChannels: [channel] }, words.unassignedMany);

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : m.errors.unexpected(null);

/** Only people who may change checks know their UUIDs. */
const uuidsOf = (rows: readonly CheckRowJson[]): string[] => rows.flatMap(({ uuid }) => uuid ?? []);

/** Whether somebody wants to change what files have set. */
type Ask = (files: FileFields) => Promise<boolean>;

/** What a change has come to so far. */
interface Tally {
  readonly done: string[];
  failed: number;
  reason: string;
}

async function sendAll(
  parts: readonly SomeChecks[],
  change: BulkChange,
  tally: Tally,
  files?: OverFiles,
): Promise<FileFields> {
  const found: FileFields[number][] = [];
  for (const some of parts) {
    const { done, refused, fromFiles = [] } = await change.send(some, files);
    tally.done.push(...done);
    tally.failed += refused.reduce((sum, { checks }) => sum + checks.length, 0);
    tally.reason ||= refused[0]?.error ?? '';
    found.push(...fromFiles);
  }
  return found;
}

/** Sends the change to all parts. Nothing is done if somebody does not want to change what files have set. */
async function sendAsking(
  parts: readonly SomeChecks[],
  change: BulkChange,
  tally: Tally,
  ask: Ask,
): Promise<'sent' | 'unwanted'> {
  // Of several parts, none is changed before all have told what files have set.
  const isTold = change.asks === true && parts.length > 1;
  const files = await sendAll(parts, change, tally, isTold ? 'tell' : undefined);
  if (files.length > 0 && !(await ask(files))) return 'unwanted';
  if (isTold || files.length > 0) await sendAll(parts, change, tally, 'override');
  return 'sent';
}

/** Acts on checks from the list. Rows show the result before the server has answered, and go back if it refuses. */
export function useActs(scope: Scope, ask: Ask) {
  const queries = useQueryClient();
  const answers = useAnswers();
  return useMemo(() => {
    const { queryKey } = rowsQuery(scope);
    const projectOf = (row: CheckRowJson): string => row.project ?? scope ?? '';
    const show = (key: string, change: (row: CheckRowJson) => CheckRowJson) =>
      queries.setQueryData<readonly CheckRowJson[]>(queryKey, (rows) =>
        rows?.map((row) => (row.key === key ? change(row) : row)),
      );

    /** One check: shown at once, and taken back with the reason if it fails. */
    const one = async (row: CheckRowJson, change: BulkChange, guess: (row: CheckRowJson) => CheckRowJson) => {
      show(row.key, guess);
      try {
        const tally: Tally = { done: [], failed: 0, reason: '' };
        const parts = [{ project: projectOf(row), checks: uuidsOf([row]) }];
        if ((await sendAsking(parts, change, tally, ask)) === 'unwanted') show(row.key, () => row);
        else if (tally.failed > 0) throw new Error(tally.reason);
      } catch (error) {
        show(row.key, () => row);
        tellError(reasonOf(error));
      }
    };

    const guessing = (row: CheckRowJson, guess: Partial<CheckRowJson>) => ({
      show: () => show(row.key, (before) => changed(before, guess)),
      takeBack: () => show(row.key, () => row),
    });
    const named = (row: CheckRowJson) => ({ ref: row.key, name: labelOf(row) });
    const pause = (row: CheckRowJson) =>
      pauseCheck(named(row), guessing(row, { status: 'paused', next: null, answer: null }));
    const resume = (row: CheckRowJson) =>
      resumeCheck(named(row), guessing(row, { status: 'new', next: null }));

    const answered = (row: CheckRowJson, kind: 'acknowledged' | 'snoozed' | null) =>
      guessing(row, {
        answer: kind && { kind, by: null, at: new Date(now()).toISOString(), until: null },
      });

    /** As many checks as one act takes. */
    const partsOf = (rows: readonly CheckRowJson[]): SomeChecks[] =>
      [...Map.groupBy(rows, projectOf)].flatMap(([project, some]) => {
        const checks = uuidsOf(some);
        const starts = Array.from(checks.keys()).filter((index) => index % MAX_LISTED_UUIDS === 0);
        return starts.map((start) => ({ project, checks: checks.slice(start, start + MAX_LISTED_UUIDS) }));
      });

    /** Many checks, some at a time. Returns whether all of it was done. */
    const many = async (rows: readonly CheckRowJson[], change: BulkChange): Promise<boolean> => {
      const { undo } = change;
      const tally: Tally = { done: [], failed: 0, reason: '' };
      try {
        if ((await sendAsking(partsOf(rows), change, tally, ask)) === 'unwanted') return false;
      } catch (error) {
        tally.failed = rows.length - tally.done.length;
        tally.reason = reasonOf(error);
      }
      const { done, failed, reason } = tally;
      // The act brings rows that are shown, if they are not too many.
      if (change === restoreChecks || rows.length > MAX_ASKED_ROWS)
        void queries.invalidateQueries({ queryKey, exact: true });
      if (failed > 0) tellError(m.checks.done.failedMany(done.length, failed, reason));
      else if (undo !== undefined) {
        const changed = rows.filter(({ uuid }) => uuid !== null && done.includes(uuid));
        tellWithUndo(change.done(done.length), () => void many(changed, undo));
      } else tell(change.done(done.length));
      return failed === 0;
    };

    return {
      many,
      pause: (row: CheckRowJson) => void pause(row),
      resume: (row: CheckRowJson) => void resume(row),
      acknowledge: (row: CheckRowJson) => void answers.acknowledge(named(row), answered(row, 'acknowledged')),
      takeBack: (row: CheckRowJson) => void answers.takeBack(named(row), answered(row, null)),
      snooze: (row: CheckRowJson, choice: SnoozeChoice) => {
        const isSnoozed = row.answer?.kind === 'snoozed';
        return void answers.snooze({ ...named(row), isSnoozed }, choice, answered(row, 'snoozed'));
      },
      endSnooze: (row: CheckRowJson) => void answers.endSnooze(named(row), answered(row, null)),
      toggleChannel: (row: CheckRowJson, { uuid }: BoardChannelJson, isOn: boolean) =>
        void one(row, isOn ? assign(uuid) : unassign(uuid), (before) => ({
          ...before,
          channels: isOn ? [...before.channels, uuid] : before.channels.filter((other) => other !== uuid),
        })),
      copyUrl: async (row: CheckRowJson) => {
        try {
          const [details] = await read.checkDetails({ project: projectOf(row), keys: [row.key] });
          const url = details?.pingUrl ?? null;
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
  }, [scope, queries, ask, answers]);
}
