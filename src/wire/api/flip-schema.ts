import { component, instant, object, oneOf } from '../openapi/schema.ts';
import type { FlipJson } from './flips.ts';

export const FLIP_SCHEMA = component(
  'Flip',
  object<FlipJson>({
    timestamp: instant('When the status changed.'),
    up: oneOf([0, 1], '1 when the check became up, 0 for every other change that is listed.'),
  }),
);
