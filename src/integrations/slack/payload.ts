import type { AlertEvent } from '../alert-event.ts';
import { type AlertFacts, alertFacts } from '../text/alert-facts.ts';

interface SlackField {
  readonly title: string;
  readonly value: string;
  /** Stands beside others. */
  readonly short?: true;
}

/** A message as Slack's incoming webhooks, and those of its imitators, take it. */
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

/** A fence within would end ours: such a body is not shown. */
function fenced(body: string): string {
  return body === '' || body.includes('```') ? '' : `\`\`\`\n${escaped(body)}\n\`\`\``;
}

/** An invisible joiner before each asterisk keeps two of them from making text bold. */
function withoutEmphasis(text: string): string {
  return text.replaceAll('*', '\u034f*');
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
