import type { Check } from '../../domain/check/check.ts';
import { editConfig } from '../../domain/check/check-edit.ts';
import {
  DeclarationFault,
  type Disputant,
  decodeNotes,
  disputeIn,
  type NotedDeclaration,
  parametersIn,
  readDeclaration,
} from '../../domain/check/job-declaration.ts';
import {
  changedFields,
  decodeSources,
  fieldsOf,
  mayOverwrite,
  type SourcedField,
  type SourceMark,
  withoutMarks,
} from '../../domain/check/sources.ts';
import { HINT_PINGS, type TimingHint, timingHint, timingKey } from '../../domain/check/timing-hint.ts';
import { happenedAt } from '../../domain/ping/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { type CheckDeps, lockOwnCheck } from './checks.ts';

/** A field that a job declares otherwise than it was set. */
export interface KeptField {
  readonly field: SourcedField;
  /** The parameters of the job, such as `grace=1h`. */
  readonly declared: string;
}

/** Where the settings of a check come from, and what is to be known about that. */
export interface Origins {
  readonly fields: readonly { readonly field: SourcedField; readonly mark: SourceMark }[];
  readonly kept: readonly KeptField[];
  readonly refused: null | { readonly at: Instant; readonly from: string | null; readonly reason: string };
  /** Declarations of jobs that replace each other to and fro. */
  readonly dispute: readonly Disputant[];
}

/** Reads what is beside the row of a check that the caller has found. */
export async function readOrigins(
  { store }: Pick<Deps, 'store'>,
  check: Check,
  now: Instant,
): Promise<Origins> {
  const notes = decodeNotes((await store.checkNotes.of(check.id)).declaration);
  const sources = Object.entries(decodeSources(check.sources));
  return {
    // The names are those of the type.
    fields: sources.map(([field, mark]) => ({ field: field as SourcedField, mark })),
    kept: keptIn(check, notes.last),
    refused: notes.refused,
    dispute: disputeIn(notes, now),
  };
}

function keptIn(check: Check, last: NotedDeclaration | null): KeptField[] {
  const declared = last === null ? null : readDeclaration(last);
  if (last === null || declared === null || declared instanceof DeclarationFault) return [];
  const given = parametersIn(last.given);
  const sources = decodeSources(check.sources);
  return changedFields(check, editConfig(check, declared.edit))
    .filter((field) => !mayOverwrite({ by: 'job' }, sources, field))
    .map((field) => {
      const name = field !== 'timing' ? field : given.schedule === undefined ? 'timeout' : 'schedule';
      const value = new Map(Object.entries(given)).get(name) ?? '';
      return { field, declared: `${name}=${value}` };
    });
}

/** Lets the job set again what a person or a client of the API has set. Its next ping does. */
export async function followJob(deps: CheckDeps, actor: Actor, id: number): Promise<void> {
  requirePermission(actor, 'checks.edit');
  await deps.store.transaction(async (tx) => {
    const check = await lockOwnCheck(tx, actor, id);
    const { last } = decodeNotes((await tx.checkNotes.of(id)).declaration);
    const declared = last === null ? null : readDeclaration(last);
    if (declared === null || declared instanceof DeclarationFault) return;
    const sources = decodeSources(check.sources);
    const fields = fieldsOf(declared.edit).filter((field) => {
      const by = sources[field]?.by;
      return by === 'person' || by === 'api';
    });
    if (fields.length === 0) return;
    await tx.checks.saveConfig({ ...check, sources: withoutMarks(check.sources, fields) });
  });
}

/** What the pings of a check say about its timing. Null if there is nothing, or somebody has called it right. */
export async function readTimingHint(
  { store }: Pick<Deps, 'store'>,
  check: Check,
  now: Instant,
): Promise<TimingHint | null> {
  const pings = await store.pings.latest(check.id, HINT_PINGS);
  const successes = pings.filter(({ signal }) => signal === 'success').map(happenedAt);
  const hint = timingHint(
    check,
    successes.sort((one, other) => one - other),
    now,
  );
  if (hint === null) return null;
  const { acceptedTiming } = await store.checkNotes.of(check.id);
  return acceptedTiming === timingKey(check) ? null : hint;
}

/** Silences the hint on all nodes, until somebody changes the timing. */
export async function acceptTiming(deps: CheckDeps, actor: Actor, id: number): Promise<void> {
  requirePermission(actor, 'checks.edit');
  await deps.store.transaction(async (tx) => {
    const check = await lockOwnCheck(tx, actor, id);
    await tx.checkNotes.acceptTiming(check, timingKey(check));
  });
}
