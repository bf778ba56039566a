import type { AlertEvent } from '../alert-event.ts';
import { type AlertFacts, alertFacts } from '../text/alert-facts.ts';

interface SlackField {
  readonly title: string;
  readonly value: string;
  /** Whether the field is shown beside others. */
  readonly short?: true;
}

/** A message for Slack's incoming webhooks and compatible ones. */
export function slackPayload(event: AlertEvent): object {
  const facts = alertFacts(event);
  const { name, state, link } = facts;
  return {
    username: event.site.name,
    attachments: [
      {
        color: state === 'DOWN' ? 'danger' : 'good',
        fallback: `The check "${escaped(name)}" is ${state}.`,
        mrkdwn_in: ['fields'],
        title: `“${escaped(name)}” is ${state}.`,
        ...(link !== null && { title_link: link }),
        text: statement(facts),
        fields: fieldsOf(facts),
      },
    ],
  };
}

function statement({ reason, downtime }: AlertFacts): string | null {
  if (reason !== '') return `Reason: ${reason}.`;
  return downtime === '' ? null : `The downtime lasted ${downtime}.`;
}

function fieldsOf(facts: AlertFacts): SlackField[] {
  const { cadence } = facts;
  const tags = facts.tags.map((tag) => `\`${escaped(tag)}\``).join(' ');
  const fields: SlackField[] = [
    { title: 'Description', value: escaped(facts.description) },
    { title: 'Project', value: escaped(facts.project), short: true },
    { title: 'Tags', value: tags, short: true },
    ...('period' in cadence
      ? [{ title: 'Period', value: cadence.period, short: true } as const]
      : ([
          { title: 'Schedule', value: withoutEmphasis(escaped(cadence.schedule)), short: true },
          { title: 'Time Zone', value: escaped(cadence.timeZone), short: true },
        ] as const)),
    { title: 'Total Pings', value: facts.totalPings, short: true },
    { title: 'Last Ping', value: facts.lastPing, short: true },
    { title: 'Last Ping Body', value: fenced(facts.body) },
  ];
  return fields.filter(({ value }) => value !== '');
}

/** A body that contains a fence is not shown: it would end ours. */
function fenced(body: string): string {
  return body === '' || body.includes('```') ? '' : `\`\`\`\n${escaped(body)}\n\`\`\``;
}

/** Puts an invisible joiner before each asterisk, so that asterisks do not make text bold. */
function withoutEmphasis(text: string): string {
  return text.replaceAll('*', '\u034f*');
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
