import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { oneOf } from '../../lib/fields.ts';
import { enabledByDefault, notEnabled } from '../kind/incoming-webhook.ts';
import { keySetting } from '../kind/key-setting.ts';
import { requestKind } from '../kind/kind.ts';
import type { Setting } from '../kind/setting.ts';
import { ALERT_LIMITS, alertCall, classifyAlert } from './alert-api.ts';

const HOSTS = { us: 'api.opsgenie.com', eu: 'api.eu.opsgenie.com' };

const SETTINGS = {
  key: keySetting('API key', 'The key of an API integration of a team.', 40),
  region: {
    label: 'Service region',
    field: oneOf(['us', 'eu'], 'Region of the account.'),
    control: 'choice',
    default: 'us',
    choices: [
      { value: 'us', label: 'United States' },
      { value: 'eu', label: 'European Union' },
    ],
  } satisfies Setting<keyof typeof HOSTS>,
};

const SERVER = { OPSGENIE_ENABLED: enabledByDefault('Opsgenie') } satisfies EnvSettingTable;

export const opsgenie = requestKind({
  label: 'Opsgenie',
  category: 'on_call',
  summary: 'creates and closes alerts',
  description:
    'Creates an alert in Opsgenie when a check goes down, and closes it when the check comes up. Atlassian ends Opsgenie in April 2027: new accounts use Jira Service Management.',
  setup: [
    'In Opsgenie, open the team that is told, then **Integrations**, **Add integration**, **API**.',
    'Allow it to create and update alerts, and switch it on.',
    'Copy the **API key**, paste it, and choose the region of your account.',
  ],
  example: { key: '7e4f0c1d-52b6-4c8f-9a3e-6d2b1f0e8c57', region: 'eu' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['OPSGENIE_ENABLED'],
  target: ({ region }) => `Region: ${region.toUpperCase()}`,
  wants: () => true,
  destination: ({ region }) => HOSTS[region],
  endsTest: (settings) => settings,
  takesOwnWords: true,
  limits: ALERT_LIMITS,
  needsBody: true,
  needsStory: true,
  render(event, { key, region }, { OPSGENIE_ENABLED: isEnabled }) {
    return isEnabled ? [alertCall(event, `https://${HOSTS[region]}/v2/alerts`, key)] : notEnabled('Opsgenie');
  },
  classify: classifyAlert,
});
