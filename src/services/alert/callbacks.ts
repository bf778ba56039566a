import type { OffReason } from '../../domain/alert/channel.ts';
import type { Delivery } from '../../domain/alert/delivery.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { DeliveryRef } from '../../storage/store.ts';
import { isReachedFromOutside } from '../../wire/site.ts';
import type { Deps } from '../core/deps.ts';
import { switchOffAndTell } from './channel-trouble.ts';

/** Providers report within this time after the delivery. Later reports are ignored. */
const CALLBACK_WINDOW = seconds(3600);
const MAX_ERROR = 200;

/**
 * The UUID in the callback address of a delivery, `/api/v3/notifications/<UUID>/status`. An integration gives the
 * address only to its provider. It cannot be derived from the delivery's own UUID, which is in every message.
 */
export function callbackId({ vault }: Pick<Deps, 'vault'>, { id }: Pick<Delivery, 'id'>): string {
  return vault.sealNumber(id);
}

/**
 * The callback address of a delivery. Null if nobody outside can reach this service by its address: providers refuse a
 * message with such an address.
 */
export function callbackUrl(
  deps: Pick<Deps, 'vault'>,
  delivery: Pick<Delivery, 'id'>,
  siteRoot: string,
): string | null {
  return isReachedFromOutside(siteRoot)
    ? `${siteRoot}/api/v3/notifications/${callbackId(deps, delivery)}/status`
    : null;
}

/**
 * Returns the delivery whose callback address has this UUID. Returns null for a UUID that was made up. Does not query
 * the database.
 */
export function deliveryOfCallback({ vault }: Pick<Deps, 'vault'>, callback: string): DeliveryRef | null {
  const id = vault.unsealNumber(callback);
  return id === null ? null : { id };
}

/**
 * Records a provider's report about a delivery that it accepted earlier. Ignores deliveries that are deleted or too
 * old.
 */
export async function reportDelivery(
  deps: Deps,
  delivery: DeliveryRef,
  { error, disableChannel }: { readonly error: string; readonly disableChannel: boolean },
): Promise<void> {
  await amendDelivery(deps, delivery, CALLBACK_WINDOW, { error, off: disableChannel ? 'reported' : null });
}

/** A provider's report about a delivery after it accepted it. */
export interface LateVerdict {
  readonly error: string;
  /** Why the channel is to be switched off; null leaves it on. */
  readonly off: OffReason | null;
}

/**
 * Records a late verdict on a delivery that is no older than `window`. Returns false when there is no such delivery.
 */
export async function amendDelivery(
  deps: Deps,
  delivery: DeliveryRef,
  window: Micros,
  verdict: LateVerdict,
): Promise<boolean> {
  const now = deps.clock.now();
  const error = firstCharacters(verdict.error, MAX_ERROR);
  return deps.store.transaction(async (tx) => {
    const channel = await tx.deliveries.amend(delivery, now - window, error);
    if (channel === null) return false;
    await tx.channels.noteLateError(channel, error);
    if (verdict.off === null) return true;
    const locked = await tx.channels.lock(channel.id);
    if (locked !== null) await switchOffAndTell(deps, tx, locked, { reason: verdict.off, error, at: now });
    return true;
  });
}
