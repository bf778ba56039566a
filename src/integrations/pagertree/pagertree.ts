import type { EnvSettingTable } from '../../lib/env-setting.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { requestKind } from '../kind/kind.ts';
import { OUR_LIMIT } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus } from '../send/reply.ts';
import { incidentOf, incidentText } from '../text/incident.ts';

const SERVER = { PAGERTREE_ENABLED: enabledByDefault('PagerTree') } satisfies EnvSettingTable;

export const pagertree = requestKind({
  ...TO_WEBHOOK,
  label: 'PagerTree',
  category: 'on_call',
  summary: 'opens and resolves alerts',
  description: 'Opens an alert in PagerTree when a check goes down, and resolves it when the check comes up.',
  setup: [
    'In [PagerTree](https://pagertree.com/), open **Integrations**, choose **New Integration** and then **Healthchecks**.',
    'Choose the team or the router that alerts go to, and create the integration.',
    'Copy the **Endpoint URL**, and paste it.',
  ],
  example: { url: 'https://api.pagertree.com/integration/int_8VcLsQ2sT7' },
  settings: { url: webhookUrl('The endpoint of the integration that PagerTree shows.') },
  server: SERVER,
  requires: ['PAGERTREE_ENABLED'],
  endsTest: (settings) => settings,
  takesOwnWords: true,
  limits: { '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  render(event, { url }, { PAGERTREE_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, alertOf(event))] : notEnabled('PagerTree');
  },
  classify: classifyByStatus,
});

/** https://pagertree.com/docs: the fields of its integration Healthchecks. */
function alertOf(event: AlertEvent): object {
  const incident = incidentOf(event);
  const { key, isOpen, title, facts } = incident;
  return {
    incident_key: key,
    event_type: isOpen ? 'trigger' : 'resolve',
    title,
    description: incidentText(incident),
    client: event.site.name,
    client_url: facts.link ?? event.site.root,
    tags: facts.tags.join(' '),
  };
}
