import { seconds, toIsoMicros } from '../../lib/instant.ts';
import { HOUR } from '../../lib/text/durations.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { incidentOf, incidentText } from '../text/incident.ts';
import { labelsOf } from './labels-field.ts';

/**
 * Long enough for the receivers of a route, which hear of an alert after its group_wait. They would hear nothing of one that
 * has ended before.
 */
const TEST_LASTS = seconds(300);

export interface AlertSettings {
  readonly severity: string;
  readonly labels: string;
  readonly hours: number;
}

/**
 * https://prometheus.io/docs/alerting/latest/alerts_api/: labels identify an alert, so they contain nothing that may change
 * between its beginning and its end. An alert without an end would be over after a few minutes unless it was sent again.
 */
export function alertOf(event: AlertEvent, { severity, labels, hours }: AlertSettings): object {
  const incident = incidentOf(event);
  const { key, isOpen, title, facts } = incident;
  const lasting = event.isTest ? TEST_LASTS : seconds(hours * HOUR);
  const since = isOpen ? event.at : event.at - (event.downFor ?? 0);
  return {
    labels: { alertname: 'CheckDown', check: key, severity, ...labelsOf(labels) },
    annotations: annotationsOf({
      summary: title,
      description: incidentText(incident),
      name: facts.name,
      project: facts.project,
      tags: facts.tags.join(' '),
      note: facts.description,
    }),
    startsAt: toIsoMicros(since),
    endsAt: toIsoMicros(isOpen ? event.at + lasting : event.at),
    ...(facts.link !== null && { generatorURL: facts.link }),
  };
}

function annotationsOf(texts: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}
