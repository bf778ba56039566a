import type { Check } from '../domain/check.ts';
import type { NewFlip } from '../domain/flip.ts';
import type { IncomingPing, PingOutcome, PingTarget } from '../domain/incoming-ping.ts';
import { recordPing } from '../domain/incoming-ping.ts';
import type { NewPing } from '../domain/ping.ts';
import type { SlugTarget, Writes } from '../storage/store.ts';
import { LONGEST_INLINE_BODY } from './bodies.ts';
import { insertCheck } from './checks.ts';
import type { Deps } from './deps.ts';
import { PRUNE_EVERY } from './pruning.ts';

/** A ping may create checks until the owner has twice as many as the limit allows. */
const PROVISION_ALLOWANCE = 2;

/** Of object storage, only whether there is one: the pings themselves never wait for it. */
export type IngestDeps = Pick<Deps, 'store' | 'clock' | 'random'> & { readonly objects: object | null };

/**
 * Records a batch of pings in one transaction, in the order given. The rows of all their checks are held
 * first, in a fixed order, so that several nodes can do this at once without deadlocks or lost updates;
 * the time is taken after that, so that order, numbers and times agree.
 */
export async function ingestPings(deps: IngestDeps, batch: readonly IncomingPing[]): Promise<PingOutcome[]> {
  return deps.store.transaction(async (tx) => {
    const targets = await Targets.find(tx, batch);
    await targets.provision(deps, tx, batch);
    const ledger = new Ledger();
    const now = deps.clock.now();
    const outcomes = batch.map((ping) => ledger.record(targets, ping, now));
    await ledger.write(tx);
    if (deps.objects !== null) await ledger.queueLongBodies(tx, now);
    return outcomes;
  });
}

/** The checks that a batch is for, held until its transaction ends. */
class Targets {
  readonly #uuidsBySlug: Map<string, string[]>;
  readonly #checks: Map<string, Check>;
  /** Slugs whose check this batch created, until the ping that created it has been told so. */
  readonly #created = new Set<string>();

  private constructor(uuidsBySlug: Map<string, string[]>, checks: Map<string, Check>) {
    this.#uuidsBySlug = uuidsBySlug;
    this.#checks = checks;
  }

  static async find(tx: Writes, batch: readonly IncomingPing[]): Promise<Targets> {
    const slugs = new Map<string, SlugTarget>();
    const uuids = new Set<string>();
    for (const { target } of batch) {
      if ('uuid' in target) uuids.add(target.uuid);
      else slugs.set(slugKey(target), target);
    }
    const found = slugs.size === 0 ? [] : await tx.checks.uuidsBySlug([...slugs.values()]);
    const uuidsBySlug = new Map(
      [...Map.groupBy(found, slugKey)].map(([key, group]) => [key, group.map(({ uuid }) => uuid)]),
    );
    for (const { uuid } of found) uuids.add(uuid);
    const checks = await tx.checks.lockMany([...uuids]);
    return new Targets(uuidsBySlug, new Map(checks.map((check) => [check.uuid, check])));
  }

  /** Makes the checks that pings ask for and that are not there yet. */
  async provision(
    deps: Pick<Deps, 'clock' | 'random'>,
    tx: Writes,
    batch: readonly IncomingPing[],
  ): Promise<void> {
    const wanted = new Map<string, SlugTarget>();
    for (const { target, fault } of batch) {
      if (fault === null && mayCreate(target)) wanted.set(slugKey(target), target);
    }
    // In the same order on every node: each holds the projects that it has been through.
    for (const [key, target] of [...wanted].sort(([one], [two]) => (one < two ? -1 : 1))) {
      if (this.#uuidsBySlug.has(key)) continue;
      const checks = await findOrProvision(deps, tx, target);
      for (const { check, isNew } of checks) {
        this.#checks.set(check.uuid, check);
        if (isNew) this.#created.add(key);
      }
      this.#uuidsBySlug.set(
        key,
        checks.map(({ check }) => check.uuid),
      );
    }
  }

  resolve(target: PingTarget): Check | 'not_found' | 'ambiguous' {
    const [uuid, ...others] =
      'uuid' in target ? [target.uuid] : (this.#uuidsBySlug.get(slugKey(target)) ?? []);
    if (others.length > 0) return 'ambiguous';
    return (uuid === undefined ? undefined : this.#checks.get(uuid)) ?? 'not_found';
  }

  update(check: Check): void {
    this.#checks.set(check.uuid, check);
  }

  /** Whether this ping is the one that created its check. */
  claimCreation(target: PingTarget): boolean {
    return mayCreate(target) && this.#created.delete(slugKey(target));
  }
}

/** Collects what a batch changes. */
class Ledger {
  readonly #pings: NewPing[] = [];
  readonly #flips: NewFlip[] = [];
  readonly #changed = new Map<number, Check>();
  readonly #toPrune = new Set<number>();

  record(targets: Targets, incoming: IncomingPing, now: number): PingOutcome {
    const check = targets.resolve(incoming.target);
    // A faulty ping that would have had to create its check is told of the fault, not that there is none.
    if (check === 'not_found' && incoming.fault !== null && mayCreate(incoming.target)) return incoming.fault;
    if (typeof check === 'string') return check;
    if (incoming.fault !== null) return incoming.fault;
    try {
      const { check: after, flips, ping } = recordPing(check, incoming, now);
      this.#pings.push(ping);
      if (ping.n % PRUNE_EVERY === 0) this.#toPrune.add(ping.checkId);
      this.#flips.push(...flips);
      this.#changed.set(after.id, after);
      targets.update(after);
    } catch (failure) {
      // One check that cannot be evaluated must not keep the pings of all others from being recorded.
      return { failure };
    }
    return targets.claimCreation(incoming.target) ? 'created' : 'recorded';
  }

  async write(tx: Writes): Promise<void> {
    await tx.pings.insertMany(this.#pings);
    await tx.checks.saveStates([...this.#changed.values()]);
    await tx.flips.insertMany(this.#flips);
    for (const check of this.#toPrune) await tx.pruning.add(check);
  }

  /** In the same transaction: whatever happens later, no long body is forgotten. */
  async queueLongBodies(tx: Writes, now: number): Promise<void> {
    const long = this.#pings.filter(({ body }) => (body?.length ?? 0) > LONGEST_INLINE_BODY);
    await tx.bodies.queueMoves(long, now);
  }
}

async function findOrProvision(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  { pingKeyDigest, slug }: SlugTarget,
): Promise<{ check: Check; isNew: boolean }[]> {
  // Held, so that of two nodes that create at once the second finds what the first has made.
  const project = await tx.projects.lockByPingKey(pingKeyDigest);
  if (project === null) return [];
  const existing = await tx.checks.bySlug(project.id, slug);
  if (existing.length > 0) {
    const held = await tx.checks.lockMany(existing.map(({ uuid }) => uuid));
    return held.map((check) => ({ check, isNew: false }));
  }
  if (!(await tx.accounts.claimCheckSlot(project.ownerId, PROVISION_ALLOWANCE))) return [];
  const check = await insertCheck(deps, tx, project.id, { name: slug, slug });
  const channels = await tx.channels.ofProject(project.id);
  await tx.checks.setChannels(
    check.id,
    channels.map(({ id }) => id),
  );
  return [{ check, isNew: true }];
}

function mayCreate(target: PingTarget): target is Exclude<PingTarget, { uuid: string }> {
  return !('uuid' in target) && target.create;
}

function slugKey({ pingKeyDigest, slug }: SlugTarget): string {
  return `${pingKeyDigest}/${slug}`;
}
