import { escapeHtml } from '../../lib/html-escape.ts';
import type { AlertFacts } from './alert-facts.ts';
import { type Dialect, listedFacts, storySentence } from './listed-facts.ts';

/** The sentence about the check, as HTML. Its name is a link if the check has a page. */
export function htmlHeadline({ ownTitle, name, state, link, reason }: AlertFacts): string {
  const why = reason === '' ? '' : ` (${escapeHtml(reason)})`;
  const words = escapeHtml(ownTitle ?? name);
  const linked = link === null ? words : `<a href="${escapeHtml(link)}">${words}</a>`;
  if (ownTitle !== null) return linked;
  return `${linked} is <b>${state}</b>${why}.`;
}

/** The line below the title: the start of the outage and the expectation, or the duration of the outage. */
export function htmlStory(facts: AlertFacts): string[] {
  const story = storySentence(facts);
  return story === '' ? [] : [escapeHtml(story)];
}

/** The other checks that are down. Empty if they are not known. */
export function htmlOthers({ others }: AlertFacts): string[] {
  return (others?.note ?? []).map(escapeHtml);
}

const HTML: Dialect = {
  text: escapeHtml,
  tags: (tags) => escapeHtml(tags.join(', ')),
  schedule: (plain) => `<code>${escapeHtml(plain)}</code>`,
};

/** Further facts about the check, one on each line. */
export function htmlDetails(facts: AlertFacts): string[] {
  return listedFacts(facts, HTML).map(({ label, value }) => `<b>${label}:</b> ${value}`);
}
