import { type Channel, TOLD_EVENTS, type ToldEvent } from '../../domain/alert/channel.ts';
import { isTold } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { badRunsReach } from '../../domain/check/occurrences.ts';
import { COVERED_AHEAD, Coverage, type QuietTime, quietSpansIn } from '../../domain/check/quiet-time.ts';
import type { Span } from '../../domain/check/status.ts';
import { type Outage, outageOf } from '../../domain/policy/outage.ts';
import type { PlanInput } from '../../domain/policy/plan.ts';
import { AT_ONCE } from '../../domain/policy/policy.ts';
import type { Told } from '../../domain/policy/recipients.ts';
import {
  FORETOLD_SPAN,
  MAX_FORETOLD,
  type Supposed,
  type Supposition,
  suppose,
  withComingQuiet,
} from '../../domain/policy/supposition.ts';
import { type AskedRecipient, explain, type Why } from '../../domain/policy/why.ts';
import type { WhyFacts } from '../../domain/policy/why-words.ts';
import { heardEvents, isStateful } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import type { DeliveryRecord, StoredOutage } from '../../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import { channelHours } from '../core/calendars.ts';
import type { Deps } from '../core/deps.ts';
import { lastBlindSpans, toldOf } from '../core/outage-facts.ts';
import { type CheckFacts, factsOf } from '../core/planned-checks.ts';
import { type ChosenPolicy, policiesOf } from '../core/policies.ts';
import { quietSpansOf } from '../core/quiet-spans.ts';

export type WhyDeps = Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export interface WhyAnswer {
  readonly check: Check;
  /** The last change of status. Null before the first. */
  readonly flip: Flip | null;
  readonly policy: ChosenPolicy;
  /** What is supposed, and when it happens. Null: nothing is. */
  readonly supposed: { readonly event: ToldEvent; readonly at: Instant } | null;
  /** What the words are about. */
  readonly facts: WhyFacts;
  readonly why: Why;
  /** The messages about the outage so far. */
  readonly told: readonly DeliveryRecord[];
  /** All integrations of the project, by id. */
  readonly channels: ReadonlyMap<number, Channel>;
}

/**
 * Who is told of the check when, and why: as things are, or after something that is supposed. The plan itself says so. Nothing
 * is written.
 */
export async function askWhy(
  deps: WhyDeps,
  actor: Actor,
  check: Check,
  supposition: Supposition | null,
): Promise<WhyAnswer> {
  requirePermission(actor, 'policies.view');
  ownCheck(actor, check);
  const { store } = deps;
  const now = deps.clock.now();
  const last = { after: null, limit: 1 };
  const [flip = null] = await store.flips.ofCheck(check.id, { from: null, before: null }, last);
  const [stored = null, ...earlier] = await store.outages.unsettledOf(check.id);
  const channels = await store.channels.ofProject(check.projectId);
  const recipients = await recipientsOf(deps, channels, new Set(await store.checks.channelsOf(check.id)));
  const quietTimes = await coming(deps, check, now);
  const hasOutage = stored !== null && stored.state !== 'over';
  const supposed = supposition && suppose(withComingQuiet(check, quietTimes), supposition, hasOutage, now);
  const until = Math.max(now, supposed?.at ?? now) + FORETOLD_SPAN;
  const facts = await knownOf(deps, check, quietTimes, { now, until });
  const after = supposed && (await knownOf(deps, supposed.check, quietTimes, { now, until }));
  // An outage that began before anybody used policies is not decided about.
  const isUndecided = stored === null && (supposed === null || supposed.cause === null);
  const outage = stored ?? (isUndecided ? outageWithoutPlan(check, flip) : null);
  const told = await toldBy(deps, outage);
  const input: PlanInput = {
    ...{ ...facts, cause: { kind: 'timer' }, recipients, now, outage },
    ...(outage !== null && stored === null && { policy: AT_ONCE, hours: null, parents: [] }),
    told: outage === null ? [] : await hearersOf(deps, outage, told),
    waits: stored === null ? [] : await store.outages.waitsOf([stored.id]),
    blind: await lastBlindSpans(store, now),
  };
  const quiet = quietSpansIn(quietTimes, { from: now, until });
  const newest = foretell(input, recipients, until, supposed, after, quiet);
  const ends = await endsToTell(deps, input, earlier, { recipients, until, quiet });
  const why = { ...newest, messages: inOrder([...ends, ...newest.messages]) };
  const chosen = (await policiesOf(store, [check]))(check);
  const { hours } = input.policy;
  const calendars = hours === null ? [] : await store.calendars.ofProject(check.projectId);
  return {
    ...{ check, flip, policy: chosen, why, told },
    supposed: supposition && supposed && { event: supposition.event, at: supposed.at },
    facts: {
      ...(after ?? facts),
      ...{ policy: input.policy, outage: why.plan.outage, snoozedBy: check.snoozedBy },
      calendar: calendars.find(({ uuid }) => uuid === hours)?.name ?? null,
      now: supposed?.at ?? now,
    },
    channels: new Map(channels.map((channel) => [channel.id, channel])),
  };
}

/** Runs the plan forward, from the event on if one is supposed. */
export function foretell(
  input: PlanInput,
  recipients: readonly AskedRecipient[],
  until: Instant,
  supposed: Supposed | null,
  after: CheckFacts | null,
  quiet: readonly Span[],
): Why {
  const horizon = { until, mostMessages: MAX_FORETOLD };
  const knownAt = withQuiet(quiet);
  const { cause = null, at = 0 } = supposed ?? {};
  if (cause === null || after === null) return explain(input, recipients, horizon, { knownAt });
  const event = { at, cause, check: after.check };
  if (input.outage?.state !== 'over') return explain(input, recipients, horizon, { knownAt, event });
  // The end of an outage is still to be told when the next one begins.
  const ended = explain(input, recipients, horizon, { knownAt });
  const begun = { ...input, outage: null, waits: [], told: [] };
  const why = explain(begun, recipients, horizon, { knownAt, event });
  return { ...why, messages: inOrder([...ended.messages, ...why.messages]) };
}

/** What the plan knows at a time that will come. */
function withQuiet(quiet: readonly Span[]): (asked: PlanInput) => PlanInput {
  return (asked) => {
    const span = quiet.findLast(({ from }) => from <= asked.now + COVERED_AHEAD);
    return span === undefined ? asked : { ...asked, check: { ...asked.check, quiet: span } };
  };
}

function inOrder(messages: Why['messages']): Why['messages'] {
  return messages.toSorted((one, other) => one.at - other.at).slice(0, MAX_FORETOLD);
}

/** The messages about the ends of earlier outages for which somebody still waits. */
async function endsToTell(
  deps: WhyDeps,
  input: PlanInput,
  earlier: readonly StoredOutage[],
  asked: {
    readonly recipients: readonly AskedRecipient[];
    readonly until: Instant;
    readonly quiet: readonly Span[];
  },
): Promise<Why['messages']> {
  const horizon = { until: asked.until, mostMessages: MAX_FORETOLD };
  const messages: Why['messages'][number][] = [];
  for (const outage of earlier) {
    const told = await hearersOf(deps, outage, await toldBy(deps, outage));
    const waits = await deps.store.outages.waitsOf([outage.id]);
    const ended = { ...input, outage, told, waits };
    messages.push(...explain(ended, asked.recipients, horizon, { knownAt: withQuiet(asked.quiet) }).messages);
  }
  return messages;
}

/** The quiet times of the check that run or will come. */
export async function coming({ store }: WhyDeps, check: Check, now: Instant): Promise<QuietTime[]> {
  return new Coverage(await store.quietTimes.inForce(check.projectId, now)).of(check);
}

/** What a plan knows of a check, also of quiet times that will come. */
export async function knownOf(
  { store }: WhyDeps,
  check: Check,
  quietTimes: readonly QuietTime[],
  { now, until }: { readonly now: Instant; readonly until: Instant },
): Promise<CheckFacts> {
  const facts = (await factsOf(store, [check], now))(check);
  if (quietTimes.length === 0 || facts.policy.badRuns === 1) return facts;
  const { sinceLastEnd } = (await quietSpansOf(store, [check]))(check);
  const blind = await store.liveness.blindSpansSince(check.lastPingAt ?? now);
  const quiet = [...sinceLastEnd, ...quietSpansIn(quietTimes, { from: now, until })];
  return {
    ...facts,
    check: { ...facts.check, reachesAt: (n) => badRunsReach(check, { quiet, blind }, n) },
  };
}

/** The outage of a check that went down when no plan said who is told. It was told at once. */
function outageWithoutPlan({ status }: Check, flip: Flip | null): Outage | null {
  if (status !== 'down' || flip === null || flip.newStatus !== 'down' || !isTold(flip)) return null;
  return { ...outageOf(flip), state: 'told', toldAt: flip.createdAt };
}

/** The messages about the outage so far. */
async function toldBy({ store }: WhyDeps, outage: Outage | null): Promise<readonly DeliveryRecord[]> {
  const flipIds = [outage?.flipId, outage?.endFlipId].filter((id) => typeof id === 'number');
  return flipIds.length === 0 ? [] : store.deliveries.ofFlips(flipIds);
}

/** Who has got a message about the beginning. One that was not tried yet is about to arrive. */
async function hearersOf(
  { store }: WhyDeps,
  { flipId }: Outage,
  told: readonly DeliveryRecord[],
): Promise<Told[]> {
  const open = told.filter(({ state, attemptCount }) => state === 'open' && attemptCount > 0);
  const retried = new Set(open.map(({ channelId }) => channelId));
  return toldOf(await store.outages.toldOf([flipId])).map((one) => ({
    ...one,
    isOpen: retried.has(one.channelId),
  }));
}

export async function recipientsOf(
  { store, vault }: WhyDeps,
  channels: readonly Channel[],
  assigned: ReadonlySet<string>,
): Promise<AskedRecipient[]> {
  const hoursOf = await channelHours(
    store,
    channels.map((channel) => ({ projectId: channel.projectId, channel })),
  );
  return channels.map((channel) => {
    const heard = heardEvents(channel, vault);
    return {
      ...{ id: channel.id, uuid: channel.uuid, accountId: 0, offReason: channel.off?.reason ?? null },
      isAssigned: assigned.has(channel.uuid),
      isStateful: isStateful(channel),
      ...hoursOf({ projectId: channel.projectId, channel }),
      isConfirmed: channel.verified,
      wanted: TOLD_EVENTS.filter((event) => heard.includes(event)),
    };
  });
}
