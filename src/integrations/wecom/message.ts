import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK } from '../text/button-links.ts';
import { type ChatDialect, markdownDetails, markdownHeadline } from '../text/chat-markdown.ts';
import { firstFitting, paragraph } from '../text/fitting.ts';
import { defuseMarkdown, linkLabel } from '../text/markup.ts';

/** https://developer.work.weixin.qq.com/document/path/99110: bytes of a text in Markdown. */
export const MAX_TEXT_BYTES = 4096;

const DIALECT: ChatDialect = {
  label: linkLabel,
  text: defuseMarkdown,
  tags: (tags) => defuseMarkdown(tags.join(', ')),
  schedule: defuseMarkdown,
};

const COLORS = { DOWN: 'warning', UP: 'info', NOTED: 'comment' };

/** If the message is too long, the body is left out first, then the description, then the details. */
export function weComMessage(event: AlertEvent): object {
  const facts = alertFacts(event);
  const headline = [...headlineOf(facts), ...buttonLine(event, MARKDOWN_LINK)];
  const details = [...headline, '', ...markdownDetails(facts, DIALECT).map(quoted)];
  const described = [...details, ...paragraph(linesOf(facts.description))];
  const body = facts.body === '' ? [] : ['**Last Ping Body:**', ...linesOf(facts.body)];
  const whole = [...described, ...paragraph(body)];
  const content = firstFitting([whole, described, details, headline], MAX_TEXT_BYTES, Buffer.byteLength);
  return { msgtype: 'markdown', markdown: { content: content ?? headline.join('\n') } };
}

function headlineOf(facts: AlertFacts): string[] {
  const { state } = facts;
  const [first = '', ...story] = markdownHeadline(facts, DIALECT);
  const colored = first.replace(`**${state}**`, `<font color="${COLORS[state]}">**${state}**</font>`);
  return [`${CIRCLES[state]} ${colored}`, ...story];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : DIALECT.text(text).split('\n').map(quoted);
}

function quoted(line: string): string {
  return `> ${line}`;
}
