import type { Outcome } from '../../domain/alert/delivery.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { cutTo } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundRequest, Reply } from '../kind/kind.ts';
import { type Limits, title, units } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, goneForGood, jsonOf } from '../send/reply.ts';
import { incidentOf } from '../text/incident.ts';
import type { Dialect } from '../text/listed-facts.ts';

// https://docs.opsgenie.com/docs/alert-api#create-alert
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;
const MAX_SOURCE_LENGTH = 100;

export const ALERT_LIMITS: Limits = {
  message: title(units(130)),
  source: units(MAX_SOURCE_LENGTH),
  description: units(15_000),
  'tags.*': units(MAX_TAG_LENGTH),
  details: units(8_000),
};

/** Values of details may be HTML. Asterisks of a schedule would be taken for markup. */
const DETAILS: Dialect = {
  text: (plain) => plain,
  tags: () => '',
  schedule: (plain) => `<code>${escapeHtml(plain)}</code>`,
};

/** The request that creates the alert of a check, or closes it. Opsgenie and its successor take the same. */
export function alertCall(event: AlertEvent, alertsUrl: string, apiKey: string): OutboundRequest {
  const headers = { Authorization: `GenieKey ${apiKey}` };
  const { key, isOpen, title: message, facts, details } = incidentOf(event, DETAILS);
  const alert = { alias: key, source: cutTo(event.site.name, MAX_SOURCE_LENGTH, 'units') };
  if (!isOpen) return jsonCall(`${alertsUrl}/${key}/close?identifierType=alias`, alert, headers);
  const { Description: _description, ...shown } = details;
  return jsonCall(
    alertsUrl,
    {
      ...alert,
      message,
      description: facts.description,
      tags: facts.tags.slice(0, MAX_TAGS).map((tag) => cutTo(tag, MAX_TAG_LENGTH, 'units')),
      details: {
        ...Object.fromEntries(Object.entries(shown).map(([label, value]) => [label, String(value)])),
        ...(facts.link !== null && { 'Full details': facts.link }),
      },
    },
    headers,
  );
}

/** https://docs.opsgenie.com/docs/response: 401 stands for a key that does not exist, and 422 also for one that cannot. */
export function classifyAlert(reply: Reply): Outcome {
  const { message } = jsonOf(reply);
  const isKeyWrong =
    reply.status === 401 || (reply.status === 422 && /key format is not valid/i.test(String(message)));
  return isKeyWrong ? goneForGood(reply, message) : classifyByStatus(reply, message);
}
