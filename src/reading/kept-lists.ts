import type { CheckOutline } from '../domain/check/check.ts';
import { isWithin, type Span } from '../domain/check/status.ts';
import { ByteCache } from '../lib/byte-cache.ts';
import { etagOf } from '../lib/etag.ts';
import type { Instant } from '../lib/instant.ts';
import type { KeptCheck, ListPiece } from '../wire/api/kept-checks.ts';

/** Pieces of a kept list are sent one by one. They need not be made, so they are longer than others. */
const PIECE_BYTES = 512 * 1024;
/** Memory that each list takes besides its text and its key, roughly. */
const ENTRY_BYTES = 1_024;
const KEY_CHARACTER_BYTES = 2;

export const BEGINNING = Buffer.from('{"checks":[');
export const ENDING = Buffer.from(']}');

/** The text of `{"checks": […]}`, with the revisions of its checks. */
export class KeptList implements Span {
  readonly from: Instant;
  readonly until: Instant;
  /** Differs whenever the text does. */
  readonly tag: string;
  /** The size of the text. */
  readonly byteLength: number;
  /** In shared memory, so that sending them copies nothing. */
  readonly pieces: readonly Uint8Array[];
  /** The id and the revision of each check. */
  readonly #forms: Float64Array;

  constructor(checks: readonly KeptCheck<ListPiece>[]) {
    this.from = checks.reduce((latest, { from }) => Math.max(latest, from), Number.NEGATIVE_INFINITY);
    this.until = checks.reduce((earliest, { until }) => Math.min(earliest, until), Number.POSITIVE_INFINITY);
    this.#forms = Float64Array.from(checks.flatMap(({ id, revision }) => [id, revision]));
    const checksums = Float64Array.from(checks, ({ checksum }) => checksum);
    const content = [this.#forms, checksums].map(({ buffer }) => new Uint8Array(buffer));
    this.tag = `W/${etagOf(Buffer.concat(content))}`;
    this.pieces = sharedPieces(checks);
    this.byteLength = this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Memory in all, roughly. */
  get occupiedBytes(): number {
    return this.byteLength + this.#forms.byteLength + ENTRY_BYTES;
  }

  /** Whether it would be the same if it were made of these checks now. */
  isRight(outlines: readonly CheckOutline[], now: Instant): boolean {
    const forms = this.#forms;
    return (
      isWithin(this, now) &&
      forms.length === 2 * outlines.length &&
      outlines.every(
        ({ id, revision }, index) => forms[2 * index] === id && forms[2 * index + 1] === revision,
      )
    );
  }
}

/** Each check begins with the comma that divides it from the one before. */
export function withoutComma(piece: ListPiece): Uint8Array {
  return piece.subarray(1);
}

function sharedPieces(checks: readonly KeptCheck<ListPiece>[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  let length = 0;
  const finish = () => {
    pieces.push(joined(parts, new Uint8Array(new SharedArrayBuffer(length))));
    parts = [];
    length = 0;
  };
  const add = (part: Uint8Array) => {
    if (length > 0 && length + part.length > PIECE_BYTES) finish();
    parts.push(part);
    length += part.length;
  };
  add(BEGINNING);
  for (const [index, { json }] of checks.entries()) add(index === 0 ? withoutComma(json) : json);
  add(ENDING);
  finish();
  return pieces;
}

export function joined(parts: readonly Uint8Array[], whole: Uint8Array): Uint8Array {
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Lists that were made before, within limits. */
export class KeptLists {
  readonly #kept: ByteCache<string, { readonly list: KeptList; readonly byteLength: number }>;
  readonly #maxHeldBytes: number;
  /** The number of answers that are being sent from each list. */
  readonly #held = new Map<KeptList, number>();
  #heldBytes = 0;

  constructor({ maxKeptBytes, maxHeldBytes }: { maxKeptBytes: number; maxHeldBytes: number }) {
    this.#kept = new ByteCache(maxKeptBytes);
    this.#maxHeldBytes = maxHeldBytes;
  }

  get(key: string): KeptList | undefined {
    return this.#kept.get(key)?.list;
  }

  set(key: string, list: KeptList): void {
    this.#kept.set(key, { list, byteLength: list.occupiedBytes + KEY_CHARACTER_BYTES * key.length });
  }

  /**
   * Keeps the list in memory until the result is disposed of. Returns null if slow clients hold too many lists that have
   * changed since.
   */
  hold(list: KeptList): Disposable | null {
    const holders = this.#held.get(list) ?? 0;
    if (holders === 0) {
      if (this.#heldBytes + list.byteLength > this.#maxHeldBytes) return null;
      this.#heldBytes += list.byteLength;
    }
    this.#held.set(list, holders + 1);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#release(list);
        isOver = true;
      },
    };
  }

  #release(list: KeptList): void {
    const holders = (this.#held.get(list) ?? 0) - 1;
    if (holders > 0) {
      this.#held.set(list, holders);
      return;
    }
    this.#held.delete(list);
    this.#heldBytes -= list.byteLength;
  }
}
