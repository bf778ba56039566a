import { isResult, type Ping, type Sender } from '../ping.ts';
import { sendOnce } from '../send/attempts.ts';
import type { Waiting } from './entry.ts';
import type { Folder } from './folder.ts';
import { bodyWith, type LateForm, lateForm } from './late.ts';
import { inPings } from './limits.ts';
import { takeLock } from './lock.ts';
import type { Memory } from './memory.ts';
import type { SpoolParts } from './parts.ts';
import { digestOf, endpointOf } from './servers.ts';

/** What became of the waiting pings. */
export type Round =
  /** Nothing waits any more. */
  | { readonly kind: 'done' }
  /** It was called off. */
  | { readonly kind: 'stopped' }
  /** Some wait until they may be sent as logs. */
  | { readonly kind: 'paused'; readonly againInMs: number }
  /** Another process delivers. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Some of the servers that do not know late pings refuse more than five pings of a check in a minute. */
const LATE_LOGS_A_MINUTE = 4;
const MINUTE_MS = 60_000;

export interface RoundParts extends SpoolParts {
  readonly folder: Folder;
  readonly memory: Memory;
  readonly sender: Sender;
  readonly until: AbortSignal;
}

/** Delivers as long as there is something that was not tried. */
export async function deliverRound(parts: RoundParts): Promise<Round> {
  const { files, path, processes, ownId, machine, folder, memory } = parts;
  const release = await takeLock(files, path, {
    processes,
    ownId,
    random: () => machine.randomUuid().slice(0, 8),
  });
  if (release === null) return { kind: 'busy' };
  try {
    await folder.tidy();
    return await new Delivering(parts, await memory.lateLogs()).run();
  } finally {
    await release();
  }
}

class Delivering {
  readonly #parts: RoundParts;
  /** When logs about late pings went out, by check. */
  readonly #lateLogs: Map<string, number[]>;
  readonly #tried = new Set<string>();
  /** Nothing more is sent to these in this round. */
  readonly #stoppedEndpoints = new Set<string>();
  readonly #stoppedChecks = new Set<string>();
  #againInMs: number | null = null;
  #failure: string | null = null;

  constructor(parts: RoundParts, lateLogs: Map<string, number[]>) {
    this.#parts = parts;
    this.#lateLogs = lateLogs;
  }

  async run(): Promise<Round> {
    for (;;) {
      const waiting = await this.#parts.folder.waiting();
      if (waiting.every(({ name }) => this.#tried.has(name))) return this.#outcome();
      await this.#pass(waiting);
      if (this.#parts.until.aborted) return { kind: 'stopped' };
    }
  }

  #outcome(): Round {
    if (this.#failure !== null) return { kind: 'failed', reason: this.#failure };
    if (this.#againInMs !== null) return { kind: 'paused', againInMs: this.#againInMs };
    return { kind: 'done' };
  }

  async #pass(waiting: readonly Waiting[]): Promise<void> {
    const newest = new Map<string, string>();
    for (const { name, head } of waiting) if (isResult(head.signal)) newest.set(head.target.base, name);
    const expired = waiting.filter((one) => this.#parts.folder.isExpired(one));
    const dropped = await this.#parts.folder.drop(expired);
    if (dropped > 0) this.#parts.onLoss(`${inPings(dropped)} too old to be sent, and dropped`);
    for (const one of waiting) {
      if (this.#parts.until.aborted) return;
      if (this.#tried.has(one.name) || expired.includes(one)) continue;
      this.#tried.add(one.name);
      const { target } = one.head;
      if (this.#stoppedEndpoints.has(endpointOf(target)) || this.#stoppedChecks.has(target.base)) continue;
      await this.#deliver(one, newest.get(target.base) === one.name);
    }
  }

  async #deliver(one: Waiting, isNewest: boolean): Promise<void> {
    const { folder, memory, machine, timing, onDetail, onLoss } = this.#parts;
    const { target, at } = one.head;
    const now = machine.moment();
    const limits = await memory.limitsOf(target, now.wallMs);
    const isNewestResult = isNewest && !(await memory.isOutdated(target, at));
    const { lateAsFreshMs, attemptMs, until, sender } = this.#parts;
    const form = lateForm(one.head, { now, limits, isNewestResult, lateAsFreshMs });
    const isAware = limits !== null && limits.ageSeconds !== null;
    if (form.line !== null && !isAware && !(await this.#mayLog(one, now.wallMs))) return;
    const ping = await folder.read(one.name);
    if (ping === null) return;
    const notes = one.head.signal === 'start' ? [] : await folder.dropped();
    const late = latePing(
      ping,
      form,
      notes.reduce((sum, { count }) => sum + count, 0),
      limits?.bodyBytes ?? null,
    );
    const options = { ageMs: () => form.ageMs, attemptMs, until, timing };
    const delivery = await sendOnce(sender, late, options);
    switch (delivery.kind) {
      case 'accepted':
        await folder.remove(one.name);
        for (const { name } of notes) await folder.remove(name);
        await memory.rememberLimits(target, delivery.limits, now.wallMs);
        onDetail(`a waiting ping of ${target.label} was delivered`);
        return;
      case 'refused':
        await folder.setAside(one.name, 'rejected');
        onLoss(`the server refused a waiting ping of ${target.label} with ${delivery.status}`);
        return;
      case 'failed':
        onDetail(`a waiting ping of ${target.label} was not delivered: ${delivery.reason}`);
        this.#failure ??= delivery.reason;
        if (delivery.status === undefined) this.#stoppedEndpoints.add(endpointOf(target));
        else this.#stoppedChecks.add(target.base);
    }
  }

  /** Takes one of the logs of this minute, or stops the check. It is noted before it is sent: dying in between sends no fifth. */
  async #mayLog({ head: { target } }: Waiting, wallMs: number): Promise<boolean> {
    const check = await digestOf(target);
    const recent = (this.#lateLogs.get(check) ?? []).filter((time) => Math.abs(wallMs - time) < MINUTE_MS);
    const [first = wallMs] = recent;
    if (recent.length >= LATE_LOGS_A_MINUTE) {
      this.#stoppedChecks.add(target.base);
      const wait = Math.max(1, first + MINUTE_MS - wallMs);
      this.#againInMs = Math.min(this.#againInMs ?? wait, wait);
      return false;
    }
    this.#lateLogs.set(check, [...recent, wallMs]);
    for (const [other, times] of this.#lateLogs) {
      if (times.every((time) => Math.abs(wallMs - time) >= MINUTE_MS)) this.#lateLogs.delete(other);
    }
    await this.#parts.memory.writeLateLogs(this.#lateLogs);
    return true;
  }
}

function latePing(ping: Ping, form: LateForm, dropped: number, limitBytes: number | null): Ping {
  const lines = form.line === null ? [] : [form.line];
  if (dropped > 0)
    lines.push(`[tocsin] ${inPings(dropped)} dropped before: too many were waiting, or for too long`);
  return { ...ping, signal: form.signal, body: bodyWith(lines, ping.body, limitBytes) };
}
