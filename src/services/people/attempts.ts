import { CONNECTION_SPAN } from '../../domain/alert/channel.ts';
import { CONFIRMATION_CODE_LIFE } from '../../domain/alert/confirmation-code.ts';
import { AppError } from '../../domain/errors.ts';
import {
  type AttemptRule,
  afterAttempt,
  type FullAt,
  secondsUntilAttempt,
} from '../../domain/people/attempt-limit.ts';
import { PROVIDER_SIGN_IN_SPAN } from '../../domain/people/identity.ts';
import { MAILED_LINK_SPAN } from '../../domain/people/link.ts';
import { CHALLENGE_SPAN } from '../../domain/people/passkey.ts';
import { seconds } from '../../lib/instant.ts';
import { RecentlyUsed } from '../../lib/recently-used.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

const HOUR = seconds(3_600);
const DAY = 24 * HOUR;

/** The limits: so many at once, and as many again in the span. */
export const ATTEMPT_RULES = {
  /** Passwords for one account, from browsers that were never signed in to it. */
  passwordsPerAccount: rule(20, DAY),
  /** Passwords for any account, from the same browsers of one network. */
  passwordsPerNetwork: rule(100, HOUR),
  /** Passwords for one account, from a browser that was signed in to it before. */
  passwordsPerDevice: rule(20, HOUR),
  /** Mails that anybody may have sent to one mailbox, from browsers that were never signed in to its account. */
  mailsPerMailbox: rule(10, HOUR),
  /** Mails to any mailbox, from the same browsers of one network. */
  mailsPerNetwork: rule(20, HOUR),
  /** Mails to one account, from a browser that was signed in to it before. */
  mailsPerDevice: rule(10, HOUR),
  /** Mails beyond a mailbox's shared ones, to that mailbox from one network. Other networks cannot use them up. */
  mailsPerMailboxAndNetwork: rule(3, HOUR),
  /**
   * Such mails with a link for one purpose, to one address. If none is left, one was counted within the last five
   * minutes: there is a link in the mailbox that works.
   */
  mailsPerAddress: rule(12, HOUR),
  /** Invitations that one person sends or makes links for. */
  invitationsPerAccount: rule(20, DAY),
  /** Invitations that anybody sends to one mailbox. */
  invitationsPerMailbox: rule(10, DAY),
  /** Accounts that are made at once, without a mail, from one network. */
  accountsPerNetwork: rule(20, HOUR),
  /** Codes of an app of one account, after the first proof, from browsers that were never signed in to it. */
  codesPerAccount: rule(72, DAY),
  /** Codes of an app of one account, from a browser that was signed in to it before, or in one session. */
  codesPerDevice: rule(12, DAY),
  /** Recovery codes of one account, from one network or one known browser. They are too random to be guessed. */
  recoveryCodesPerSender: rule(20, HOUR),
  /** Wrong second factors of one account before its owner is told. */
  wrongFactorsUntold: rule(4, DAY),
  /** Mails that tell the owner of an account of wrong second factors. */
  wrongFactorNotices: rule(1, DAY),
  triesPerMailedCode: rule(5, MAILED_LINK_SPAN),
  /** Tries of all codes in mails to one mailbox that browsers asked for which were never signed in to its account. */
  triesPerMailbox: rule(50, HOUR),
  /** Answers to one challenge. After the span the challenge itself has expired. */
  usesPerChallenge: rule(1, CHALLENGE_SPAN),
  /** Sign-ins by a provider, from one network. Each costs requests to the provider. */
  providerSignInsPerNetwork: rule(1_000, HOUR),
  /** Answers of a provider to one sign-in. After the span the sign-in itself has expired. */
  usesPerProviderSignIn: rule(1, PROVIDER_SIGN_IN_SPAN),
  /** Ways back from a provider at which a channel is set up. After the span the way back itself has expired. */
  usesPerConnection: rule(1, CONNECTION_SPAN),
  /** Proofs of identity of one session. */
  proofsPerSession: rule(20, HOUR),
  /** Mails and codes by which all projects of one account ask recipients to confirm that messages are wanted. */
  confirmationsPerOwner: rule(20, DAY),
  /** Such mails and codes by anybody to one mailbox, phone number, user or room. */
  confirmationsPerRecipient: rule(5, DAY),
  /** Tries of one such code. After the span the code itself has expired. */
  triesPerConfirmationCode: rule(5, CONFIRMATION_CODE_LIFE),
  /** Requests to providers for all projects of one account while channels are set up, such as joining a room. */
  preparationsPerOwner: rule(30, DAY),
  /** Test messages of all projects of one account, and messages that people send again. Each makes requests to others. */
  testMessagesPerOwner: rule(60, HOUR),
  /** Offers of all projects of one account to their members, who get a mail each time. */
  offersPerOwner: rule(20, DAY),
} as const satisfies Record<string, AttemptRule>;

export type AttemptRuleName = keyof typeof ATTEMPT_RULES;

/** One attempt, and its counter. */
export interface Attempt {
  readonly rule: AttemptRuleName;
  /** The counted network, address or session. */
  readonly subject: string;
  /** Multiplies the limit of the rule. */
  readonly shares?: number;
}

/** Keys in memory. */
const MAX_REMEMBERED = 10_000;
/** Hex digits of a key. Addresses of people are not stored in clear where anybody may write them. */
const KEY_LENGTH = 32;
const MAX_PRUNED_AT_ONCE = 500;

type LimitDeps = Pick<Deps, 'store' | 'clock' | 'vault'>;

interface Counted {
  readonly key: string;
  readonly rule: AttemptRule;
}

interface State extends Counted {
  readonly fullAt: FullAt;
  readonly isRefused: boolean;
}

/**
 * Limits attempts, for all nodes together. The state is in the database. A state that this node has seen there is
 * enough to refuse: other nodes only take attempts away. So somebody who tries a thousand times a second does not reach
 * the database.
 */
export class Attempts {
  readonly #deps: LimitDeps;
  readonly #seen = new RecentlyUsed<string, { fullAt: FullAt }>(MAX_REMEMBERED);

  constructor(deps: LimitDeps) {
    this.#deps = deps;
  }

  /** Counts the attempt against all of these, or refuses it and counts it against none. */
  async take(attempts: readonly Attempt[]): Promise<void> {
    const counted = this.#counted(attempts);
    for (const one of counted) this.#requireLeft(one);
    const states = await this.#deps.store.transaction((tx) => this.#count(tx, counted));
    for (const { key, fullAt } of states) this.#entry(key).fullAt = fullAt;
    for (const state of states) if (state.isRefused) this.#refuse(state, state.fullAt);
  }

  /** Counts attempts where something else can be tried. Returns why the attempt is refused; null if it was counted. */
  async tryTake(attempts: readonly Attempt[]): Promise<AppError | null> {
    try {
      await this.take(attempts);
      return null;
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_attempts') return error;
      throw error;
    }
  }

  async #count(tx: Writes, counted: readonly Counted[]): Promise<State[]> {
    const now = this.#deps.clock.now();
    const states: State[] = [];
    for (const one of counted) {
      const fullAt = await tx.attemptLimits.lock(one.key);
      const after = afterAttempt(fullAt, one.rule, now);
      if (after === null) return [{ ...one, fullAt, isRefused: true }];
      states.push({ ...one, fullAt: after, isRefused: false });
    }
    for (const { key, fullAt } of states) await tx.attemptLimits.save(key, fullAt ?? now);
    return states;
  }

  /** Every process locks keys in the same order, so that none waits for another in a circle. */
  #counted(attempts: readonly Attempt[]): Counted[] {
    return attempts
      .map(({ rule, subject, shares = 1 }) => ({
        key: this.#deps.vault.sign(`attempts ${rule}`, subject, KEY_LENGTH),
        rule: times(ATTEMPT_RULES[rule], shares),
      }))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  #entry(key: string): { fullAt: FullAt } {
    return this.#seen.get(key, () => ({ fullAt: null }));
  }

  #requireLeft(counted: Counted): void {
    const { fullAt } = this.#entry(counted.key);
    if (afterAttempt(fullAt, counted.rule, this.#deps.clock.now()) === null) this.#refuse(counted, fullAt);
  }

  #refuse({ rule }: Counted, fullAt: FullAt): never {
    const retryAfterSeconds = secondsUntilAttempt(fullAt, rule, this.#deps.clock.now());
    throw new AppError('too_many_attempts', undefined, { retryAfterSeconds });
  }
}

/** Forgets a bounded number of keys that have all their attempts again. Returns whether there may be more. */
export async function pruneAttempts({ store, clock }: Pick<Deps, 'store' | 'clock'>): Promise<boolean> {
  const now = clock.now();
  const pruned = await store.transaction((tx) => tx.attemptLimits.prune(now, MAX_PRUNED_AT_ONCE));
  return pruned === MAX_PRUNED_AT_ONCE;
}

function rule(maxAttempts: number, span: number): AttemptRule {
  return { maxAttempts, regain: span / maxAttempts };
}

/** The rule with so many times as many attempts in the same span. */
function times({ maxAttempts, regain }: AttemptRule, shares: number): AttemptRule {
  return { maxAttempts: maxAttempts * shares, regain: regain / shares };
}
