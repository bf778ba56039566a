import { hash } from 'node:crypto';
import type { StoredStatus } from '../domain/check/check.ts';
import { ALWAYS, expectedAt, overlap, type Span, statusAt } from '../domain/check/status.ts';
import { AppError } from '../domain/errors.ts';
import type { TimeSpan } from '../domain/history/downtime.ts';
import { downtimeByDay, type History, historyOf, joined, uptime } from '../domain/history/uptime.ts';
import { periodStarts } from '../domain/people/report.ts';
import { addCounts, NO_CHECKS, type SteadyCounts } from '../domain/public/kept-counts.ts';
import {
  componentState,
  type DraftedUpdate,
  MAX_SHOWN_NOTICES,
  MAX_SHOWN_UPDATES,
  PAST_DAYS,
  STATUS_DAYS,
  type StatusComponent,
  type StatusDraft,
  type StatusPage,
} from '../domain/public/status-page.ts';
import type { StatusView, ViewedComponent, ViewedNotice } from '../domain/public/status-view.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import type { TimedCheck, WantedNotices } from '../storage/store.ts';
import { type Actor, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';

type ViewDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** Checks whose flips are read at once. */
const CHECKS_AT_ONCE = 200;
/** Components whose past days are kept. Those that were asked for longest ago are forgotten. */
const MAX_KEPT_HISTORIES = 2_000;

/** A view, with what tells how long it stays true. */
export interface SteadyView extends Omit<SteadyCounts, 'counts'> {
  readonly view: StatusView;
  /** How many different checks the components cover. */
  readonly covered: number;
}

/** What a component tells of the checks that it covers. */
interface SeenChecks {
  readonly component: Omit<ViewedComponent, 'id' | 'name' | 'group'>;
  readonly span: Span;
  readonly isAnyLate: boolean;
  readonly checkIds: readonly number[];
}

/** A page, or a draft of one that tells nothing yet. */
export type ViewedPage = Omit<StatusPage, 'id'> & { readonly id: number | null };

/**
 * Makes views of status pages. The days before today are computed once a day for the same checks: they do not change any
 * more.
 */
export class StatusViews {
  readonly #deps: Pick<Deps, 'store'>;
  readonly #histories = new RecentlyUsed<string, History>(MAX_KEPT_HISTORIES);

  constructor(deps: Pick<Deps, 'store'>) {
    this.#deps = deps;
  }

  async of(page: ViewedPage, now: Instant): Promise<SteadyView> {
    const { store } = this.#deps;
    const deps = { store, clock: { now: () => now } };
    const dayStarts = periodStarts('daily', page.tz, now, STATUS_DAYS - 1).reverse();
    const blind = await store.liveness.blindSpansSince(dayStarts[0] ?? now);
    const notices = page.id === null ? [] : await store.statusPages.notices(page.id, shownNotices(now));
    const components: ViewedComponent[] = [];
    const seenByCoverage = new Map<string, SeenChecks>();
    let span = ALWAYS;
    let isAnyLate = false;
    const covered = new Set<number>();
    for (const { id, name, group, covers } of page.components) {
      const key = JSON.stringify(covers);
      const seen = seenByCoverage.get(key) ?? (await this.#see(deps, page, covers, dayStarts, blind));
      seenByCoverage.set(key, seen);
      components.push({ id, name, group, ...seen.component });
      span = overlap(span, seen.span);
      isAnyLate ||= seen.isAnyLate;
      for (const id of seen.checkIds) covered.add(id);
    }
    const view = { page, now, dayStarts, components, notices };
    return { view, span: overlap(span, dayOf(view, page.tz)), isAnyLate, covered: covered.size };
  }

  async #see(
    deps: ViewDeps,
    { projectId }: Pick<StatusPage, 'projectId'>,
    covers: StatusComponent['covers'],
    dayStarts: readonly Instant[],
    blind: readonly TimeSpan[],
  ): Promise<SeenChecks> {
    const now = deps.clock.now();
    const checks = await coveredChecks(deps, projectId, covers);
    const { counts, span, isAnyLate } = addCounts(NO_CHECKS, checks, now);
    const state = componentState(counts);
    const history = await this.#history(deps, checks, dayStarts);
    const component = {
      state,
      since: await troubleSince(deps, checks, state),
      days: downtimeByDay(history, dayStarts, now, blind),
      uptime: uptime(history, now, blind),
      checks: checks.length,
    };
    return { component, span, isAnyLate, checkIds: checks.map((check) => check.id) };
  }

  async #history(
    deps: ViewDeps,
    checks: readonly TimedCheck[],
    dayStarts: readonly Instant[],
  ): Promise<History> {
    const now = deps.clock.now();
    const [from = now, today = now] = [dayStarts[0], dayStarts.at(-1)];
    const key = hash('sha1', `${today} ${checks.map(({ id }) => id).join()}`);
    const sinceToday = await readHistory(deps, checks, { from: today, until: now }, (check) => check.status);
    let before = this.#histories.find(key);
    if (before === undefined) {
      const statuses = new Map(sinceToday.map(({ id, statusAtStart }) => [id, statusAtStart]));
      const read = await readHistory(
        deps,
        checks,
        { from, until: today },
        ({ id, status }) => statuses.get(id) ?? status,
      );
      before = joined(read.map(({ history }) => history));
      this.#histories.set(key, before);
    }
    return joined([before, ...sinceToday.map(({ history }) => history)]);
  }
}

function shownNotices(now: Instant): WantedNotices {
  return {
    now,
    endedAfter: now - seconds(PAST_DAYS * 86_400),
    mostNotices: MAX_SHOWN_NOTICES,
    mostUpdates: MAX_SHOWN_UPDATES,
  };
}

/** A page of the actor's project as it is now, published or not. */
export async function viewStatusPage(
  { store, clock }: ViewDeps,
  views: StatusViews,
  actor: Actor,
  uuid: string,
): Promise<SteadyView & { readonly page: StatusPage; readonly checks: number }> {
  requirePermission(actor, 'status_pages.view');
  const page = await store.statusPages.byUuid(actor.projectId, uuid);
  if (page === null) throw new AppError('status_page_not_found');
  const checks = await store.checks.countOfProject(actor.projectId);
  return { ...(await views.of(page, clock.now())), page, checks };
}

/** The page as it would look with the draft. */
export async function previewStatusPage(
  { store, clock }: ViewDeps,
  views: StatusViews,
  actor: Actor,
  uuid: string,
  draft: StatusDraft,
): Promise<StatusView> {
  requirePermission(actor, 'status_pages.view');
  const page = await store.statusPages.byUuid(actor.projectId, uuid);
  if (page === null) throw new AppError('status_page_not_found');
  const { view } = await views.of({ ...page, ...draft.page }, clock.now());
  return draft.update === null ? view : withDraft(view, draft.update);
}

function withDraft(view: StatusView, { notice, title, update }: DraftedUpdate): StatusView {
  const { now } = view;
  const written = { ...update, id: 0, uuid: '', noticeId: 0, createdAt: now, author: '', isDraft: true };
  const known = view.notices.find(({ uuid }) => uuid === notice);
  const opened: ViewedNotice = {
    ...{ id: 0, uuid: '', pageId: 0, kind: 'incident', title, componentIds: [], updates: [] },
    ...{ startsAt: now, endsAt: null, createdAt: now },
    ...known,
  };
  const others = view.notices.filter((one) => one !== known);
  return { ...view, notices: [{ ...opened, updates: [written, ...opened.updates] }, ...others] };
}

interface ReadHistory {
  readonly id: number;
  readonly history: History;
  readonly statusAtStart: StoredStatus;
}

/** The histories of the checks in the span. */
async function readHistory(
  { store: { flips } }: ViewDeps,
  checks: readonly TimedCheck[],
  span: TimeSpan,
  statusAtEnd: (check: TimedCheck) => StoredStatus,
): Promise<ReadHistory[]> {
  const read: ReadHistory[] = [];
  for (let first = 0; first < checks.length; first += CHECKS_AT_ONCE) {
    const some = checks.slice(first, first + CHECKS_AT_ONCE);
    const ids = some.map(({ id }) => id);
    const found = [...(await flips.lastBefore(ids, span.from)), ...(await flips.ofChecks(ids, span.from))];
    const byCheck = Map.groupBy(
      found.filter(({ createdAt }) => createdAt < span.until),
      ({ checkId }) => checkId,
    );
    for (const check of some) {
      const own = (byCheck.get(check.id) ?? []).toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id);
      const inSpan = own.find(({ createdAt }) => createdAt >= span.from);
      const statusAtStart = inSpan?.oldStatus ?? own.at(-1)?.newStatus ?? check.status;
      read.push({ id: check.id, history: historyOf(own, statusAtEnd(check), span), statusAtStart });
    }
  }
  return read;
}

/** The checks that the component covers, of this project alone. */
export async function coveredChecks(
  { store: { checks } }: Pick<Deps, 'store'>,
  projectId: number,
  covers: StatusComponent['covers'],
): Promise<TimedCheck[]> {
  if ('check' in covers) {
    const check = await checks.byUniqueKey(projectId, covers.check);
    return check === null ? [] : [check];
  }
  const found: TimedCheck[] = [];
  for (let after = 0; ; ) {
    const page = await checks.timedPage(projectId, after, CHECKS_AT_ONCE, covers.tag);
    found.push(...page);
    if (page.length < CHECKS_AT_ONCE) return found;
    after = page.at(-1)?.id ?? after;
  }
}

/** Since when the first of the checks is down, or late. */
async function troubleSince(
  { store: { flips }, clock }: ViewDeps,
  checks: readonly TimedCheck[],
  state: ViewedComponent['state'],
): Promise<Instant | null> {
  const now = clock.now();
  if (state === 'late') {
    const late = checks.filter((check) => statusAt(check, now) === 'grace');
    return earliest(late.flatMap((check) => expectedAt(check) ?? []));
  }
  if (state !== 'down') return null;
  const down = checks.filter(({ status }) => status === 'down').slice(0, CHECKS_AT_ONCE);
  const last = await flips.lastBefore(
    down.map(({ id }) => id),
    now + 1,
  );
  return earliest(last.filter(({ newStatus }) => newStatus === 'down').map(({ createdAt }) => createdAt));
}

function earliest(times: readonly Instant[]): Instant | null {
  return times.length === 0 ? null : Math.min(...times);
}

/** The day of the view, and within it the time until a notice begins or ends. */
function dayOf({ now, dayStarts, notices }: StatusView, tz: string): Span {
  const from = dayStarts.at(-1) ?? now;
  const [tomorrow = Number.POSITIVE_INFINITY] = periodStarts('daily', tz, from + seconds(36 * 3_600), 0);
  const changes = notices.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt ?? startsAt]);
  return { from, until: Math.min(tomorrow, ...changes.filter((at) => at > now)) };
}
