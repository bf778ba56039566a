import type { AlertFacts } from './alert-facts.ts';
import { allFacts, type Dialect, storySentence } from './listed-facts.ts';

export interface ChatDialect extends Dialect {
  /** For the text of a link, if that is written in another way. */
  label?(plain: string): string;
}

/**
 * The sentence about the check in Markdown, and one about what more is known. The name is a link if the check has a page.
 */
export function markdownHeadline(facts: AlertFacts, { text, label = text }: ChatDialect): string[] {
  const { ownTitle, name, state, link, reason } = facts;
  const words = ownTitle ?? name;
  const linked = link === null ? text(words) : `[${label(words)}](${link})`;
  const why = reason === '' ? '' : ` (${text(reason)})`;
  const story = storySentence(facts);
  const first = ownTitle === null ? `${linked} is **${state}**${why}.` : linked;
  return [first, ...(story === '' ? [] : [text(story)])];
}

/** Further facts about the check, one on each line. */
export function markdownDetails(facts: AlertFacts, dialect: Dialect): string[] {
  return allFacts(facts, dialect).map(({ label, value }) => `**${label}:** ${value}`);
}
