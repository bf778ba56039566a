import { USED_EVERY } from '../../domain/people/api-key.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Use } from '../../storage/store.ts';
import type { Deps } from './deps.ts';

/** Keys whose use waits to be written, and as many tokens. The use of others is not noted. */
export const MAX_WAITING_USES = 10_000;

/**
 * Remembers when keys and tokens were used, and from where, until the next tick writes it. So no request waits for that
 * or fails for it. Uses in memory are lost when the process is killed.
 */
export class KeyUses {
  readonly #deps: Pick<Deps, 'store'>;
  readonly #waiting = { apiKeys: new Map<number, Use>(), accountTokens: new Map<number, Use>() };

  constructor(deps: Pick<Deps, 'store'>) {
    this.#deps = deps;
  }

  /** Notes a use, unless one of the last minute is known. */
  note(
    kind: 'apiKeys' | 'accountTokens',
    { id, lastUsedAt }: { readonly id: number; readonly lastUsedAt: Instant | null },
    at: Instant,
    remoteAddr: string | null,
  ): void {
    if (lastUsedAt !== null && at - lastUsedAt < USED_EVERY) return;
    const waiting = this.#waiting[kind];
    if (waiting.has(id) || waiting.size >= MAX_WAITING_USES) return;
    waiting.set(id, { id, at, remoteAddr });
  }

  /** Writes the waiting uses, in one transaction. If that fails, the next tick tries again. */
  async tick(): Promise<boolean> {
    const { apiKeys, accountTokens } = this.#waiting;
    const uses = { apiKeys: [...apiKeys.values()], accountTokens: [...accountTokens.values()] };
    if (uses.apiKeys.length + uses.accountTokens.length === 0) return false;
    await this.#deps.store.transaction(async (tx) => {
      await tx.apiKeys.noteUses(uses.apiKeys);
      await tx.accountTokens.noteUses(uses.accountTokens);
    });
    for (const { id } of uses.apiKeys) apiKeys.delete(id);
    for (const { id } of uses.accountTokens) accountTokens.delete(id);
    return false;
  }
}
