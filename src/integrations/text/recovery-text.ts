import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts } from './alert-facts.ts';
import { causeSentence, plainTitle } from './listed-facts.ts';
import { escapeMarkdown } from './markup.ts';

/** The recovery and the duration of the outage, in Markdown. */
export function recoveryText(event: AlertEvent): string {
  const facts = alertFacts(event);
  const title = facts.ownTitle ?? `${plainTitle(facts)}.`;
  return [title, causeSentence(facts)]
    .filter((line) => line !== '')
    .map(escapeMarkdown)
    .join('\n\n');
}
