import type { Status } from '../../domain/check/check.ts';
import { checkLabel } from '../../domain/check/check-label.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';

/** In characters. Longer names are shortened, so that they fit in a line or two. */
const MAX_NAME = 100;

/** Mail programs show about so many characters of a subject. */
export const MAX_SUBJECT = 78;
/** Mail programs show about so many characters beside the subject. */
export const MAX_PREVIEW = 110;

/** The name of a check, as a message shows it. */
export function checkName({ name }: { readonly name: string }, most = MAX_NAME): string {
  return shortened(checkLabel(name), most);
}

export function projectName({ name }: { readonly name: string }): string {
  return shortened(oneLine(name), MAX_NAME) || 'unnamed project';
}

/** In characters. A name that somebody reads who does not know the project has no room for a message. */
const MAX_STRANGE_NAME = 40;

/**
 * The name of a project, in a mail that its recipient has not asked for. The owner of a project could write anything to
 * anybody in our name, so the name is short, and mail programs find no address in it to make a link of.
 */
export function strangeName({ name }: { readonly name: string }): string {
  const harmless = oneLine(name).replace(/[.:/\\@]+(?=\S)/g, ' ');
  return `“${shortened(harmless, MAX_STRANGE_NAME) || 'unnamed'}”`;
}

/** `Job 2` comes before `Job 10`. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return collator.compare(a.name, b.name);
}

/** The projects that have checks, sorted by name. */
export function inOrder<
  Project extends { readonly id: number; readonly name: string; readonly checks: readonly unknown[] },
>(projects: readonly Project[]): Project[] {
  return projects.filter(({ checks }) => checks.length > 0).toSorted((a, b) => byName(a, b) || a.id - b.id);
}

/** `a`, `a and b`, `a, b and c`; of more than `most`, `a, b and 7 more`. */
export function namesText(names: readonly string[], most: number): string {
  const shown = names.length > most ? names.slice(0, most) : names.slice(0, -1);
  const rest = names.length > most ? `${names.length - most} more` : (names.at(-1) ?? '');
  return shown.length === 0 ? rest : `${shown.join(', ')} and ${rest}`;
}

/** `2 down, 1 late. 13 are fine, 2 paused, 1 waiting for a run.` */
export function rightNow(statuses: readonly Status[]): string {
  const number = (wanted: Status) => statuses.filter((status) => status === wanted).length;
  const sentences = [
    [phrase(number('down'), 'down'), phrase(number('grace'), 'late')],
    [
      phrase(number('up'), number('up') === 1 ? 'is fine' : 'are fine'),
      phrase(number('paused'), 'paused'),
      phrase(number('new'), 'waiting for a run'),
    ],
  ];
  return sentences
    .map((parts) => parts.filter((part) => part !== '').join(', '))
    .filter((sentence) => sentence !== '')
    .map((sentence) => `${sentence}.`)
    .join(' ');
}

function phrase(number: number, words: string): string {
  return number === 0 ? '' : `${number} ${words}`;
}
