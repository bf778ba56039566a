import type { AlertEvent } from '../kind/alert-event.ts';
import { bytes } from '../kind/limits.ts';
import { alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { plainButtonLines } from '../text/button-links.ts';
import { fittedBody } from '../text/fitted.ts';
import { paragraph } from '../text/fitting.ts';
import { listedFacts, storySentence } from '../text/listed-facts.ts';
import { bold, monospace, type Piece, type StyledText, styledText } from './styled-text.ts';

/** Signal shows longer messages as a file. */
export const MESSAGE_LIMITS = { 'params.message': bytes(16_000) };

export function signalMessage(event: AlertEvent): StyledText {
  return fittedBody(event, (shown) => ({ params: messageOf(shown) }), MESSAGE_LIMITS).params;
}

function messageOf(event: AlertEvent): StyledText {
  const facts = alertFacts(event);
  const { state, reason, link, others } = facts;
  const status: Piece[] = [' is ', bold(state), reason === '' ? '.' : ` (${reason}).`];
  const headline: Piece[] = [
    `${CIRCLES[state]} `,
    bold(facts.ownTitle ?? facts.name),
    ...(facts.ownTitle === null ? status : []),
  ];
  const plain = { text: asIs, tags: (tags: readonly string[]) => tags.join(', '), schedule: asIs };
  const details = listedFacts(facts, plain).map(({ label, value }): Piece[] => [
    bold(`${label}:`),
    ' ',
    label === 'Schedule' ? monospace(value) : value,
  ]);
  return styledText([
    headline,
    ...[storySentence(facts)].filter((sentence) => sentence !== '').map((sentence) => [sentence]),
    [],
    ...details,
    ...paragraphOf(others?.note ?? []),
    ...paragraphOf([...(link === null ? [] : [link]), ...plainButtonLines(event)]),
  ]);
}

/** The lines after an empty one, if there are any. */
function paragraphOf(lines: readonly string[]): Piece[][] {
  return paragraph(lines).map((line) => [line]);
}

function asIs(text: string): string {
  return text;
}
