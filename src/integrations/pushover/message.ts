import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../alert-event.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { htmlDetails, htmlDowntime, htmlHeadline } from '../text/html-lines.ts';

// https://pushover.net/api#limits
const MAX_MESSAGE_LENGTH = 1024;
const MAX_TITLE_LENGTH = 250;
/** An escaped character of a name may take six characters. */
const MAX_NAME_LENGTH = 100;

const CIRCLES = { DOWN: '🔴', UP: '🟢' };

/** The fields of a message that reports the event. Details that would make it too long are left out. */
export function pushoverMessage(event: AlertEvent): Record<string, string> {
  const facts = alertFacts(event);
  const name = firstCharacters(facts.name, MAX_NAME_LENGTH);
  const headline = [htmlHeadline({ ...facts, name }), ...htmlDowntime(facts)];
  const whole = [...headline, '', ...htmlDetails(facts)].join('\n');
  return {
    title: firstCharacters(`${CIRCLES[facts.state]} ${name} is ${facts.state}`, MAX_TITLE_LENGTH),
    message: whole.length <= MAX_MESSAGE_LENGTH ? whole : headline.join('\n'),
    html: '1',
    ...(facts.link !== null && { url: facts.link, url_title: `View on ${event.site.name}` }),
  };
}
