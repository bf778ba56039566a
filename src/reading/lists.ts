import { listChannels } from '../services/alert/channels.ts';
import { listDeliveries } from '../services/alert/deliveries.ts';
import { findCheck } from '../services/check/checks.ts';
import type { Deps } from '../services/core/deps.ts';
import { listFlips } from '../services/core/flips.ts';
import type { QuestionOf } from '../services/core/reads.ts';
import { listPings } from '../services/ping/pings.ts';
import { channelJson, channelRefJson } from '../wire/api/channel-output.ts';
import { deliveryJson } from '../wire/api/delivery-output.ts';
import { flipListText, parseFlipSpan } from '../wire/api/flips.ts';
import { pingJson } from '../wire/api/ping-output.ts';
import type { Site } from '../wire/site.ts';

export type ListDeps = Pick<Deps, 'store' | 'defaultLimits'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function pingListText(
  deps: ListDeps,
  { actor, check: ref, version }: QuestionOf<'ping_list'>,
  site: Site,
): Promise<string> {
  const check = await findCheck(deps, actor, ref);
  const found = await listPings(deps, actor, check);
  const checkUrl = `${site.root}/api/v${version}/checks/${check.uuid}`;
  return JSON.stringify({ pings: found.map((one) => pingJson(one, checkUrl)) });
}

export async function flipListTexts(
  deps: ListDeps,
  { actor, check: ref, query, form }: QuestionOf<'flip_list'>,
): Promise<AsyncIterable<string>> {
  const check = await findCheck(deps, actor, ref);
  const span = parseFlipSpan(new URLSearchParams(query), deps.clock.now());
  return flipListText(listFlips(deps, actor, check, span), form);
}

export async function deliveryListText(
  deps: ListDeps,
  { actor, check: ref }: QuestionOf<'delivery_list'>,
): Promise<string> {
  const check = await findCheck(deps, actor, ref);
  const found = await listDeliveries(deps, actor, check);
  return JSON.stringify({ deliveries: found.map(deliveryJson) });
}

export async function channelListText(
  deps: ListDeps,
  { actor, isDetailed }: QuestionOf<'channel_list'>,
): Promise<string> {
  const channels = await listChannels(deps, actor);
  return JSON.stringify({ channels: channels.map(isDetailed ? channelJson : channelRefJson) });
}
