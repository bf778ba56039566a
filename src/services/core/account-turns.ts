import type { Instant } from '../../lib/instant.ts';
import { Shares } from '../../lib/shares.ts';
import type { Turn, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';

/** The most accounts that are looked at for one lease. The others are looked at for the next one. */
const MAX_ACCOUNTS_SEEN = 200;
/** Storage's number for rows without an account. */
const NO_ACCOUNT = 0;
const BEFORE_ALL = -1;

/** Which accounts may lease rows now, and how many. */
export interface TurnPlan {
  readonly turns: readonly Turn[];
  /** Accounts with due rows, in the order of their turns. */
  readonly due: readonly number[];
  readonly lastSeen: number;
  /** Whether all accounts were looked at. */
  readonly isComplete: boolean;
}

/**
 * Lets accounts take turns in an outbox, and gives each a share of the rows that are under way. So an account with many
 * rows, or with rows that take long, delays others by one turn.
 */
export class AccountTurns {
  readonly #places: Shares<number>;
  readonly #crowded = new Set<number>();
  #last = BEFORE_ALL;

  constructor(maxConcurrent: number) {
    this.#places = new Shares(maxConcurrent);
  }

  /** Rows under way. */
  get taken(): number {
    return this.#places.taken;
  }

  /** Accounts whose due rows wait because as many of their rows are under way as their share allows. */
  crowdedAccounts(): number[] {
    return [...this.#crowded];
  }

  /** Reads whose turn it is. Changes nothing here, because a transaction may be repeated. */
  async plan(outbox: Pick<TurnTaking, 'waitingAccounts'>, now: Instant, limit: number): Promise<TurnPlan> {
    const later = await outbox.waitingAccounts({
      above: this.#last,
      upTo: Number.MAX_SAFE_INTEGER,
      limit: MAX_ACCOUNTS_SEEN,
    });
    const isRoundOver = later.length < MAX_ACCOUNTS_SEEN && this.#last > BEFORE_ALL;
    const earlier = isRoundOver
      ? await outbox.waitingAccounts({
          above: BEFORE_ALL,
          upTo: this.#last,
          limit: MAX_ACCOUNTS_SEEN - later.length,
        })
      : [];
    const seen = [...later, ...earlier];
    const due = seen.filter(({ dueAt }) => dueAt <= now).map(({ id }) => id);
    const turns = [...this.#places.allot(due, limit)].map(([accountId, limit]) => ({ accountId, limit }));
    return {
      turns,
      due,
      lastSeen: seen.at(-1)?.id ?? BEFORE_ALL,
      isComplete: seen.length < MAX_ACCOUNTS_SEEN,
    };
  }

  /** Takes places for the rows that were leased by the plan. */
  begin({ turns, due, lastSeen }: TurnPlan, leased: readonly OfAccount[]): void {
    for (const row of leased) this.#places.take(accountOf(row));
    this.#last = turns.at(-1)?.accountId ?? lastSeen;
    const short = new Set(leasedLess(turns, leased));
    for (const accountId of due) {
      if (short.has(accountId)) this.#crowded.delete(accountId);
      else if (this.#isFull(accountId)) this.#crowded.add(accountId);
    }
  }

  #isFull(accountId: number): boolean {
    return this.#places.heldBy(accountId) > 0 && this.#places.roomFor(accountId) === 0;
  }

  /** The row is no longer under way. */
  end(row: OfAccount): void {
    const accountId = accountOf(row);
    this.#places.giveBack(accountId);
    if (this.#places.heldBy(accountId) === 0) this.#crowded.delete(accountId);
  }
}

/** A leased row. Null: it belongs to no account. */
interface OfAccount {
  readonly accountId: number | null;
}

/** Rows that were leased. */
export interface Leased<Row> {
  readonly leased: readonly Row[];
  /** Whether all accounts were looked at. If not, there may be more to lease at once. */
  readonly isComplete: boolean;
}

/** An outbox whose rows are leased in turn. */
type TurnTaking = Pick<Writes['deliveries' | 'mails' | 'channelMessages'], 'endLapsed' | 'waitingAccounts'>;

interface LeaseInTurn {
  readonly now: Instant;
  readonly limit: number;
  readonly outbox: (tx: Writes) => TurnTaking;
}

/** Plans the turns and leases rows in one transaction. */
export async function leaseInTurn<Row extends OfAccount>(
  { store }: Pick<Deps, 'store'>,
  accounts: AccountTurns,
  { now, limit, outbox }: LeaseInTurn,
  lease: (tx: Writes, turns: readonly Turn[]) => Promise<Row[]>,
): Promise<Leased<Row>> {
  const { plan, leased } = await store.transaction(async (tx) => {
    await outbox(tx).endLapsed(now);
    const plan = await accounts.plan(outbox(tx), now, limit);
    return { plan, leased: plan.turns.length === 0 ? [] : await lease(tx, plan.turns) };
  });
  accounts.begin(plan, leased);
  return { leased, isComplete: plan.isComplete };
}

/** The accounts for which fewer rows were leased than their turn allowed. Their other rows cannot be leased now. */
export function leasedLess(turns: readonly Turn[], leased: readonly OfAccount[]): number[] {
  const counts = Map.groupBy(leased, accountOf);
  return turns
    .filter(({ accountId, limit }) => (counts.get(accountId)?.length ?? 0) < limit)
    .map(({ accountId }) => accountId);
}

function accountOf({ accountId }: OfAccount): number {
  return accountId ?? NO_ACCOUNT;
}
