import type { Check } from '../../src/domain/check/check.ts';
import { RUN_RESULTS } from '../../src/domain/history/run.ts';
import type { ListedRun, RunCursor } from '../../src/domain/history/run-list.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { listCheckRuns } from '../../src/services/history/run-list.ts';
import { indexOf, type Sent } from './jobs.ts';
import type { KeptRow, Observed, PingRow } from './observed.ts';
import { bodyOf } from './report.ts';
import { Violation } from './violation.ts';

/** How much of the past is kept. */
export interface Keeping {
  /** So many pings of each check stay. */
  readonly pings: number;
  /** Failures and warnings stay for so many days after their pings. */
  readonly days: number;
}

const DAY: Micros = seconds(86_400);
/** What is too old is looked for every hour. */
const LATEST_REMOVAL: Micros = seconds(4 * 3600);
/** Pings are pruned when their number reaches a multiple of this. */
const PRUNED_EVERY = 100;
/** So long before the end pruning may still be under way. */
const PRUNING_TIME: Micros = seconds(2 * 3600);
/** Bytes of the body that are kept. */
const EXCERPT = 1_000;
/** Few, so that a list has many pages. */
const RUNS_ON_PAGE = 20;

/** A failure or a warning whose ping is gone. */
interface Gone {
  readonly checkId: number;
  readonly run: string;
  /** It was removed between these times. */
  readonly from: Instant;
  readonly until: Instant;
}

/** Follows which pings are removed, and looks whether the failures and warnings among them are kept. */
export class NaiveKept {
  readonly #observed: Observed;
  readonly #keeping: Keeping;
  readonly #sent: readonly Sent[];
  /** The longest time between what a node does and what is seen of it. */
  readonly #slack: Micros;
  /** By check and number. */
  readonly #gone = new Map<string, Gone>();
  #last = { place: 0, kept: 0 };

  constructor(observed: Observed, keeping: Keeping, sent: readonly Sent[], slack: Micros) {
    this.#observed = observed;
    this.#keeping = keeping;
    this.#sent = sent;
    this.#slack = slack;
  }

  /** So many failures and warnings have outlived their pings. */
  get count(): number {
    return this.#gone.size;
  }

  /** Something was written since `from`. */
  async look(from: Instant, now: Instant): Promise<void> {
    const { place, kept } = await this.#observed.removed();
    if (place === this.#last.place && kept === this.#last.kept) return;
    const removed = await this.#observed.removedAfter(this.#last.place);
    this.#last = { place, kept };
    const checks = await this.#observed.checks();
    const touched = checks.filter(({ id }) => removed.some(({ checkId }) => checkId === id));
    for (const check of touched) this.#note(check, removed, from, now);
    this.#judgeKept(checks, await this.#observed.keptRuns(), now);
    for (const check of touched) await this.#judgeList(check, now);
  }

  /** After the whole run: everything is as it has to be, and nothing is left that should be gone. */
  async judge(checks: readonly Check[], pings: readonly PingRow[], now: Instant): Promise<void> {
    const kept = await this.#observed.keptRuns();
    this.#judgeKept(checks, kept, now);
    for (const { checkId, n } of kept) {
      const gone = this.#gone.get(`${checkId}/${n}`);
      if (gone !== undefined && gone.until + this.#keeping.days * DAY + LATEST_REMOVAL < now)
        throw new Violation(`its run ${n} is kept, and its days are over`, uuidOf(checks, checkId));
    }
    const firsts = await this.#observed.firstPings();
    for (const check of checks) {
      await this.#judgeList(check, now);
      this.#judgeRest(check, pings, firsts.get(check.id) ?? 1, now);
    }
  }

  /** The newest pings stay. The others are gone, and the failures and warnings among them have to be kept. */
  #note({ id, uuid, pingCount }: Check, removed: readonly PingRow[], from: Instant, until: Instant): void {
    for (const ping of removed) {
      if (ping.checkId !== id) continue;
      if (ping.n > pingCount - this.#keeping.pings)
        throw new Violation(
          `ping ${ping.n} of ${pingCount} is gone, and ${this.#keeping.pings} have to stay`,
          uuid,
        );
      const run = this.#runOf(ping);
      if (run !== null) this.#gone.set(`${id}/${ping.n}`, { checkId: id, run, from, until });
    }
  }

  /** What is kept of the ping. Null: it is no failure and no warning. */
  #runOf(ping: PingRow): string | null {
    const { n, rid, signal, runStartedAt, runFlags, runNumbers, createdAt, occurredAt, mark } = ping;
    const isWarned = signal === 'success' && runFlags !== null && runFlags > 0;
    if (signal !== 'fail' && !isWarned) return null;
    const sent = this.#sent[indexOf(mark)];
    const body = sent === undefined ? null : bodyOf(sent.report, mark);
    return textOf({
      ...{ n, rid, startedAt: runStartedAt, endedAt: occurredAt ?? createdAt },
      ...{ result: isWarned ? 'warned' : 'failed', flags: runFlags, numbers: runNumbers },
      exitStatus: sent?.report.exitStatus ?? null,
      excerpt: body?.subarray(-EXCERPT) ?? null,
    });
  }

  #judgeKept(checks: readonly Check[], kept: readonly KeptRow[], now: Instant): void {
    const rows = new Map(kept.map((row) => [`${row.checkId}/${row.n}`, row]));
    for (const [key, { checkId, n }] of rows)
      if (!this.#gone.has(key))
        throw new Violation(`its run ${n} is kept, and has to be nowhere or a ping`, uuidOf(checks, checkId));
    for (const [key, { checkId, run, from }] of this.#gone) {
      const uuid = uuidOf(checks, checkId);
      const row = rows.get(key);
      // What is kept goes with its check.
      if (uuid === null) continue;
      const mayBeOver = from + this.#keeping.days * DAY - this.#slack <= now;
      if (row === undefined && mayBeOver) continue;
      const stored = row === undefined ? 'nothing' : textOf(row);
      if (stored !== run) throw new Violation(`of a run ${stored} is kept, it should be ${run}`, uuid);
    }
  }

  /** Each failure and each warning is listed once, be it kept or a ping, and no run twice. */
  async #judgeList(check: Check, now: Instant): Promise<void> {
    const listed = Map.groupBy(await this.#list(check, now), ({ n }) => n);
    const stored = await this.#observed.storedPings(check.id);
    const kept = (await this.#observed.keptRuns()).filter(({ checkId }) => checkId === check.id);
    for (const row of kept) {
      const [run, ...others] = listed.get(row.n) ?? [];
      const text = run === undefined ? 'nothing' : textOf({ ...run, n: row.n, flags: run.flags || null });
      const expected = textOf({ ...row, flags: row.flags || null });
      if (text !== expected || others.length > 0)
        throw new Violation(
          `${text} is listed ${others.length + 1} times, it should be ${expected}`,
          check.uuid,
        );
    }
    const numbers = new Set([...stored, ...kept].map(({ n }) => n));
    for (const n of listed.keys())
      if (n !== null && !numbers.has(n))
        throw new Violation(`run ${n} is listed, and there is nothing of it`, check.uuid);
    for (const { n, signal, runFlags } of stored)
      this.#judgeStored(check, listed.get(n) ?? [], n, signal, runFlags);
  }

  #judgeStored(
    { uuid }: Check,
    listed: readonly ListedRun[],
    n: number,
    signal: string,
    flags: number | null,
  ): void {
    if (signal !== 'success' && signal !== 'fail') return;
    const [run, ...others] = listed;
    if (run?.endedAt == null || others.length > 0)
      throw new Violation(`the end of ping ${n} is listed ${listed.length} times`, uuid);
    const isRight =
      signal === 'fail' ? run.result === 'failed' : flags === null || ['warned', 'late'].includes(run.result);
    if (!isRight) throw new Violation(`ping ${n}, a ${signal}, is listed as ${run.result}`, uuid);
  }

  async #list(check: Check, now: Instant): Promise<ListedRun[]> {
    const filter = { results: RUN_RESULTS, from: null, until: null };
    const all: ListedRun[] = [];
    let cursor: RunCursor | null = null;
    do {
      const page: Awaited<ReturnType<typeof listCheckRuns>> = await listCheckRuns(
        { store: this.#observed.store, clock: { now: () => now } },
        systemActor(check.projectId),
        check,
        { filter, limit: RUNS_ON_PAGE, cursor },
      );
      all.push(...page.runs);
      cursor = page.next;
    } while (cursor !== null);
    return all;
  }

  /** Not many more pings stay than have to. */
  #judgeRest({ id, uuid }: Check, pings: readonly PingRow[], first: number, now: Instant): void {
    const before = pings.filter(({ checkId, createdAt }) => checkId === id && createdAt < now - PRUNING_TIME);
    const stored = before.filter(({ n }) => n >= first).length;
    if (stored >= this.#keeping.pings + PRUNED_EVERY)
      throw new Violation(`${stored} pings are there, and the first is ${first}`, uuid);
  }
}

function textOf({
  n,
  rid,
  startedAt,
  endedAt,
  result,
  flags,
  exitStatus,
  numbers,
  excerpt,
}: Described): string {
  const at = (time: Instant | null) => (time === null ? null : toIsoMicros(time));
  const body = excerpt === null ? null : shortened(Buffer.from(excerpt).toString());
  return JSON.stringify([n, result, rid, at(startedAt), at(endedAt), flags, exitStatus, numbers, body]);
}

/** Bodies differ in their lengths and their ends. */
function shortened(body: string): string {
  return body.length <= 80 ? body : `${body.slice(0, 40)}… ${body.length} bytes …${body.slice(-40)}`;
}

interface Described extends Omit<KeptRow, 'checkId' | 'endedAt' | 'result'> {
  readonly endedAt: Instant | null;
  readonly result: string;
}

function uuidOf(checks: readonly Check[], checkId: number): string | null {
  return checks.find(({ id }) => id === checkId)?.uuid ?? null;
}
