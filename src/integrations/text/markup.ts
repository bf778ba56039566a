/** Joins two characters without being seen. It parts signs that are markup only together. */
const JOINER = '\u034f';

/** For formats in which tags and entities are the only markup of plain text. */
export function escapeAngles(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** For Markdown in which a backslash takes a sign literally. */
export function escapeMarkdown(text: string): string {
  return withoutTags(callingNobody(text.replace(/[\\`*_~|[\]]|(?<=^\s*)[#>+-]/gm, '\\$&')));
}

/** For Markdown that knows entities. A sign that is markup only together with others stays, because addresses contain it. */
export function escapeByEntities(text: string): string {
  return text.replace(
    /[\\`*<>[\]@]|&(?=#?\w+;)|~(?=~)|\$(?=\$)|:(?=[\w+-]+:)|(?<=^\s*)[#+-]/gm,
    (sign) => `&#${sign.charCodeAt(0)};`,
  );
}

/** For Markdown in which nothing takes a sign literally. Signs stay, but cannot be markup any more. */
export function defuseMarkdown(text: string): string {
  const parted = text.replace(/[`*_~]|(?<=^\s*)[#>+-]|(?<=\])\(/gm, `${JOINER}$&`);
  return withoutTags(callingNobody(parted));
}

/** The text of a link in Markdown in which a bracket cannot be taken literally. */
export function linkLabel(text: string): string {
  return defuseMarkdown(text.replaceAll('[', '(').replaceAll(']', ')'));
}

/** Asterisks that make nothing bold. */
export function withoutEmphasis(text: string): string {
  return text.replaceAll('*', `${JOINER}*`);
}

/** Words in a code span of Markdown, which can contain anything but a backtick. */
export function codeSpan(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

/** Quoted text in Markdown. The fences are longer than any that the text contains. */
export function codeBlock(text: string): string {
  if (text === '') return '';
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A code block where three backticks end a quotation, however it has begun. Backticks of the text are parted. */
export function shortFencedBlock(text: string): string {
  return codeBlock(text.replace(/(?<=`)`/g, `${JOINER}\``));
}

/** A name after an at sign would call people. */
function callingNobody(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])@(?=\p{L})/gu, `@${JOINER}`);
}

/** Some formats of Markdown have links and mentions in angle brackets. */
function withoutTags(text: string): string {
  return text.replaceAll('<', `<${JOINER}`);
}
