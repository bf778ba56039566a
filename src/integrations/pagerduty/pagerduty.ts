import { type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { oneOf } from '../../lib/fields.ts';
import { enabledByDefault, notEnabled } from '../kind/incoming-webhook.ts';
import { keySetting } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { bytes, title, units } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';
import { jsonCall } from '../send/json-call.ts';
import { goneForGood, isTaken, jsonOf, retryAfter, statusErrorWith } from '../send/reply.ts';
import { PAGERDUTY_APP, pagerDutyConnection } from './connection.ts';
import { eventOfVersion1, eventOfVersion2 } from './event.ts';

const VERSIONS = ['v2', 'v1'] as const;
const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;

const HOSTS = { us: 'events.pagerduty.com', eu: 'events.eu.pagerduty.com' };

const SETTINGS = {
  service_key: keySetting('Integration key', 'The key of the integration of a PagerDuty service.', 32),
  version: {
    label: 'Events API',
    help: 'The version for which the key was made. Keys of older integrations are for version 1.',
    field: oneOf(VERSIONS, 'Version of the Events API.'),
    control: 'choice',
    default: 'v2',
    choices: [
      { value: 'v2', label: 'Version 2' },
      { value: 'v1', label: 'Version 1' },
    ],
  } satisfies Setting<(typeof VERSIONS)[number]>,
  severity: {
    label: 'Severity',
    help: 'Version 1 has none.',
    field: oneOf(SEVERITIES, 'Severity of an alert.'),
    control: 'choice',
    default: 'critical',
    choices: SEVERITIES.map((value) => ({ value, label: value })),
  } satisfies Setting<(typeof SEVERITIES)[number]>,
  region: {
    label: 'Service region',
    help: 'The region of the account. In the EU, its pages are at eu.pagerduty.com.',
    field: oneOf(['us', 'eu'], 'Region of the account.'),
    control: 'choice',
    default: 'us',
    choices: [
      { value: 'us', label: 'United States' },
      { value: 'eu', label: 'European Union' },
    ],
  } satisfies Setting<keyof typeof HOSTS>,
};

const SERVER = { PD_ENABLED: enabledByDefault('PagerDuty'), ...PAGERDUTY_APP } satisfies EnvSettingTable;

export const pagerDuty = requestKind({
  label: 'PagerDuty',
  category: 'on_call',
  summary: 'opens and resolves incidents',
  description:
    'Opens an incident in PagerDuty when a check goes down, and resolves it when the check comes up.',
  setup: [
    'In [PagerDuty](https://www.pagerduty.com/), open **Services**, **Service Directory**, and choose the service that is told.',
    'On its page **Integrations**, choose **Add an integration**, **Events API V2**.',
    'Copy the **Integration Key**, and paste it.',
    'Choose a severity, and the region of your account. An integration that was made for version 1 works, too: choose that version.',
  ],
  example: { service_key: 'e93facc04764012d7bfb002500d5d1a6', severity: 'critical' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['PD_ENABLED'],
  connection: pagerDutyConnection,
  target: ({ version, severity, region }) =>
    [
      version === 'v2' ? `Severity: ${severity}` : 'Events API version 1',
      ...(region === 'eu' ? ['EU'] : []),
    ].join(' · '),
  wants: () => true,
  destination: ({ region }) => HOSTS[region],
  endsTest: (settings) => settings,
  takesOwnWords: true,
  /** https://developer.pagerduty.com/docs/events-api-v2-overview#size-limits */
  limits: { 'payload.summary': title(units(1_024)), description: title(units(1_024)), '': bytes(512_000) },
  needsBody: true,
  needsStory: true,
  render(event, { service_key: key, version, severity, region }, { PD_ENABLED: isEnabled }) {
    if (!isEnabled) return notEnabled('PagerDuty');
    const host = `https://${HOSTS[region]}`;
    return version === 'v1'
      ? [jsonCall(`${host}/generic/2010-04-15/create_event.json`, eventOfVersion1(event, key))]
      : [jsonCall(`${host}/v2/enqueue`, eventOfVersion2(event, key, severity))];
  },
  classify,
});

/**
 * https://developer.pagerduty.com/docs/events-api-v2-overview#response-codes--retry-logic: an event that is not valid will
 * never be. An integration that is gone makes the key invalid. Version 1 answers with 403 if there are too many events.
 */
function classify(reply: Reply): Outcome {
  if (isTaken(reply)) return { kind: 'delivered' };
  const { message, errors } = jsonOf(reply);
  const reasons = Array.isArray(errors) ? errors.join(', ') : '';
  const words = reasons === '' ? message : reasons;
  if (reply.status !== 400) return tryAgain(statusErrorWith(reply, words), retryAfter(reply));
  const isKeyInvalid = /\b(routing|service)[ _]?key\b/i.test(reasons);
  return isKeyInvalid ? goneForGood(reply, words) : { kind: 'refused', error: statusErrorWith(reply, words) };
}
