import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../alert-event.ts';
import { alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { firstFitting, paragraph } from '../text/fitting.ts';
import { htmlDetails, htmlHeadline, htmlOthers, htmlStory } from '../text/html-lines.ts';

// https://pushover.net/api#limits
const MAX_MESSAGE_LENGTH = 1024;
const MAX_TITLE_LENGTH = 250;
/** Leaves room for a headline and for escaped characters. */
const MAX_OWN_TEXT = 500;
/** An escaped character of a name may take six characters. */
const MAX_NAME_LENGTH = 100;

/** The fields of a message that reports the event. Details that would make it too long are left out. */
export function pushoverMessage(event: AlertEvent): Record<string, string> {
  const facts = alertFacts(event, MAX_OWN_TEXT);
  const name = firstCharacters(facts.name, MAX_NAME_LENGTH);
  const first = htmlHeadline({ ...facts, name });
  const headline = [first, ...htmlStory(facts)];
  const details = paragraph(htmlDetails(facts));
  const others = paragraph(htmlOthers(facts));
  const candidates = [
    [...headline, ...details, ...others],
    [...headline, ...details],
    [...headline, ...others],
    headline,
  ];
  return {
    title: firstCharacters(
      facts.ownTitle ?? `${CIRCLES[facts.state]} ${name} is ${facts.state}`,
      MAX_TITLE_LENGTH,
    ),
    message: firstFitting(candidates, MAX_MESSAGE_LENGTH) ?? first,
    html: '1',
    ...(facts.link !== null && { url: facts.link, url_title: `View on ${event.site.name}` }),
  };
}
