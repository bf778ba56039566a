import type { Check, CheckOutline, CheckSummary } from '../domain/check.ts';
import type { CheckFilter } from '../storage/store.ts';
import { type Actor, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';

/** Checks held in memory at once while a list is sent. Long descriptions make a page smaller. */
const MAX_PAGE_CHECKS = 100;
const MAX_PAGE_TEXT_BYTES = 1024 * 1024;

/** A check with the UUIDs of the channels assigned to it, sorted. */
export interface CheckWithChannels {
  readonly check: Check;
  readonly channelUuids: readonly string[];
}

/** Yields the project's checks in order of creation, in pages: together their descriptions may be very long. */
export function listChecks(
  deps: Pick<Deps, 'store'>,
  actor: Actor,
  filter: CheckFilter,
): AsyncGenerator<CheckWithChannels[]> {
  requirePermission(actor, 'checks.view');
  return filteredPages(deps, actor.projectId, filter);
}

async function* filteredPages(
  { store }: Pick<Deps, 'store'>,
  projectId: number,
  filter: CheckFilter,
): AsyncGenerator<CheckWithChannels[]> {
  const [outlines, channels] = await Promise.all([
    store.checks.outlinesOf(projectId, filter),
    store.checks.channelsOfProject(projectId),
  ]);
  for (const page of pagesOf(outlines)) {
    const checks = await store.checks.byIds(page.map(({ id }) => id));
    yield checks.map((check) => ({ check, channelUuids: channels.get(check.id) ?? [] }));
  }
}

/** The project's checks without their long texts. */
export async function listSummaries({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<CheckSummary[]> {
  requirePermission(actor, 'metrics.view');
  return store.checks.ofProject(actor.projectId);
}

/** Yields the same in pages, optionally only checks with a tag. */
export async function* summaryPages(
  { store }: Pick<Deps, 'store'>,
  projectId: number,
  tag: string | null = null,
): AsyncGenerator<CheckSummary[]> {
  let after = 0;
  for (;;) {
    const page = await store.checks.pageOfProject(projectId, after, MAX_PAGE_CHECKS, tag);
    if (page.length > 0) yield page;
    if (page.length < MAX_PAGE_CHECKS) return;
    after = page.at(-1)?.id ?? after;
  }
}

function* pagesOf(outlines: readonly CheckOutline[]): Generator<CheckOutline[]> {
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
