import { MAX_WEBHOOK_HEADERS, TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, oneOf, readFields, refined, text } from '../../lib/fields.ts';
import type { Integration } from '../integration.ts';
import { failed } from '../verdict.ts';
import { type WebhookCall, webhookRequest } from './request.ts';

export interface WebhookSettings {
  readonly down: WebhookCall | null;
  readonly up: WebhookCall | null;
}

const CALL_FIELDS = {
  method: oneOf(['GET', 'POST', 'PUT'], 'HTTP method.'),
  url: refined(text({ maxLength: TEXT_LIMITS.webhookUrl }), 'http or https URL', readUrl),
  headers: headersField(),
  body: text({ maxLength: TEXT_LIMITS.webhookBody }),
};

const FIELDS = { down: callField(), up: callField() };

export const webhook: Integration<WebhookSettings> = {
  label: 'Webhook',
  settingNames: Object.keys(FIELDS),
  readSettings,
  readStored(stored) {
    return readCalls(Object.fromEntries(Object.entries(stored).filter(([, call]) => call !== null)));
  },
  wants: (settings, to) => settings[to] !== null,
  destination: (settings, to) => hostOf(settings[to]?.url ?? ''),
  needsBody: true,
  async send(event, settings, ports) {
    const call = settings[event.to];
    return call === null ? failed('Empty webhook URL') : ports.http(webhookRequest(call, event));
  },
};

function readSettings(source: Readonly<Record<string, unknown>>): WebhookSettings | Fault {
  const settings = readCalls(source);
  if (settings instanceof Fault) return settings;
  const crowded = (['down', 'up'] as const).find(
    (name) => Object.keys(settings[name]?.headers ?? {}).length > MAX_WEBHOOK_HEADERS,
  );
  return crowded === undefined
    ? settings
    : new Fault(`${crowded}.headers has more than ${MAX_WEBHOOK_HEADERS} headers`);
}

function readCalls(source: Readonly<Record<string, unknown>>): WebhookSettings | Fault {
  const values = readFields(FIELDS, source);
  if (values instanceof Fault) return values;
  const { down = null, up = null } = values;
  if (down === null && up === null) return new Fault('down and up are both missing');
  return { down, up };
}

/** A URL without a scheme is meant as https. Placeholders may stand anywhere in it, the host included. */
function readUrl(value: string): string | null {
  const trimmed = value.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const isWeb = /^https?:\/\/[^\s/]/i.test(url) && !/\p{Cc}/u.test(url);
  return isWeb && url.length <= TEXT_LIMITS.webhookUrl && URL.canParse(url) ? url : null;
}

function callField(): Field<WebhookCall> {
  return {
    schema: { type: 'object' },
    read(value, name) {
      if (!isRecord(value)) return new Fault(`${name} is not a mapping`);
      const unknown = Object.keys(value).find((key) => !Object.hasOwn(CALL_FIELDS, key));
      if (unknown !== undefined) return new Fault(`${name}.${unknown} is not known`);
      const call = readFields(CALL_FIELDS, value);
      if (call instanceof Fault) return new Fault(`${name}.${call.reason}`);
      if (call.url === undefined) return new Fault(`${name}.url is missing`);
      return {
        method: call.method ?? 'GET',
        url: call.url,
        headers: call.headers ?? {},
        body: call.body ?? '',
      };
    },
  };
}

/** Names are tokens (RFC 9110, section 5.6.2); a line break in a value would smuggle in another header. */
function headersField(): Field<Record<string, string>> {
  return {
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    read(value, name) {
      if (!isRecord(value)) return new Fault(`${name} is not a mapping`);
      const headers: Record<string, string> = {};
      for (const [header, content] of Object.entries(value)) {
        if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))
          return new Fault(`${name} has the invalid name "${header}"`);
        if (typeof content !== 'string' || /[\r\n\0]/.test(content))
          return new Fault(`${name}.${header} is not a string of one line`);
        if (Math.max(header.length, content.length) > TEXT_LIMITS.webhookHeader)
          return new Fault(`${name}.${header} is too long`);
        headers[header] = content;
      }
      return headers;
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Placeholders may stand anywhere in an address; one without a host of its own shares the seats of all such. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
