import type { Machine } from '../machine.ts';
import type { Moment, Ping, Sender, ServerLimits, Spool, Target } from '../ping.ts';
import { systemProcesses } from '../processes.ts';
import { type BoundedFiles, boundedFiles } from './bounded-files.ts';
import { deliverRound, type Round } from './delivery.ts';
import { diskFiles } from './files.ts';
import { Folder } from './folder.ts';
import type { Left } from './left.ts';
import { inPings, SPOOL_LIMITS } from './limits.ts';
import { Memory } from './memory.ts';
import type { SpoolParts } from './parts.ts';
import { codeOf, whyNotUsable } from './place.ts';

/** On the disk of this machine. */
export function openSpool({
  maxAgeMs,
  ...parts
}: Omit<SpoolParts, 'files' | 'processes' | 'limits'> & { readonly maxAgeMs: number }): SpoolFolder {
  const limits = { ...SPOOL_LIMITS, ageMs: maxAgeMs };
  return new SpoolFolder({ ...parts, limits, files: diskFiles, processes: systemProcesses });
}

/** Pings that wait in a folder. */
export class SpoolFolder implements Spool {
  readonly #parts: SpoolParts;
  readonly #files: BoundedFiles;
  readonly #memory: Memory;
  readonly folder: Folder;

  constructor(parts: SpoolParts) {
    const { path, limits, machine } = parts;
    const files = boundedFiles(parts.files, parts.timing);
    this.#files = files;
    this.#parts = { ...parts, files };
    this.#memory = new Memory({ files, path, random: () => randomOf(machine) });
    this.folder = new Folder({
      files,
      path,
      limits,
      now: () => machine.moment(),
      random: () => randomOf(machine),
    });
  }

  get path(): string {
    return this.#parts.path;
  }

  /** Whether the disk has left a call without an answer. */
  isStuck(): boolean {
    return this.#files.isStuck();
  }

  async put(ping: Ping): Promise<boolean> {
    try {
      if (!(await this.#isUsable())) return false;
      await this.folder.add(ping);
      return true;
    } catch (error) {
      this.#parts.onDetail(`the spool ${this.#parts.path} cannot be written: ${codeOf(error)}`);
      return false;
    }
  }

  async makeRoom(): Promise<void> {
    const { onDetail, onLoss } = this.#parts;
    try {
      const dropped = await this.folder.keepLimits();
      if (dropped > 0) onLoss(`too many pings are waiting: ${inPings(dropped)} dropped`);
    } catch (error) {
      onDetail(`the spool ${this.#parts.path} cannot be tidied: ${codeOf(error)}`);
    }
  }

  async deliver(sender: Sender, until: AbortSignal): Promise<void> {
    await this.deliverRound(sender, until);
  }

  /** Sends what waits, and tells what became of it. */
  async deliverRound(sender: Sender, until: AbortSignal): Promise<Round> {
    try {
      if (await this.folder.isEmpty()) return { kind: 'done' };
      if (!(await this.#isUsable()))
        return { kind: 'failed', reason: `the spool ${this.#parts.path} is not used` };
      return await deliverRound({ ...this.#parts, folder: this.folder, memory: this.#memory, sender, until });
    } catch (error) {
      const reason = `the spool ${this.#parts.path} cannot be used: ${codeOf(error)}`;
      this.#parts.onDetail(reason);
      return { kind: 'failed', reason };
    }
  }

  async limitsOf(target: Target): Promise<ServerLimits | null> {
    return await this.#memory.limitsOf(target, this.#parts.machine.moment().wallMs).catch(() => null);
  }

  async remember(target: Target, limits: ServerLimits, result: Moment | null = null): Promise<void> {
    try {
      if (!(await this.#isUsable())) return;
      await this.#memory.rememberLimits(target, limits, this.#parts.machine.moment().wallMs);
      // Other servers know by its age that a waiting result is older.
      if (result === null || limits.ageSeconds !== null || (await this.folder.isEmpty())) return;
      await this.#memory.rememberResult(target, result);
    } catch (error) {
      this.#parts.onDetail(`the spool ${this.#parts.path} cannot be written: ${codeOf(error)}`);
    }
  }

  /** What the last run left, by patterns; null where that is not known. */
  async lastLeft(target: Target, patterns: readonly string[]): Promise<readonly (Left | null)[]> {
    const read = (pattern: string) => this.#memory.lastLeft(target, pattern).catch(() => null);
    return await Promise.all(patterns.map(read));
  }

  async rememberLeft(target: Target, left: ReadonlyMap<string, Left>): Promise<void> {
    try {
      if (!(await this.#isUsable())) return;
      for (const [pattern, one] of left) await this.#memory.rememberLeft(target, pattern, one);
    } catch (error) {
      this.#parts.onDetail(`the spool ${this.#parts.path} cannot be written: ${codeOf(error)}`);
    }
  }

  async #isUsable(): Promise<boolean> {
    const { files, path, machine, onDetail } = this.#parts;
    const reason = await whyNotUsable(files, path, machine.userId);
    if (reason !== null) onDetail(`the spool ${path} is not used: ${reason}`);
    return reason === null;
  }
}

function randomOf(machine: Pick<Machine, 'randomUuid'>): string {
  return machine.randomUuid().replaceAll('-', '').slice(0, 12);
}
