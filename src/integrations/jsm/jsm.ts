import { keySetting } from '../kind/key-setting.ts';
import { requestKind } from '../kind/kind.ts';
import { ALERT_LIMITS, alertCall, classifyAlert } from '../opsgenie/alert-api.ts';

/** https://developer.atlassian.com/cloud/jira/service-desk-ops/rest/v2/api-group-integration-events/ */
const ALERTS = 'https://api.atlassian.com/jsm/ops/integration/v2/alerts';

export const jsm = requestKind({
  label: 'Jira Service Management',
  category: 'on_call',
  summary: 'creates and closes alerts',
  description:
    'Creates an alert in Jira Service Management when a check goes down, and closes it when the check comes up.',
  setup: [
    'In Jira Service Management, open the operations of the team that is told, then **Integrations**, **Add integration**, **API**.',
    'Switch the integration on, and copy its **API key**.',
    'Paste the key.',
  ],
  example: { key: '2b9d6a4e-10f7-4e3c-8b5a-c1d7e9f03462' },
  settings: { key: keySetting('API key', 'The key of an API integration of a team.', 100) },
  server: {},
  target: () => '',
  wants: () => true,
  destination: () => 'api.atlassian.com',
  endsTest: (settings) => settings,
  takesOwnWords: true,
  limits: ALERT_LIMITS,
  needsBody: true,
  needsStory: true,
  render: (event, { key }) => [alertCall(event, ALERTS, key)],
  classify: classifyAlert,
});
