import type { SwitchedOff } from '../../domain/alert/channel.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryState,
  type Exchange,
  NO_EXCHANGE,
} from '../../domain/alert/delivery.ts';
import { type Micros, toIsoMicros } from '../../lib/instant.ts';
import type { ChannelJson, ChannelRefJson } from './channel-output.ts';

export interface DeliveryJson {
  id: string;
  channel: ChannelRefJson;
  status: 'up' | 'down';
  state: DeliveryState;
  created: string;
  finished: string | null;
  next_attempt: string | null;
  error: string;
  attempts: AttemptJson[];
}

export interface AttemptJson {
  n: number;
  date: string;
  duration: number;
  error: string;
}

/** A delivery with its channel and its attempts so far. */
export interface ShownDelivery extends Delivery {
  readonly channelUuid: string;
  readonly channelName: string;
  readonly channelKind: string;
  readonly attempts: readonly Attempt[];
}

export function deliveryJson(delivery: ShownDelivery): DeliveryJson {
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

function attemptJson({ n, startedAt, duration, error }: Attempt): AttemptJson {
  return { n, date: toIsoMicros(startedAt), duration: toThousandths(duration), error };
}

/** The result of a test message. */
export interface TestMessageJson {
  ok: boolean;
  error?: string;
  disabled?: boolean;
  disabled_reason?: NonNullable<ChannelJson['disabled_reason']>;
  request?: string;
  answer?: string;
}

/** `error` is null when it was taken, and `off` while the channel is on. */
export function testMessageJson(
  error: string | null,
  off: SwitchedOff | null,
  { request, answer }: Exchange = NO_EXCHANGE,
): TestMessageJson {
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
