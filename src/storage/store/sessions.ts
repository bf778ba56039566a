import type { LiveSince, NewSession, Session } from '../../domain/people/session.ts';
import type { Instant } from '../../lib/instant.ts';

/** A session with what every request needs of its account. */
export interface OpenSession {
  readonly session: Session;
  readonly account: {
    readonly uuid: string;
    readonly email: string;
    readonly name: string;
    readonly isAdmin: boolean;
  };
}

export interface SessionReads {
  /** The session whose token has this digest, live or not. Null if its account is not active. */
  byDigest(tokenDigest: string): Promise<OpenSession | null>;
  /** Sessions of the account, the last used first. */
  ofAccount(accountId: number): Promise<Session[]>;
}

export interface SessionWrites extends SessionReads {
  insert(session: NewSession): Promise<Session>;
  /** Replaces the token and the time until which the person need not prove who they are. False if the session has ended. */
  rotate(id: number, made: { tokenDigest: string; sudoUntilAt: Instant | null }): Promise<boolean>;
  /** Notes that the session was used from there. */
  noteSeen(id: number, seen: { at: Instant; remoteAddr: string | null }): Promise<void>;
  /** Returns false if the account has no such session. */
  endByUuid(accountId: number, uuid: string): Promise<boolean>;
  end(id: number): Promise<void>;
  /** Ends all sessions of the account except one. Null ends all. Returns their number. */
  endOthers(accountId: number, exceptId: number | null): Promise<number>;
  /** Ends the sessions of the account that were not used for the longest time, so that at most `most` remain. */
  endOldest(accountId: number, most: number): Promise<void>;
  /** Removes sessions that are not live, at most `most`. Returns their number. */
  prune(since: LiveSince, most: number): Promise<number>;
}
