import { oneLine, plainLines } from '../lib/text/one-line.ts';
import type { AlertEvent, OwnWords } from './alert-event.ts';
import type { Source } from './setting.ts';
import { fill } from './text/fill.ts';
import { placeholders } from './webhook/placeholders.ts';

/** The event with the words that the owner of the channel has written, with their placeholders filled in. */
export function withOwnWords(event: AlertEvent, settings: Source): AlertEvent {
  const { title, text } = templatesOf(settings);
  if (title === '' && text === '') return event;
  const table = placeholders(event);
  const ownWords: OwnWords = {
    title: oneLine(fill(title, table, 'body')),
    text: plainLines(fill(text, table, 'body')).trim(),
  };
  return { ...event, ownWords };
}

/** Whether these words quote the body of the last ping, which is read only for messages that need it. */
export function quotesBody(settings: Source): boolean {
  const { title, text } = templatesOf(settings);
  return `${title}${text}`.includes('$BODY');
}

function templatesOf({ title, text }: Source): OwnWords {
  return { title: typeof title === 'string' ? title : '', text: typeof text === 'string' ? text : '' };
}
