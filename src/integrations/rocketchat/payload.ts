import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK } from '../text/button-links.ts';
import { markdownHeadline } from '../text/chat-markdown.ts';
import { allFacts, type Dialect } from '../text/listed-facts.ts';
import { codeSpan, escapeMarkdown } from '../text/markup.ts';

const DIALECT: Dialect = {
  text: escapeMarkdown,
  tags: (tags) => tags.map(codeSpan).join(' '),
  schedule: (plain) => plain.replaceAll('*', '\\*'),
};

const COLORS = { DOWN: '#d9534f', UP: '#5cb85c', NOTED: '#f0ad4e' };

/** https://docs.rocket.chat/docs/create-incoming-webhooks and https://developer.rocket.chat/apidocs/post-message */
export function rocketChatPayload(event: AlertEvent): object {
  const facts = alertFacts(event);
  return {
    alias: event.site.name,
    text: markdownHeadline(facts, DIALECT).join('\n'),
    // Pages for which people sign in have nothing to show.
    parseUrls: false,
    attachments: [{ color: COLORS[facts.state], fields: fieldsOf(facts, event) }],
  };
}

function fieldsOf(facts: AlertFacts, event: AlertEvent) {
  const fields = [
    ...buttonLine(event, MARKDOWN_LINK).map((value) => ({ title: 'Answer', value })),
    { title: 'Description', value: DIALECT.text(facts.description) },
    ...allFacts(facts, DIALECT).map(({ label, value }) => ({ title: label, value, short: true })),
    { title: 'Last Ping Body', value: bodyLink(facts, event) },
  ];
  return fields.filter(({ value }) => value !== '');
}

/** The size of the body, and a link to it. */
function bodyLink({ link }: AlertFacts, { ping }: AlertEvent): string {
  if (ping === null || ping.bodySize === 0) return '';
  const size = ping.bodySize === 1 ? '1 byte' : `${ping.bodySize} bytes`;
  return link === null ? size : `${size}, [show body](${link}#ping-${ping.n})`;
}
