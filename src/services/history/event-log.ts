import type { Check } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import {
  causeOf,
  type EventFilter,
  type EventKind,
  type EventPlace,
  type EventQuestion,
  type FlipCause,
  kindOf,
  NEWEST_PLACE,
  type SignalKind,
  signalKind,
} from '../../domain/history/event-log.ts';
import { outageNotes } from '../../domain/history/outage-notes.ts';
import { type JoinedRun, joinSignals, lastOf } from '../../domain/history/run-signals.ts';
import type { SentencePart } from '../../domain/history/status-sentence.ts';
import { MAX_RUN, type Ping } from '../../domain/ping/ping.ts';
import { excerptOf } from '../../domain/ping/ping-body.ts';
import { labelOf } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import type { DeliveryRecord, KeptRun, PingSpan } from '../../storage/store.ts';
import { answersFor } from '../alert/provider-answers.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { addressMask } from '../core/hidden-addresses.ts';
import { pingLimitOf } from '../ping/pings.ts';
import { BodySearch, bodyText, type Excerpts, readExcerpts } from './event-bodies.ts';
import { wholeAnswersTo } from './outage-answers.ts';
import { keptRun } from './run-list.ts';

export const MAX_PAGE_EVENTS = 50;
/** Pings that are looked at for a page. A filter that few pass gives a short page, and the place to go on from. */
export const MAX_EXAMINED_PINGS = 2_000;
/** Pings on either side in which the other signals of a run are looked for. */
export const MAX_RUN_SIGNALS = 300;
/** Pings, or flips, that are read at once. */
const CHUNK = 100;
/** Fewer while bodies are searched, which are longer. */
const SEARCHED_CHUNK = 25;

type LogDeps = Pick<Deps, 'store' | 'defaultLimits'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** A run or a signal, with some lines of its body. */
export interface SignalEvent extends JoinedRun {
  readonly kind: SignalKind;
  /** By the number of the ping. Empty for those without a body in the database. */
  readonly excerpts: Excerpts;
  /** Whether its pings are gone. */
  readonly isKept: boolean;
}

/** A change of status, and its deliveries. */
export interface FlipEvent {
  readonly kind: 'flip';
  readonly flip: Flip;
  readonly cause: FlipCause | null;
  /** Since when the check had its old status. Null if that is not known. */
  readonly since: Instant | null;
  readonly deliveries: readonly (DeliveryRecord & { readonly channelLabel: string })[];
  /** What people have said to the outage that it opened, and why nobody was told of it. */
  readonly notes: readonly (readonly SentencePart[])[];
}

export type LoggedEvent = SignalEvent | FlipEvent;

export interface EventPage {
  /** The newest first. */
  readonly events: readonly LoggedEvent[];
  /** The place to continue from. Null at the end. */
  readonly older: EventPlace | null;
  /** The number of each kind in the wanted time, without other filters. Null except on a first page. */
  readonly counts: ReadonlyMap<EventKind, number> | null;
  /** The oldest ping that is kept. */
  readonly oldestAt: Instant | null;
  /** Bodies in object storage that were not searched. */
  readonly unsearched: number;
}

export async function listEvents(
  deps: LogDeps,
  actor: Actor,
  checkId: number,
  { filter, place }: EventQuestion,
): Promise<EventPage> {
  requirePermission(actor, 'pings.view');
  const check = ownCheck(actor, await deps.store.checks.byId(checkId));
  const span = await spanOf(deps, check, filter);
  const log = new EventLog(deps, actor, check, filter, span);
  const counts = place === null ? await countKinds(deps, check, filter, span) : null;
  const read = await log.older(place ?? NEWEST_PLACE);
  return { ...read, counts, oldestAt: await deps.store.pings.oldestAt(check.id), unsearched: log.unsearched };
}

/** All events, in parts. A part may be empty if the filter passes none of its events. */
export async function* exportEvents(
  deps: LogDeps,
  actor: Actor,
  checkId: number,
  filter: EventFilter,
): AsyncGenerator<readonly LoggedEvent[]> {
  requirePermission(actor, 'pings.view');
  const check = ownCheck(actor, await deps.store.checks.byId(checkId));
  const span = await spanOf(deps, check, filter);
  let place: EventPlace | null = NEWEST_PLACE;
  while (place !== null) {
    const read: ReadEvents = await new EventLog(deps, actor, check, filter, span).older(place);
    yield read.events;
    place = read.older;
  }
}

/** Pings with numbers up to `gone` are beyond the owner's limit, removed or about to be: only their failures are told. */
interface LogSpan extends PingSpan {
  readonly gone: number;
}

/** The numbers of the pings that are kept and lie in the time that is wanted. */
async function spanOf(deps: LogDeps, check: Check, { from, before }: EventFilter): Promise<LogSpan> {
  const { pings } = deps.store;
  const gone = Math.max(0, check.pingCount - (await pingLimitOf(deps, check)));
  const first = from === null ? null : await pings.lastUntil(check.id, from - 1);
  const last = before === null ? null : await pings.lastUntil(check.id, before - 1);
  return {
    gone,
    above: Math.max(gone, first?.n ?? 0),
    below: before === null ? Number.MAX_SAFE_INTEGER : (last?.n ?? 0) + 1,
  };
}

async function countKinds(
  { store }: LogDeps,
  { id }: Check,
  { from, before }: EventFilter,
  span: LogSpan,
): Promise<Map<EventKind, number>> {
  const counts = new Map<EventKind, number>();
  for (const [signal, count] of await store.pings.countBySignal(id, span)) {
    const kind = signalKind(signal);
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  const time = { from: from ?? 0, until: before ?? LATEST };
  for (const [result, count] of await store.keptRuns.countTroubles(id, time, span.gone)) {
    const kind = KEPT_SIGNALS[result];
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return counts.set('flip', await store.flips.countOf(id, { from, before }));
}

const KEPT_SIGNALS = { failed: 'fail', warned: 'success' } as const;

type ReadEvents = Pick<EventPage, 'events' | 'older'>;

/** A matching event, before its details are read. */
type Found = { readonly at: Instant } & ({ readonly flip: Flip } | { readonly joined: JoinedRun });

/** Reads the pings and the flips of a check side by side. */
class EventLog {
  readonly #deps: LogDeps;
  readonly #actor: Actor;
  readonly #check: Check;
  readonly #filter: EventFilter;
  readonly #span: LogSpan;
  readonly #search: BodySearch | null;
  /** The ends of bodies whose pings are gone. */
  readonly #kept = new Map<number, Uint8Array | null>();

  constructor(deps: LogDeps, actor: Actor, check: Check, filter: EventFilter, span: LogSpan) {
    this.#deps = deps;
    this.#actor = actor;
    this.#check = check;
    this.#filter = filter;
    this.#span = span;
    this.#search =
      filter.words === ''
        ? null
        : new BodySearch(deps, check, filter.words, addressMask(actor.caller, check));
  }

  get unsearched(): number {
    return this.#search?.unsearched ?? 0;
  }

  async older(place: EventPlace): Promise<ReadEvents> {
    const pings = new Backwards(Math.min(place.n, this.#span.below), (n) => this.#pingsBelow(n));
    const flips = new Backwards(place.flip, (flip) => this.#flipsBefore(flip));
    const found: Found[] = [];
    let [n, flip, examined] = [place.n, place.flip, 0];
    while (
      found.length < MAX_PAGE_EVENTS &&
      examined < MAX_EXAMINED_PINGS &&
      this.#search?.isTired !== true
    ) {
      const [ping, change] = [await pings.peek(), await flips.peek()];
      if (ping === null && change === null) break;
      // A flip comes after the ping that caused it, which has the same time.
      if (change !== null && (ping === null || change.createdAt >= lastOf(ping).createdAt)) {
        found.push({ at: change.createdAt, flip: change });
        flip = flips.take();
      } else if (ping !== null) {
        if (this.#wants(ping)) found.push({ at: lastOf(ping).createdAt, joined: ping });
        examined += ping.signals.length;
        n = lastOf(pings.take()).n;
      }
    }
    const isOver = (await pings.peek()) === null && (await flips.peek()) === null;
    return {
      events: await this.#complete(found),
      older: isOver ? null : { n, flip },
    };
  }

  get #wantsFlips(): boolean {
    return this.#search === null && this.#filter.kinds.includes('flip');
  }

  #wants(joined: JoinedRun): boolean {
    return this.#filter.kinds.includes(kindOf(joined)) && (this.#search?.hasMatch(joined) ?? true);
  }

  async #flipsBefore(flip: EventPlace['flip']): Promise<Part<Flip, EventPlace['flip']>> {
    if (!this.#wantsFlips) return { items: [], next: null };
    const { from, before } = this.#filter;
    const page = { after: flip, limit: CHUNK };
    const items = await this.#deps.store.flips.ofCheck(this.#check.id, { from, before }, page);
    return { items, next: items.length < CHUNK ? null : (items.at(-1) ?? null) };
  }

  async #pingsBelow(below: number): Promise<Part<JoinedRun, number>> {
    const span = { above: this.#span.above, below };
    const size = this.#search === null ? CHUNK : SEARCHED_CHUNK;
    const pings = await this.#deps.store.pings.inSpan(this.#check.id, span, 'newest', size);
    const [oldest] = pings;
    if (oldest === undefined) return this.#keptBelow(below);
    const joined = await this.#joined(pings, below);
    await this.#search?.look(joined);
    return { items: joined.reverse(), next: oldest.n };
  }

  /** What is known of runs whose pings are gone. */
  async #keptBelow(below: number): Promise<Part<JoinedRun, number>> {
    const { from, before } = this.#filter;
    const time = { from: from ?? 0, until: before ?? LATEST };
    const pings = { above: 0, upTo: this.#span.gone };
    const kept = await this.#deps.store.keptRuns.troubles(this.#check.id, below, time, pings, CHUNK);
    for (const { n, excerpt } of kept) {
      this.#kept.set(n, excerpt);
      if (excerpt !== null) this.#search?.lookAtKept(n, excerpt);
    }
    const last = kept.length < CHUNK ? undefined : kept.at(-1);
    return { items: kept.map((run) => joinedOf(this.#check, run)), next: last?.n ?? null };
  }

  /** The events whose last signal is among these pings, which lie below the number. */
  async #joined(pings: readonly Ping[], below: number): Promise<JoinedRun[]> {
    const [oldest] = pings;
    if (oldest === undefined) return [];
    const { store } = this.#deps;
    const { id } = this.#check;
    const around = (span: PingSpan, which: 'newest' | 'oldest') =>
      store.pings.inSpan(id, span, which, MAX_RUN_SIGNALS);
    const earlier = await around({ above: this.#span.above, below: oldest.n }, 'newest');
    const last = pings.at(-1) ?? oldest;
    const later =
      below >= this.#check.pingCount ? [] : await around({ above: last.n, below: LATEST }, 'oldest');
    const known = [...earlier, ...pings, ...later];
    const joined = await joinWithFlips(this.#deps, this.#check, known);
    const ending = joined.filter((one) => lastOf(one).n >= oldest.n && lastOf(one).n <= last.n);
    return this.#filter.view === 'runs' ? ending : splitIntoSignals(joined, oldest.n, last.n);
  }

  #signalEvent(joined: JoinedRun, excerpts: Excerpts): SignalEvent {
    return { ...joined, kind: kindOf(joined), excerpts, isKept: this.#kept.has(lastOf(joined).n) };
  }

  async #complete(found: readonly Found[]): Promise<LoggedEvent[]> {
    const excerpts =
      this.#search?.excerpts ??
      new Map([
        ...(await readExcerpts(this.#deps, this.#check, signalsIn(found))),
        ...keptExcerpts(this.#kept),
      ]);
    const flips = found.flatMap((one) => ('flip' in one ? [one.flip] : []));
    const told = await this.#deps.store.deliveries.ofFlips(flips.map(({ id }) => id));
    const notes = await this.#notesOf(flips);
    const byFlip = Map.groupBy(told.map(answersFor(this.#actor.caller).delivery), ({ flipId }) => flipId);
    const events: LoggedEvent[] = [];
    for (const one of found) {
      if ('joined' in one) events.push(this.#signalEvent(one.joined, excerpts));
      else {
        const { id } = one.flip;
        const known = { deliveries: byFlip.get(id) ?? [], notes: notes.get(id) ?? [] };
        events.push(await completeFlip(this.#deps, this.#check, one.flip, known));
      }
    }
    return events;
  }

  async #notesOf(flips: readonly Flip[]): Promise<Map<number, FlipEvent['notes']>> {
    const falls = flips.filter(({ newStatus }) => newStatus === 'down').map(({ id }) => id);
    const outages = falls.length === 0 ? [] : await this.#deps.store.outages.ofFlips(falls);
    const { store, clock } = this.#deps;
    const check = this.#check;
    const open = new Map(
      outages.filter(({ endedAt }) => endedAt === null).map((outage) => [outage.checkId, outage]),
    );
    const present = open.size === 0 ? null : await wholeAnswersTo(store, [check], open, clock.now());
    return new Map(
      outages.map((outage) => [outage.flipId, outageNotes(outage, present?.get(check.id) ?? null)]),
    );
  }
}

const LATEST = Number.MAX_SAFE_INTEGER;

function keptExcerpts(
  kept: ReadonlyMap<number, Uint8Array | null>,
): (readonly [number, readonly string[]])[] {
  return [...kept].flatMap(([n, body]) =>
    body === null ? [] : [[n, excerptOf(bodyText(body, ''), 'last')] as const],
  );
}

/** A run whose ping is gone, as if it were there. */
function joinedOf({ id }: Check, kept: KeptRun): JoinedRun {
  const { n, rid, startedAt, endedAt, exitStatus, flags, numbers } = kept;
  const ping: Ping = {
    ...{
      checkId: id,
      n,
      rid,
      exitStatus,
      createdAt: endedAt,
      occurredAt: null,
      signal: KEPT_SIGNALS[kept.result],
    },
    ...{ scheme: '', method: '', remoteAddr: null, userAgent: '', bodySize: 0 },
    ...{ runStartedAt: startedAt, runFlags: flags, runNumbers: numbers },
  };
  return { run: keptRun(kept), signals: [ping] };
}

/** A part of a list, and where the next one begins. Null at the end. */
interface Part<Item, Place> {
  readonly items: readonly Item[];
  readonly next: Place | null;
}

/** A list that is read part by part, and looked at item by item. */
class Backwards<Item, Place> {
  readonly #read: (place: Place) => Promise<Part<Item, Place>>;
  #place: Place | null;
  #items: Item[] = [];

  constructor(place: Place, read: (place: Place) => Promise<Part<Item, Place>>) {
    this.#place = place;
    this.#read = read;
  }

  async peek(): Promise<Item | null> {
    // A part may be empty.
    while (this.#items.length === 0 && this.#place !== null) {
      const { items, next } = await this.#read(this.#place);
      this.#items = [...items];
      this.#place = next;
    }
    return this.#items[0] ?? null;
  }

  /** Call it after `peek` has found something. */
  take(): Item {
    const item = this.#items.shift();
    if (item === undefined) throw new Error('unreachable: nothing was peeked at');
    return item;
  }
}

/** Each signal as an event of its own. An end keeps its run for the duration. */
function splitIntoSignals(joined: readonly JoinedRun[], from: number, to: number): JoinedRun[] {
  return joined
    .flatMap(({ run, signals }) =>
      signals.map((ping): JoinedRun => ({ run: run?.endN === ping.n ? run : null, signals: [ping] })),
    )
    .filter((one) => lastOf(one).n >= from && lastOf(one).n <= to)
    .sort((a, b) => lastOf(a).n - lastOf(b).n);
}

/** The pings of a check, in ascending order, joined into runs. */
export async function joinWithFlips(
  { store, clock }: LogDeps,
  check: Check,
  pings: readonly Ping[],
): Promise<JoinedRun[]> {
  const [oldest] = pings;
  if (oldest === undefined) return [];
  const span = { from: oldest.createdAt, before: (pings.at(-1)?.createdAt ?? 0) + MAX_RUN };
  const flips = await store.flips.ofCheck(check.id, span, { after: null, limit: 2 * MAX_RUN_SIGNALS });
  return joinSignals({ check, pings, flips, now: clock.now() });
}

/** Signals around a flip from which its cause is seen. */
const SIGNALS_AROUND_FLIP = 20;

async function completeFlip(
  deps: LogDeps,
  check: Check,
  flip: Flip,
  {
    deliveries,
    notes,
  }: { readonly deliveries: readonly DeliveryRecord[]; readonly notes: FlipEvent['notes'] },
): Promise<FlipEvent> {
  const { pings, flips } = deps.store;
  const before = await flips.before(flip);
  const last = flip.newStatus === 'down' ? await pings.lastUntil(check.id, flip.createdAt) : null;
  const around =
    last === null
      ? []
      : await pings.inSpan(
          check.id,
          { above: last.n - SIGNALS_AROUND_FLIP, below: last.n + SIGNALS_AROUND_FLIP },
          'oldest',
          2 * SIGNALS_AROUND_FLIP,
        );
  return {
    kind: 'flip',
    flip,
    cause: causeOf(flip, check, await joinWithFlips(deps, check, around)),
    since: before?.createdAt ?? null,
    deliveries: deliveries.map((one) => ({ ...one, channelLabel: labelOf(one.channelKind) })),
    notes,
  };
}

function signalsIn(found: readonly Found[]): Ping[] {
  return found.flatMap((one) => ('joined' in one ? one.joined.signals : []));
}
