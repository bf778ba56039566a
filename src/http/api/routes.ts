import type { ChannelTools } from '../../services/alert/channel-tools.ts';
import type { CheckWriter } from '../../services/check/check-writer.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import type { Vitals } from '../../services/instance/vitals.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import type { V3Flips } from '../../wire/api/flips.ts';
import type { Site } from '../../wire/site.ts';
import type { Route } from '../route.ts';
import { bounceRoute } from './bounces.ts';
import { calendarEndpoints } from './calendars.ts';
import { channelEndpoints } from './channels.ts';
import { checkEndpoints } from './checks.ts';
import { deliveryEndpoints } from './deliveries.ts';
import { endpointRoute } from './endpoint.ts';
import { historyEndpoints } from './history.ts';
import { instanceRoutes } from './instance.ts';
import { policyEndpoints } from './policies.ts';
import { projectEndpoints } from './project.ts';
import { quietTimeEndpoints } from './quiet-times.ts';

export interface ApiOptions {
  /** Requests a minute for each project; 0 for no limit. */
  readonly rateLimitPerMinute: number;
  /** Requests that a project may send at once, before the limit applies. */
  readonly rateBurst: number;
  /** The key for the metrics of the instance. If it is null, nobody can read them. */
  readonly metricsKey: string | null;
  readonly prometheusEnabled: boolean;
  readonly v3Flips: V3Flips;
}

/** Every path of the management API, in all its versions. */
export function apiRoutes(
  deps: Deps,
  site: Site,
  options: ApiOptions & {
    readonly accounts: AccountDeps;
    readonly channelTools: ChannelTools;
    readonly vitals: Vitals;
    readonly reads: Reads;
    readonly checkWriter: Pick<CheckWriter, 'perform'>;
  },
): Route[] {
  const endpoints = [
    ...checkEndpoints(deps, site, options.reads, options.checkWriter),
    ...historyEndpoints(deps, options.v3Flips, options.reads),
    ...projectEndpoints(deps, site, options.prometheusEnabled, options.reads),
    ...channelEndpoints(options.accounts, options.channelTools),
    ...deliveryEndpoints(options.reads),
    ...policyEndpoints(deps),
    ...calendarEndpoints(deps),
    ...quietTimeEndpoints(deps),
  ];
  return [...endpoints.map(endpointRoute), ...instanceRoutes(deps, options), bounceRoute(deps)];
}
