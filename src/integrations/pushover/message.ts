import { cutTo } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { codePoints, type Limits, title } from '../kind/limits.ts';
import { alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { buttonLine, HTML_LINK } from '../text/button-links.ts';
import { firstFitting, paragraph } from '../text/fitting.ts';
import { htmlDetails, htmlHeadline, htmlOthers, htmlStory } from '../text/html-lines.ts';

// https://pushover.net/api#limits
const MAX_MESSAGE_LENGTH = 1024;
const MAX_URL_TITLE_LENGTH = 100;

export const LIMITS: Limits = {
  message: codePoints(MAX_MESSAGE_LENGTH),
  title: title(codePoints(250)),
  url: codePoints(512),
  url_title: codePoints(MAX_URL_TITLE_LENGTH),
};

/** The fields of a message that reports the event. Details that would make it too long are left out. */
export function pushoverMessage(event: AlertEvent): Record<string, string> {
  const facts = alertFacts(event);
  const first = htmlHeadline(facts);
  const words = [first, ...htmlStory(facts)];
  const headline = [...words, ...buttonLine(event, HTML_LINK)];
  const details = paragraph(htmlDetails(facts));
  const others = paragraph(htmlOthers(facts));
  const candidates = [
    [...headline, ...details, ...others],
    [...headline, ...details],
    [...headline, ...others],
    headline,
    words,
  ];
  return {
    title: facts.ownTitle ?? `${CIRCLES[facts.state]} ${facts.name} is ${facts.state}`,
    message: firstFitting(candidates, MAX_MESSAGE_LENGTH, (text) => [...text].length) ?? words.join('\n'),
    html: '1',
    ...(facts.link !== null && {
      url: facts.link,
      url_title: cutTo(`View on ${event.site.name}`, MAX_URL_TITLE_LENGTH, 'code points'),
    }),
  };
}
