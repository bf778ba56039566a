import type { Instant } from '../../lib/instant.ts';

/** Accounts take turns in an outbox. This is one turn. */
export interface Turn {
  readonly accountId: number;
  /** How many rows may be leased. */
  readonly limit: number;
}

/** Some of the accounts that have rows in an outbox, in the order of their ids. */
export interface AccountSpan {
  readonly above: number;
  readonly upTo: number;
  readonly limit: number;
}

export interface WaitingAccount {
  readonly id: number;
  /** When the first of its rows is due. */
  readonly dueAt: Instant;
}

/** An outbox whose rows are leased in turn. */
export interface TurnTaking {
  /** Ends leases that have run out, so that their rows are due again. */
  endLapsed(now: Instant): Promise<void>;
  /** The accounts of the span that have rows which nobody has in hand, due or not. */
  waitingAccounts(span: AccountSpan): Promise<WaitingAccount[]>;
}
