import type { Channel } from '../../domain/alert/channel.ts';
import { type Check, newCheck } from '../../domain/check/check.ts';
import { type CheckEdit, editCheck } from '../../domain/check/check-edit.ts';
import { quietSpansIn } from '../../domain/check/quiet-time.ts';
import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import type { Calendar } from '../../domain/policy/calendar.ts';
import type { PlanInput } from '../../domain/policy/plan.ts';
import { AT_ONCE } from '../../domain/policy/policy.ts';
import { parsePolicy } from '../../domain/policy/rules.ts';
import { FORETOLD_SPAN, running, suppose, withComingQuiet } from '../../domain/policy/supposition.ts';
import type { Why } from '../../domain/policy/why.ts';
import { ScheduleError } from '../../domain/schedule/schedule-error.ts';
import type { Instant } from '../../lib/instant.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import { calendarsOf } from '../core/calendars.ts';
import type { CheckFacts } from '../core/planned-checks.ts';
import { coming, foretell, knownOf, recipientsOf, type WhyDeps } from './why.ts';

/** Settings of a check that somebody writes. */
export interface TellingDraft {
  /** Null: the check is new. */
  readonly checkId: number | null;
  readonly edit: CheckEdit;
  /** UUIDs of the integrations that are told. */
  readonly assigned: readonly string[];
  /** The rules of a policy that the project may not have yet, as they are stored. Null: the check names its policy, or has none. */
  readonly rules: string | null;
  /** The calendar that these rules name, if the project does not have it. */
  readonly hours: Calendar | null;
}

/** What the settings mean if the next run does not come. */
export interface DraftTelling {
  readonly downAt: Instant;
  readonly why: Why;
  readonly channels: readonly Channel[];
}

/** Null if no run is expected, or if it cannot be said when. */
export async function foretellDraft(
  deps: WhyDeps,
  actor: Actor,
  draft: TellingDraft,
): Promise<DraftTelling | null> {
  requirePermission(actor, 'checks.edit');
  requirePermission(actor, 'policies.view');
  const now = deps.clock.now();
  const check = await drafted(deps, actor, draft, now);
  if (check === null) return null;
  const quietTimes = await coming(deps, check, now);
  const supposition = { event: 'down_timeout', at: null } as const;
  const supposed = suppose(withComingQuiet(check, quietTimes), supposition, false, now);
  const until = Math.max(now, supposed.at) + FORETOLD_SPAN;
  const known = await knownOf(deps, supposed.check, quietTimes, { now, until });
  const facts = { ...known, ...(await draftedPolicy(deps, actor, draft)) };
  const channels = await deps.store.channels.ofProject(actor.projectId);
  const recipients = await recipientsOf(deps, channels, new Set(draft.assigned));
  const nothing = { outage: null, waits: [], told: [], blind: [] };
  const input: PlanInput = { ...facts, ...nothing, cause: { kind: 'timer' }, recipients, now };
  const quiet = quietSpansIn(quietTimes, { from: now, until });
  const why = foretell(input, recipients, until, supposed, facts, quiet);
  return { downAt: supposed.at, why, channels };
}

/** The check with the settings, as if it ran as it should. */
async function drafted(
  { store }: WhyDeps,
  actor: Actor,
  { checkId, edit }: TellingDraft,
  now: Instant,
): Promise<Check | null> {
  const { projectId } = actor;
  const identity = { uuid: '', badgeKey: '', projectId, createdAt: now };
  const before =
    checkId === null
      ? { ...newCheck(DEFAULT_CONFIG, identity), id: 0 }
      : ownCheck(actor, await store.checks.byId(checkId));
  try {
    const check = editCheck({ ...before, runRules: '' }, edit);
    const isRunning = check.status === 'up' && (check.deadlineAt ?? 0) > now;
    const sound = isRunning ? check : editCheck(running(check, now), {});
    return sound.deadlineAt === null ? null : { ...sound, snoozedUntilAt: null };
  } catch (error) {
    if (error instanceof ScheduleError) return null;
    throw error;
  }
}

async function draftedPolicy(
  { store }: WhyDeps,
  { projectId }: Actor,
  { rules, hours }: TellingDraft,
): Promise<Partial<Pick<CheckFacts, 'policy' | 'hours'>>> {
  if (rules === null) return {};
  const policy = parsePolicy(rules) ?? AT_ONCE;
  const named = { projectId, calendar: policy.hours };
  const stored = (await calendarsOf(store, [named]))(named);
  return { policy, hours: policy.hours === null ? null : (stored ?? hours) };
}
