import { isAllowed } from '../domain/people/permission.ts';
import {
  listAssignableChecks,
  listChannelDeliveries,
  overviewChannels,
} from '../services/channel-overview.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import {
  assignableCheckJson,
  channelDeliveryJson,
  channelListJson,
} from '../wire/dashboard/channel-output.ts';

type ChannelDeps = Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function channelOverviewText(
  deps: ChannelDeps,
  { actor, limits }: QuestionOf<'channel_overview'>,
): Promise<string> {
  return JSON.stringify(channelListJson(await overviewChannels(deps, actor, limits)));
}

export async function channelDeliveriesText(
  deps: ChannelDeps,
  { actor, channel }: QuestionOf<'channel_deliveries'>,
): Promise<string> {
  const found = await listChannelDeliveries(deps, actor, channel);
  const seesAddresses = isAllowed(actor.caller, 'checks.view_addresses');
  return JSON.stringify({ deliveries: found.map((one) => channelDeliveryJson(one, seesAddresses)) });
}

export async function channelChecksText(
  deps: ChannelDeps,
  { actor, channel }: QuestionOf<'channel_checks'>,
): Promise<string> {
  const checks = await listAssignableChecks(deps, actor, channel);
  return JSON.stringify({ checks: checks.map(assignableCheckJson) });
}
