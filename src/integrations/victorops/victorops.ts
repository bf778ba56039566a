import { type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { OUR_LIMIT } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, goneForGood, jsonOf, statusErrorWith } from '../send/reply.ts';
import { incidentOf, incidentText } from '../text/incident.ts';

const SERVER = { VICTOROPS_ENABLED: enabledByDefault('Splunk On-Call') } satisfies EnvSettingTable;

export const victorops = requestKind({
  ...TO_WEBHOOK,
  label: 'Splunk On-Call',
  category: 'on_call',
  summary: 'opens and ends incidents',
  description:
    'Opens an incident in Splunk On-Call (VictorOps) when a check goes down, and ends it when the check comes up.',
  setup: [
    'In Splunk On-Call, open **Integrations**, **3rd Party Integrations**, **REST – Generic**, and choose **Enable Integration**.',
    'Copy the **URL to notify**.',
    'Replace `$routing_key` at its end by the routing key of the team that is told, and paste the address.',
  ],
  example: {
    url: 'https://alert.victorops.com/integrations/generic/20131114/alert/6f1b2c3d-8e4a-4f5b-9c6d/database',
  },
  settings: { url: webhookUrl('The address of the REST integration, with the routing key at its end.') },
  server: SERVER,
  requires: ['VICTOROPS_ENABLED'],
  endsTest: (settings) => settings,
  takesOwnWords: true,
  limits: { '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  render(event, { url }, { VICTOROPS_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, alertOf(event))] : notEnabled('Splunk On-Call');
  },
  classify,
});

/** https://help.splunk.com/splunk-observability-cloud/splunk-on-call: REST Endpoint integration for Splunk On-Call */
function alertOf(event: AlertEvent): object {
  const incident = incidentOf(event);
  const { key, isOpen, facts } = incident;
  return {
    entity_id: key,
    message_type: isOpen ? 'CRITICAL' : 'RECOVERY',
    entity_display_name: facts.name,
    state_message: incidentText(incident),
    monitoring_tool: event.site.name,
    ...(facts.link !== null && { 'vo_annotate.u.Check': facts.link }),
  };
}

/** An address without its integration is not found. A request that is not understood is a failure under 200. */
function classify(reply: Reply): Outcome {
  if (reply.status === 404) return goneForGood(reply);
  const { result, message } = jsonOf(reply);
  return result === 'failure' ? tryAgain(statusErrorWith(reply, message)) : classifyByStatus(reply);
}
