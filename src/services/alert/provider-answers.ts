import type { Channel } from '../../domain/alert/channel.ts';
import type { Attempt, Delivery } from '../../domain/alert/delivery.ts';
import { type Caller, isAllowed } from '../../domain/people/permission.ts';

/** Replaces a provider's answer. */
export const WITHHELD_ANSWER = 'The provider’s answer is shown to those who may edit the integration';

/** The fields of a delivery that contain answers of providers. */
type Answered = Pick<Delivery, 'state' | 'error'> & { readonly attempts?: readonly Attempt[] };

/**
 * Hides answers of providers from callers who may not edit integrations: they quote addresses of mailboxes and hosts.
 * These callers see whether it worked, and when.
 */
export function answersFor(caller: Caller): {
  channel(channel: Channel): Channel;
  delivery<Row extends Answered>(delivery: Row): Row;
} {
  if (isAllowed(caller, 'channels.edit'))
    return { channel: (channel) => channel, delivery: (delivery) => delivery };
  return { channel: channelWithoutAnswers, delivery: deliveryWithoutAnswers };
}

const withheld = (error: string) => (error === '' ? '' : WITHHELD_ANSWER);

function channelWithoutAnswers(channel: Channel): Channel {
  const { off, lastAttempt } = channel;
  return {
    ...channel,
    off: off && { ...off, error: withheld(off.error) },
    lastAttempt: lastAttempt && { ...lastAttempt, error: withheld(lastAttempt.error) },
  };
}

function deliveryWithoutAnswers<Row extends Answered>(delivery: Row): Row {
  const { state, error, attempts } = delivery;
  return {
    ...delivery,
    // A skipped message has a reason of our own.
    error: state === 'skipped' ? error : withheld(error),
    ...(attempts && {
      attempts: attempts.map((one) => ({ ...one, request: '', answer: '', error: withheld(one.error) })),
    }),
  };
}
