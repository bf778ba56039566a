import type { Ailment } from '../../domain/vitals.ts';
import { component, flag, list, object, oneOf } from '../openapi/schema.ts';
import type { ReadinessJson } from './readiness-output.ts';

const AILMENT = oneOf<Ailment>(
  [
    'database_away',
    'deadlines_late',
    'deliveries_late',
    'watchman_silent',
    'notifier_silent',
    'clock_off',
  ] satisfies Ailment[],
  'What is wrong.',
);

export const READINESS_SCHEMA = component(
  'Readiness',
  object<ReadinessJson>({
    ready: flag('Whether the node serves and alerts are in time.'),
    reasons: list(AILMENT, 'Everything that is wrong; empty when the node is ready.'),
  }),
);
