import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import type { MailContent } from './content.ts';

const LINE = 80;

/** The message for readers without HTML. */
export function textPart(content: MailContent): string {
  const { lastPingBody, siteName, unsubscribeUrl } = content;
  return textMail([
    [`"${content.name}" is ${content.state}.`, ...content.statements].join('\n'),
    content.link,
    content.description === '' ? null : content.description,
    content.details.map(({ label, value }) => `${label}: ${indented(value, label.length + 2)}`).join('\n'),
    lastPingBody === null
      ? null
      : ['Last Ping Body:', ...(lastPingBody.note === null ? [] : [lastPingBody.note])].join('\n'),
    lastPingBody?.text == null ? null : wrapped(lastPingBody.text),
    textFooter(siteName, unsubscribeUrl),
  ]);
}

/** Indents all lines after the first one. */
function indented(value: string, width: number): string {
  return value.replaceAll('\n', `\n${' '.repeat(width)}`);
}

function wrapped(text: string): string {
  return text.split('\n').map(wrapLine).join('\n');
}

/** Breaks only at blanks: a long path or address stays in one piece. */
function wrapLine(line: string): string {
  if (line.length <= LINE) return line;
  const lines: string[] = [];
  let current = '';
  for (const [index, word] of line.split(' ').entries()) {
    const longer = index === 0 ? word : `${current} ${word}`;
    if (index > 0 && longer.length > LINE && current.trim() !== '') {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current].join('\n');
}
