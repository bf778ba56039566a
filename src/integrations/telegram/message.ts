import { escapeHtml } from '../../lib/html-escape.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../alert-event.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { htmlDetails, htmlDowntime, htmlHeadline } from '../text/html-lines.ts';

/**
 * https://core.telegram.org/bots/api#sendmessage: Telegram counts after parsing entities, so our count is never too
 * small.
 */
const MAX_TEXT_LENGTH = 4096;
const MAX_NAME_LENGTH = 500;

const CIRCLES = { DOWN: '🔴', UP: '🟢' };

/** The message as HTML. If it is too long for Telegram, the body is left out first, then the details. */
export function telegramText(event: AlertEvent): string {
  const facts = alertFacts(event);
  const name = firstCharacters(facts.name, MAX_NAME_LENGTH);
  const first = `${CIRCLES[facts.state]} ${htmlHeadline({ ...facts, name })}`;
  const headline = [first, ...htmlDowntime(facts)];
  const details = htmlDetails(facts);
  const body =
    facts.body === '' ? [] : ['', '<b>Last Ping Body:</b>', `<pre>${escapeHtml(facts.body)}</pre>`];
  const candidates = [[...headline, '', ...details, ...body], [...headline, '', ...details], headline].map(
    (lines) => lines.join('\n'),
  );
  return candidates.find((text) => text.length <= MAX_TEXT_LENGTH) ?? first;
}
