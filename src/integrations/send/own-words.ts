import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine, plainLines } from '../../lib/text/one-line.ts';
import type { AlertEvent, OwnWords } from '../kind/alert-event.ts';
import type { Kind } from '../kind/kind.ts';
import type { Source } from '../kind/setting.ts';
import { TEST_STATEMENT } from '../text/facts.ts';
import { fill } from '../text/fill.ts';
import { placeholders } from '../webhook/placeholders.ts';

/** The number of characters that are kept: no kind of message has more. A placeholder may stand for a whole body. */
const MAX_FILLED = 10_001;

/** The event with the words that the owner of the channel has written, with their placeholders filled in. */
export function withOwnWords(event: AlertEvent, settings: Source): AlertEvent {
  // What the owner has written is about changes of status.
  if (event.notice !== undefined) return event;
  const { title, text } = templatesOf(settings);
  if (title === '' && text === '') return event;
  const table = placeholders(event);
  const filled = (template: string) => firstCharacters(fill(template, table, 'body'), MAX_FILLED);
  const marked = (mark: string, words: string) => (event.isTest && words !== '' ? `${mark}${words}` : words);
  const ownWords: OwnWords = {
    title: marked('TEST: ', oneLine(filled(title))),
    text: marked(`${TEST_STATEMENT}\n`, plainLines(filled(text)).trim()),
  };
  return { ...event, ownWords };
}

/** Whether the owner of the channel has used that placeholder. Its value is read only for such messages. */
export function ownWordsMention(
  { takesOwnWords = false }: Pick<Kind, 'takesOwnWords'>,
  settings: Source,
  placeholder: string,
): boolean {
  const { title, text } = templatesOf(settings);
  return takesOwnWords && [title, text].some((template) => template.includes(placeholder));
}

function templatesOf({ title, text }: Source): OwnWords {
  return { title: typeof title === 'string' ? title : '', text: typeof text === 'string' ? text : '' };
}
