import { cutTo } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts } from '../text/alert-facts.ts';
import { buttonLine, type LinkDialect } from '../text/button-links.ts';
import { allFacts, causeSentence, type Dialect } from '../text/listed-facts.ts';
import { codeSpan, escapeAngles, shortFencedBlock, withoutEmphasis } from '../text/markup.ts';

/** Discord's limit, which is the shortest. */
const MAX_USERNAME = 80;

const COLORS: Readonly<Record<AlertFacts['state'], string>> = {
  DOWN: 'danger',
  UP: 'good',
  NOTED: 'warning',
};

interface SlackField {
  readonly title: string;
  readonly value: string;
  /** Whether the field is shown beside others. */
  readonly short?: true;
}

/** The differences between services that take Slack's messages. */
export interface SlackDialect extends Dialect {
  title(plain: string): string;
  /** The sentence below the title, which may be longer than the value of a field. Absent: like any text. */
  sentence?(plain: string): string;
  readonly link: LinkDialect;
  /** A quotation with its fences. */
  quoted(plain: string): string;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const MRKDWN: SlackDialect = {
  text: escapeAngles,
  title: escapeAngles,
  link: (label, url) => `<${escapeAngles(url)}|${escapeAngles(label)}>`,
  quoted: (plain) => shortFencedBlock(escapeAngles(plain)),
  tags: (tags) => tags.map((tag) => codeSpan(escapeAngles(tag))).join(' '),
  schedule: escapeAngles,
  cron: (plain) => withoutEmphasis(escapeAngles(plain)),
};

/** A message for Slack's incoming webhooks and compatible ones. */
export function slackPayload(event: AlertEvent, dialect: SlackDialect = MRKDWN): object {
  const facts = alertFacts(event);
  const { ownTitle, name, state, link } = facts;
  return {
    username: cutTo(event.site.name, MAX_USERNAME, 'units'),
    attachments: [
      {
        color: COLORS[state],
        fallback:
          ownTitle === null ? `The check "${dialect.title(name)}" is ${state}.` : dialect.title(ownTitle),
        mrkdwn_in: ['fields'],
        title: ownTitle === null ? `“${dialect.title(name)}” is ${state}.` : dialect.title(ownTitle),
        ...(link !== null && { title_link: link }),
        text: (dialect.sentence ?? dialect.text)(causeSentence(facts)) || null,
        fields: fieldsOf(event, facts, dialect),
      },
    ],
  };
}

function fieldsOf(event: AlertEvent, facts: AlertFacts, dialect: SlackDialect): SlackField[] {
  const fields: SlackField[] = [
    ...buttonLine(event, dialect.link).map((value) => ({ title: 'Answer', value })),
    { title: 'Description', value: dialect.text(facts.description) },
    ...allFacts(facts, dialect).map(({ label, value }) => ({ title: label, value, short: true as const })),
    { title: 'Last Ping Body', value: dialect.quoted(facts.body) },
  ];
  return fields.filter(({ value }) => value !== '');
}
