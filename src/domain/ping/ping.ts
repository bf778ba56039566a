import { type Instant, type Micros, seconds } from '../../lib/instant.ts';

/** The meaning of a ping. */
export type Signal = 'success' | 'start' | 'progress' | 'fail' | 'log' | 'ign';

/** One received signal, numbered from 1 within its check. */
export interface Ping {
  checkId: number;
  n: number;
  createdAt: Instant;
  /** When the thing happened that it reports, if it came late. Null: just then. */
  occurredAt: Instant | null;
  signal: Signal;
  /** `http`, `https` or `email`. */
  scheme: string;
  /** Empty for e-mail. */
  method: string;
  remoteAddr: string | null;
  userAgent: string;
  /** The run that the client says it belongs to. */
  rid: string | null;
  exitStatus: number | null;
  /** When the run began that it ends. Null if it ends none, or if that is not known. */
  runStartedAt: Instant | null;
  /** What was remarkable about the run that it ends, as `RUN_FLAGS` says. Null: nothing. */
  runFlags: number | null;
  /** The declared numbers of the run that it ends, by name, as JSON. Null if there are none. */
  runNumbers: string | null;
  /** Bytes of body, in the database or in object storage. */
  bodySize: number;
}

/** Of a ping that ends no run, or of whose run nothing is known. */
export const NO_RUN_FACTS = { runStartedAt: null, runFlags: null, runNumbers: null } as const;

/** A ping to store, with its body. A stored ping is read without its body. */
export type NewPing = Omit<Ping, 'bodySize'> & { body: Uint8Array | null };

/** The longest time between an event and the ping that reports it. */
export const MAX_PING_AGE_SECONDS = 30 * 24 * 3600;
export const MAX_PING_AGE: Micros = seconds(MAX_PING_AGE_SECONDS);

/** A ping comes late if the event is at least so old. Less is the time that requests take. */
const LATE_FROM: Micros = seconds(1);

export function isLate(age: Micros | undefined): age is Micros {
  return age !== undefined && age >= LATE_FROM;
}

/** When the thing happened that the ping reports. */
export function happenedAt({
  createdAt,
  occurredAt,
}: Pick<Ping, 'createdAt'> & Partial<Pick<Ping, 'occurredAt'>>): Instant {
  return occurredAt ?? createdAt;
}

/** Pings of a check that the API lists, if so many are kept. */
export const MAX_LISTED_PINGS = 1000;

/** Characters of a user agent that are kept. */
export const MAX_PING_USER_AGENT = 200;

/** In bytes. Longer bodies are stored apart from their ping, in the database or in object storage. */
const MAX_INLINE_BODY = 100;

export function hasLongBody<P extends Pick<NewPing, 'body'>>(ping: P): ping is P & { body: Uint8Array } {
  return ping.body !== null && ping.body.length > MAX_INLINE_BODY;
}

/** A longer run counts as one without a start. */
export const MAX_RUN: Micros = seconds(72 * 3600);
