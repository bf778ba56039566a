import type { Outcome } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, flag } from '../../lib/env-setting.ts';
import type { Setting } from './setting.ts';
import { hostOf, maskedUrl, webUrlField } from './url-field.ts';

/** The address at which a service takes messages. It contains a token, so it is a secret. */
export function webhookUrl(help: string): Setting<string> {
  return {
    label: 'Webhook URL',
    help,
    field: webUrlField,
    control: 'url',
    secret: true,
    shown: maskedUrl,
  };
}

/** Shared by kinds whose messages go to an address that the user gives. */
export const TO_WEBHOOK = {
  category: 'chat',
  target: ({ url }: { readonly url: string }) => `Incoming webhook at ${hostOf(url)}`,
  destination: ({ url }: { readonly url: string }) => hostOf(url),
  wants: () => true,
} as const;

/** The switch by which an operator allows a kind. */
export function enabledByDefault(service: string) {
  return {
    kind: flag,
    default: 'True',
    doc: `Whether messages are sent to ${service}.`,
  } satisfies EnvSettingTable[string];
}

export function notEnabled(service: string): Outcome {
  return { kind: 'refused', error: `${service} notifications are not enabled.` };
}
