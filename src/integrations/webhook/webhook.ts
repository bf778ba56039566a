import { tryAgain } from '../../domain/alert/delivery.ts';
import { MAX_WEBHOOK_HEADERS, TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type EnvSettingTable, flag } from '../../lib/env-setting.ts';
import { Fault, type Field, oneOf, readFields, text } from '../../lib/fields.ts';
import { requestKind } from '../kind/kind.ts';
import { NO_LIMITS } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';
import { hostOf, maskedText, maskedUrl, webUrlField } from '../kind/url-field.ts';
import { classifyByStatus } from '../send/reply.ts';
import { placeholderBeforeHost } from './address.ts';
import { mentions, type WebhookCall, webhookRequest } from './request.ts';

const CALL_FIELDS = {
  method: oneOf(['GET', 'POST', 'PUT'], 'HTTP method.'),
  url: webUrlField,
  headers: headersField(),
  body: text({ maxLength: TEXT_LIMITS.webhookBody }),
};

const SETTINGS = {
  down: callSetting('When a check goes down'),
  up: callSetting('When a check comes up'),
};

/** The setting is a secret: addresses and headers of webhooks usually contain tokens. */
function callSetting(label: string): Setting<WebhookCall | null> {
  return {
    label,
    help: 'Placeholders: $NAME, $STATUS, $REASON, $URL, $NOW, $TAGS, $JSON, $BODY, $ACK_URL and others: the documentation lists them all.',
    field: callField(),
    control: 'request',
    default: null,
    secret: true,
    shown: shownCall,
    sentTo: { part: 'url' },
  };
}

/** Everything but the path and the query of the address, and the values of headers. */
function shownCall({ method, url, headers, body }: NonNullable<WebhookCall>): WebhookCall {
  const shown = Object.entries(headers).map(([name, value]) => [name, shownHeader(name, value)]);
  return { method, url: maskedUrl(url), headers: Object.fromEntries(shown), body };
}

function shownHeader(name: string, value: string): string {
  return name.toLowerCase() === 'content-type' ? value : maskedText(value);
}

const SERVER = {
  WEBHOOKS_ENABLED: { kind: flag, default: 'True', doc: 'Whether webhooks are sent.' },
} satisfies EnvSettingTable;

export const webhook = requestKind({
  label: 'Webhook',
  category: 'automation',
  summary: 'any HTTP request',
  description:
    'A request of your own for each direction. Placeholders such as $NAME and $STATUS are filled in.',
  setup: [
    'Enter the address for the moment when a check goes down, the one for the moment when it comes up, or both.',
    'Choose the method, and add headers and a body if the receiver needs them.',
    'Put placeholders where the receiver expects facts. The check: `$NAME`, `$CODE` (its UUID), `$SLUG`, `$TAGS`, `$TAG1` (its first tag, and so on), `$PROJECT`, `$URL` (its page), `$JSON` (all of it). What happened: `$STATUS`, `$REASON` (`timeout` or `fail`), `$NOW`, `$DURATION` (seconds that it was down). The last ping: `$LAST_PING` (when), `$EXITSTATUS`, `$BODY`. Pages with one button: `$ACK_URL`, `$SNOOZE_URL`.',
    'In the address placeholders are percent-encoded; in its host they must stand for letters, digits and hyphens. `$NAME_JSON` and `$BODY_JSON` are whole JSON strings, with their quotes. `$BODY` and `$BODY_JSON` are filled in in bodies only.',
    'Look at the preview: it shows the request and sends nothing.',
  ],
  example: {
    down: {
      method: 'POST',
      url: 'https://example.org/hooks/jobs?status=$STATUS',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer a-secret-token' },
      body: '{"job": $NAME_JSON, "last_output": $BODY_JSON}',
    },
    up: { method: 'GET', url: 'https://example.org/hooks/jobs?name=$NAME&down_for=$DURATION' },
  },
  settings: SETTINGS,
  server: SERVER,
  requires: ['WEBHOOKS_ENABLED'],
  target(settings) {
    const call = settings.down ?? settings.up;
    return call === null ? '' : `${call.method} ${hostOf(call.url)}`;
  },
  faultOf: ({ down, up }) =>
    down === null && up === null ? new Fault('down and up are both missing') : null,
  faultOfNew(settings) {
    const crowded = (['down', 'up'] as const).find(
      (name) => Object.keys(settings[name]?.headers ?? {}).length > MAX_WEBHOOK_HEADERS,
    );
    if (crowded !== undefined)
      return new Fault(`${crowded}.headers has more than ${MAX_WEBHOOK_HEADERS} headers`);
    return faultOfCall('down', settings.down) ?? faultOfCall('up', settings.up);
  },
  wants: (settings, to) => settings[to] !== null,
  destination: (settings, to) => hostOf(settings[to]?.url ?? ''),
  limits: NO_LIMITS,
  fillsTemplates: true,
  needsBody: true,
  needsDocument: ({ down, up }) => [down, up].some((call) => call !== null && mentions(call, '$JSON')),
  render(event, settings, { WEBHOOKS_ENABLED: isEnabled }) {
    if (!isEnabled) return { kind: 'refused', error: 'Webhook notifications are not enabled.' };
    const call = settings[event.to];
    if (call === null) return tryAgain('Empty webhook URL');
    const request = webhookRequest(call, event);
    return request instanceof Fault ? { kind: 'refused', error: request.reason } : [request];
  },
  classify: classifyByStatus,
});

/** A header without a value is a line that somebody has not finished. */
function faultOfCall(name: string, call: WebhookCall | null): Fault | null {
  const early = placeholderBeforeHost(call?.url ?? '');
  if (early !== null)
    return new Fault(
      `${name}.url has ${early} before its host: only the host, the path and the query may have placeholders`,
    );
  const [header] = Object.entries(call?.headers ?? {}).find(([, content]) => content.trim() === '') ?? [];
  return header === undefined ? null : new Fault(`${name}.headers has no value of "${header}"`);
}

function callField(): Field<WebhookCall> {
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(CALL_FIELDS).map(([name, { schema }]) => [name, schema])),
      required: ['url'],
      additionalProperties: false,
    },
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

/** Names are tokens (RFC 9110, section 5.6.2). A line break in a value could add another header, so it is refused. */
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
