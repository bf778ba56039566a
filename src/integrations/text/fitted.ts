import { longestFitting } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { exceededLimits, type Limit, type Limits } from '../kind/limits.ts';

/** Parts that can be left out of a message, in this order. The reader finds all of them on the page of the check. */
const LEFT_OUT: readonly ((event: AlertEvent) => AlertEvent)[] = [
  (event) => ({ ...event, body: null }),
  (event) => ({ ...event, others: null }),
  (event) => ({ ...event, check: { ...event.check, description: '' } }),
  (event) => ({ ...event, projectName: '', check: { ...event.check, tags: '' } }),
];

/**
 * Writes as much about the event as the provider takes. A title that is too long is shortened. If the whole is too
 * long, something is left out, and then the words of the owner are shortened. Texts are shortened before they are
 * written, so that no markup is cut.
 */
export function fitted<Written>(
  event: AlertEvent,
  write: (event: AlertEvent) => Written,
  exceeded: (written: Written) => readonly Limit[],
): Written {
  const whole = write(event);
  if (exceeded(whole).length === 0) return whole;
  const isWithin = (shown: AlertEvent) => exceeded(write(shown)).length === 0;
  const isTitleWithin = (shown: AlertEvent) => !exceeded(write(shown)).some(({ isTitle }) => isTitle);
  const titled = isTitleWithin(event) ? event : withShorterTitle(event, isTitleWithin);
  if (isWithin(titled)) return write(titled);
  let brief = titled;
  for (const leaveOut of LEFT_OUT) {
    brief = leaveOut(brief);
    if (isWithin(brief)) return write(brief);
  }
  const shorter = withShorterText(brief, isWithin);
  const last = isWithin(shorter) ? shorter : withShorterTitle(shorter, isWithin);
  const hasButtons = event.buttons.length > 0;
  return hasButtons && !isWithin(last) ? fitted({ ...event, buttons: [] }, write, exceeded) : write(last);
}

/** `fitted` for a message whose body is known before it is sent. */
export function fittedBody<Body>(
  event: AlertEvent,
  write: (event: AlertEvent) => Body,
  limits: Limits,
): Body {
  return fitted(event, write, (body) => exceededLimits(body, limits));
}

/** The owner's title, or else the name of the check, as long as it can be. */
function withShorterTitle(event: AlertEvent, fits: (event: AlertEvent) => boolean): AlertEvent {
  const { ownWords, check, story } = event;
  const own = ownWords?.title ?? '';
  const name = story?.about.name ?? check.name;
  const shown = (words: string): AlertEvent =>
    own === ''
      ? {
          ...event,
          check: { ...check, name: words },
          story: story && { ...story, about: { ...story.about, name: words } },
        }
      : { ...event, ownWords: { title: words, text: ownWords?.text ?? '' } };
  return shown(longestFitting(own === '' ? name : own, (words) => fits(shown(words))));
}

/** An empty text would stand for our words. */
function withShorterText(event: AlertEvent, fits: (event: AlertEvent) => boolean): AlertEvent {
  const { ownWords } = event;
  if (ownWords === undefined || ownWords.text === '') return event;
  const shown = (text: string): AlertEvent => ({
    ...event,
    ownWords: { title: ownWords.title, text: text === '' ? '…' : text },
  });
  return shown(longestFitting(ownWords.text, (text) => fits(shown(text))));
}
