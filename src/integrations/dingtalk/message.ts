import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK } from '../text/button-links.ts';
import { type ChatDialect, markdownDetails, markdownHeadline } from '../text/chat-markdown.ts';
import { firstFitting } from '../text/fitting.ts';
import { plainTitle } from '../text/listed-facts.ts';
import { defuseMarkdown, linkLabel } from '../text/markup.ts';

/** https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages: bytes of a message, with room for the rest. */
const MAX_TEXT_BYTES = 15_000;

const DIALECT: ChatDialect = {
  label: linkLabel,
  text: defuseMarkdown,
  tags: (tags) => defuseMarkdown(tags.join(', ')),
  schedule: defuseMarkdown,
};

/** A card with a button. A test has no page to open, so it is a plain message. */
export function dingTalkMessage(event: AlertEvent): object {
  const facts = alertFacts(event);
  const { state, link } = facts;
  const content = { title: `${CIRCLES[state]} ${plainTitle(facts)}`, text: textOf(event, facts) };
  if (link === null) return { msgtype: 'markdown', markdown: content };
  return {
    msgtype: 'actionCard',
    actionCard: { ...content, singleTitle: `View in ${event.site.name}`, singleURL: link },
  };
}

/** A line break counts only between paragraphs. */
function textOf(event: AlertEvent, facts: AlertFacts): string {
  const [first = '', ...story] = markdownHeadline(facts, DIALECT);
  const headline = [`${CIRCLES[facts.state]} ${first}`, ...story, ...buttonLine(event, MARKDOWN_LINK)];
  const details = [...headline, ...linesOf(facts.description), ...markdownDetails(facts, DIALECT)];
  const body = facts.body === '' ? [] : ['**Last Ping Body:**', ...linesOf(facts.body)];
  const messages = [[...details, ...body], details, headline].map((lines) =>
    lines.flatMap((line, index) => (index === 0 ? [line] : ['', line])),
  );
  return firstFitting(messages, MAX_TEXT_BYTES, Buffer.byteLength) ?? headline.join('\n\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : DIALECT.text(text).split('\n');
}
