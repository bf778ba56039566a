import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts } from './alert-facts.ts';

/** One SMS, if all its characters are of the alphabet of GSM. */
const MAX_LENGTH = 160;
/** The limit for the words of the channel's owner: two SMS. */
const MAX_OWN_LENGTH = 300;
/** So much of a long name is always shown. */
const MIN_NAME = 30;

/**
 * The state and the cause in a sentence. Our words are in the alphabet of GSM: one other character would halve the room
 * and double the price. A name may have others.
 */
export function briefText(event: AlertEvent): string {
  const { ownTitle, ownText, name, state, reason, brief } = alertFacts(event);
  const own = [ownTitle, ownText].filter((words) => words !== null).join(': ');
  if (own !== '') return firstCharacters(oneLine(own), MAX_OWN_LENGTH);
  const why = brief === '' ? reason : brief;
  const begin = `${event.site.name}: `;
  const end = ` is ${state}${why === '' ? '' : ` (${why})`}.`;
  const room = Math.max(MIN_NAME, MAX_LENGTH - begin.length - end.length);
  return `${begin}${clippedName(name, room)}${end}`;
}

/** The alphabet of GSM has no ellipsis. */
function clippedName(name: string, room: number): string {
  return [...name].length <= room ? name : `${firstCharacters(name, room - 3)}...`;
}
