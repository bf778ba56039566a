import type { NewFlip } from '../../domain/check/flip.ts';
import { type DeclarationMode, UNAPPLIED } from '../../domain/check/job-declaration.ts';
import { missedBefore } from '../../domain/check/occurrences.ts';
import { isOutage } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import type { IncomingPing, PingOutcome, PingTarget, ReceivedPing } from '../../domain/ping/incoming-ping.ts';
import { isFailure, isReadForOtherFilter, recordPing } from '../../domain/ping/incoming-ping.ts';
import { hasLongBody, type NewPing } from '../../domain/ping/ping.ts';
import { isWarned } from '../../domain/ping/run-judgement.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckChange, HeldCheck, KnownAlias, SlugTarget, Writes } from '../../storage/store.ts';
import { type Done, queueDone, queueWarned } from '../core/channel-messages.ts';
import type { Deps } from '../core/deps.ts';
import { type CheckEvent, recordEvents } from '../core/flips.ts';
import { noteSigns } from '../core/outages.ts';
import { pastQuietTimes } from '../core/quiet-spans.ts';
import {
  applyDeclaration,
  createDeclared,
  type DeclaringPing,
  isDeclaring,
  knownAnswer,
  type ProvisionedCheck,
  refusal,
} from './declarations.ts';
import { noteUses, readForeign } from './dialects.ts';
import { PRUNE_EVERY } from './pruning.ts';

/** A ping may create checks until the owner has twice as many as the limit allows. */
const PROVISION_ALLOWANCE = 2;

/** Ingestion needs to know only whether there is object storage. It never waits for it. */
export type IngestDeps = Pick<Deps, 'store' | 'clock' | 'random'> & { readonly objects: object | null };

/**
 * Records a batch of pings in the order given. It uses one transaction, unless the database rejects one of the pings.
 * Throws when the database is unavailable and nothing was recorded.
 */
export async function ingestPings(deps: IngestDeps, batch: readonly ReceivedPing[]): Promise<PingOutcome[]> {
  try {
    return await ingestTogether(deps, batch);
  } catch (error) {
    if (isOutage(error)) throw error;
    return ingestDivided(deps, batch, error);
  }
}

/** Divides a batch that failed into halves, again and again, until the ping that cannot be written is alone. */
async function ingestDivided(
  deps: IngestDeps,
  batch: readonly ReceivedPing[],
  failure: unknown,
): Promise<PingOutcome[]> {
  const [ping] = batch;
  if (batch.length === 1 && ping !== undefined) return [await ingestUndeclared(deps, ping, failure)];
  const middle = Math.ceil(batch.length / 2);
  const outcomes: PingOutcome[] = [];
  for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
    try {
      outcomes.push(...(await ingestPings(deps, half)));
    } catch (outage) {
      outcomes.push(...half.map(() => ({ failure: outage })));
    }
  }
  return outcomes;
}

/** The ping counts, whatever is wrong with its declaration: first the fault is noted, and if that fails, too, nothing is. */
async function ingestUndeclared(
  deps: IngestDeps,
  ping: ReceivedPing,
  failure: unknown,
): Promise<PingOutcome> {
  const { declaration } = ping;
  if (declaration === undefined) return { failure };
  const noted = declaration.isUnapplied ? undefined : { ...declaration, isUnapplied: true as const };
  const [outcome = { failure }] = await ingestPings(deps, [{ ...ping, declaration: noted }]);
  if (outcome === 'recorded' || outcome === 'created')
    return { recorded: outcome, declaration: refusal(UNAPPLIED), fault: failure };
  return typeof outcome === 'string' || isFailure(outcome) ? outcome : { ...outcome, fault: failure };
}

/**
 * Records pings in one transaction. It takes its locks first and in a fixed order: the projects in which checks may be
 * created, then all checks, then the accounts of the owners of new checks. So several nodes can do this at once without
 * deadlocks or lost updates. It reads the clock after that, so that the order, numbers and times of pings agree.
 * Accounts that want reminders are locked last, and only when flips are recorded.
 */
function ingestTogether(deps: IngestDeps, batch: readonly ReceivedPing[]): Promise<PingOutcome[]> {
  const work = async (tx: Writes) => {
    const foreign = await readForeign(tx, batch);
    const { targets, aliases } = await Targets.find(tx, foreign.known, foreign.tokens);
    const { pings, used } = foreign.translate(aliases);
    await targets.provision(deps, tx);
    const ledger = new Ledger();
    const now = deps.clock.now();
    const outcomes = pings.map((ping, index) =>
      typeof ping === 'object' ? ledger.record(targets, ping, now, index) : ping,
    );
    await ledger.forgiveUnwatched(tx);
    await ledger.write(deps, tx, now);
    for (const { index, declaration } of await ledger.declare(deps, tx, now))
      outcomes[index] = withDeclaration(outcomes[index], declaration);
    await noteUses(tx, used, now);
    if (deps.objects !== null) await ledger.queueLongBodies(tx, now);
    return outcomes;
  };
  // A batch has shared one commit already. Its pings are answered before anything else is done.
  return deps.store.transaction(work, { sharesCommit: false });
}

/** The checks of a batch, locked until its transaction ends. */
class Targets {
  readonly #uuidsBySlug: Map<string, string[]>;
  readonly #checks: Map<string, HeldCheck>;
  /** Checks that do not exist and are to be created. */
  readonly #missing: readonly MissingCheck[];
  /** Checks that this batch created, by slug. The ping that created it removes the slug when it is answered. */
  readonly #created = new Map<string, ProvisionedCheck>();

  private constructor(
    uuidsBySlug: Map<string, string[]>,
    checks: readonly HeldCheck[],
    missing: readonly MissingCheck[],
  ) {
    this.#uuidsBySlug = uuidsBySlug;
    this.#checks = new Map(checks.map((check) => [check.uuid, check]));
    this.#missing = missing;
  }

  /** `tokens` are digests of those that name checks by aliases. */
  static async find(
    tx: Writes,
    batch: readonly IncomingPing[],
    tokens: readonly string[],
  ): Promise<{ readonly targets: Targets; readonly aliases: readonly KnownAlias[] }> {
    const slugs = new Map<string, SlugTarget>();
    const wanted = new Map<string, WantedCheck>();
    const uuids = new Set<string>();
    let areDeclared = false;
    for (const ping of batch) {
      const { target, fault } = ping;
      areDeclared ||= isDeclaring(ping);
      if ('uuid' in target) uuids.add(target.uuid);
      else slugs.set(slugKey(target), target);
      // The first one creates it.
      if (mayCreate(target) && fault === null && !wanted.has(slugKey(target)))
        wanted.set(slugKey(target), { ...target, ping });
    }
    const uuidsBySlug = await findBySlug(tx, [...slugs.values()]);
    const absent = () => [...wanted.values()].filter((target) => !uuidsBySlug.has(slugKey(target)));
    const projects = await lockProjects(tx, absent());
    // Another node may have created a check while we waited for the lock.
    for (const [key, found] of await findBySlug(tx, absent())) uuidsBySlug.set(key, found);
    const missing = absent().flatMap(({ pingKeyDigest, slug, ping }) => {
      const project = projects.get(pingKeyDigest);
      return project === undefined ? [] : [{ project, slug, ping }];
    });
    const all = new Set([...uuids, ...[...uuidsBySlug.values()].flat()]);
    const { checks, aliases } =
      tokens.length === 0
        ? { checks: await tx.checks.lockMany([...all], areDeclared), aliases: [] }
        : await tx.checks.lockWithAliases([...all], tokens, areDeclared);
    return { targets: new Targets(uuidsBySlug, checks, missing), aliases };
  }

  /** Creates the checks that are missing. */
  async provision(deps: Pick<Deps, 'clock' | 'random'>, tx: Writes): Promise<void> {
    for (const { project, slug, ping } of this.#missing.toSorted(byOwner)) {
      if (!(await tx.accounts.claimCheckSlot(project.ownerId, PROVISION_ALLOWANCE))) continue;
      const created = await createDeclared(deps, tx, project, slug, ping);
      const key = slugKey({ pingKeyDigest: project.pingKeyDigest ?? '', slug });
      this.#uuidsBySlug.set(key, [created.check.uuid]);
      this.#checks.set(created.check.uuid, created.check);
      this.#created.set(key, created);
    }
  }

  resolve(target: PingTarget): HeldCheck | 'not_found' | 'ambiguous' {
    const [uuid, ...others] =
      'uuid' in target ? [target.uuid] : (this.#uuidsBySlug.get(slugKey(target)) ?? []);
    if (others.length > 0) return 'ambiguous';
    return (uuid === undefined ? undefined : this.#checks.get(uuid)) ?? 'not_found';
  }

  update(check: HeldCheck): void {
    this.#checks.set(check.uuid, check);
  }

  /** The check, if this ping created it. Only once for each check. */
  claimCreation(target: PingTarget): ProvisionedCheck | null {
    if (this.#created.size === 0 || !mayCreate(target)) return null;
    const created = this.#created.get(slugKey(target)) ?? null;
    this.#created.delete(slugKey(target));
    return created;
  }
}

/** Collects the changes of a batch. */
class Ledger {
  readonly #pings: NewPing[] = [];
  /** Changes of status, and ends of runs that the plan may want to know of, in order. */
  #events: CheckEvent[] = [];
  /** Checks whose status has changed. */
  readonly #flipped = new Set<number>();
  /** Checks that are down, a run of which has begun or is alive. */
  readonly #begun = new Set<number>();
  /** Ends of runs with a remark, whose run before had none. */
  readonly #warned: NewPing[] = [];
  /** Successes of checks that tell of each. */
  readonly #done: Done[] = [];
  readonly #changes = new Map<number, CheckChange>();
  readonly #toPrune = new Set<number>();
  /** Failures since the last success of a check that count runs missed before them. */
  readonly #misses = new Map<number, Miss[]>();
  /** Declarations that have to be read, in order of arrival. */
  readonly #declared: PendingDeclaration[] = [];

  record(targets: Targets, incoming: IncomingPing, now: number, index: number): PingOutcome {
    const check = targets.resolve(incoming.target);
    // A faulty ping that could create its check is answered with its fault, not with "not found".
    if (check === 'not_found' && incoming.fault !== null && mayCreate(incoming.target)) return incoming.fault;
    if (typeof check === 'string') return check;
    if (incoming.fault !== null) return incoming.fault;
    if (isReadForOtherFilter(check, incoming)) return 'filter_changed';
    try {
      const { check: after, flips, ping } = recordPing(check, incoming, now);
      this.#pings.push(ping);
      if (ping.n % PRUNE_EVERY === 0) this.#toPrune.add(ping.checkId);
      this.#noteMissed(check, after, ping);
      this.#noteEvents(after, ping, flips);
      const warns = isWarned(check, after, ping);
      if (warns) this.#warned.push(ping);
      if (tellsDone(check, ping, flips))
        this.#done.push({ ping, doneChannels: check.doneChannels, isWarned: warns });
      this.#changes.set(after.id, { before: this.#changes.get(after.id)?.before ?? check, after });
      targets.update(after);
      const created = targets.claimCreation(incoming.target);
      if (created !== null) return withDeclaration('created', created.answer);
      // A ping that is ignored declares nothing.
      if (!isDeclaring(incoming) || ping.signal === 'ign') return 'recorded';
      return withDeclaration('recorded', this.#answerTo(check, incoming, index));
    } catch (failure) {
      // A check that cannot be evaluated must not keep the pings of other checks from being recorded.
      return { failure };
    }
  }

  #noteEvents({ id, badCount, isHeard }: HeldCheck, { signal }: NewPing, flips: readonly NewFlip[]) {
    for (const flip of flips) this.#events.push({ flip, badCount });
    if (flips.length > 0) this.#flipped.add(id);
    else if ((signal === 'success' || signal === 'fail') && (isHeard || this.#flipped.has(id)))
      this.#events.push({ end: { checkId: id, isBad: signal === 'fail', isHeard }, badCount });
    else if (isHeard && (signal === 'start' || signal === 'progress')) this.#begun.add(id);
  }

  #noteMissed(check: HeldCheck, after: HeldCheck, { signal, runStartedAt, createdAt, occurredAt }: NewPing) {
    if (after.badCount === 0) this.#misses.delete(check.id);
    if (signal !== 'fail' || after.badCount <= check.badCount + 1) return;
    const eventIndex = this.#events.length;
    const miss = { check, startedAt: runStartedAt, endedAt: occurredAt ?? createdAt, eventIndex };
    this.#misses.set(check.id, [...(this.#misses.get(check.id) ?? []), miss]);
  }

  /**
   * Runs are not bad whose deadline passed while nobody watched, or that were due in a quiet time before the last one. Few failures
   * come after runs that were missed.
   */
  async forgiveUnwatched(tx: Writes): Promise<void> {
    const misses = [...this.#misses.values()].flat();
    if (misses.length === 0) return;
    const since = Math.min(...misses.map(({ check, endedAt }) => check.lastPingAt ?? endedAt));
    const blind = await tx.liveness.blindSpansSince(since);
    const quietOf = await pastQuietTimes(
      tx,
      misses.map(({ check }) => check),
      since,
    );
    for (const { check, startedAt, endedAt, eventIndex } of misses) {
      const change = this.#changes.get(check.id);
      const counted = missedBefore(check, startedAt, endedAt);
      const forgiven = counted - missedBefore(check, startedAt, endedAt, { quiet: quietOf(check), blind });
      if (change === undefined || forgiven === 0) continue;
      const after = { ...change.after, badCount: change.after.badCount - forgiven };
      this.#changes.set(check.id, { ...change, after });
      this.#events = this.#events.map((event, index) =>
        index >= eventIndex && checkOf(event) === check.id
          ? { ...event, badCount: (event.badCount ?? 0) - forgiven }
          : event,
      );
    }
  }

  /** The answer to the declaration, unless it has to be read. That happens after the pings are written. */
  #answerTo(check: HeldCheck, ping: DeclaringPing, index: number): string | null {
    // What came first may change the answers to the others.
    const isOpen = this.#declared.some(({ checkId }) => checkId === check.id);
    const answer = isOpen ? null : knownAnswer(check, ping);
    if (answer === null) {
      const mode = check.declarationMode ?? 'off';
      this.#declared.push({ checkId: check.id, mode, ping, index });
    }
    return answer;
  }

  /** Changes checks as their jobs declare them. Returns the answers, by the places of the pings in the batch. */
  async declare(
    deps: Pick<Deps, 'clock' | 'random'>,
    tx: Writes,
    now: number,
  ): Promise<{ readonly index: number; readonly declaration: string }[]> {
    const answers: { index: number; declaration: string }[] = [];
    for (const { checkId, mode, ping, index } of this.#declared)
      answers.push({ index, declaration: await applyDeclaration(deps, tx, mode, checkId, ping, now) });
    return answers;
  }

  async write(deps: Pick<Deps, 'random'>, tx: Writes, now: number): Promise<void> {
    await tx.pings.insertMany(this.#pings);
    await tx.checks.saveChanges([...this.#changes.values()]);
    if (this.#begun.size > 0) await noteSigns(tx, [...this.#begun], now);
    await queueWarned(deps, tx, this.#warned, now);
    await queueDone(deps, tx, this.#done, now);
    await recordEvents(deps, tx, this.#events, now);
    // Every node locks these rows in this order. It prevents deadlocks.
    await tx.pruning.addMany([...this.#toPrune].sort((one, other) => one - other));
  }

  /** In the same transaction as the pings, so a crash loses no long body. */
  async queueLongBodies(tx: Writes, now: number): Promise<void> {
    await tx.bodies.queueMoves(this.#pings.filter(hasLongBody), now);
  }
}

/** The end of an outage is told as that alone. */
function tellsDone({ doneChannels }: HeldCheck, { signal }: NewPing, flips: readonly NewFlip[]): boolean {
  return doneChannels !== '' && signal === 'success' && !flips.some(({ oldStatus }) => oldStatus === 'down');
}

async function findBySlug(tx: Writes, slugs: readonly SlugTarget[]): Promise<Map<string, string[]>> {
  const found = slugs.length === 0 ? [] : await tx.checks.uuidsBySlug(slugs);
  const groups = Map.groupBy(found, slugKey);
  return new Map([...groups].map(([key, group]) => [key, group.map(({ uuid }) => uuid)]));
}

/** Returns projects by the digest of their ping key. Every node locks them in the same order. */
async function lockProjects(tx: Writes, slugs: readonly SlugTarget[]): Promise<Map<string, Project>> {
  const projects = new Map<string, Project>();
  for (const digest of [...new Set(slugs.map(({ pingKeyDigest }) => pingKeyDigest))].sort()) {
    const project = await tx.projects.lockByPingKey(digest);
    if (project !== null) projects.set(digest, project);
  }
  return projects;
}

/** A failure that came after runs which were missed, and the check before it. */
interface Miss {
  readonly check: HeldCheck;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant;
  /** The number of events before it. */
  readonly eventIndex: number;
}

function checkOf(event: CheckEvent): number {
  return 'flip' in event ? event.flip.checkId : event.end.checkId;
}

/** A declaration whose ping is recorded. */
interface PendingDeclaration {
  readonly checkId: number;
  readonly mode: DeclarationMode;
  readonly ping: DeclaringPing;
  /** The place of its ping in the batch. */
  readonly index: number;
}

function withDeclaration(outcome: PingOutcome | undefined, declaration: string | null): PingOutcome {
  const recorded = outcome === 'created' ? 'created' : 'recorded';
  return declaration === null ? recorded : { recorded, declaration };
}

/** A check that does not exist, and the ping that would create it. */
interface WantedCheck extends SlugTarget {
  readonly ping: IncomingPing;
}

interface MissingCheck {
  readonly project: Project;
  readonly slug: string;
  readonly ping: IncomingPing;
}

function byOwner(one: MissingCheck, two: MissingCheck): number {
  return one.project.ownerId - two.project.ownerId;
}

function mayCreate(target: PingTarget): target is Exclude<PingTarget, { uuid: string }> {
  return !('uuid' in target) && target.create;
}

function slugKey({ pingKeyDigest, slug }: SlugTarget): string {
  return `${pingKeyDigest}/${slug}`;
}
