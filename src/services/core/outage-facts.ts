import type { Span } from '../../domain/check/status.ts';
import type { PlanInput } from '../../domain/policy/plan.ts';
import type { Recipient, Told } from '../../domain/policy/recipients.ts';
import { groupMembers, isStateful } from '../../integrations/registry.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type {
  CheckToTell,
  PlannedChannel,
  Reads,
  StoredOutage,
  StoredWait,
  ToldChannel,
} from '../../storage/store.ts';
import { channelHours } from './calendars.ts';
import { type CheckFacts, factsOf, type PlanReads } from './planned-checks.ts';

/** Spans in which nobody watched count for so long after the return. */
const BLIND_COUNTS_FOR = seconds(600);

type OutageReads = PlanReads & {
  readonly channels: Pick<Reads['channels'], 'ofProjects'>;
};

/** Reads of channels. Whoever writes holds what it reads. */
export type ChannelReads = Pick<Reads['channels'], 'plannedOf' | 'namedOf'>;

/** All that a plan knows of a check and its outage. */
export type OutageFacts = CheckFacts & Pick<PlanInput, 'outage' | 'told' | 'waits' | 'recipients'>;

export interface StoredFacts extends OutageFacts {
  readonly outage: StoredOutage | null;
}

/** A check with one of its outages. Null: it has none that is open. */
export interface CheckWithOutage {
  readonly checkId: number;
  readonly outage: StoredOutage | null;
}

export interface GatheredFacts {
  readonly check: CheckToTell;
  readonly known: StoredFacts;
  /** Those that are assigned, and those that its policy names or a step has told. */
  readonly channels: readonly PlannedChannel[];
}

/** The spans in which nobody watched that ended so lately that they still count, the newest first. */
export function lastBlindSpans(reads: Pick<Reads, 'liveness'>, now: Instant): Promise<readonly Span[]> {
  return reads.liveness.blindSpansSince(now - BLIND_COUNTS_FOR);
}

/** Gathers all that a plan knows of these checks and their outages. A check may be there with several. */
export async function outageFacts(
  reads: OutageReads,
  channelReads: ChannelReads,
  wanted: readonly CheckWithOutage[],
  now: Instant,
): Promise<GatheredFacts[]> {
  if (wanted.length === 0) return [];
  const checkIds = [...new Set(wanted.map(({ checkId }) => checkId))];
  const outages = wanted.flatMap(({ outage }) => outage ?? []);
  const checks = await reads.outages.checksToTell(checkIds);
  const knownOf = await factsOf(reads, checks, now);
  const channels = await channelReads.plannedOf(checkIds);
  const isAny = outages.length > 0;
  const heard = isAny ? await reads.outages.toldOf(outages.map(({ flipId }) => flipId)) : [];
  const waits = isAny ? await reads.outages.waitsOf(outages.map(({ id }) => id)) : [];
  const byFlip = Map.groupBy(heard, ({ flipId }) => flipId);
  const byOutage = Map.groupBy(waits, ({ outageId }) => outageId);
  const byCheck = Map.groupBy(wanted, ({ checkId }) => checkId);
  const facts = checks.flatMap((check) =>
    (byCheck.get(check.id) ?? []).map(({ outage }) => ({
      check,
      outage,
      known: knownOf(check),
      assigned: channels.get(check.id) ?? [],
      told: toldOf(byFlip.get(outage?.flipId ?? 0) ?? []),
      waits: byOutage.get(outage?.id ?? 0) ?? [],
    })),
  );
  const others = await unassignedOf(reads, channelReads, facts);
  const gathered = facts.map((one) => {
    const { named, members } = others.get(one) ?? NOBODY;
    return { ...one, members, channels: [...one.assigned, ...named, ...members] };
  });
  const hoursOf = await channelHours(
    reads,
    gathered.flatMap(({ check: { projectId }, channels }) =>
      channels.map((channel) => ({ projectId, channel })),
    ),
  );
  return gathered.map(({ check, assigned, members, channels, known, ...ofOutage }) => {
    const recipients = channels.map(
      (channel): Recipient => ({
        ...channel,
        // A group that is assigned tells its members.
        isAssigned: assigned.includes(channel) || members.includes(channel),
        isStateful: isStateful(channel),
        ...hoursOf({ projectId: check.projectId, channel }),
      }),
    );
    return { check, channels, known: { ...known, ...ofOutage, recipients } };
  });
}

interface Named {
  readonly check: CheckToTell;
  readonly known: Pick<CheckFacts, 'policy'>;
  readonly assigned: readonly PlannedChannel[];
  readonly told: readonly Told[];
  readonly waits: readonly StoredWait[];
}

/** Channels of the project that are not assigned to a check. */
interface Others {
  /** The policy names them, or a step has told them. */
  readonly named: readonly PlannedChannel[];
  /** Members of groups that were told, which wait for hours of their own. */
  readonly members: readonly PlannedChannel[];
}

const NOBODY: Others = { named: [], members: [] };

async function unassignedOf(
  reads: OutageReads,
  channelReads: ChannelReads,
  facts: readonly Named[],
): Promise<Map<Named, Others>> {
  const named = facts.filter(
    (one) =>
      one.known.policy.steps.length > 0 || one.told.some(({ byStep }) => byStep) || waitingOf(one).length > 0,
  );
  if (named.length === 0) return new Map();
  const channels = await reads.channels.ofProjects([...new Set(named.map(({ check }) => check.projectId))]);
  const wanted = named.map(({ check, known, assigned, told }) => {
    const uuids = new Set(known.policy.steps.flatMap(({ tell }) => tell));
    const ids = new Set(told.filter(({ byStep }) => byStep).map(({ channelId }) => channelId));
    const already = new Set(assigned.map(({ id }) => id));
    return channels
      .filter(
        ({ id, uuid, projectId }) =>
          projectId === check.projectId && !already.has(id) && (ids.has(id) || uuids.has(uuid)),
      )
      .map(({ id }) => id);
  });
  const waiting = named.map(waitingOf);
  const found = await channelReads.namedOf([...new Set([...wanted.flat(), ...waiting.flat()])]);
  return new Map(
    named.map((one, index) => {
      const ids = wanted[index] ?? [];
      const own = found.filter(({ id }) => ids.includes(id));
      const uuids = new Set([...one.assigned, ...own].flatMap(groupMembers));
      const members = found.filter(
        ({ id, uuid }) => !ids.includes(id) && waiting[index]?.includes(id) === true && uuids.has(uuid),
      );
      return [one, { named: own, members }] as const;
    }),
  );
}

/** Channels that wait with the outage, and are not assigned. */
function waitingOf({ waits, assigned }: Pick<Named, 'waits' | 'assigned'>): number[] {
  const ids = waits.map(({ channelId }) => channelId);
  return ids.filter((id) => !assigned.some((channel) => channel.id === id));
}

export function toldOf(channels: readonly ToldChannel[]): Told[] {
  return channels.map(({ channelId, why, isOpen }) => ({
    channelId,
    byStep: why.split(' ').includes('step'),
    isOpen,
  }));
}
