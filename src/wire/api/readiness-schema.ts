import { AILMENTS } from '../../domain/vitals.ts';
import { component, flag, list, object, oneOf } from '../openapi/schema.ts';
import type { ReadinessJson } from './readiness-output.ts';

const AILMENT = oneOf(
  [...AILMENTS],
  'What is wrong. `<loop>_silent` names a loop none of whose ticks has succeeded lately.',
);

export const READINESS_SCHEMA = component(
  'Readiness',
  object<ReadinessJson>({
    ready: flag('Whether the node serves and alerts are in time.'),
    reasons: list(AILMENT, 'Everything that is wrong; empty when the node is ready.'),
  }),
);
