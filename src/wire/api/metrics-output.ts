import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';

/** The progress of ingestion and alerting. */
export interface MetricsJson {
  ts: number;
  max_ping_id: number | null;
  max_notification_id: number | null;
  num_unprocessed_flips: number;
}

export function metricsJson(
  { pings, lastDeliveryId, openFlips }: { pings: number; lastDeliveryId: number | null; openFlips: number },
  now: Instant,
): MetricsJson {
  return {
    ts: Math.floor(now / MICROS_PER_SECOND),
    // Pings have numbers within their check only, so the count of all pings is shown instead.
    max_ping_id: pings,
    max_notification_id: lastDeliveryId,
    num_unprocessed_flips: openFlips,
  };
}
