import type { Act } from '../../domain/people/audit.ts';
import type { PersonalData } from '../../wire/dashboard/account-export.ts';
import { type AccountActor, requireOnAccount } from './account-actor.ts';
import type { AccountDeps, AccountSettings } from './deps.ts';
import { readProfile } from './profile.ts';
import { secondFactorsOf } from './second-factors.ts';
import { listSessions } from './sessions.ts';
import { tokensOf } from './tokens.ts';

/** Acts read at once. */
const PAGE = 200;

/** The part of the dependencies that a reader thread has. */
interface ExportDeps extends Pick<AccountDeps, 'store'> {
  readonly clock: Pick<AccountDeps['clock'], 'now'>;
  readonly settings: Pick<AccountSettings, 'sessions'>;
}

export async function exportAccount(deps: ExportDeps, actor: AccountActor): Promise<PersonalData> {
  requireOnAccount(actor, 'account.export');
  return {
    profile: await readProfile(deps, actor),
    sessions: await listSessions(deps, actor),
    secondFactors: await secondFactorsOf(deps.store, actor.accountId),
    identities: await deps.store.identities.ofAccount(actor.accountId),
    tokens: await tokensOf(deps.store, actor),
    projects: await deps.store.projects.accessibleTo(actor.accountId),
    acts: actsOf(deps, actor.accountId),
    now: deps.clock.now(),
  };
}

async function* actsOf({ store }: ExportDeps, accountId: number): AsyncGenerator<Act> {
  let page = await store.auditLog.ofAccount(accountId, Number.MAX_SAFE_INTEGER, PAGE);
  while (page.length > 0) {
    yield* page;
    page = await store.auditLog.ofAccount(accountId, page.at(-1)?.id ?? 0, PAGE);
  }
}
