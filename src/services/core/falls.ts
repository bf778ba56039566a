import type { Delivery } from '../../domain/alert/delivery.ts';
import type { Flip } from '../../domain/check/flip.ts';
import type { Reads } from '../../storage/store.ts';

/**
 * The change with which the outage began that this one ends. Null: it ends none. Where a plan has queued the message, an outage may
 * go on over changes that nobody was told of.
 */
export async function fallBefore(
  { flips }: Pick<Reads, 'flips'>,
  flip: Flip,
  { why }: Pick<Delivery, 'why'>,
): Promise<Flip | null> {
  if (flip.newStatus !== 'up') return null;
  const opening = why === '' ? null : await flips.openingOf(flip);
  if (opening !== null) return opening;
  const before = await flips.before(flip);
  return before?.newStatus === 'down' ? before : null;
}
