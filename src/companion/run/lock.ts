/** Keeps a job from running twice at the same time. */
import { link, lstat, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../machine.ts';
import { type Identity, isAlive, type Processes } from '../processes.ts';

interface Holder {
  readonly since: string;
  readonly wrapper: Identity;
  /** Null until the job has been started. */
  readonly job: Identity | null;
}

export interface Lock {
  /** From now on the lock is held as long as the job lives, whatever becomes of us. */
  hand(job: number): Promise<void>;
  release(): Promise<void>;
}

export type Locking =
  | { readonly kind: 'taken'; readonly lock: Lock }
  | { readonly kind: 'held'; readonly since: string; readonly processId: number }
  /** Locks do not work here. */
  | { readonly kind: 'faulty'; readonly reason: string };

/** Where locks are. */
export function lockFolder(
  { environment, userId }: Pick<Machine, 'environment' | 'userId'>,
  temporary: string,
): string {
  if (userId === 0) return '/run/tocsin';
  const runtime = environment.XDG_RUNTIME_DIR;
  return runtime ? join(runtime, 'tocsin') : join(temporary, `tocsin-${userId ?? 'user'}`);
}

export interface LockRequest {
  readonly folder: string;
  readonly name: string;
  readonly userId: number | null;
  readonly ownId: number;
  readonly now: Date;
  readonly processes: Processes;
}

/** Tries once. */
export async function takeLock(request: LockRequest): Promise<Locking> {
  try {
    await useFolder(request.folder, request.userId);
    return await take(request);
  } catch (error) {
    return { kind: 'faulty', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function useFolder(folder: string, userId: number | null): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(folder);
  const isOurs = userId === null || uid === userId;
  if (!isOurs || (mode & 0o022) !== 0)
    throw new Error(`${folder} belongs to others, or others may write there`);
}

async function take(request: LockRequest): Promise<Locking> {
  const { folder, name, ownId, processes } = request;
  const path = join(folder, `${encodeURIComponent(name)}.lock`);
  const wrapper = (await processes.identify(ownId)) ?? { processId: ownId, startedAt: null, bootId: null };
  const own: Holder = { since: request.now.toISOString(), wrapper, job: null };
  const draft = `${path}.${ownId}`;
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    // Each turn removes a lock that nobody holds; more than a few mean that others take it at the same time.
    for (let turn = 0; turn < 10; turn++) {
      // A link is made only if the name is free, and the file is whole from the beginning.
      if (await created(draft, path)) return { kind: 'taken', lock: lockAt(path, own, processes) };
      const holder = await readHolder(path);
      if (holder !== null && (await isHeld(holder, processes))) {
        return { kind: 'held', since: holder.since, processId: (holder.job ?? holder.wrapper).processId };
      }
      await removeStale(path, holder, draft, processes);
    }
    throw new Error(`${path} is taken again and again`);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

async function created(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** One at a time, and only if it is still the same lock: another process may have removed it and taken its own. */
async function removeStale(
  path: string,
  seen: Holder | null,
  draft: string,
  processes: Processes,
): Promise<void> {
  const guard = `${path}.removing`;
  if (!(await created(draft, guard))) {
    const remover = await readHolder(guard);
    if (remover === null || !(await isHeld(remover, processes))) await unlink(guard).catch(() => undefined);
    return;
  }
  try {
    const now = await readHolder(path);
    if (JSON.stringify(now) === JSON.stringify(seen)) await unlink(path).catch(() => undefined);
  } finally {
    await unlink(guard).catch(() => undefined);
  }
}

async function isHeld({ wrapper, job }: Holder, processes: Processes): Promise<boolean> {
  const lives = await Promise.all([wrapper, job].map((one) => one !== null && isAlive(one, processes)));
  return lives.includes(true);
}

/** Null for a file that is gone or not understood. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    // Only we write these files; one that somebody has damaged is treated as stale below.
    const { since, wrapper, job } = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder>;
    const isWhole = typeof since === 'string' && typeof wrapper?.processId === 'number';
    return isWhole ? { since, wrapper, job: job ?? null } : null;
  } catch {
    return null;
  }
}

function lockAt(path: string, own: Holder, processes: Processes): Lock {
  return {
    hand: async (job) => {
      const draft = `${path}.${own.wrapper.processId}`;
      await writeFile(draft, JSON.stringify({ ...own, job: await processes.identify(job) }), { mode: 0o600 });
      await rename(draft, path);
    },
    release: async () => {
      await unlink(path).catch(() => undefined);
    },
  };
}
