import { deliveriesTo } from '../../domain/alert/delivery.ts';
import type { Span } from '../../domain/check/status.ts';
import type { Outage, OutageWait } from '../../domain/policy/outage.ts';
import { type Cause, type Message, plan } from '../../domain/policy/plan.ts';
import type { Told } from '../../domain/policy/recipients.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckToTell, PlannedChannel, StoredOutage, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';
import {
  type ChannelReads,
  type CheckWithOutage,
  lastBlindSpans,
  type OutageFacts,
  outageFacts,
  type StoredFacts,
} from './outage-facts.ts';
import { type Queued, queueTogether } from './together.ts';

/** Outages that one transaction decides about. It is kept short so that pings do not wait long for the locks. */
const MAX_AT_ONCE = 200;

type PlanDeps = Pick<Deps, 'random'>;

/** Something that has happened to a check in a project where a plan says who is told. */
export interface PlannedEvent {
  readonly checkId: number;
  readonly cause: Cause;
  /** The bad ends in a row right after it, if more came in the same transaction. Null: as the check says. */
  readonly badCount: number | null;
}

/** Records what follows from these events, which are in order of time. The transaction holds their checks. */
export async function planEvents(
  deps: PlanDeps,
  tx: Writes,
  events: readonly PlannedEvent[],
  now: Instant,
): Promise<void> {
  if (events.length === 0) return;
  const byCheck = Map.groupBy(events, ({ checkId }) => checkId);
  const ids = [...byCheck.keys()];
  // Nobody waits for the end of a run that changes no status.
  const flipped = ids.filter((id) => byCheck.get(id)?.some(({ cause }) => cause.kind === 'flip'));
  const unsettled = await (flipped.length === 0 ? tx.outages.lockUnsettled(ids) : tx.outages.lockAround(ids));
  if (flipped.length > 0) await tx.checkParents.wakeChildren(flipped, now);
  const { ending, open } = divided(unsettled);
  const wanted = ids.map((checkId) => ({ checkId, outage: open.get(checkId) ?? null }));
  // Nothing of an outage that only begins can have come due while nobody watched.
  const blind = ending.length + open.size === 0 ? [] : await lastBlindSpans(tx, now);
  const subjects = await subjectsOf(tx, [...ending, ...wanted], blind, now);
  for (const subject of subjects)
    if (subject.isOver) subject.ask({ kind: 'timer' }, now);
    else
      for (const { cause, badCount } of byCheck.get(subject.check.id) ?? [])
        subject.ask(cause, now, badCount ?? subject.check.badCount);
  await write(deps, tx, subjects, now);
}

/**
 * A run of each of these checks has begun, or is alive, and the transaction holds them. If their outages wait for further bad runs,
 * it is decided anew when there are enough: this run may be one by taking too long.
 */
export async function noteSigns(tx: Writes, checkIds: readonly number[], now: Instant): Promise<void> {
  const open = await tx.outages.lockOpen(checkIds);
  const waiting = open.filter(({ heldBy }) => heldBy === 'bad_runs').map(({ checkId }) => checkId);
  if (waiting.length > 0) await tx.outages.wake(waiting, now);
}

/**
 * Those that are open, by the ids of their checks, and earlier ones whose end a channel waits to hear. These are asked about first:
 * a channel hears of an end before it hears of the next beginning.
 */
function divided(unsettled: readonly StoredOutage[]) {
  const isOpen = ({ endedAt }: StoredOutage) => endedAt === null;
  return {
    open: new Map(unsettled.filter(isOpen).map((outage) => [outage.checkId, outage])),
    ending: unsettled.filter((outage) => !isOpen(outage)).map(withCheck),
  };
}

function withCheck(outage: StoredOutage): CheckWithOutage {
  return { checkId: outage.checkId, outage };
}

/** Asks who is told of the open outages of these checks, which the transaction holds, now that something has changed. */
export async function askPlan(
  deps: PlanDeps,
  tx: Writes,
  checkIds: readonly number[],
  kind: Exclude<Cause['kind'], 'flip' | 'result'>,
  now: Instant,
): Promise<void> {
  const { ending, open } = divided(await tx.outages.lockUnsettled(checkIds));
  if (open.size === 0) return;
  const wanted = [...ending, ...[...open.values()].map(withCheck)];
  const subjects = await subjectsOf(tx, wanted, await lastBlindSpans(tx, now), now);
  for (const subject of subjects) subject.ask({ kind }, now);
  await write(deps, tx, subjects, now);
}

export interface WakeDeps extends Pick<Deps, 'store' | 'clock' | 'random'> {
  /** Called for a check whose rules cannot be followed. Its outage is told at once. */
  readonly onPoison: (checkId: number, error: unknown) => void;
}

/** Nothing about an outage has to be decided before this time. Null when nothing has to. */
export async function nextWakeAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.outages.nextWakeAt();
}

/** Decides about outages whose time had come by `now`, one batch a call. Returns whether there was any. */
export async function wakeOutages(deps: WakeDeps, now = deps.clock.now()): Promise<boolean> {
  const next = await nextWakeAt(deps);
  if (next === null || next > now) return false;
  return deps.store.transaction(async (tx) => {
    const due = await tx.outages.lockDue(now, MAX_AT_ONCE);
    if (due.length === 0) return false;
    const blind = await lastBlindSpans(tx, now);
    const subjects = await subjectsOf(tx, due.map(withCheck), blind, now);
    for (const subject of subjects) {
      const fault = subject.ask({ kind: 'timer' }, now);
      if (fault !== null) deps.onPoison(subject.check.id, fault);
    }
    await write(deps, tx, subjects, now);
    await tx.checks.noteChanges(subjects.map(({ check }) => check));
    return true;
  });
}

/** All that a plan knows of these checks and their outages, with their channels held. */
async function subjectsOf(
  tx: Writes,
  wanted: readonly CheckWithOutage[],
  blind: readonly Span[],
  now: Instant,
): Promise<Subject[]> {
  const held: ChannelReads = {
    plannedOf: (ids) => tx.channels.lockPlanned(ids),
    namedOf: (ids) => tx.channels.lockNamed(ids),
  };
  const facts = await outageFacts(tx, held, wanted, now);
  return facts.map(({ check, channels, known }) => new Subject(check, blind, known, channels));
}

/** A check with its outage, and what the plan has said about it. */
class Subject {
  readonly check: CheckToTell;
  readonly #channels: ReadonlyMap<number, PlannedChannel>;
  readonly #blind: readonly Span[];
  #facts: OutageFacts;
  readonly #messages: Message[] = [];
  /** Outages that were asked about, by the flips that opened them. */
  readonly #asked = new Map<number, { readonly outage: Outage; readonly waits: readonly OutageWait[] }>();
  readonly #stored: StoredFacts;

  constructor(
    check: CheckToTell,
    blind: readonly Span[],
    stored: StoredFacts,
    channels: readonly PlannedChannel[],
  ) {
    this.check = check;
    this.#channels = new Map(channels.map((channel) => [channel.id, channel]));
    this.#blind = blind;
    this.#facts = stored;
    this.#stored = stored;
  }

  /** Whether its outage is over, and only its end is still to be told. */
  get isOver(): boolean {
    return this.#stored.outage?.state === 'over';
  }

  /** Returns why the rules could not be followed, else null. */
  ask(cause: Cause, now: Instant, badCount = this.check.badCount): unknown {
    const check = { ...this.#facts.check, badCount };
    const { outage, messages, waits, fault } = plan({
      ...this.#facts,
      check,
      cause,
      blind: this.#blind,
      now,
    });
    this.#messages.push(...messages);
    if (outage === null) return fault;
    this.#asked.set(outage.flipId, { outage, waits });
    // A further flip of the same batch finds what this one has left.
    const isOver = outage.state === 'over';
    this.#facts = {
      ...this.#facts,
      outage: isOver ? null : outage,
      waits: isOver ? [] : waits,
      told: isOver ? [] : [...this.#facts.told, ...messages.map(asTold)],
    };
    return fault;
  }

  /** What is to be queued, as the messages say. */
  queued(uuid: () => string, now: Instant): Queued[] {
    const { outage, parents } = this.#stored;
    const isReleased =
      outage?.heldBy === 'parent' && parents.some(({ upAt }) => upAt !== null && upAt >= outage.beganAt);
    return this.#messages.flatMap(({ recipient, flipId, status, ordinal, because }) => {
      const channel = this.#channels.get(recipient.id);
      const told = { checkId: this.check.id, flipId, status, ordinal, why: because.join(' ') };
      if (channel === undefined) return [];
      const rows = deliveriesTo(told, [channel], uuid, now);
      return rows.map((delivery) => ({ delivery, channel, check: this.check, isReleased }));
    });
  }

  /** The outages to write, with the ids of those that are stored. */
  get decided(): readonly Decided[] {
    const { outage: stored, waits } = this.#stored;
    return [...this.#asked.values()].map((asked) => {
      const isStored = asked.outage.flipId === stored?.flipId;
      return { ...asked, id: isStored ? stored.id : null, hadWaits: isStored && waits.length > 0 };
    });
  }
}

interface Decided {
  /** Null if it is new. */
  readonly id: number | null;
  readonly outage: Outage;
  readonly waits: readonly OutageWait[];
  /** Whether waits are stored. */
  readonly hadWaits: boolean;
}

function asTold({ recipient, because }: Message): Told {
  return { channelId: recipient.id, byStep: because.includes('step'), isOpen: true };
}

async function write(
  { random }: PlanDeps,
  tx: Writes,
  subjects: readonly Subject[],
  now: Instant,
): Promise<void> {
  const decided = subjects.flatMap((subject) => subject.decided);
  const known = decided.flatMap(({ id, outage }) => (id === null ? [] : [{ ...outage, id }]));
  const made = decided.filter(({ id }) => id === null);
  await tx.outages.save(known);
  const inserted = await tx.outages.insertMany(made.map(({ outage }) => outage));
  await writeWaits(tx, decided, new Map([...known, ...inserted].map(({ flipId, id }) => [flipId, id])));
  const queued = subjects.flatMap((subject) => subject.queued(random.uuid, now));
  await queueTogether({ random }, tx, queued, now);
}

/** Replaces waits, where there were or are any. */
async function writeWaits(
  tx: Writes,
  decided: readonly Decided[],
  ids: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = decided
    .filter(({ waits, hadWaits }) => hadWaits || waits.length > 0)
    .map(({ outage, waits }) => ({ outageId: ids.get(outage.flipId) ?? 0, waits }));
  if (rows.length === 0) return;
  await tx.outages.saveWaits(
    rows.map(({ outageId }) => outageId),
    rows.flatMap(({ outageId, waits }) => waits.map((wait) => ({ ...wait, outageId }))),
  );
}
