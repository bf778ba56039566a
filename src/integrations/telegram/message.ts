import { escapeHtml } from '../../lib/html-escape.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { firstFitting, paragraph } from '../text/fitting.ts';
import { htmlDetails, htmlHeadline, htmlOthers, htmlStory } from '../text/html-lines.ts';

/**
 * https://core.telegram.org/bots/api#sendmessage: Telegram counts after parsing entities, so our count is never too
 * small.
 */
export const MAX_TEXT_LENGTH = 4096;

/** The message as HTML. If it is too long for Telegram, the body is left out first, then other checks, then the details. */
export function telegramText(event: AlertEvent): string {
  const facts = alertFacts(event);
  const first = `${CIRCLES[facts.state]} ${htmlHeadline(facts)}`;
  const headline = [first, ...htmlStory(facts)];
  const details = paragraph(htmlDetails(facts));
  const others = paragraph(htmlOthers(facts));
  const body =
    facts.body === '' ? [] : ['', '<b>Last Ping Body:</b>', `<pre>${escapeHtml(facts.body)}</pre>`];
  const candidates = [
    [...headline, ...details, ...body, ...others],
    [...headline, ...details, ...others],
    [...headline, ...details],
    headline,
  ];
  return firstFitting(candidates, MAX_TEXT_LENGTH) ?? headline.join('\n');
}
