import type { Attack } from './attack.ts';
import { BODY_ATTACKS } from './bodies.ts';
import { CONNECTION_ATTACKS } from './connections.ts';
import { MAIL_ATTACKS } from './mails.ts';
import { RULE_ATTACKS } from './rules.ts';
import { WEBHOOK_ATTACKS } from './webhooks.ts';

export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...MAIL_ATTACKS,
  ...WEBHOOK_ATTACKS,
  ...RULE_ATTACKS,
];
