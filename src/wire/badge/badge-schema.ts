import { component, integer, object, oneOf, text } from '../openapi/schema.ts';
import type { BadgeJson, ShieldsJson } from './badge-output.ts';

const count = (description: string) => integer(description, { minimum: 0 });

export const BADGE_SCHEMA = component(
  'Badge',
  object<BadgeJson>({
    status: oneOf(
      ['up', 'late', 'down'],
      'Down when any check is. Late, with three states, when any is in grace.',
    ),
    total: count('How many checks the badge stands for.'),
    grace: count('How many of them are in their grace time.'),
    down: count('How many of them are down.'),
  }),
);

export const SHIELDS_SCHEMA = component(
  'ShieldsBadge',
  object<ShieldsJson>({
    schemaVersion: oneOf([1], 'Version of the format.'),
    label: text('The tag, or the name of the check.'),
    message: oneOf(['up', 'late', 'down'], 'The status.'),
    color: oneOf(['success', 'important', 'critical'], 'Green, orange or red.'),
  }),
);
