import { createHmac } from 'node:crypto';
import { text } from '../../lib/fields.ts';
import type { Setting } from '../kind/setting.ts';

/** A secret by which a bot knows that a message is ours. */
export function signingSecret(help: string): Setting<string | null> {
  return {
    label: 'Signing secret',
    help,
    field: text({ maxLength: 100, pattern: /^[!-~]+$/ }),
    control: 'text',
    default: null,
    secret: true,
    sentTo: { setting: 'url' },
  };
}

/** HMAC-SHA-256 in Base64. */
export function signature(key: string, signed: string): string {
  return createHmac('sha256', key).update(signed).digest('base64');
}
