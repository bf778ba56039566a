import { email } from './email/email.ts';
import type { Integration } from './integration.ts';
import { webhook } from './webhook/webhook.ts';

/** Every kind of channel there is code for. A new kind is a folder and a line here. */
export const integrations = { email, webhook } satisfies Record<string, Integration<unknown>>;

export type ChannelKind = keyof typeof integrations;

export function isChannelKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(integrations, kind);
}
