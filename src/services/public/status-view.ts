import { hash } from 'node:crypto';
import { overlap, type Span } from '../../domain/check/status.ts';
import type { TimeSpan } from '../../domain/history/downtime.ts';
import { downtimeByDay, type History, joined, NO_HISTORY, uptime } from '../../domain/history/uptime.ts';
import { periodStarts } from '../../domain/people/report.ts';
import { joinCounts, NO_CHECKS, type SteadyCounts } from '../../domain/public/kept-counts.ts';
import {
  componentState,
  MAX_SHOWN_NOTICES,
  MAX_SHOWN_UPDATES,
  PAST_DAYS,
  STATUS_DAYS,
  type StatusComponent,
  type StatusPage,
} from '../../domain/public/status-page.ts';
import type { StatusView, ViewedComponent } from '../../domain/public/status-view.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { InPortions } from '../../lib/portions.ts';
import { RecentlyUsed } from '../../lib/recently-used.ts';
import type { WantedNotices } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { type Days, lookAtChecks, type SeenCheck } from './status-checks.ts';

/** Ids of checks that are read at once, from an index alone. */
const IDS_AT_ONCE = 1_000;
/** Components whose past days are kept. The least recently used are forgotten. */
const MAX_KEPT_HISTORIES = 2_000;

/** A view, with what tells how long it stays true. */
export interface SteadyView extends Omit<SteadyCounts, 'counts'> {
  readonly view: StatusView;
  /** The number of different checks that the components cover. */
  readonly covered: number;
}

/** The covered checks of a component. It grows with each portion of checks. */
interface Coverage {
  counts: SteadyCounts;
  lateSince: Instant | null;
  downSince: Instant | null;
  today: History;
  /** The days before today. */
  before: History;
  /** The key by which the days before are kept. */
  readonly pastKey: string;
  /** Whether they were kept, so that nobody need read them. */
  readonly isPastKnown: boolean;
}

interface Coverages {
  /** Components that cover the same share an entry. */
  readonly byKey: Map<string, Coverage>;
  /** By the id of a check: the components that cover it. */
  readonly byCheck: Map<number, Coverage[]>;
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

  /** Each check is read once, however many components cover it. */
  async *of(page: ViewedPage, now: Instant): InPortions<SteadyView> {
    const { store } = this.#deps;
    const dayStarts = periodStarts('daily', page.tz, now, STATUS_DAYS - 1).reverse();
    const days = { first: dayStarts[0] ?? now, today: dayStarts.at(-1) ?? now, now };
    const blind = await store.liveness.blindSpansSince(days.first);
    const notices = page.id === null ? [] : await store.statusPages.notices(page.id, shownNotices(now));
    const { byKey, byCheck } = yield* this.#coverages(page, days);
    yield* this.#look([...byKey.values()], byCheck, days);
    const seen = new Map<string, SeenCoverage>();
    for (const [key, coverage] of byKey) {
      seen.set(key, seenCoverage(coverage, dayStarts, now, blind));
      yield;
    }
    const components = page.components.flatMap(({ id, name, group, covers }) => {
      const one = seen.get(keyOf(covers));
      return one === undefined ? [] : [{ id, name, group, ...one }];
    });
    const view = { page, now, dayStarts, components, notices };
    const { span, isAnyLate } = joinCounts([...byKey.values()].map(({ counts }) => counts));
    return { view, span: overlap(span, dayOf(view, page.tz)), isAnyLate, covered: byCheck.size };
  }

  /** The coverage of the components, within the page's project alone. */
  async *#coverages(
    { projectId, components }: Pick<StatusPage, 'projectId' | 'components'>,
    { today }: Days,
  ): InPortions<Coverages> {
    const coverages: Coverages = { byKey: new Map(), byCheck: new Map() };
    for (const { covers } of components) {
      if (coverages.byKey.has(keyOf(covers))) continue;
      const ids = yield* coveredIds(this.#deps, projectId, covers);
      const pastKey = hash('sha1', `${today} ${ids.join()}`);
      const past = this.#histories.find(pastKey);
      const coverage = {
        ...{ counts: NO_CHECKS, lateSince: null, downSince: null, today: NO_HISTORY },
        ...{ before: past ?? NO_HISTORY, pastKey, isPastKnown: past !== undefined },
      };
      coverages.byKey.set(keyOf(covers), coverage);
      for (const id of ids) coverages.byCheck.getOrInsertComputed(id, () => []).push(coverage);
      yield;
    }
    return coverages;
  }

  async *#look(
    coverages: readonly Coverage[],
    byCheck: ReadonlyMap<number, readonly Coverage[]>,
    days: Days,
  ): InPortions<void> {
    const ids = [...byCheck.keys()].sort((one, other) => one - other);
    const needsPast = (id: number) => byCheck.get(id)?.some(({ isPastKnown }) => !isPastKnown) ?? false;
    for await (const seen of lookAtChecks(this.#deps.store, ids, days, needsPast)) {
      const covered = new Map<Coverage, SeenCheck[]>();
      for (const check of seen)
        for (const coverage of byCheck.get(check.id) ?? [])
          covered.getOrInsertComputed(coverage, () => []).push(check);
      for (const [coverage, checks] of covered) add(coverage, checks);
      yield;
    }
    for (const { isPastKnown, pastKey, before } of coverages)
      if (!isPastKnown) this.#histories.set(pastKey, before);
  }
}

function keyOf(covers: StatusComponent['covers']): string {
  return JSON.stringify(covers);
}

/** The ids of the checks that a component covers. */
async function* coveredIds(
  { store: { checks } }: Pick<Deps, 'store'>,
  projectId: number,
  covers: StatusComponent['covers'],
): InPortions<number[]> {
  if ('check' in covers) {
    const check = await checks.revisionByUniqueKey(projectId, covers.check);
    return check === null ? [] : [check.id];
  }
  const found: number[] = [];
  for (let after = 0; ; ) {
    const ids = await checks.idsTagged(projectId, covers.tag, after, IDS_AT_ONCE);
    found.push(...ids);
    if (ids.length < IDS_AT_ONCE) return found;
    after = ids.at(-1) ?? after;
    yield;
  }
}

function add(coverage: Coverage, checks: readonly SeenCheck[]): void {
  coverage.counts = joinCounts([coverage.counts, ...checks.map(({ counts }) => counts)]);
  coverage.lateSince = earliest([coverage.lateSince, ...checks.map(({ lateSince }) => lateSince)]);
  coverage.downSince = earliest([coverage.downSince, ...checks.map(({ downSince }) => downSince)]);
  coverage.today = joined([coverage.today, ...checks.map(({ today }) => today)]);
  if (!coverage.isPastKnown)
    coverage.before = joined([coverage.before, ...checks.map(({ before }) => before)]);
}

/** A component's public facts about the checks that it covers. */
type SeenCoverage = Omit<ViewedComponent, 'id' | 'name' | 'group'>;

function seenCoverage(
  { counts: { counts }, lateSince, downSince, today, before }: Coverage,
  dayStarts: readonly Instant[],
  now: Instant,
  blind: readonly TimeSpan[],
): SeenCoverage {
  const state = componentState(counts);
  const history = joined([before, today]);
  return {
    state,
    since: state === 'down' ? downSince : state === 'late' ? lateSince : null,
    days: downtimeByDay(history, dayStarts, now, blind),
    uptime: uptime(history, blind),
    checks: counts.total,
  };
}

function shownNotices(now: Instant): WantedNotices {
  return {
    now,
    endedAfter: now - seconds(PAST_DAYS * 86_400),
    mostNotices: MAX_SHOWN_NOTICES,
    mostUpdates: MAX_SHOWN_UPDATES,
  };
}

function earliest(times: readonly (Instant | null)[]): Instant | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The day of the view, and within it the time until a notice begins or ends. */
function dayOf({ now, dayStarts, notices }: StatusView, tz: string): Span {
  const from = dayStarts.at(-1) ?? now;
  const [tomorrow = Number.POSITIVE_INFINITY] = periodStarts('daily', tz, from + seconds(36 * 3_600), 0);
  const changes = notices.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt ?? startsAt]);
  return { from, until: Math.min(tomorrow, ...changes.filter((at) => at > now)) };
}
