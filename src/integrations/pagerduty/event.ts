import { toIsoSeconds } from '../../lib/instant.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { type Incident, incidentOf } from '../text/incident.ts';

/** https://developer.pagerduty.com/docs/events-api-v1-trigger-events */
export function eventOfVersion1(event: AlertEvent, serviceKey: string): object {
  const incident = incidentOf(event);
  return {
    service_key: serviceKey,
    incident_key: incident.key,
    event_type: eventType(incident),
    description: `${incident.title}.`,
    ...clientOf(event, incident),
    details: incident.details,
  };
}

/** https://developer.pagerduty.com/docs/events-api-v2-trigger-events */
export function eventOfVersion2(event: AlertEvent, routingKey: string, severity: string): object {
  const incident = incidentOf(event);
  const { key, title, facts, details } = incident;
  return {
    routing_key: routingKey,
    dedup_key: key,
    event_action: eventType(incident),
    ...clientOf(event, incident),
    payload: {
      summary: title,
      source: new URL(event.site.root).host,
      severity,
      timestamp: toIsoSeconds(event.at),
      component: facts.name,
      ...(facts.project !== '' && { group: facts.project }),
      ...(event.reason !== '' && { class: event.reason }),
      custom_details: details,
    },
  };
}

function eventType({ isOpen }: Incident): string {
  return isOpen ? 'trigger' : 'resolve';
}

function clientOf({ site }: AlertEvent, { facts: { link } }: Incident): object {
  return { client: site.name, ...(link !== null && { client_url: link }) };
}
