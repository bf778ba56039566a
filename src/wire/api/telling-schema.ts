import { MESSAGE_EVENTS, TOLD_REASONS } from '../../domain/policy/reasons.ts';
import { list, oneOf } from '../openapi/schema.ts';

export const MESSAGE_EVENT = oneOf(
  MESSAGE_EVENTS,
  'What the message is: the `first` about the change, a `step` that tells somebody else, a reminder (`again`), or a `further_failure`.',
);

export const TOLD_BECAUSE = list(
  oneOf(TOLD_REASONS, 'A reason.'),
  'Why it is told: it is `assigned`, a `step` of the policy names it, or it was told before. `together`: one message tells it with others. `instead`: another integration did not take the message.',
);
