import { escapeHtml } from '../../lib/html-escape.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../alert-event.ts';
import { alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { firstFitting, paragraph } from '../text/fitting.ts';
import { htmlDetails, htmlHeadline, htmlOthers, htmlStory } from '../text/html-lines.ts';

/**
 * https://core.telegram.org/bots/api#sendmessage: Telegram counts after parsing entities, so our count is never too
 * small.
 */
const MAX_TEXT_LENGTH = 4096;
const MAX_NAME_LENGTH = 500;

/** The message as HTML. If it is too long for Telegram, the body is left out first, then other checks, then the details. */
export function telegramText(event: AlertEvent): string {
  const facts = alertFacts(event);
  const name = firstCharacters(facts.name, MAX_NAME_LENGTH);
  const first = `${CIRCLES[facts.state]} ${htmlHeadline({ ...facts, name })}`;
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
  return firstFitting(candidates, MAX_TEXT_LENGTH) ?? first;
}
