import type { SwitchedOff } from '../../domain/alert/channel.ts';
import { type Attempt, type Delivery, type Exchange, NO_EXCHANGE } from '../../domain/alert/delivery.ts';
import {
  eventOfMessage,
  type MessageEvent,
  reasonsOf,
  type ToldReason,
} from '../../domain/policy/reasons.ts';
import { type Micros, toIsoMicros } from '../../lib/instant.ts';
import type { ApiVersion } from './version.ts';

/** What a notification tells since version 3, where a plan said who is told. */
interface Telling {
  event: MessageEvent;
  because: ToldReason[];
}

export type DeliveryJson = ReturnType<typeof commonJson> & Partial<Telling>;

/** A delivery with its channel and its attempts so far. */
export interface ShownDelivery extends Delivery {
  readonly channelUuid: string;
  readonly channelName: string;
  readonly channelKind: string;
  readonly attempts: readonly Attempt[];
}

export function deliveryJson(delivery: ShownDelivery, version: ApiVersion): DeliveryJson {
  const isPlanned = version >= 3 && delivery.why !== '';
  return { ...commonJson(delivery), ...(isPlanned && tellingJson(delivery.why)) };
}

/** Without a plan, all that are assigned are told at once. */
export function tellingJson(why: string): Telling {
  const because = why === '' ? (['assigned'] as const) : reasonsOf(why);
  return { event: eventOfMessage(because), because: [...because] };
}

function commonJson(delivery: ShownDelivery) {
  return {
    id: delivery.uuid,
    channel: { id: delivery.channelUuid, name: delivery.channelName, kind: delivery.channelKind },
    status: delivery.status,
    state: delivery.state,
    created: toIsoMicros(delivery.createdAt),
    finished: toIsoMicros(delivery.finishedAt),
    next_attempt: toIsoMicros(delivery.nextAttemptAt),
    error: delivery.error,
    attempts: delivery.attempts.map(attemptJson),
  };
}

function attemptJson({ n, startedAt, duration, error }: Attempt) {
  return { n, date: toIsoMicros(startedAt), duration: toThousandths(duration), error };
}

export type TestMessageJson = ReturnType<typeof testMessageJson>;

/** `error` is null when it was taken, and `off` while the channel is on. */
export function testMessageJson(
  error: string | null,
  off: SwitchedOff | null,
  { request, answer }: Exchange = NO_EXCHANGE,
) {
  return {
    ok: error === null,
    ...(error !== null && { error }),
    ...(off !== null && { disabled: true, disabled_reason: off.reason }),
    ...(request !== '' && { request }),
    ...(answer !== '' && { answer }),
  };
}

/** Seconds with three decimals. */
function toThousandths(duration: Micros): number {
  return Math.round(duration / 1000) / 1000;
}
