import type { Channel, ToldEvent } from '../../domain/alert/channel.ts';
import type { Check, Status } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { statusAt } from '../../domain/check/status.ts';
import type { Choice } from '../../domain/policy/presets.ts';
import type { GateName, MessageEvent, ToldReason, WithheldBecause } from '../../domain/policy/reasons.ts';
import type { Why, Withheld } from '../../domain/policy/why.ts';
import { gateWords, type WhyFacts, withheldWords } from '../../domain/policy/why-words.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { type ChannelRefJson, channelRefJson } from './channel-output.ts';
import { type DeliveryJson, type ShownDelivery, tellingJson } from './delivery-output.ts';

/** Who is told of a check when, and why. */
export interface ShownWhy {
  readonly check: Check;
  /** The last change of its status. Null before the first. */
  readonly flip: Pick<Flip, 'newStatus' | 'createdAt' | 'cause'> | null;
  readonly policy: Choice;
  readonly supposed: { readonly event: ToldEvent; readonly at: Instant } | null;
  readonly facts: WhyFacts;
  readonly why: Why;
  readonly told: readonly ShownDelivery[];
  /** All integrations of the project, by id. */
  readonly channels: ReadonlyMap<number, Pick<Channel, 'uuid' | 'name' | 'kind'>>;
}

export interface WhyJson {
  status: Status;
  cause: string | null;
  since: string | null;
  if?: { event: ToldEvent; at: string };
  policy: { name: string; because: string };
  asks_again: string | null;
  gates: { gate: GateName; open: boolean; says: string; until: string | null }[];
  told: WhyToldJson[];
  waits: WithheldJson[];
  would_tell: WhyMessageJson[];
  not_told: WithheldJson[];
}

export interface WhyMessageJson {
  at: string;
  channel: ChannelRefJson;
  status: 'up' | 'down';
  event: MessageEvent;
  because: ToldReason[];
}

/** A message that was queued. */
export interface WhyToldJson extends WhyMessageJson {
  state: DeliveryJson['state'];
}

export interface WithheldJson {
  channel: ChannelRefJson;
  because: WithheldBecause;
  says: string;
  until: string | null;
}

export function whyJson({ check, flip, supposed, facts, why, ...shown }: ShownWhy, now: Instant): WhyJson {
  const { plan, messages, waits, withheld } = why;
  const status = statusAt(check, now);
  const isOfStatus = flip !== null && flip.newStatus === check.status;
  const channelJson = (id: number): ChannelRefJson[] => {
    const channel = shown.channels.get(id);
    return channel === undefined ? [] : [channelRefJson(channel)];
  };
  const withheldJson = (one: Withheld): WithheldJson[] =>
    channelJson(one.recipient.id).map((channel) => ({
      channel,
      because: one.because,
      says: withheldWords(one, facts),
      until: toIsoSeconds(one.until),
    }));
  return {
    status,
    cause: status === 'down' && isOfStatus ? flip.cause || null : null,
    since: isOfStatus ? toIsoSeconds(flip.createdAt) : null,
    ...(supposed !== null && { if: { event: supposed.event, at: toIsoSeconds(supposed.at) } }),
    policy: { name: shown.policy.name, because: shown.policy.because },
    asks_again: toIsoSeconds(plan.outage?.wakeAt ?? null),
    gates: plan.gates.map((gate) => ({
      gate: gate.gate,
      open: gate.isOpen,
      says: gateWords(gate, facts),
      until: toIsoSeconds(gate.isOpen ? null : gate.at),
    })),
    told: shown.told
      .filter(({ state }) => state !== 'skipped')
      .map(({ createdAt, status, state, why, channelUuid, channelName, channelKind }) => ({
        at: toIsoSeconds(createdAt),
        channel: { id: channelUuid, name: channelName, kind: channelKind },
        status,
        ...tellingJson(why),
        state,
      })),
    waits: waits.flatMap(withheldJson),
    would_tell: messages.flatMap(({ at, recipient, status, event, because }) =>
      channelJson(recipient.id).map((channel) => ({
        at: toIsoSeconds(at),
        ...{ channel, status, event, because: [...because] },
      })),
    ),
    not_told: withheld.flatMap(withheldJson),
  };
}
