import { cutTo, sizeOf } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK } from '../text/button-links.ts';
import { type ChatDialect, markdownDetails, markdownHeadline } from '../text/chat-markdown.ts';
import { firstFitting, paragraph } from '../text/fitting.ts';
import { codeBlock, codeSpan, escapeByEntities, linkLabel } from '../text/markup.ts';

/** https://zulip.com/api/send-message: what servers take unless they are configured otherwise. */
export const MAX_TOPIC = 60;
export const MAX_CONTENT = 10_000;

/**
 * https://zulip.com/help/format-your-message-using-markdown: a backslash takes nothing literally. Entities do,
 * but not in the text of a link.
 */
const DIALECT: ChatDialect = {
  label: linkLabel,
  text: escapeByEntities,
  tags: (tags) => tags.map(codeSpan).join(' '),
  schedule: codeSpan,
};

/** The text of the message. If it is too long, the body is left out first, then the description. */
export function zulipContent(event: AlertEvent): string {
  const facts = alertFacts(event);
  const [first = '', ...story] = markdownHeadline(facts, DIALECT);
  const headline = [
    `${CIRCLES[facts.state]} ${first}`,
    ...story,
    ...paragraph(buttonLine(event, MARKDOWN_LINK)),
  ];
  const details = [...headline, '', ...markdownDetails(facts, DIALECT)];
  const description = facts.description === '' ? [] : ['---', '', DIALECT.text(facts.description)];
  const described = [...details, ...paragraph(description)];
  const body = codeBlock(facts.body);
  const whole = body === '' ? described : [...described, '', '**Last Ping Body:**', body];
  return (
    firstFitting([whole, described, details], MAX_CONTENT, (text) => sizeOf(text, 'code points')) ??
    headline.join('\n')
  );
}

/** Messages about one check share a topic, unless the user has chosen one for all. */
export function zulipTopic(event: AlertEvent, chosen: string): string {
  return cutTo(chosen || alertFacts(event).name, MAX_TOPIC, 'code points');
}
