import { checkLabel } from '../../domain/check-label.ts';
import { splitTags } from '../../domain/tags.ts';
import { count } from '../../lib/text/durations.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';

/** A mail to an account, before it is addressed. */
export interface MailText {
  /** A single line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a message may show of a check. Without the UUID, because whoever knows it can ping. */
export interface MailCheck {
  /** May be empty. */
  readonly name: string;
  readonly tags: string;
  readonly uniqueKey: string;
}

export interface MailProject<OneCheck extends MailCheck> {
  readonly id: number;
  readonly name: string;
  readonly checks: readonly OneCheck[];
}

/** In characters. Longer names and tags are shortened, so that they fit in a line or two. */
const MAX_NAME = 100;
const MAX_TAG = 40;
const MAX_TAGS = 10;

/** The name of a check, as a message shows it. */
export function checkName({ name }: Pick<MailCheck, 'name'>): string {
  return shortened(checkLabel(name), MAX_NAME);
}

export function projectName({ name }: { readonly name: string }): string {
  return shortened(oneLine(name), MAX_NAME) || 'unnamed project';
}

export function tagsOf({ tags }: Pick<MailCheck, 'tags'>): string[] {
  const all = splitTags(oneLine(tags)).map((tag) => shortened(tag, MAX_TAG));
  return all.length > MAX_TAGS ? [...all.slice(0, MAX_TAGS), '…'] : all;
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

/** More checks than anybody reads. With ten times as many, a mail would exceed the 10 MB that many servers accept. */
const MAX_ROWS = 1000;

/** The projects with at most `MAX_ROWS` checks in all, the first by the given order, and how many each leaves out. */
export function firstChecks<OneCheck extends MailCheck>(
  projects: readonly MailProject<OneCheck>[],
  order: (a: OneCheck, b: OneCheck) => number,
): { readonly name: string; readonly checks: OneCheck[]; readonly left: number }[] {
  const all = projects.flatMap(({ checks }) => checks);
  const shown = new Set(all.toSorted(order).slice(0, MAX_ROWS));
  return projects.map((project) => {
    const checks = project.checks.filter((check) => shown.has(check)).toSorted(order);
    return { name: projectName(project), checks, left: project.checks.length - checks.length };
  });
}

/** A line about the checks that are left out, if there are any. */
export function leftLines(left: number): string[] {
  return left === 0 ? [] : [`And ${count(left, 'more check')}.`];
}
