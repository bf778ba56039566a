import type { Act } from '../../domain/people/audit.ts';
import type { Identity } from '../../domain/people/identity.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Session } from '../../domain/people/session.ts';
import type { Instant } from '../../lib/instant.ts';
import { type AccountActor, requireOnAccount } from './account-actor.ts';
import type { AccountDeps, AccountSettings } from './deps.ts';
import { type Profile, readProfile } from './profile.ts';
import { type SecondFactors, secondFactorsOf } from './second-factors.ts';
import { listSessions } from './sessions.ts';
import { type ListedToken, tokensOf } from './tokens.ts';

/** Acts read at once. */
const PAGE = 200;

/** Everything that is known of a person. */
export interface PersonalData {
  readonly profile: Profile;
  readonly sessions: readonly Session[];
  readonly secondFactors: SecondFactors;
  readonly identities: readonly Identity[];
  readonly tokens: readonly ListedToken[];
  /** Projects that the person owns or is a member of. */
  readonly projects: readonly Project[];
  /** What the person did, the latest first. Read while it is used. */
  readonly acts: AsyncIterable<Act>;
  /** When it was read. */
  readonly now: Instant;
}

/** What a thread that reads has for this. */
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
