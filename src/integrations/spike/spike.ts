import type { EnvSettingTable } from '../../lib/env-setting.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { requestKind } from '../kind/kind.ts';
import { OUR_LIMIT } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus } from '../send/reply.ts';
import { incidentOf, incidentText } from '../text/incident.ts';

const SERVER = { SPIKE_ENABLED: enabledByDefault('Spike') } satisfies EnvSettingTable;

export const spike = requestKind({
  ...TO_WEBHOOK,
  label: 'Spike.sh',
  category: 'on_call',
  summary: 'opens and resolves incidents',
  description:
    'Opens an incident in Spike.sh when a check goes down, and resolves it when the check comes up.',
  setup: [
    'In [Spike.sh](https://spike.sh/), open **Integrations**, and add the integration **Healthchecks** to a service.',
    'Choose the escalation policy that incidents follow.',
    'Copy the **webhook** of the integration, and paste it.',
  ],
  example: { url: 'https://hooks.spike.sh/5f2b9c4d81e0/push-events' },
  settings: { url: webhookUrl('The webhook of the integration that Spike.sh shows.') },
  server: SERVER,
  requires: ['SPIKE_ENABLED'],
  endsTest: (settings) => settings,
  takesOwnWords: true,
  limits: { '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  render(event, { url }, { SPIKE_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, incidentFor(event))] : notEnabled('Spike');
  },
  classify: classifyByStatus,
});

/** https://docs.spike.sh/: the fields of its integration Healthchecks. */
function incidentFor(event: AlertEvent): object {
  const incident = incidentOf(event);
  const { key, isOpen, title } = incident;
  return { check_id: key, title, message: incidentText(incident), status: isOpen ? 'down' : 'up' };
}
