import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts } from './alert-facts.ts';
import { causeSentence, type Dialect, type ListedFact, listedFacts } from './listed-facts.ts';
import { codeSpan, escapeMarkdown } from './markup.ts';

const MARKDOWN: Dialect = {
  text: escapeMarkdown,
  tags: (tags) => tags.map(escapeMarkdown).join(', '),
  schedule: codeSpan,
};

/**
 * The text below a title, in Markdown: the cause, links, the facts, and other checks that are down. Parts that would make it
 * too long are left out.
 */
export function markdownMessage(event: AlertEvent, maxBytes: number, links: readonly string[] = []): string {
  const facts = alertFacts(event);
  const cause = [escapeMarkdown(causeSentence(facts)), ...links].filter((part) => part !== '').join('\n\n');
  const output = event.reason === 'fail' && facts.lastLine !== '' ? [outputFact(facts.lastLine)] : [];
  const listed = [...listedFacts(facts, MARKDOWN), ...output];
  const details = lines(listed.map(({ label, value }) => `**${label}:** ${value}`));
  const others = lines((facts.others?.note ?? []).map(escapeMarkdown));
  const messages = [[cause, details, others], [cause, details], [cause, others], [cause]].map((parts) =>
    parts.filter((part) => part !== '').join('\n\n'),
  );
  return messages.find((message) => Buffer.byteLength(message) <= maxBytes) ?? cause;
}

function outputFact(line: string): ListedFact {
  return { label: 'Output', value: codeSpan(line) };
}

/** Two spaces end a line also where a line break alone would not. */
function lines(texts: readonly string[]): string {
  return texts.join('  \n');
}
