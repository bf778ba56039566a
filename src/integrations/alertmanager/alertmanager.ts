import type { Outcome } from '../../domain/alert/delivery.ts';
import { integer, text } from '../../lib/fields.ts';
import { keySetting } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { OUR_LIMIT } from '../kind/limits.ts';
import { atServer, serverUrlSetting } from '../kind/server-address.ts';
import type { Setting } from '../kind/setting.ts';
import { hostOf } from '../kind/url-field.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, textOf } from '../send/reply.ts';
import { alertOf } from './alert.ts';
import { labelsField } from './labels-field.ts';

const SETTINGS = {
  url: serverUrlSetting('The address of your Alertmanager, without /api.'),
  user: {
    label: 'User',
    help: 'For a server behind a password. If this is empty, the password is sent as a bearer token.',
    field: text({ maxLength: 100, pattern: /^[^:\p{Cc}]*$/u }),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
  password: {
    ...keySetting('Password', 'Or a bearer token.', 500),
    default: null,
    sentTo: { setting: 'url' },
  } satisfies Setting<string | null>,
  severity: {
    label: 'Severity',
    help: 'The value of the label severity.',
    field: text({ maxLength: 40, pattern: /^[\w-]+$/ }),
    control: 'text',
    default: 'critical',
  } satisfies Setting<string>,
  labels: {
    label: 'Labels',
    help: 'Further labels by which your routes find the alerts, such as team=platform, env=prod.',
    field: labelsField,
    control: 'text',
    default: '',
  } satisfies Setting<string>,
  hours: {
    label: 'Hours until an alert ends by itself',
    help: 'An alert ends when its check comes up, and after this time also if that is never heard.',
    field: integer({ minimum: 1, maximum: 8760 }),
    control: 'number',
    default: 168,
  } satisfies Setting<number>,
};

export const alertmanager = requestKind({
  label: 'Prometheus Alertmanager',
  category: 'on_call',
  summary: 'fires and ends alerts',
  description:
    'Fires an alert in an Alertmanager of your own when a check goes down, and ends it when the check comes up.',
  setup: [
    'Enter the address of your Alertmanager, as its pages are opened in a browser. A server in a private network can be reached only if the operator allows that.',
    'If it is behind a password, enter user and password. If it takes a bearer token, leave the user empty.',
    'Alerts have the labels `alertname="CheckDown"`, `check`, which stays the same for a check, and `severity`. Add labels of your own for your routes. Name, project and tags are annotations, because they may change while an alert is firing.',
  ],
  example: { url: 'https://alertmanager.example.org', severity: 'critical', labels: 'team=platform' },
  settings: SETTINGS,
  server: {},
  target: ({ url, severity }) => `${hostOf(url)} · ${severity}`,
  wants: () => true,
  destination: ({ url }) => hostOf(url),
  isStateful: true,
  takesOwnWords: true,
  limits: { '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  render(event, settings) {
    const { url, user, password } = settings;
    return [
      jsonCall(atServer(url, 'api/v2/alerts'), [alertOf(event, settings)], authorization(user, password)),
    ];
  },
  classify,
});

function authorization(user: string, password: string | null): Readonly<Record<string, string>> {
  if (password === null && user === '') return {};
  if (user === '') return { Authorization: `Bearer ${password}` };
  return { Authorization: `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}` };
}

/** https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml: errors are strings. */
function classify(reply: Reply): Outcome {
  return classifyByStatus(reply, stringOf(textOf(reply)));
}

function stringOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
