import type { Identity, NewIdentity } from '../../domain/people/identity.ts';
import type { Instant } from '../../lib/instant.ts';

export interface IdentityReads {
  bySubject(issuer: string, subject: string): Promise<Identity | null>;
  /** In order of creation. */
  ofAccount(accountId: number): Promise<Identity[]>;
}

export interface IdentityWrites extends IdentityReads {
  /** Conflicts if the person has an account, or the account a person of this issuer. */
  insert(identity: NewIdentity): Promise<Identity>;
  noteUse(id: number, use: { email: string; at: Instant }): Promise<void>;
  /** Returns false if the account has no such identity. */
  remove(accountId: number, uuid: string): Promise<boolean>;
}
