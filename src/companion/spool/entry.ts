import type { Moment, Ping, Signal } from '../ping.ts';

/** The first line of a waiting ping's file as JSON. The body is behind it. */
interface Head {
  readonly version: 1;
  /** Address, query and label of the check. */
  readonly address: string;
  readonly query: string;
  readonly check: string;
  readonly signal: 'start' | 'success' | 'fail' | 'log' | 'exit';
  readonly exit_status: number | null;
  readonly rid: string | null;
  /** Milliseconds. */
  readonly wall: number;
  readonly boot_id: string | null;
  /** Seconds. */
  readonly since_boot: number | null;
  /** A file that was cut short is recognised by it. */
  readonly body_bytes: number;
}

/** A ping without its body. */
export type PingHead = Omit<Ping, 'body'> & { readonly bodyBytes: number };

/** The first line is not longer. */
export const MOST_HEAD_BYTES = 8_192;
/** The most of a body that anybody sends. */
export const MOST_BODY_BYTES = 1_048_576;

const NEWLINE = 10;

export function encodeEntry(ping: Ping): Uint8Array {
  const head: Head = {
    version: 1,
    address: ping.target.base,
    query: ping.target.query,
    check: ping.target.label,
    signal: typeof ping.signal === 'number' ? 'exit' : ping.signal,
    exit_status: typeof ping.signal === 'number' ? ping.signal : null,
    rid: ping.rid,
    wall: ping.at.wallMs,
    boot_id: ping.at.bootId,
    since_boot: ping.at.sinceBootMs === null ? null : ping.at.sinceBootMs / 1000,
    body_bytes: ping.body.length,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ping.body]);
}

/** Null if it is not a ping. Of a file's first bytes the head is enough. */
export function decodeHead(bytes: Uint8Array): PingHead | null {
  return readHead(bytes)?.head ?? null;
}

/** Null if it is not a whole ping. */
export function decodeEntry(bytes: Uint8Array): Ping | null {
  const found = readHead(bytes);
  if (found === null) return null;
  const { bodyBytes, ...ping } = found.head;
  const body = bytes.subarray(found.end + 1);
  return body.length === bodyBytes ? { ...ping, body } : null;
}

function readHead(bytes: Uint8Array): { readonly head: PingHead; readonly end: number } | null {
  const end = bytes.subarray(0, MOST_HEAD_BYTES).indexOf(NEWLINE);
  if (end < 0) return null;
  try {
    const head = parseHead(JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))));
    return head === null ? null : { head, end };
  } catch {
    return null;
  }
}

function parseHead(value: unknown): PingHead | null {
  if (typeof value !== 'object' || value === null) return null;
  const head: { readonly [K in keyof Head]?: unknown } = value;
  const signal = parseSignal(head.signal, head.exit_status);
  const at = parseMoment(head);
  const { address, query, check, rid, body_bytes: bodyBytes } = head;
  if (head.version !== 1 || signal === null || at === null) return null;
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  if (typeof query !== 'string' || typeof check !== 'string') return null;
  if (typeof rid !== 'string' && rid !== null) return null;
  if (typeof bodyBytes !== 'number' || !Number.isInteger(bodyBytes)) return null;
  if (bodyBytes < 0 || bodyBytes > MOST_BODY_BYTES) return null;
  return { target: { base: address, query, label: check }, signal, rid, at, bodyBytes };
}

function parseSignal(signal: unknown, exitStatus: unknown): Signal | null {
  if (signal === 'start' || signal === 'success' || signal === 'fail' || signal === 'log') return signal;
  const isStatus = typeof exitStatus === 'number' && Number.isInteger(exitStatus);
  return signal === 'exit' && isStatus && exitStatus >= 0 && exitStatus <= 255 ? exitStatus : null;
}

function parseMoment(head: { readonly [K in keyof Head]?: unknown }): Moment | null {
  const { wall, boot_id: bootId, since_boot: sinceBoot } = head;
  if (typeof wall !== 'number' || (typeof bootId !== 'string' && bootId !== null)) return null;
  if (typeof sinceBoot !== 'number' && sinceBoot !== null) return null;
  return { wallMs: wall, bootId, sinceBootMs: sinceBoot === null ? null : Math.round(sinceBoot * 1000) };
}

const NAME = /^(\d{1,15})-([0-9a-f]+)\.ping$/;

export function nameOf(order: number, random: string): string {
  return `${order}-${random}.ping`;
}

/** The number that a waiting ping's name begins with; null for other files. */
export function orderOf(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A waiting ping. */
export interface Waiting {
  readonly name: string;
  readonly head: PingHead;
}

/**
 * Puts pings into the order in which things happened. Names are in the order of writing. Within one boot the time since boot is
 * better: a ping that was tried for some seconds is written after a younger one.
 */
export function inOrder(waiting: readonly Waiting[]): Waiting[] {
  const byName = [...waiting].sort(
    (one, two) => (orderOf(one.name) ?? 0) - (orderOf(two.name) ?? 0) || (one.name < two.name ? -1 : 1),
  );
  const ordered: Waiting[] = [];
  for (let begin = 0; begin < byName.length; ) {
    const { bootId } = byName[begin]?.head.at ?? { bootId: null };
    let end = begin + 1;
    while (end < byName.length && byName[end]?.head.at.bootId === bootId) end += 1;
    const block = byName.slice(begin, end);
    // Sorting is stable: what happened in the same instant stays in the order of writing.
    if (bootId !== null) block.sort((one, two) => sinceBootMs(one) - sinceBootMs(two));
    ordered.push(...block);
    begin = end;
  }
  return ordered;
}

function sinceBootMs({ head }: Waiting): number {
  return head.at.sinceBootMs ?? 0;
}
