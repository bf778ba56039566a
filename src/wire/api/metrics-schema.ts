import { component, integer, nullable, object } from '../openapi/schema.ts';
import type { MetricsJson } from './metrics-output.ts';

export const METRICS_SCHEMA = component(
  'Metrics',
  object<MetricsJson>({
    ts: integer('The time of the answer, in UNIX seconds.'),
    max_ping_id: nullable(integer('Grows with every ping received.', { minimum: 0 })),
    max_notification_id: nullable(integer('Grows with every notification sent; null before the first.')),
    num_unprocessed_flips: integer('Status changes that nobody has been told of yet.', { minimum: 0 }),
  }),
);
