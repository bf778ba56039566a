import type { Together } from '../../domain/alert/together.ts';
import { checkLabel } from '../../domain/check/check-label.ts';
import { count } from '../../lib/text/durations.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { NoticeWords } from './notice-words.ts';

/** A change of status, as a message about many tells it. */
export interface ToldRow {
  readonly checkId: number;
  readonly status: 'up' | 'down';
  readonly name: string;
}

/** Checks that a message names. Of more it tells the number. */
const MAX_NAMED = 20;

/** What the tag has, for a message about it. */
export interface TagCounts {
  readonly total: number;
  readonly down: number;
}

/** The words about changes of several checks, in the order in which they happened. */
export function togetherWords(of: Together, rows: readonly ToldRow[], tag: TagCounts | null): NoticeWords {
  const byCheck = [...Map.groupBy(rows, ({ checkId }) => checkId).values()];
  const statusOf = (own: readonly ToldRow[]) => own.at(-1)?.status;
  const wentDown = (own: readonly ToldRow[]) => own.some(({ status }) => status === 'down');
  const down = byCheck.filter((own) => statusOf(own) === 'down');
  const passed = byCheck.filter((own) => statusOf(own) === 'up' && wentDown(own));
  const up = byCheck.filter((own) => statusOf(own) === 'up' && !wentDown(own));
  const lines = [
    lineOf('Down', down),
    lineOf('Down, and up again', passed),
    lineOf('Up again', up),
    of.group === 'parent' && down.length > 0 ? 'What they depend on is up for a minute.' : '',
  ];
  return {
    title: titleOf(of, { down: down.length, up: up.length + passed.length }, tag),
    text: lines.filter((line) => line !== '').join('\n'),
    word: down.length > 0 ? 'Down' : 'Up',
    isFine: down.length === 0,
  };
}

function titleOf(
  of: Together,
  { down, up }: { readonly down: number; readonly up: number },
  tag: TagCounts | null,
): string {
  if (of.group === 'tag' && tag !== null) {
    const name = oneLine(of.tag);
    if (tag.down > 0) return `${tag.down} of ${tag.total} missing (${name})`;
    return `All ${tag.total} of ${name} are up again`;
  }
  if (down === 0) return `${count(up, 'check')} up again`;
  return `${count(down, 'check')} down${up > 0 ? `, ${up} up again` : ''}`;
}

function lineOf(what: string, checks: readonly (readonly ToldRow[])[]): string {
  if (checks.length === 0) return '';
  return `${what}: ${namedChecks(checks.map(([first]) => ({ name: first?.name ?? '' })))}`;
}

/** `web1, web2 and 35 more.` */
export function namedChecks(checks: readonly { readonly name: string }[]): string {
  const names = checks.slice(0, MAX_NAMED).map(({ name }) => oneLine(checkLabel(name)));
  const more = checks.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The list of the project with what the message is about. */
export function togetherFilter(of: Together): string {
  return listFilter(of.group === 'tag' ? of.tag : null);
}

/** The checks with the tag. Null: those that are down. */
export function listFilter(tag: string | null): string {
  return tag === null ? 'status=down' : `tag=${encodeURIComponent(tag)}`;
}
