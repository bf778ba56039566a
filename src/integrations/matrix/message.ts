import { escapeHtml } from '../../lib/html-escape.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { bytes } from '../kind/limits.ts';
import { type AlertFacts, alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { buttonLine, HTML_LINK, plainButtonLines } from '../text/button-links.ts';
import { fittedBody } from '../text/fitted.ts';
import { htmlDetails, htmlHeadline, htmlOthers, htmlStory } from '../text/html-lines.ts';
import { causeSentence, quotedTitle } from '../text/listed-facts.ts';

/** https://spec.matrix.org/v1.11/client-server-api/#size-limits: bytes of an event, less additions of the server. */
export const MESSAGE_LIMITS = { '': bytes(60_000) };

export function matrixMessage(event: AlertEvent, roomId: string): object {
  return fittedBody(event, (shown) => contentOf(shown, roomId), MESSAGE_LIMITS);
}

/**
 * https://spec.matrix.org/v1.11/client-server-api/#mroommessage-msgtypes: plain text, and a longer form of it as HTML.
 * Nobody is mentioned, even if the text has names.
 */
function contentOf(event: AlertEvent, roomId: string): object {
  const facts = alertFacts(event);
  return {
    msgtype: 'm.text',
    body: plainText(event, facts),
    format: 'org.matrix.custom.html',
    formatted_body: formatted(event, facts),
    'm.mentions': {},
    ...answered(event, roomId),
  };
}

/**
 * https://spec.matrix.org/v1.13/client-server-api/#rich-replies: the message of the same room that told of the outage. A
 * thread would hide the end of the outage from people who read the room.
 */
function answered({ answers }: AlertEvent, roomId: string): object {
  const [room, eventId] = (answers?.providerId ?? '').split(' ');
  return room === roomId ? { 'm.relates_to': { 'm.in_reply_to': { event_id: eventId } } } : {};
}

function plainText(event: AlertEvent, facts: AlertFacts): string {
  const { state, link } = facts;
  const cause = causeSentence(facts);
  const sentence = `${CIRCLES[state]} ${quotedTitle(facts)}${cause === '' ? '' : ` ${cause}`}`;
  return [sentence, ...(link === null ? [] : [link]), ...plainButtonLines(event)].join('\n');
}

function formatted(event: AlertEvent, facts: AlertFacts): string {
  const lines = [
    `${CIRCLES[facts.state]} ${htmlHeadline(facts)}`,
    ...htmlStory(facts),
    ...buttonLine(event, HTML_LINK),
    '',
    ...htmlDetails(facts),
  ];
  const body =
    facts.body === '' ? '' : `<br><b>Last Ping Body:</b><pre><code>${escapeHtml(facts.body)}</code></pre>`;
  return `${lines.join('<br>')}${body}${otherChecks(facts)}`;
}

/** Their names are the items of a list. */
function otherChecks(facts: AlertFacts): string {
  const [first, ...items] = htmlOthers(facts);
  if (first === undefined) return '';
  const list = items.map((item) => `<li>${item}</li>`).join('');
  return `<p>${first}</p>${list === '' ? '' : `<ul>${list}</ul>`}`;
}
