import { textWidth, wrapped } from '../text/text-width.ts';
import type { Block, Fact, Grid, Heading, Item, Link, MailDocument } from './document.ts';
import { plain } from './document.ts';

/** Columns of a line. Output of jobs and addresses may take more. */
const COLUMNS = 72;

/** The mail as plain text. It says the same as the HTML, in the same order. */
export function mailPlainText(document: MailDocument): string {
  return `${[...head(document), ...document.blocks.map(blockText), footer(document.foot)].join('\n\n')}\n`;
}

function head({ top, pill, title, lead }: MailDocument): string[] {
  const from = top.from === '' ? '' : `  (${top.from})`;
  const first =
    pill === null
      ? [...(top.date === '' ? [] : [`${top.from.toUpperCase()}  ${top.date}`]), title]
      : [`${pill.word.toUpperCase()}  ${title}${from}`];
  return [...first.map((line) => filled(line)), ...(lead === null ? [] : [filled(plain(lead))])];
}

function linkText({ label, href }: Link): string {
  return `${label}:\n${href}`;
}

/** Wraps each line. Lines after the first are indented, also those that were broken. */
function filled(text: string, indent = 0): string {
  const lines = text.split('\n').flatMap((line) => wrapped(line, COLUMNS - indent));
  return lines.join(`\n${' '.repeat(indent)}`);
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'facts':
      return factsText(block.facts);
    case 'link':
      return linkText(block);
    case 'links':
      return block.links.map(linkText).join('\n');
    case 'runs':
      return filled(block.sentence);
    case 'output':
      return [headingText(block), ...block.lines.map((line) => `> ${line}`.trimEnd())].join('\n');
    case 'paragraphs': {
      const texts = block.texts.map((text) => filled(plain(text)));
      if (block.heading === null) return texts.join('\n\n');
      return [headingText(block.heading), ...texts].join('\n');
    }
    case 'list':
      return [headingText(block.heading), ...block.items.map(itemText), ...moreText(block.more)].join('\n');
    case 'entries':
      return [...block.items.map(entryText), ...moreText(block.more)].join('\n');
    case 'grid':
      return [
        headingText(block.heading),
        ...(block.grid === null ? [] : gridLines(block.grid)),
        ...(block.note === '' ? [] : [`  ${filled(block.note, 2)}`]),
      ].join('\n');
    default:
      return block satisfies never;
  }
}

function headingText({ heading, aside }: Heading): string {
  return filled(aside === '' ? heading : `${heading}: ${aside}`);
}

function factsText(facts: readonly Fact[]): string {
  const indent = Math.max(...facts.map(({ label }) => label.length)) + 2;
  return facts.map(({ label, value }) => `${label.padEnd(indent)}${filled(plain(value), indent)}`).join('\n');
}

function moreText(more: string | null): string[] {
  return more === null ? [] : [more];
}

function itemText({ name, aside, text, line }: Item): string {
  const first = [name, aside, plain(text)].filter((part) => part !== '').join(' · ');
  return [`* ${filled(first, 2)}`, ...(line === null ? [] : [`  ${line}`])].join('\n');
}

function entryText({ name, aside, text, line }: Item): string {
  const first = [name, aside].filter((part) => part !== '').join(' · ');
  return [
    `* ${filled(first, 2)}`,
    `  ${filled(plain(text), 2)}`,
    ...(line === null ? [] : [`  ${line}`]),
  ].join('\n');
}

function gridLines({ columns, rows }: Grid): string[] {
  const table = [columns.map(({ label }, column) => (column === 0 ? '' : label)), ...rows];
  const widths = columns.map((_, column) =>
    table.reduce((widest, cells) => Math.max(widest, textWidth(cells[column] ?? '')), 0),
  );
  // A name for which there is no room has a line of its own.
  const room = widths.slice(1).reduce((left, width) => left - width - 2, COLUMNS - 2);
  const nameWidth = Math.min(Math.max(room, 0), widths[0] ?? 0);
  return table.map(([name = '', ...values]) => {
    const cells = values.map((value, index) => padStart(value, widths[index + 1] ?? 0)).join('  ');
    const isLong = textWidth(name) > nameWidth;
    return `  ${isLong ? `${name}\n  ${' '.repeat(nameWidth)}` : padEnd(name, nameWidth)}  ${cells}`;
  });
}

function padStart(value: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(value))) + value;
}

function padEnd(value: string, width: number): string {
  return value + ' '.repeat(Math.max(0, width - textWidth(value)));
}

function footer({ date, why, stop }: MailDocument['foot']): string {
  return [
    '--',
    ...(date === '' ? [] : [date]),
    filled(why),
    ...(stop === null ? [] : [`${stop.label}:\n${stop.href}`]),
  ].join('\n');
}
