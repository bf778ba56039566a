import type { ImportRow, PingTarget, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import type { Import, ImportedPing } from './import.ts';

/** How many pings of each check come: a number, all that there are, none, or as many as its owner keeps. */
export type History = number | 'all' | 'none' | 'limit';

/** Pings that are written in one transaction. */
const PINGS_AT_ONCE = 1_000;
/** Checks that are read at once. */
const CHECKS_AT_ONCE = 1_000;
/** Bytes of bodies that are written in one transaction. */
const BYTES_AT_ONCE = 8_000_000;

export interface CarriedPings {
  readonly pings: number;
  /** Of these, pings whose bodies are in object storage. */
  readonly bodiesElsewhere: number;
  /** Pings that stay behind because newer ones are as many as are wanted. */
  readonly olderPings: number;
}

export const NO_PINGS: CarriedPings = { pings: 0, bodiesElsewhere: 0, olderPings: 0 };

/**
 * Writes the pings in pieces. Each piece notes its place in the same transaction, so that an import that was killed goes on
 * there. Pings that arrive here meanwhile have higher numbers.
 */
export async function importPings(
  deps: Pick<Deps, 'store'>,
  source: Pick<Import, 'pings'>,
  row: ImportRow,
  wanted: WantedPings,
  tell: (pings: number) => void,
): Promise<CarriedPings> {
  const total = { ...NO_PINGS };
  let reached = row;
  for await (const { pings, older, place } of pieces(source.pings(row.place), wanted)) {
    const written = await writePiece(deps, reached, pings, place);
    reached = { ...reached, place };
    total.pings += written.length;
    total.bodiesElsewhere += written.filter(isElsewhere).length;
    total.olderPings += older;
    tell(total.pings);
  }
  return total;
}

/** Counts the pings that would come. */
export async function countPings(
  source: Pick<Import, 'pings'>,
  row: ImportRow,
  wanted: WantedPings,
): Promise<CarriedPings> {
  const total = { ...NO_PINGS };
  for await (const { pings, older } of pieces(source.pings(row.place), wanted)) {
    total.pings += pings.length;
    total.bodiesElsewhere += pings.filter(isElsewhere).length;
    total.olderPings += older;
  }
  return total;
}

const isElsewhere = ({ body, longBodySize }: ImportedPing): boolean => body === null && longBodySize !== null;

/** Finds the check of each ping that is to come. */
export class WantedPings {
  readonly #targets: ReadonlyMap<string, PingTarget>;
  readonly #history: History;
  readonly #oldest: ReadonlyMap<number, number>;

  private constructor(
    targets: ReadonlyMap<string, PingTarget>,
    history: History,
    oldest: ReadonlyMap<number, number>,
  ) {
    this.#targets = targets;
    this.#history = history;
    this.#oldest = oldest;
  }

  /** `oldest` are the numbers of the oldest pings here, by the ids of checks. Empty: older ones do not come. */
  static async read(
    tx: Writes,
    importId: number,
    history: History,
    oldest: ReadonlyMap<number, number> = new Map(),
  ): Promise<WantedPings> {
    const targets = new Map<string, PingTarget>();
    for (let after = history === 'none' ? undefined : ''; after !== undefined; ) {
      const some: readonly PingTarget[] = await tx.imports.pingTargets(importId, after, CHECKS_AT_ONCE);
      for (const target of some) targets.set(target.uuid, target);
      after = some.at(-1)?.uuid;
    }
    return new WantedPings(targets, history, oldest);
  }

  /** Whether pings may be missing that an earlier import with a shorter history has left out. */
  get hasGaps(): boolean {
    return [...this.#targets.values()].some((target) => {
      const oldest = this.#oldest.get(target.checkId) ?? 1;
      return oldest <= target.pingCount && oldest > this.#first(target);
    });
  }

  /** Undefined if the ping is not to come. */
  checkIdOf({ checkUuid, n, place }: ImportedPing): number | undefined {
    const target = this.#targets.get(checkUuid);
    if (target === undefined || n > target.pingCount || n < this.#first(target)) return undefined;
    const isHere = place <= target.place && n >= (this.#oldest.get(target.checkId) ?? 0);
    return isHere ? undefined : target.checkId;
  }

  isOlder({ checkUuid, n }: ImportedPing): boolean {
    const target = this.#targets.get(checkUuid);
    return target !== undefined && n < this.#first(target);
  }

  /** The number of the oldest ping that is to come. */
  #first(target: PingTarget): number {
    return Math.max(1, target.pingCount - this.#most(target) + 1);
  }

  #most({ pingLimit }: PingTarget): number {
    if (this.#history === 'none') return 0;
    if (this.#history === 'all') return Number.POSITIVE_INFINITY;
    return this.#history === 'limit' ? pingLimit : this.#history;
  }
}

type WantedPing = ImportedPing & { readonly checkId: number };

interface Piece {
  readonly pings: readonly WantedPing[];
  readonly older: number;
  /** Of the last ping that was looked at. */
  readonly place: number;
}

async function* pieces(pings: AsyncIterable<ImportedPing>, wanted: WantedPings): AsyncGenerator<Piece> {
  let piece: WantedPing[] = [];
  let bytes = 0;
  let older = 0;
  let place: number | null = null;
  for await (const ping of pings) {
    place = ping.place;
    const checkId = wanted.checkIdOf(ping);
    if (checkId === undefined) {
      if (wanted.isOlder(ping)) older++;
      continue;
    }
    piece.push({ ...ping, checkId });
    bytes += ping.body?.length ?? 0;
    if (piece.length < PINGS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield { pings: piece, older, place };
    piece = [];
    bytes = 0;
    older = 0;
  }
  if (place !== null) yield { pings: piece, older, place };
}

/** Returns the pings of checks that still exist. */
async function writePiece(
  { store }: Pick<Deps, 'store'>,
  row: ImportRow,
  pings: readonly WantedPing[],
  place: number,
): Promise<readonly WantedPing[]> {
  return store.transaction(
    async (tx) => {
      if (!(await tx.imports.movePlace(row, place)))
        throw new Error('another import from the same installation is running');
      // Nobody deletes them meanwhile.
      const held = await tx.checks.lockByIds([...new Set(pings.map(({ checkId }) => checkId))]);
      const kept = pings.filter(({ checkId }) => held.has(checkId));
      await tx.pings.insertMany(kept);
      return kept;
    },
    { sharesCommit: false },
  );
}
