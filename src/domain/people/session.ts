import { type Instant, type Micros, seconds } from '../../lib/instant.ts';

/** A signed-in browser. Its cookie holds a random token. Only the digest of the token is stored. */
export interface Session {
  id: number;
  /** Names the session in lists. It opens nothing. */
  uuid: string;
  accountId: number;
  tokenDigest: string;
  createdAt: Instant;
  /** Written at most once in `SEEN_EVERY`. */
  lastSeenAt: Instant;
  /** Until then the person need not prove again who they are. */
  sudoUntilAt: Instant | null;
  remoteAddr: string | null;
  userAgent: string;
}

export type NewSession = Omit<Session, 'id'>;

export interface SessionLimits {
  /** A session ends when it was not used for this long. */
  readonly idle: Micros;
  /** A session ends when it is this old, even if it is in use. */
  readonly age: Micros;
}

/** Time after a proof of identity, at sign-in or later, in which dangerous acts are allowed. */
export const SUDO_SPAN: Micros = seconds(1_800);
export const SEEN_EVERY: Micros = seconds(60);
/** Sessions of one account. The one that was not used for the longest time ends first. */
export const MAX_SESSIONS = 100;
/** Sign-ins that an account sees of its past. */
export const MAX_SHOWN_SIGN_INS = 50;
/** Characters of the user agent that are kept. */
export const MAX_USER_AGENT = 300;

/** The earliest times at which a live session was last used and was created. */
export interface LiveSince {
  readonly seenAt: Instant;
  readonly createdAt: Instant;
}

export function liveSince({ idle, age }: SessionLimits, now: Instant): LiveSince {
  return { seenAt: now - idle, createdAt: now - age };
}

export function isLive(session: Session, limits: SessionLimits, now: Instant): boolean {
  const since = liveSince(limits, now);
  return session.lastSeenAt > since.seenAt && session.createdAt > since.createdAt;
}

/** Whether the person has recently proved who they are. */
export function isConfirmed({ sudoUntilAt }: Pick<Session, 'sudoUntilAt'>, now: Instant): boolean {
  return sudoUntilAt !== null && now < sudoUntilAt;
}

/** The id of a session that lasts for one request. No row has it. */
export const NO_ROW = 0;

/**
 * The digest of the row to which visits belong of an administrator whose sessions have no rows. It is the digest of no
 * token, so no browser can use the row.
 */
export function visitsDigest(accountId: number): string {
  return `visits of account ${accountId}`;
}
