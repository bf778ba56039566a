import type { AppError } from '../../domain/errors.ts';
import type { ChannelTools } from '../../services/alert/channel-tools.ts';
import type { CheckWriter } from '../../services/check/check-writer.ts';
import type { Instance } from '../../services/instance/instance.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import type { PingWriter } from '../../services/ping/ping-writer.ts';
import { Cookies } from '../../wire/dashboard/cookies.ts';
import type { Site } from '../../wire/site.ts';
import { errorReply } from '../error-map.ts';
import type { LiveStreams } from '../live/live-streams.ts';
import type { Route } from '../route.ts';
import { accountExportRoutes } from './account-export.ts';
import { auditLogRoutes } from './audit-log.ts';
import { badgeLookRoute } from './badges.ts';
import { eventRoutes } from './events.ts';
import { liveRoutes } from './live.ts';
import { operationRoutes } from './operations.ts';
import { pingRoutes } from './pings.ts';
import { providerRoutes } from './provider.ts';

/** Parts that the pages need besides accounts. */
interface Parts extends ChannelTools {
  readonly instance: Instance;
  readonly checkWriter: Pick<CheckWriter, 'perform'>;
  readonly live: Pick<LiveStreams, 'open' | 'poll' | 'marksOf'>;
  readonly pings: Pick<PingWriter, 'record'>;
  /** The number of bytes of a ping's body that are kept. Null: the first 10 MiB. */
  readonly pingBodyLimit: number | null;
}

const refusalText = (error: AppError) => errorReply(error).error;

/** The API of the dashboard. It is typed in `wire/dashboard`, and no part of the API reference. */
export function dashboardRoutes(deps: AccountDeps, site: Site, parts: Parts): Route[] {
  const { live } = parts;
  const cookies = new Cookies(site);
  return [
    ...accountExportRoutes(deps),
    ...providerRoutes(deps, cookies, site),
    ...eventRoutes(deps),
    ...pingRoutes(deps),
    badgeLookRoute,
    ...operationRoutes({
      deps: { ...deps, ...parts, site, cookies, channelTools: parts, refusalText },
      live,
    }),
    ...auditLogRoutes(deps),
    ...liveRoutes(deps, live),
  ];
}
