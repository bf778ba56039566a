import type { NewPasskey, Passkey } from '../../domain/people/passkey.ts';
import type { Instant } from '../../lib/instant.ts';

export interface PasskeyReads {
  /** Whether anybody has one. */
  isAny(): Promise<boolean>;
  byCredentialId(credentialId: string): Promise<Passkey | null>;
  /** In order of creation. */
  ofAccount(accountId: number): Promise<Passkey[]>;
}

export interface PasskeyWrites extends PasskeyReads {
  insert(passkey: NewPasskey): Promise<Passkey>;
  /** Returns false if the passkey is gone. */
  noteUse(id: number, use: { counter: number; at: Instant }): Promise<boolean>;
  /** Returns false if the account has no such passkey. */
  rename(accountId: number, uuid: string, name: string): Promise<boolean>;
  /** Returns false if the account has no such passkey. */
  remove(accountId: number, uuid: string): Promise<boolean>;
  removeAll(accountId: number): Promise<void>;
}
