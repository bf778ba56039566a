import { type Act, type ActedBy, shownName } from '../../domain/people/audit.ts';
import type { Actor } from '../../domain/people/permission.ts';
import { seconds } from '../../lib/instant.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';

/** The details must contain no secrets. */
type ActToRecord = Pick<Act, 'action' | 'subject'> & Partial<Pick<Act, 'projectId' | 'details'>>;

/** Records acts in their transaction, so that neither is ever there without the other. */
export async function recordAct(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  { accountId, name: actor, means, remoteAddr }: ActedBy,
  ...acts: readonly ActToRecord[]
): Promise<void> {
  const createdAt = clock.now();
  const rows = acts.map(({ action, subject, projectId = null, details = {} }) => ({
    ...{ createdAt, accountId, actor, means, remoteAddr, projectId, action, subject, details },
  }));
  await tx.auditLog.insert(...rows);
}

/** The actor of a logged act, as it is shown now to people of the project, and to whoever has a button of a message. */
export async function shownActor(
  { accounts }: Pick<Reads, 'accounts'>,
  { accountId, actor, means }: Pick<Act, 'accountId' | 'actor' | 'means'>,
): Promise<string> {
  const account = accountId === null ? null : await accounts.byId(accountId);
  const chosenName = account?.name ?? '';
  // The log names a token behind the address of its account.
  const token = means === 'account_token' ? (/ \(.*\)$/s.exec(actor)?.[0] ?? '') : '';
  return shownName({ name: actor, chosenName: chosenName && chosenName + token });
}

/** Records acts in the actor's project, in their transaction. */
export async function recordInProject(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  { by, projectId }: Pick<Actor, 'by' | 'projectId'>,
  ...acts: readonly Omit<ActToRecord, 'projectId'>[]
): Promise<void> {
  await recordAct(deps, tx, by, ...acts.map((act) => ({ ...act, projectId })));
}

const MAX_PRUNED_AT_ONCE = 500;

/** Deletes entries that are older than `keptDays`. */
export class AuditLogPruner {
  readonly #deps: Pick<Deps, 'store' | 'clock'>;
  readonly #keptDays: number;
  /** The id of the last entry that was looked at. 0 begins with the first entry. */
  #after = 0;

  constructor(deps: Pick<Deps, 'store' | 'clock'>, keptDays: number) {
    this.#deps = deps;
    this.#keptDays = keptDays;
  }

  /** Looks at a bounded number of entries. Returns whether there may be more to delete. */
  async tick(): Promise<boolean> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const span = { before: now - seconds(this.#keptDays * 86_400), now };
    const place = { after: this.#after, most: MAX_PRUNED_AT_ONCE };
    const last = await store.transaction((tx) => tx.auditLog.prune({ ...span, ...place }));
    this.#after = last ?? 0;
    return last !== null;
  }
}
