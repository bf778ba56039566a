import type { Check } from '../../domain/check/check.ts';
import { editCheck } from '../../domain/check/check-edit.ts';
import {
  type Draft,
  FIT_RUNS,
  type Fit,
  fitOf,
  previewSchedule,
  type SchedulePreview,
} from '../../domain/check/schedule-preview.ts';
import { scheduleWords } from '../../domain/check/schedule-words.ts';
import { expectedAt, statusAt } from '../../domain/check/status.ts';
import { runsOf } from '../../domain/history/run.ts';
import { type Explanation, explain, type Keywords, searchedText } from '../../domain/ping/keyword-filter.ts';
import type { Ping } from '../../domain/ping/ping.ts';
import type { ScheduleFault, SchedulePart } from '../../domain/schedule/anatomy.ts';
import { findSchedule } from '../../domain/schedule/pasted.ts';
import type { FoundSchedule } from '../../domain/schedule/plain-words.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckLabel } from '../../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';

type EditorDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export type WordedSchedule = FoundSchedule & { readonly words: string };

export interface DraftPreview {
  /** A schedule within the text, if the text itself is not one. */
  readonly found: WordedSchedule | null;
  readonly preview:
    | SchedulePreview
    | { readonly fault: ScheduleFault; readonly parts: readonly SchedulePart[] };
  /** The effect on the edited check. */
  readonly effect: Effect | null;
  readonly fit: Fit | null;
}

/** The effect of saving a schedule. */
export interface Effect {
  /** Whether it goes down at once, and nobody is told. */
  readonly goesDown: boolean;
  readonly lastPingAt: Instant | null;
  readonly dueAt: Instant | null;
  readonly downAt: Instant | null;
}

export async function previewDraft(
  { store, clock }: EditorDeps,
  actor: Actor,
  draft: Draft,
): Promise<DraftPreview> {
  requirePermission(actor, 'checks.edit');
  const now = clock.now();
  const preview = previewSchedule(draft, draft.zone, now);
  const isRefused = 'fault' in preview;
  const found = isRefused || draft.kind === 'simple' ? foundIn(draft.schedule) : null;
  if (isRefused || draft.checkId === null) return { found, preview, effect: null, fit: null };
  const check = ownCheck(actor, await store.checks.byId(draft.checkId));
  const pings = (await store.pings.latest(check.id, FIT_RUNS * 3)).toReversed();
  const runs = runsOf({ check, pings, flips: [], now }).filter(({ endN }) => endN !== null);
  const starts = runs.map(({ startedAt, at }) => startedAt ?? at);
  return { found, preview, effect: effectOf(check, draft, now), fit: fitOf(draft, starts) };
}

function foundIn(text: string): WordedSchedule | null {
  const found = findSchedule(text);
  return found === null || found.expression === text.trim() ? null : inWords(found);
}

function effectOf(
  check: Check,
  { kind, schedule, timeoutSeconds, tz, graceSeconds }: Draft,
  now: Instant,
): Effect {
  const timing = kind === 'simple' ? { timeoutSeconds } : { schedule: { kind, expression: schedule } };
  const edited = editCheck(check, { ...timing, tz, graceSeconds });
  return {
    goesDown: check.status === 'up' && statusAt(edited, now) === 'down',
    lastPingAt: check.lastPingAt,
    dueAt: expectedAt(edited),
    downAt: edited.deadlineAt,
  };
}

/** A schedule that was found, and when it runs. */
function inWords(found: FoundSchedule): WordedSchedule {
  const { kind, expression: schedule, timeoutSeconds } = found;
  return { ...found, words: scheduleWords({ kind, schedule, timeoutSeconds: timeoutSeconds ?? 0 }) };
}

/** Checks that a form offers. */
const MAX_CHOICES = 2_000;

export interface EditorChoices {
  readonly tags: readonly string[];
  /** Zones of the project's checks, the most used first. */
  readonly zones: readonly string[];
  readonly room: { readonly used: number; readonly limit: number };
  /** The checks of the project, the oldest first. */
  readonly checks: readonly CheckLabel[];
}

export async function editorChoices({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<EditorChoices> {
  requirePermission(actor, 'checks.edit');
  const { projectId } = actor;
  const owner = await store.accounts.ownerOf(projectId);
  return {
    tags: await store.checks.tagsOfProject(projectId),
    zones: await store.checks.zonesOfProject(projectId),
    checks: await store.checks.labelsOfProject(projectId, MAX_CHOICES),
    room: {
      used: owner === null ? 0 : await store.accounts.checkCount(owner.id),
      limit: owner?.limits.checks ?? 0,
    },
  };
}

/** The name of another check of the project with this slug. Null if there is none. */
export async function slugOwner(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  slug: string,
  exceptId: number | null,
): Promise<string | null> {
  requirePermission(actor, 'checks.edit');
  if (slug === '') return null;
  const owners = await store.checks.namedBySlug(actor.projectId, slug);
  return owners.find(({ id }) => id !== exceptId)?.name ?? null;
}

/** Pings whose bodies a filter is tried on. */
const TRIED_PINGS = 10;

/** A ping, and the result of a filter. */
export interface TriedPing {
  readonly ping: Ping;
  /** Null if the body is in object storage. */
  readonly body: string | null;
  readonly explanation: Explanation | null;
}

/** Tries keywords on a text, and on the last pings that have bodies. */
export async function tryFilter(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  checkId: number,
  keywords: Keywords,
  text: string | null,
): Promise<{ readonly pings: readonly TriedPing[]; readonly text: Explanation | null }> {
  requirePermission(actor, 'pings.view');
  const check = ownCheck(actor, await store.checks.byId(checkId));
  const latest = await store.pings.latest(check.id, TRIED_PINGS * 3);
  const tried: TriedPing[] = [];
  for (const ping of latest.filter(({ bodySize }) => bodySize > 0).slice(0, TRIED_PINGS)) {
    const bytes = await store.pings.body(check.id, ping.n);
    const body = bytes === null ? null : new TextDecoder().decode(bytes);
    const searched = bytes === null || ping.scheme === 'email' ? body : searchedText(bytes);
    tried.push({ ping, body, explanation: searched === null ? null : explain(keywords, searched) });
  }
  return { pings: tried, text: text === null ? null : explain(keywords, text) };
}
