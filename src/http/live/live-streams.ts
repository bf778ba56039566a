import type { ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import type { LiveBatch, LiveFeed, WatchedProject } from '../../services/instance/live-feed.ts';
import type { Vitals } from '../../services/instance/vitals.ts';
import {
  eventText,
  type LiveEventJson,
  type LivePollJson,
  watchJson,
} from '../../wire/dashboard/live-output.ts';
import type { HttpLimits } from '../limits.ts';

/** The interval of beats on each stream. A page takes a stream that is silent for longer as broken. */
export const BEAT: Micros = seconds(5);
/** The interval at which the person's access is checked again. */
export const JUDGE_EVERY: Micros = seconds(5);
/** People who are judged at the same time. */
const MAX_JUDGED_AT_ONCE = 16;
/** The least wait of a page that finds no room. */
const RETRY_SECONDS = 30;

/** Errors by which a stream ends. After others, such as a database that is away, it goes on. */
const ENDINGS: Partial<Record<ErrorCode, 'not_signed_in' | 'no_access'>> = {
  not_signed_in: 'not_signed_in',
  second_factor_required: 'not_signed_in',
  permission_denied: 'no_access',
  project_not_found: 'no_access',
};

/** Somebody who looks at pages. */
export interface Viewer {
  readonly accountId: number;
  /** Equal for streams of one session that asked for the same projects: they share one permission check. */
  readonly key: string;
  /** The requested projects that the person may see now. Fails if they may not see any more. */
  look(): Promise<readonly WatchedProject[]>;
}

interface Stream {
  readonly response: ServerResponse;
  readonly accountId: number;
  readonly group: Group;
}

/** Streams that see the same, because they belong to one session. They are judged together. */
interface Group {
  readonly viewer: Viewer;
  readonly streams: Set<Stream>;
  projects: ReadonlyMap<number, Disposable>;
  /** By the monotonic clock. */
  judgedAt: Micros;
}

export interface LiveStreamsOptions {
  readonly feed: LiveFeed;
  readonly vitals: Pick<Vitals, 'watch'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: Pick<HttpLimits, 'maxStreams' | 'maxStreamsPerAccount' | 'maxUnreadStreamBytes'>;
}

/**
 * The streams of live events that are open in this node. The text of an event is made once for each project. One tick
 * for all streams sends news and beats, and checks access again.
 */
export class LiveStreams {
  readonly #options: LiveStreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #groups = new Map<string, Group>();
  readonly #groupsByProject = new Map<number, Set<Group>>();
  readonly #countByAccount = new Map<number, number>();
  #beatenAt: Micros = 0;
  /** The work of a tick for which the next tick does not wait. */
  #besides: Promise<unknown> | null = null;
  #isClosed = false;

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#streams.size;
  }

  marksOf(projectId: number): string {
    return this.#options.feed.marksOf(projectId);
  }

  /** Admits a stream. Returns the function that begins it. */
  open(
    viewer: Viewer,
    projects: readonly WatchedProject[],
    lastEventId: string | null,
    response: ServerResponse,
  ): () => void {
    // The person may have left meanwhile.
    if (hasLeft(response)) {
      response.destroy();
      return () => undefined;
    }
    this.#requireRoom(viewer.accountId);
    const group = this.#groups.getOrInsertComputed(viewer.key, () => this.#newGroup(viewer));
    const stream: Stream = { response, accountId: viewer.accountId, group };
    group.streams.add(stream);
    this.#streams.add(stream);
    this.#countByAccount.set(viewer.accountId, this.#countOf(viewer.accountId) + 1);
    this.#follow(group, projects);
    response.once('close', () => this.#forget(stream));
    // A client may go away while it is written to.
    response.on('error', () => undefined);
    response.socket?.once('end', () => response.destroy());
    return () => {
      const { feed } = this.#options;
      const ids = projects.map(({ id }) => id);
      const missed = lastEventId === null ? [] : feed.since(lastEventId, ids);
      const isKnown = missed !== 'everything';
      const hello = eventText({ kind: 'hello', missed: isKnown ? 'nothing' : 'everything' }, feed.lastId);
      const changes = isKnown
        ? missed.map((change) => eventText({ kind: 'change', ...change }, feed.lastId))
        : [];
      response.write(`retry: 2000\n${hello}${changes.join('')}`);
      void this.#beatOne(response);
    };
  }

  /** The changes since an earlier answer, for a page that cannot keep a stream open. */
  async poll(projects: readonly WatchedProject[], lastEventId: string | null): Promise<LivePollJson> {
    const { feed, vitals } = this.#options;
    using watched = new DisposableStack();
    const ids = projects.map(({ id }) => id);
    // Before they are followed: changes of unfollowed projects are not known.
    const changes = lastEventId === null ? 'everything' : feed.since(lastEventId, ids);
    for (const project of projects) watched.use(feed.watch(project));
    return { last_event_id: feed.lastId, changes, watch: watchJson(await vitals.watch()) };
  }

  async tick(): Promise<void> {
    const { feed, clock } = this.#options;
    const batch = await feed.tick();
    if (batch !== null) this.#send(batch);
    if (this.#streams.size === 0) return;
    const now = clock.monotonic();
    // A database that takes long must not hold up events.
    this.#besides ??= Promise.all([this.#beat(now), this.#judge(now)]).finally(() => {
      this.#besides = null;
    });
  }

  /** Resolves when the last tick has done all its work. */
  async settled(): Promise<void> {
    await this.#besides;
  }

  /** Ends all streams, so that the server can stop. */
  close(): void {
    this.#isClosed = true;
    for (const { response } of this.#streams) response.end();
  }

  #requireRoom(accountId: number): void {
    const { maxStreams, maxStreamsPerAccount } = this.#options.limits;
    const options = { retryAfterSeconds: RETRY_SECONDS };
    if (this.#isClosed || this.#streams.size >= maxStreams)
      throw new AppError('overloaded', undefined, options);
    if (this.#countOf(accountId) >= maxStreamsPerAccount)
      throw new AppError('too_many_requests', undefined, options);
  }

  #countOf(accountId: number): number {
    return this.#countByAccount.get(accountId) ?? 0;
  }

  #newGroup(viewer: Viewer): Group {
    return {
      viewer,
      streams: new Set(),
      projects: new Map(),
      judgedAt: this.#options.clock.monotonic(),
    };
  }

  /** Returns whether these are other projects than before. */
  #follow(group: Group, projects: readonly WatchedProject[]): boolean {
    const before = group.projects;
    const after = new Map(
      projects.map((project) => [project.id, before.get(project.id) ?? this.#options.feed.watch(project)]),
    );
    const gone = [...before.keys()].filter((id) => !after.has(id));
    for (const id of gone) this.#leave(group, id);
    for (const id of after.keys()) this.#groupsByProject.getOrInsertComputed(id, () => new Set()).add(group);
    group.projects = after;
    return gone.length > 0 || after.size !== before.size;
  }

  #leave(group: Group, projectId: number): void {
    group.projects.get(projectId)?.[Symbol.dispose]();
    const groups = this.#groupsByProject.get(projectId);
    groups?.delete(group);
    if (groups?.size === 0) this.#groupsByProject.delete(projectId);
  }

  #forget(stream: Stream): void {
    if (!this.#streams.delete(stream)) return;
    const { accountId, group } = stream;
    const left = this.#countOf(accountId) - 1;
    if (left === 0) this.#countByAccount.delete(accountId);
    else this.#countByAccount.set(accountId, left);
    group.streams.delete(stream);
    if (group.streams.size > 0) return;
    for (const id of group.projects.keys()) this.#leave(group, id);
    this.#groups.delete(group.viewer.key);
  }

  #send({ id, changes }: LiveBatch): void {
    for (const [projectId, change] of changes) {
      const groups = this.#groupsByProject.get(projectId);
      if (groups === undefined) continue;
      const text = Buffer.from(eventText({ kind: 'change', ...change }, id));
      for (const { streams } of groups) for (const stream of streams) this.#write(stream, text);
    }
  }

  async #beat(now: Micros): Promise<void> {
    if (now - this.#beatenAt < BEAT) return;
    this.#beatenAt = now;
    const text = Buffer.from(await this.#beatText());
    for (const stream of this.#streams) this.#write(stream, text);
  }

  /** A client that does not read is cut off. When it comes back it gets the changes that it has missed. */
  #write({ response }: Stream, text: Buffer): void {
    if (!isOpen(response)) return;
    if (response.writableLength > this.#options.limits.maxUnreadStreamBytes) response.destroy();
    else response.write(text);
  }

  /** A new stream does not wait for the next beat. */
  async #beatOne(response: ServerResponse): Promise<void> {
    const text = await this.#beatText();
    if (isOpen(response)) response.write(text);
  }

  async #beatText(): Promise<string> {
    return eventText({ kind: 'watch', ...watchJson(await this.#options.vitals.watch()) }, null);
  }

  async #judge(now: Micros): Promise<void> {
    const due = Iterator.from(this.#groups.values())
      .filter(({ judgedAt }) => now - judgedAt >= JUDGE_EVERY)
      .take(MAX_JUDGED_AT_ONCE)
      .toArray();
    await Promise.all(
      due.map(async (group) => {
        group.judgedAt = now;
        // It goes to the end, so that the others have their turn.
        if (this.#groups.delete(group.viewer.key)) this.#groups.set(group.viewer.key, group);
        await this.#judgeOne(group);
      }),
    );
  }

  async #judgeOne(group: Group): Promise<void> {
    try {
      const projects = await group.viewer.look();
      if (group.streams.size === 0 || !this.#follow(group, projects)) return;
      tell(group, { kind: 'everything' });
    } catch (error) {
      const reason = error instanceof AppError ? ENDINGS[error.code] : undefined;
      if (reason === undefined) return;
      tell(group, { kind: 'end', reason });
      for (const { response } of group.streams) response.end();
    }
  }
}

function tell({ streams }: Group, event: LiveEventJson): void {
  const text = eventText(event, null);
  for (const { response } of streams) if (isOpen(response)) response.write(text);
}

/** The server lets clients close their side and wait. A client that does that to a stream has gone. */
function hasLeft(response: ServerResponse): boolean {
  return !isOpen(response) || response.socket?.readableEnded === true;
}

function isOpen({ writableEnded, destroyed }: ServerResponse): boolean {
  return !writableEnded && !destroyed;
}
