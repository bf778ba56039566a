import type { Check, CheckOutline, CheckSummary } from '../../domain/check/check.ts';
import { type Acknowledgement, acknowledgementOf } from '../../domain/policy/outage.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckFilter, RevisedCheck, StoredOutage } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { parentUuids } from './check-links.ts';

/** Checks held in memory at once while a list is sent. Long descriptions make a page smaller. */
const MAX_PAGE_CHECKS = 100;
const MAX_PAGE_TEXT_BYTES = 1024 * 1024;

/** A check with the UUIDs of the channels assigned to it, sorted. */
export interface CheckWithChannels {
  readonly check: Check;
  readonly channelUuids: readonly string[];
}

/** A check with the number of the form in which it was read. */
export interface RevisedCheckWithChannels extends CheckWithChannels, BesideCheck {
  readonly check: RevisedCheck;
}

/** What readers see of a check besides its row. */
export interface BesideCheck {
  /** Its outage, of a check that is down. Absent: there is none. */
  readonly outage?: StoredOutage | undefined;
  /** Who has it. Absent: nobody has. */
  readonly acknowledgement?: Acknowledgement | undefined;
  /** Of the checks without which it cannot work. Absent: there are none. */
  readonly parentUuids?: readonly string[] | undefined;
}

/** Reads it for these checks. Of those that have nothing of the kind, nothing is read. */
export async function besideChecks(
  { store }: Pick<Deps, 'store'>,
  checks: readonly Pick<Check, 'id' | 'status' | 'parents'>[],
  now: Instant,
): Promise<(check: Pick<Check, 'id'>) => BesideCheck> {
  const outages = await openOutages({ store }, checks);
  const parents = await parentUuids(store, checks);
  return ({ id }) => {
    const outage = outages.get(id);
    return {
      outage,
      acknowledgement: outage && acknowledgementOf(outage, now),
      parentUuids: parents.get(id),
    };
  };
}

/** The open outages of these checks. Only those that are down are asked about. */
async function openOutages(
  { store }: Pick<Deps, 'store'>,
  checks: readonly Pick<Check, 'id' | 'status'>[],
): Promise<ReadonlyMap<number, StoredOutage>> {
  const down = checks.filter(({ status }) => status === 'down').map(({ id }) => id);
  if (down.length === 0) return new Map();
  const open = await store.outages.openOf(down);
  return new Map(open.map((outage) => [outage.checkId, outage]));
}

/** The project's checks in order of creation, without their contents. */
export async function listOutlines(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  filter: CheckFilter,
): Promise<CheckOutline[]> {
  requirePermission(actor, 'checks.view');
  return store.checks.outlinesOf(actor.projectId, filter);
}

/** Reads a page of the project's checks. One that was deleted since it was found is missing. */
export async function readChecks(
  deps: Pick<Deps, 'store'>,
  actor: Actor,
  page: readonly CheckOutline[],
  now: Instant,
): Promise<RevisedCheckWithChannels[]> {
  requirePermission(actor, 'checks.view');
  const { store } = deps;
  const found = await store.checks.revisedByIds(page.map(({ id }) => id));
  const own = found.filter(({ projectId }) => projectId === actor.projectId);
  // All else is read after the checks. If it changes meanwhile, the revision does, too, so that a result kept under the
  // read revision is not used again.
  const channels = await store.checks.channelsOfMany(own.map(({ id }) => id));
  const besideOf = await besideChecks(deps, own, now);
  return own.map((check) => ({ check, channelUuids: channels.get(check.id) ?? [], ...besideOf(check) }));
}

/** The project's checks without their long texts. */
export async function listSummaries({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<CheckSummary[]> {
  requirePermission(actor, 'metrics.view');
  return store.checks.ofProject(actor.projectId);
}

/** Yields the same in pages. */
export async function* summaryPages(
  { store }: Pick<Deps, 'store'>,
  projectId: number,
): AsyncGenerator<CheckSummary[]> {
  let after = 0;
  for (;;) {
    const page = await store.checks.pageOfProject(projectId, after, MAX_PAGE_CHECKS);
    if (page.length > 0) yield page;
    if (page.length < MAX_PAGE_CHECKS) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Divides checks into pages that can be held in memory: together their descriptions may be very long. */
export function* pagesOf(outlines: readonly CheckOutline[]): Generator<CheckOutline[]> {
  let page: CheckOutline[] = [];
  let bytes = 0;
  for (const outline of outlines) {
    const isFull =
      page.length === MAX_PAGE_CHECKS ||
      (page.length > 0 && bytes + outline.descriptionBytes > MAX_PAGE_TEXT_BYTES);
    if (isFull) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(outline);
    bytes += outline.descriptionBytes;
  }
  if (page.length > 0) yield page;
}
