import { crc32 } from 'node:zlib';
import type { Check } from '../../domain/check/check.ts';
import { divided, isWithin, type Span, steadySpan } from '../../domain/check/status.ts';
import { ByteCache } from '../../lib/byte-cache.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Site } from '../site.ts';
import { type BesideRow, checkAnswer } from './check-output.ts';
import { API_VERSIONS, type ApiVersion } from './version.ts';

/** The reader's view of a check: the same check reads differently in each. */
export interface CheckView {
  /** Whether UUIDs and ping addresses are shown. */
  readonly seesAddresses: boolean;
  readonly version: ApiVersion;
}

/** A check as it was read, with its channels. */
export interface ShownCheck extends BesideRow {
  readonly check: Check & { readonly revision: number };
  readonly channelUuids: readonly string[];
}

/** The JSON of a check, made once. */
export interface KeptCheck<Json> extends Span {
  readonly id: number;
  readonly revision: number;
  readonly json: Json;
  /** A number that the JSON of another check hardly shares. */
  readonly checksum: number;
  /** The size of the JSON, and of the objects that hold it. */
  readonly byteLength: number;
}

/** The JSON after a comma, ready to follow another one in a list. */
export type ListPiece = Uint8Array;

export function listPiece(json: string): ListPiece {
  return Buffer.from(`,${json}`);
}

/** Memory that each entry takes besides its JSON, roughly. */
const ENTRY_BYTES = 250;

/**
 * Keeps the JSON of checks. It is right as long as the check has the same revision and no boundary of its status has
 * passed, so any number of nodes may keep it.
 */
export class KeptChecks<Json extends string | Uint8Array> {
  readonly #kept: ByteCache<number, KeptCheck<Json>>;
  readonly #site: Site;
  readonly #form: (json: string) => Json;

  /** `form` turns the JSON into the kept form. */
  constructor(site: Site, maxBytes: number, form: (json: string) => Json) {
    this.#site = site;
    this.#kept = new ByteCache(maxBytes);
    this.#form = form;
  }

  /** The JSON of this form of the check. Undefined if it has to be made. */
  find(view: CheckView, { id, revision }: Revised, now: Instant): KeptCheck<Json> | undefined {
    const kept = this.#kept.get(keyOf(view, id));
    const isRight = kept?.revision === revision && isWithin(kept, now);
    return isRight ? kept : undefined;
  }

  /** Makes the JSON and keeps it. The channels must have been read after the check. */
  make(view: CheckView, { check, channelUuids, ...beside }: ShownCheck, now: Instant): KeptCheck<Json> {
    const { id, revision } = check;
    const text = JSON.stringify(checkAnswer(check, channelUuids, { ...view, now, site: this.#site }, beside));
    const json = this.#form(text);
    const byteLength = Buffer.byteLength(json) + ENTRY_BYTES;
    const kept = { id, revision, json, checksum: crc32(json), byteLength, ...spanOf(check, now) };
    this.#kept.set(keyOf(view, id), kept);
    return kept;
  }
}

/** So long the JSON is the same if the check is not written. */
function spanOf(check: Check, now: Instant): Span {
  const span = steadySpan(check, now);
  return check.snoozedUntilAt === null ? span : divided(span, check.snoozedUntilAt, now);
}

interface Revised {
  readonly id: number;
  readonly revision: number;
}

function keyOf({ seesAddresses, version }: CheckView, id: number): number {
  const viewCount = 2 * (API_VERSIONS.length + 1);
  return id * viewCount + 2 * version + Number(seesAddresses);
}
