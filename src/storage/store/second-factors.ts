import type { Authenticator } from '../../domain/people/second-factor.ts';

export interface SecondFactorReads {
  /** The app of the account, if it has one. */
  authenticatorOf(accountId: number): Promise<Authenticator | null>;
  recoveryCodeCount(accountId: number): Promise<number>;
  /** Apps of accounts after that one, in the order of their ids, at most `most`. */
  authenticators(afterAccountId: number, most: number): Promise<Authenticator[]>;
}

export interface SecondFactorWrites extends SecondFactorReads {
  /** Returns false if the account has an app already. `step` is that of the code that was used. */
  addAuthenticator(authenticator: Authenticator, step: number): Promise<boolean>;
  removeAuthenticator(accountId: number): Promise<void>;
  /** Notes that a code of that time step is used. Returns false if it, or a later one, was used before. */
  useStep(accountId: number, step: number): Promise<boolean>;
  /** Saves the secret under a new seal, unless the account has another app meanwhile. */
  reseal(authenticator: Authenticator, sealed: string): Promise<void>;
  /** Replaces all recovery codes. */
  setRecoveryCodes(accountId: number, digests: readonly string[]): Promise<void>;
  /** Uses the code up. Returns false if there is none with this digest. */
  useRecoveryCode(accountId: number, digest: string): Promise<boolean>;
}
