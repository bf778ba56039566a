import type { AccountDeps } from '../../services/accounts/deps.ts';
import type { Instance } from '../../services/accounts/instance.ts';
import type { CheckWriter } from '../../services/check-writer.ts';
import type { Site } from '../../wire/site.ts';
import type { ChannelTools } from '../channel-tools.ts';
import { Cookies } from '../cookies.ts';
import type { LiveStreams } from '../live/live-streams.ts';
import type { Route } from '../route.ts';
import { accountRoutes } from './account.ts';
import { adminRoutes } from './admin.ts';
import { auditLogRoutes } from './audit-log.ts';
import { channelRoutes } from './channels.ts';
import { checkRoutes } from './checks.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { liveRoutes } from './live.ts';
import { memberRoutes } from './members.ts';
import { passkeyRoutes } from './passkeys.ts';
import { projectRoutes } from './projects.ts';
import { providerRoutes } from './provider.ts';
import { secondFactorRoutes } from './second-factors.ts';
import { sessionRoutes } from './sessions.ts';
import { setupRoutes } from './setup.ts';
import { signInRoutes } from './sign-in.ts';
import { signUpRoutes } from './sign-up.ts';
import { tokenRoutes } from './tokens.ts';

/** What the pages need besides accounts. */
interface Parts extends ChannelTools {
  readonly instance: Instance;
  readonly checkWriter: Pick<CheckWriter, 'perform'>;
  readonly live: Pick<LiveStreams, 'open' | 'poll'>;
}

/** The API of the dashboard. It is typed in `wire/dashboard`, and no part of the API reference. */
export function dashboardRoutes(
  deps: AccountDeps,
  site: Site,
  { instance, checkWriter, live, ...channelTools }: Parts,
): Route[] {
  const cookies = new Cookies(site);
  return [
    ...setupRoutes(deps, cookies),
    ...signUpRoutes(deps, cookies),
    ...signInRoutes(deps, cookies),
    ...sessionRoutes(deps, cookies),
    ...accountRoutes(deps, cookies),
    ...secondFactorRoutes(deps),
    ...passkeyRoutes(deps, cookies),
    ...tokenRoutes(deps),
    ...providerRoutes(deps, cookies, site),
    ...projectRoutes(deps),
    ...memberRoutes(deps),
    ...invitationRoutes(deps, cookies, site),
    ...keyRoutes(deps),
    ...checkRoutes(checkWriter),
    ...channelRoutes(deps, channelTools),
    ...auditLogRoutes(deps),
    ...adminRoutes(deps, site, instance),
    ...liveRoutes(deps, live),
  ];
}
