import type { Channel } from '../domain/alert/channel.ts';
import { MAX_KEPT_AGE, type ProjectMarks } from '../domain/change-marks.ts';
import { type CheckOutline, type CheckSummary, summaryOf } from '../domain/check/check.ts';
import { listed as links } from '../domain/check/check-links.ts';
import type { Flip } from '../domain/check/flip.ts';
import { isWithin } from '../domain/check/status.ts';
import {
  type Answer,
  type AnsweredOutage,
  type AwaitedParent,
  answerLets,
  withParent,
} from '../domain/history/answer.ts';
import { badRunsOf, checkRow, lanesOf } from '../domain/history/check-row.ts';
import { outagesOf } from '../domain/history/downtime.ts';
import {
  BUCKET,
  COUNTED_PINGS,
  Forecast,
  oldestBucket,
  PulseCounter,
  sumOfPulses,
} from '../domain/history/pulse.ts';
import { isTrouble } from '../domain/history/standing.ts';
import { type Onset, togetherOf, type Window } from '../domain/history/timeline.ts';
import { type Actor, isAllowed } from '../domain/people/permission.ts';
import { pingAddress } from '../domain/ping/ping-address.ts';
import {
  type ComingTo,
  comingOf,
  comingTo,
  firstTo,
  firstToldIfDown,
  isToldFurther,
  NOTHING_COMES,
  type Telling,
} from '../domain/policy/coming.ts';
import { AT_ONCE } from '../domain/policy/policy.ts';
import { jsonInPortions } from '../lib/answer-pieces.ts';
import type { Clock } from '../lib/clock.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { InPortions } from '../lib/portions.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import { answersFor } from '../services/alert/provider-answers.ts';
import { listOutlines, pagesOf, readChecks } from '../services/check/check-list.ts';
import type { Deps } from '../services/core/deps.ts';
import { policiesOf } from '../services/core/policies.ts';
import { ofProject, type Read } from '../services/core/reads.ts';
import { hearersAmong, tellingOf } from '../services/core/telling.ts';
import {
  type CheckHistory,
  readDetails,
  readHistory,
  readUsualDuration,
  STRIP_RUNS,
} from '../services/history/check-board.ts';
import { MAX_LANES, readLane } from '../services/history/timeline.ts';
import { readAddressing } from '../services/ping/ping-addresses.ts';
import type { DeliveryRecord } from '../storage/store.ts';
import { MAX_DETAILED } from '../wire/dashboard/limits.ts';
import { secretsMask } from '../wire/secrets-mask.ts';
import {
  addressText,
  type BoardChannelJson,
  type BoardHead,
  type BoardHeadJson,
  type ByRule,
  boardHeadJson,
  type CheckDetailsJson,
  type CheckHeadJson,
  type CheckRowJson,
  channelJson,
  checkDetailsJson,
  checkHeadJson,
  checkRowJson,
  type EndedOutage,
  goesDownAt,
  hasChannelOn,
  type ListedCheck,
  wallViewJson,
  withoutAddress,
} from './board-json.ts';
import {
  type LaneJson,
  laneJson,
  type Problem,
  problemJson,
  type TimelineHeadJson,
} from './timeline-json.ts';

/** Checks of all boards that a thread keeps. The board that was asked for longest ago is forgotten. */
export const MAX_KEPT_CHECKS = 30_000;
/** Checks whose last runs a thread keeps. */
export const MAX_KEPT_HISTORIES = 2_000;
/** Checks that are down whose deliveries the head shows. */
const MAX_TOLD_CHECKS = 50;
/** Checks whose pings are counted with one statement. */
const COUNTED_AT_ONCE = 500;

const ALL = { slug: null, tags: [] };

/** The time of a question, which stands still. */
type Moment = Pick<Clock, 'now' | 'monotonic'>;

interface Entry extends ListedCheck {
  readonly json: CheckRowJson;
  /** The usual duration of the check's runs. Known only while a run is open. */
  readonly usual: { readonly startedAt: Instant; readonly duration: Micros | null } | null;
  /** The open outage. */
  readonly outage: AnsweredOutage | null;
  /** How it is told. Null where that says nothing more. */
  readonly telling: Telling | null;
}

/** The checks of a project, as they were when the marks were so. */
interface Board {
  readonly marks: ProjectMarks;
  readonly comparedAt: Micros;
  /** By id, in order of creation. */
  readonly entries: ReadonlyMap<number, Entry>;
  readonly pulse: ProjectPulse;
}

/** The counted pings of a project. */
interface ProjectPulse {
  readonly counter: PulseCounter;
  /** The number of counted pings of each check. */
  readonly counted: Map<number, number>;
}

interface CheckBoardsOptions {
  /** The beginning of ping addresses. */
  readonly site: { readonly pingEndpoint: string };
  /** No other node works on the database. Then the marks of a project tell changes at once. */
  readonly isOnlyNode: boolean;
}

interface WallDeps extends Pick<Deps, 'clock'> {
  readonly checkBoards: CheckBoards;
}

/** The view of a wall display of the project. */
export const wallBoard: Read<{ readonly actor: Actor; readonly project: string }, null, WallDeps> = {
  owner: ofProject,
  answer: ({ checkBoards, clock }, { actor, project }) =>
    jsonInPortions(checkBoards.wall(actor, project, clock)),
};

/**
 * Serves the list of a project's checks. Rows are kept, and only changed ones are read again: the rows of a project
 * with 5,000 checks cost one read of their revisions, and nothing while the marks are the same.
 */
export class CheckBoards {
  readonly #deps: Pick<Deps, 'store' | 'vault'>;
  readonly #options: CheckBoardsOptions;
  readonly #boards = new RecentlyUsed<number, Board>(MAX_KEPT_CHECKS, ({ entries }) => entries.size + 1);
  readonly #histories = new RecentlyUsed<number, { readonly revision: number; readonly read: CheckHistory }>(
    MAX_KEPT_HISTORIES,
  );

  constructor(deps: Pick<Deps, 'store' | 'vault'>, options: CheckBoardsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** All rows, or those with the given keys. */
  async *rows(
    actor: Actor,
    keys: readonly string[] | null,
    moment: Moment,
  ): InPortions<readonly CheckRowJson[]> {
    const { entries } = yield* this.#board(actor, moment);
    const wanted = keys === null ? [...entries.values()] : chosen(entries, keys);
    const rows = wanted.map(({ json }) => json);
    return seesAddresses(actor) ? rows : rows.map(withoutAddress);
  }

  /** The rows in view, told in full. */
  async *details(
    actor: Actor,
    keys: readonly string[],
    moment: Moment,
    showsAddresses = seesAddresses(actor),
  ): InPortions<CheckDetailsJson[]> {
    const { entries } = yield* this.#board(actor, moment);
    const wanted = chosen(entries, keys).slice(0, MAX_DETAILED);
    const byId = new Map(wanted.map((entry) => [entry.check.id, entry]));
    const ruled = await this.#ruled(wanted);
    const hearers =
      ruled.size > 0 || wanted.some(({ telling }) => telling !== null)
        ? await this.#deps.store.channels.ofProject(actor.projectId)
        : [];
    const listedOf = ({ id }: CheckSummary) => byId.get(id) as Entry;
    const detailed = await readDetails(
      this.#deps,
      wanted.map(({ check }) => check),
      {
        historyOf: (check) => this.#historyOf(listedOf(check), moment.now()),
        answerOf: (check) => listedOf(check).row.answer,
      },
      moment.now(),
    );
    const addressing = showsAddresses ? await readAddressing(this.#deps, actor) : null;
    const addressOf = ({ uuid, slug }: CheckSummary) =>
      addressing && addressText(pingAddress({ uuid, slug }, addressing, true), this.#options.site);
    return detailed.map(({ check, runs, told, ...rest }) =>
      checkDetailsJson({
        ...rest,
        told: told.map(answersFor(actor.caller).delivery),
        line: rest.line !== null && !showsAddresses ? secretsMask(check.uuid)(rest.line) : rest.line,
        runs: runs.slice(-STRIP_RUNS),
        listed: listedOf(check),
        coming: comingFor(listedOf(check), told, hearers, moment.now()),
        byRule: byRule(listedOf(check), ruled.get(check.id), hearers),
        pingUrl: addressOf(check),
      }),
    );
  }

  /** How those are told that are not down, where a policy may tell other people than those that are assigned, or later. */
  async #ruled(wanted: readonly Entry[]): Promise<ReadonlyMap<number, Telling>> {
    const asked = wanted.filter(
      ({ row, channelUuids }) =>
        row.status !== 'down' && (goesDownAt(row) !== null || channelUuids.length === 0),
    );
    const tellings = await tellingOf(
      this.#deps.store,
      asked.map(({ check }) => check),
    );
    return new Map([...tellings].filter(([, { policy }]) => policy !== AT_ONCE));
  }

  /** The head of a project's list. */
  async *head(actor: Actor, moment: Moment): InPortions<CheckHeadJson> {
    const { accounts } = this.#deps.store;
    const head = headOf([yield* this.#headPart(actor, moment)], moment.now());
    const owner = await accounts.ownerOf(actor.projectId);
    return checkHeadJson(head, {
      used: owner === null ? head.listed.length : await accounts.checkCount(owner.id),
      max: owner?.limits.checks ?? 0,
    });
  }

  /** The head of the list over several projects. */
  async *headOver(actors: readonly Actor[], moment: Moment): InPortions<BoardHeadJson> {
    const parts: HeadPart[] = [];
    for (const actor of actors) {
      parts.push(yield* this.#headPart(actor, moment));
      yield;
    }
    return boardHeadJson(headOf(parts, moment.now()));
  }

  /** The view of a wall display: the head, and why the first checks are in trouble. */
  async *wall(actor: Actor, project: string, moment: Moment): InPortions<unknown> {
    const head = yield* this.head(actor, moment);
    const keys = head.lanes.flatMap(({ key }) => key ?? []);
    return wallViewJson(project, head, yield* this.details(actor, keys, moment, false));
  }

  async *#headPart(actor: Actor, moment: Moment): InPortions<HeadPart> {
    const now = moment.now();
    const board = yield* this.#board(actor, moment);
    const listed = [...board.entries.values()];
    yield* this.#count(board, now);
    const channels = (await this.#deps.store.channels.ofProject(actor.projectId)).map(channelJson);
    const flips = await this.#recentFlips(listed, now);
    return {
      listed,
      told: await this.#told(listed, now),
      past: board.pulse.counter.past(flips, now),
      ended: endedOutages(board.entries, flips, now),
      channels,
      toldByRule: await this.#toldByRule(listed, channels),
    };
  }

  /** Nothing is read where each check has an integration of its own. */
  async #toldByRule(
    listed: readonly Entry[],
    channels: readonly BoardChannelJson[],
  ): Promise<ReadonlySet<number>> {
    const isHeard = hasChannelOn(channels);
    const others = listed.filter((entry) => !isHeard(entry)).map(({ check }) => check);
    if (others.length === 0 || channels.every(({ isOff }) => isOff)) return new Set();
    const policyOf = await policiesOf(this.#deps.store, others);
    const tells = (check: CheckSummary) => policyOf(check).policy.steps.flatMap(({ tell }) => tell);
    return new Set(others.filter((check) => isHeard({ channelUuids: tells(check) })).map(({ id }) => id));
  }

  /** Past and expected runs of the lanes in view. */
  async *lanes(
    actor: Actor,
    keys: readonly string[],
    window: Window,
    moment: Moment,
  ): InPortions<LaneJson[]> {
    const { entries } = yield* this.#board(actor, moment);
    const lanes: LaneJson[] = [];
    for (const { check } of chosen(entries, keys).slice(0, MAX_LANES)) {
      lanes.push(laneJson(check.uniqueKey, await readLane(this.#deps, check, window, moment.now())));
      yield;
    }
    return lanes;
  }

  async *timelineHead(actor: Actor, window: Window, moment: Moment): InPortions<TimelineHeadJson> {
    const { entries } = yield* this.#board(actor, moment);
    const problems = await this.#problems(entries, window);
    const together = togetherOf(problems);
    const last = problems.toSorted((a, b) => b.at - a.at).slice(0, 1);
    return {
      problems: new Set(problems.map(({ of }) => of.uniqueKey)).size,
      together: (together.length > 0 ? together : last).map(problemJson),
    };
  }

  /** Which checks went down in that time, and when that began. One object stands for a check and the kind of its trouble. */
  async #problems(entries: ReadonlyMap<number, Entry>, { from, until }: Window): Promise<Onset<Problem>[]> {
    const ids = [...entries.values()].flatMap(({ check: { id, lastFlipAt } }) =>
      lastFlipAt !== null && lastFlipAt >= from ? [id] : [],
    );
    const flips = ids.length === 0 ? [] : await this.#deps.store.flips.ofChecks(ids, from);
    const problems = new Map<string, Problem>();
    const onsets = flips.flatMap(({ checkId, newStatus, reason, createdAt }) => {
      const check = entries.get(checkId)?.check;
      if (check === undefined || newStatus !== 'down') return [];
      const { uniqueKey, name, slug, graceSeconds } = check;
      const kind = reason === 'timeout' ? 'missed' : 'failed';
      const of = problems.getOrInsertComputed(`${uniqueKey} ${kind}`, () => ({
        uniqueKey,
        name: name || slug,
        kind,
      }));
      return { of, at: kind === 'missed' ? createdAt - seconds(graceSeconds) : createdAt };
    });
    return onsets.filter(({ at }) => at >= from && at < until);
  }

  async #told(listed: readonly Entry[], now: Instant) {
    const down = listed
      .filter(({ row }) => row.standing === 'down' && row.answer === null)
      .toSorted((a, b) => b.row.since - a.row.since)
      .slice(0, MAX_TOLD_CHECKS);
    if (down.length === 0) return null;
    const flipIds: number[] = [];
    for (const entry of down) {
      const {
        lastFlips: [lastFlip],
      } = await this.#historyOf(entry, now);
      if (lastFlip?.newStatus === 'down') flipIds.push(lastFlip.id);
    }
    const deliveries = flipIds.length === 0 ? [] : await this.#deps.store.deliveries.ofFlips(flipIds);
    return { checks: down, deliveries };
  }

  async #recentFlips(listed: readonly Entry[], now: Instant) {
    const from = oldestBucket(now) * BUCKET;
    const flipped = listed.filter(({ check }) => check.lastFlipAt !== null && check.lastFlipAt >= from);
    const ids = flipped.map(({ check }) => check.id);
    return ids.length === 0 ? [] : this.#deps.store.flips.ofChecks(ids, from);
  }

  /** Counts the pings that have come since the last time. */
  async *#count({ entries, pulse }: Board, now: Instant): InPortions<void> {
    const from = oldestBucket(now) * BUCKET;
    const pinged = [...entries.values()]
      .map(({ check }) => check)
      .filter(({ id, pingCount, lastReceivedAt, lastPingAt }) => {
        return (lastReceivedAt ?? lastPingAt ?? 0) >= from && pulse.counted.get(id) !== pingCount;
      });
    for (let start = 0; start < pinged.length; start += COUNTED_AT_ONCE) {
      const page = pinged.slice(start, start + COUNTED_AT_ONCE);
      const missing = page.map(({ id, pingCount }) => pingCount - (pulse.counted.get(id) ?? 0));
      const most = Math.min(COUNTED_PINGS, Math.max(...missing));
      const ids = page.map(({ id }) => id);
      const read = Map.groupBy(
        await this.#deps.store.pings.activity(ids, from, most, BUCKET),
        ({ checkId }) => checkId,
      );
      for (const check of page) {
        pulse.counter.add(check.id, read.get(check.id) ?? [], upSince(check), now);
        pulse.counted.set(check.id, check.pingCount);
      }
      yield;
    }
  }

  async #historyOf({ check, revision }: Entry, now: Instant): Promise<CheckHistory> {
    const kept = this.#histories.find(check.id);
    const isOverdue = check.deadlineAt !== null && check.deadlineAt <= now;
    const isGrown = kept?.read.growsAt != null && kept.read.growsAt <= now;
    // Pings and flips come with a new revision. A passed deadline may not be written yet.
    if (kept?.revision === revision && !isOverdue && !isGrown) return kept.read;
    const read = await readHistory(this.#deps, check, now);
    this.#histories.set(check.id, { revision, read });
    return read;
  }

  /** The rows of the project as they are now. Other questions get a turn after each page that is read. */
  async *#board(actor: Actor, moment: Moment): InPortions<Board> {
    const { projectId } = actor;
    const kept = this.#boards.find(projectId);
    // The marks come first: a change after this is either read or makes the marks differ.
    const marks = this.#deps.store.marks.of(projectId);
    if (kept !== undefined && this.#isUnchanged(kept, marks, moment))
      return this.#inTime(projectId, kept, moment.now());
    const outlines = await listOutlines(this.#deps, actor, ALL);
    const changed = outlines.filter(({ id, revision }) => kept?.entries.get(id)?.revision !== revision);
    const read = yield* this.#read(actor, changed, kept, moment.now());
    const entries = new Map<number, Entry>();
    for (const { id } of outlines) {
      const entry = read.get(id) ?? kept?.entries.get(id);
      if (entry !== undefined) entries.set(id, entry);
    }
    const pulse = kept?.pulse ?? { counter: new PulseCounter(), counted: new Map() };
    return this.#inTime(projectId, { marks, comparedAt: moment.monotonic(), entries, pulse }, moment.now());
  }

  /** Writes of another process to the database of the only node show within a second. */
  #isUnchanged({ marks, comparedAt }: Board, marksNow: ProjectMarks, moment: Moment): boolean {
    const isFresh = moment.monotonic() - comparedAt < MAX_KEPT_AGE;
    return this.#options.isOnlyNode && isFresh && marks.checks === marksNow.checks;
  }

  async *#read(
    actor: Actor,
    changed: readonly CheckOutline[],
    kept: Board | undefined,
    now: Instant,
  ): InPortions<Map<number, Entry>> {
    const read = new Map<number, Entry>();
    for (const page of pagesOf(changed)) {
      const found = await readChecks(this.#deps, actor, page, now);
      const further = found.filter(({ outage }) => outage !== undefined && isToldFurther(outage));
      const tellings = await tellingOf(
        this.#deps.store,
        further.map(({ check }) => check),
      );
      for (const { check, channelUuids, outage = null } of found) {
        const { revision, ...withoutRevision } = check;
        const summary = summaryOf(withoutRevision);
        const usual = await this.#usualOf(summary, kept?.entries.get(check.id)?.usual ?? null, now);
        const telling = tellings.get(check.id) ?? null;
        read.set(check.id, entryOf({ check: summary, revision, channelUuids, usual, outage, telling }, now));
      }
      yield;
    }
    return read;
  }

  async #usualOf(check: CheckSummary, known: Entry['usual'], now: Instant): Promise<Entry['usual']> {
    const startedAt = check.lastStartAt;
    if (startedAt === null || known?.startedAt === startedAt) return startedAt === null ? null : known;
    return { startedAt, duration: await readUsualDuration(this.#deps, check, now) };
  }

  /** Makes rows again that time has changed, and keeps the board. */
  #inTime(projectId: number, board: Board, now: Instant): Board {
    const outdated = [...board.entries.values()].filter(({ row }) => !isWithin(row.span, now));
    const inTime = replaced(
      board.entries,
      outdated.map((entry) => entryOf(entry, now)),
    );
    const entries = replaced(inTime, [...withParents(inTime)]);
    const current = entries === board.entries ? board : { ...board, entries };
    this.#boards.set(projectId, current);
    return current;
  }
}

/** With the address of a check anybody can ping. */
function seesAddresses({ caller }: Actor): boolean {
  return isAllowed(caller, 'checks.view_addresses');
}

/** One project's part of the head of a list. */
type HeadPart = Pick<BoardHead, 'told' | 'past' | 'ended' | 'channels' | 'toldByRule'> & {
  readonly listed: readonly Entry[];
};

/** Puts together the head of a list of these projects. */
function headOf(parts: readonly HeadPart[], now: Instant): BoardHead {
  const listed = parts.flatMap((part) => part.listed);
  const troubled = listed
    .filter(({ row }) => isTrouble(row.standing))
    .map((entry) => ({ ...entry, ...entry.row, tags: entry.json.tags }));
  const forecast = new Forecast(now);
  for (const { check } of listed) forecast.add(check);
  const told = parts.flatMap((part) => part.told ?? []);
  return {
    now,
    listed,
    lanes: lanesOf(troubled),
    told:
      told.length === 0
        ? null
        : {
            checks: told.flatMap(({ checks }) => checks),
            deliveries: told.flatMap(({ deliveries }) => deliveries),
          },
    past: sumOfPulses(parts.map(({ past }) => past)),
    ended: parts.flatMap(({ ended }) => ended),
    expected: forecast.counts,
    channels: parts.flatMap(({ channels }) => channels),
    toldByRule: new Set(parts.flatMap(({ toldByRule }) => [...toldByRule])),
  };
}

/** The outages that ended in the time of the pulse. A check that is down is in its last one. */
function endedOutages(
  entries: ReadonlyMap<number, Entry>,
  flips: readonly Flip[],
  now: Instant,
): EndedOutage[] {
  const from = oldestBucket(now) * BUCKET;
  return [...Map.groupBy(flips, ({ checkId }) => checkId)].flatMap(([id, own]) => {
    const of = entries.get(id);
    if (of === undefined) return [];
    const outages = outagesOf(from, of.check.status, own, now);
    return outages.slice(of.check.status === 'down' ? 1 : 0).map((span) => ({ ...span, of }));
  });
}

function replaced(entries: Board['entries'], others: readonly Entry[]): Board['entries'] {
  if (others.length === 0) return entries;
  const copy = new Map(entries);
  for (const entry of others) copy.set(entry.check.id, entry);
  return copy;
}

function entryOf(
  known: Pick<Entry, 'check' | 'revision' | 'channelUuids' | 'usual' | 'outage' | 'telling'>,
  now: Instant,
): Entry {
  const { check, revision, channelUuids, usual, outage, telling } = known;
  const row = checkRow(check, usual?.duration ?? null, now, outage, telling);
  const listed = { check, revision, channelUuids, row };
  return { ...listed, usual, outage, telling, json: checkRowJson(listed) };
}

/** Those that wait for another check, with its name. */
function* withParents(entries: ReadonlyMap<number, Entry>): Generator<Entry> {
  const held = [...entries.values()].filter(({ row }) => row.answer?.kind === 'held');
  if (held.length === 0) return;
  const byKey = new Map([...entries.values()].map((entry) => [entry.check.uniqueKey, entry]));
  for (const entry of held) {
    const { check, row } = entry;
    const parents = links(check.parents).flatMap((key) => byKey.get(key) ?? []);
    const answer = row.answer && withParent(row.answer, parents.map(awaited));
    if (answer === null || isSameAnswer(answer, row.answer)) continue;
    const listed = { ...entry, row: { ...row, answer } };
    yield { ...listed, json: checkRowJson(listed) };
  }
}

function awaited({ check, row: { status, since } }: Entry): AwaitedParent {
  const { uniqueKey, name, slug } = check;
  const own = status === 'down' || status === 'late' ? status : 'well';
  return { uniqueKey, name: name || slug, status: own, since };
}

const isSameAnswer = (one: Answer, other: Answer | null) =>
  one.by === other?.by && one.at === other.at && one.parent === other.parent;

/** Who is told next of the outage of a check, if nothing happens. */
function comingFor(
  { row, outage, telling, channelUuids }: Entry,
  told: readonly DeliveryRecord[],
  channels: readonly Channel[],
  now: Instant,
): ComingTo {
  const from = answerLets(row.answer, now);
  if (outage === null || telling === null || from === null) return NOTHING_COMES;
  const hearers = hearersAmong(channels, channelUuids);
  if (outage.state === 'waiting') return firstTo(telling.policy, hearers);
  return comingTo(comingOf(outage, telling, Math.max(from, now)), hearers, told);
}

/** What the policy of a check that is not down says otherwise than the integrations that are assigned. Null: nothing. */
function byRule(
  { check, row, channelUuids }: Entry,
  telling: Telling | undefined,
  channels: readonly Channel[],
): ByRule | null {
  if (telling === undefined) return null;
  const hearers = hearersAmong(channels, channelUuids);
  const named = new Set(telling.policy.steps.flatMap(({ tell }) => tell));
  const deadline = goesDownAt(row);
  return {
    channels: hearers.filter(({ uuid, isOff }) => !isOff && named.has(uuid)).map(({ uuid }) => uuid),
    first: deadline === null ? null : firstToldIfDown(deadline, telling, badRunsOf(check), hearers),
  };
}

/** The entries with these keys, in the order of the keys. */
function chosen(entries: ReadonlyMap<number, Entry>, keys: readonly string[]): Entry[] {
  const wanted = new Set(keys);
  const found = new Map<string, Entry>();
  for (const entry of entries.values()) {
    if (wanted.has(entry.check.uniqueKey)) found.set(entry.check.uniqueKey, entry);
  }
  return [...wanted].flatMap((key) => found.get(key) ?? []);
}

/** A check that is not up has not run all the time. */
function upSince({ status, lastFlipAt, createdAt, lastReceivedAt }: CheckSummary): Instant {
  return status === 'up' ? (lastFlipAt ?? createdAt) : (lastReceivedAt ?? createdAt);
}
