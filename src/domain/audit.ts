import type { Instant } from '../lib/instant.ts';

/** By which means somebody acted. */
export type Means = 'session' | 'api_key' | 'account_token' | 'file' | 'command' | 'link' | 'program';

/** Who acts, as the audit log names them. */
export interface ActedBy {
  /** Null if it is no account. */
  readonly accountId: number | null;
  readonly name: string;
  readonly means: Means;
  readonly remoteAddr: string | null;
}

/** What somebody did, for the record. It must contain no secrets. */
export interface Act {
  id: number;
  createdAt: Instant;
  /** Who acted. Null if it was no account, or the account is gone. */
  accountId: number | null;
  /** The name of whoever acted, as it was then. */
  actor: string;
  means: Means;
  remoteAddr: string | null;
  /** The project that the act concerns, if it concerns one. */
  projectId: number | null;
  /** What was done, such as `account.signed_in`. */
  action: string;
  subject: ActSubject;
  details: ActDetails;
}

/** What was acted on. */
export interface ActSubject {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** The values that changed, before and after, or other facts about the act. */
export type ActDetails = Readonly<Record<string, unknown>>;

export type NewAct = Omit<Act, 'id'>;
