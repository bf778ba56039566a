/** MQTT 3.1.1, http://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html */

const CONNECT = 0x10;
const CONNACK = 0x20;
const PUBLISH_ONCE_AT_LEAST = 0x32;
const PUBACK = 0x40;
const DISCONNECT = 0xe0;
const RETAIN = 0x01;

const CLEAN_SESSION = 0x02;
const HAS_PASSWORD = 0x40;
const HAS_USERNAME = 0x80;
/** Longer than any conversation of ours. */
const KEEP_ALIVE_SECONDS = 120;

export interface Credentials {
  readonly clientId: string;
  /** Empty if there is none. */
  readonly username: string;
  readonly password: string;
}

/** Section 3.1. */
export function connectPacket({ clientId, username, password }: Credentials): Uint8Array {
  const flags =
    CLEAN_SESSION |
    (username === '' ? 0 : HAS_USERNAME) |
    (username === '' || password === '' ? 0 : HAS_PASSWORD);
  return packet(
    CONNECT,
    text('MQTT'),
    Uint8Array.of(4, flags),
    number(KEEP_ALIVE_SECONDS),
    text(clientId),
    ...(flags & HAS_USERNAME ? [text(username)] : []),
    ...(flags & HAS_PASSWORD ? [text(password)] : []),
  );
}

/** Section 3.3, to be acknowledged. */
export function publishPacket(
  topic: string,
  payload: string,
  { id, isRetained }: { readonly id: number; readonly isRetained: boolean },
): Uint8Array {
  const kind = PUBLISH_ONCE_AT_LEAST | (isRetained ? RETAIN : 0);
  return packet(kind, text(topic), number(id), new TextEncoder().encode(payload));
}

/** Section 3.14. */
export function disconnectPacket(): Uint8Array {
  return packet(DISCONNECT);
}

/** A broker's answer. */
export type Answer =
  | { readonly kind: 'connected'; readonly code: number }
  | { readonly kind: 'published'; readonly id: number }
  | { readonly kind: 'other' };

/** The first packet of the bytes, and its length. Null if there is not all of it yet. */
export function readPacket(bytes: Uint8Array): { readonly answer: Answer; readonly length: number } | null {
  const [kind, ...rest] = bytes;
  const size = readLength(rest);
  if (kind === undefined || size === null) return null;
  const start = 1 + size.bytes;
  if (bytes.length < start + size.value) return null;
  const [first = 0, second = 0] = bytes.subarray(start, start + size.value);
  return { answer: answerOf(kind, first, second), length: start + size.value };
}

function answerOf(kind: number, first: number, second: number): Answer {
  if (kind === CONNACK) return { kind: 'connected', code: second };
  if (kind === PUBACK) return { kind: 'published', id: first * 256 + second };
  return { kind: 'other' };
}

/** The first packets of the protocol that a broker sends back, for previews and tests. */
export function acceptedPacket(written: Uint8Array): Uint8Array {
  const kind = written[0] ?? 0;
  if (kind === CONNECT) return Uint8Array.of(CONNACK, 2, 0, 0);
  return (kind & 0xf0) === 0x30 ? Uint8Array.of(PUBACK, 2, 0, 1) : new Uint8Array();
}

function packet(kind: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(kind, ...writtenLength(body.length)), body]);
}

function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff);
}

/** Section 2.2.3: seven bits in a byte, the lowest first. */
function writtenLength(length: number): number[] {
  return length < 128 ? [length] : [(length % 128) | 128, ...writtenLength(Math.floor(length / 128))];
}

/** The longest has four bytes. Null if some of them are missing. */
function readLength(bytes: readonly number[]): { readonly value: number; readonly bytes: number } | null {
  const last = bytes.slice(0, 4).findIndex((byte) => byte < 128);
  if (last === -1) return bytes.length < 4 ? null : { value: Number.POSITIVE_INFINITY, bytes: 4 };
  const value = bytes.slice(0, last + 1).reduceRight((sum, byte) => sum * 128 + (byte & 127), 0);
  return { value, bytes: last + 1 };
}
