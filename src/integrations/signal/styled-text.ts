export type Style = 'BOLD' | 'MONOSPACE';

/** A piece of plain text. Null stands for ordinary letters. */
export type Piece = string | { readonly text: string; readonly style: Style };

export interface StyledText {
  readonly message: string;
  /** `start:length:STYLE`, in UTF-16 units: an emoji counts as two. */
  readonly textStyle: readonly string[];
}

export function bold(text: string): Piece {
  return { text, style: 'BOLD' };
}

export function monospace(text: string): Piece {
  return { text, style: 'MONOSPACE' };
}

/** https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc, option --text-style of the command send */
export function styledText(lines: readonly (readonly Piece[])[]): StyledText {
  const textStyle: string[] = [];
  let message = '';
  for (const [index, line] of lines.entries()) {
    if (index > 0) message += '\n';
    for (const piece of line) {
      const text = typeof piece === 'string' ? piece : piece.text;
      if (typeof piece !== 'string' && text !== '') {
        textStyle.push(`${message.length}:${text.length}:${piece.style}`);
      }
      message += text;
    }
  }
  return { message, textStyle };
}
