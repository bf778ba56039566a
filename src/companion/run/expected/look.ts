/** Looks for what a job should have left behind. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inTime, LATE } from '../../in-time.ts';
import type { Timing } from '../../send/attempts.ts';
import { diskFiles, type FileFacts, type Files, isMissing } from '../../spool/files.ts';
import type { Left } from '../../spool/left.ts';
import { codeOf } from '../../spool/place.ts';
import { type Expectation, type Found, keysOf, whyNot } from './expectation.ts';
import { type Part, partsOf } from './pattern.ts';

export interface LookFiles {
  readonly facts: Files['facts'];
  /** None if there is no such folder. */
  readonly names: (folder: string) => Promise<readonly string[]>;
}

export const lookFiles: LookFiles = {
  facts: diskFiles.facts,
  names: async (folder) => {
    try {
      return await readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
};

/** What earlier runs left. */
export interface LeftMemory {
  /** In the order of the keys. */
  last(keys: readonly string[]): Promise<readonly (Left | null)[]>;
  remember(left: ReadonlyMap<string, Left>): void;
}

export interface Looked {
  /** A sentence for each expectation that is not met. */
  readonly unmet: readonly string[];
  /** The bytes of all files that were expected, if all are there. */
  readonly bytes: number | null;
}

/** A disk of ours that hangs must not make a failure of a success. */
const REMEMBERING_MS = 1_000;
/** So many questions wait for the disk at once. */
const BATCH = 100;

export async function look(
  expected: Expectation,
  startedMs: number,
  { files, memory, timing }: { files: LookFiles; memory: LeftMemory; timing: Timing },
): Promise<Looked> {
  const keys = keysOf(expected.patterns);
  const remembered = inTime(memory.last(keys), REMEMBERING_MS, timing);
  const found = await Promise.all(expected.patterns.map((pattern) => find(pattern, files)));
  const last = await remembered;
  const unmet = found.flatMap((one, index) => {
    const pattern = expected.patterns[index] ?? '';
    return (
      whyNot(
        { pattern, found: one, last: last === LATE ? null : (last[index] ?? null), startedMs },
        expected,
      ) ?? []
    );
  });
  const left = found.flatMap((one, index): [string, Left][] =>
    one.kind === 'file' ? [[keys[index] ?? '', one.left]] : [],
  );
  if (unmet.length === 0) memory.remember(new Map(left));
  const bytes = left.reduce((sum, [, one]) => sum + one.bytes, 0);
  return { unmet, bytes: left.length < found.length ? null : bytes };
}

/** Of several files the newest is what the run has left. */
export async function find(pattern: string, files: LookFiles): Promise<Found> {
  try {
    const start = pattern.startsWith('/') ? '/' : '.';
    const paths = await pathsOf(start, partsOf(pattern), files);
    return await newestOf(paths, files);
  } catch (error) {
    return { kind: 'unknown', reason: codeOf(error) };
  }
}

async function pathsOf(
  folder: string,
  [part, ...rest]: readonly Part[],
  files: LookFiles,
): Promise<readonly string[]> {
  if (part === undefined) return [folder];
  if (part.kind === 'name') return pathsOf(join(folder, part.name), rest, files);
  const names = (await files.names(folder)).filter(part.matches);
  const inside = await Promise.all(names.map((name) => pathsOf(join(folder, name), rest, files)));
  return inside.flat();
}

async function newestOf(paths: readonly string[], files: LookFiles): Promise<Found> {
  let newest: Left | null = null;
  let fault: unknown = null;
  for (const batch of batchesOf([...paths].sort())) {
    const measured = batch.map((path) =>
      measure(path, files).catch((error: unknown) => {
        fault ??= error;
        return null;
      }),
    );
    for (const left of await Promise.all(measured)) {
      if (left !== null && (newest === null || left.changedMs >= newest.changedMs)) newest = left;
    }
  }
  if (newest !== null) return { kind: 'file', left: newest };
  if (fault !== null) throw fault;
  return { kind: 'nothing' };
}

/** A link counts as what it leads to, and a folder as all files in it. */
async function measure(path: string, files: LookFiles): Promise<Left | null> {
  const facts = await files.facts(path, 'what it leads to');
  if (facts === null) return null;
  const inside = facts.isFolder ? await filesIn(path, files) : [facts];
  return {
    path,
    bytes: inside.reduce((sum, { bytes }) => sum + bytes, 0),
    changedMs: inside.reduce(
      (most, one) => Math.max(most, one.changedMs),
      inside[0]?.changedMs ?? facts.changedMs,
    ),
  };
}

/** Links in a folder are not followed: they may lead to a folder above. */
async function filesIn(folder: string, files: LookFiles): Promise<FileFacts[]> {
  const found: FileFacts[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const at = next;
    for (const batch of batchesOf((await files.names(at)).map((name) => join(at, name)))) {
      const facts = await Promise.all(batch.map((path) => files.facts(path, 'the link itself')));
      facts.forEach((one, index) => {
        if (one?.isFolder) folders.push(batch[index] ?? '');
        else if (one !== null && one !== undefined && !one.isLink) found.push(one);
      });
    }
  }
  return found;
}

function* batchesOf(paths: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < paths.length; at += BATCH) yield paths.slice(at, at + BATCH);
}
