/** Colours of terminals, as far as there are tokens for them. */
export type Tone = 'red' | 'green' | 'yellow' | 'blue' | 'grey' | null;

/** A piece of a line in one style. */
export interface Styled {
  readonly text: string;
  readonly tone: Tone;
  readonly isBold: boolean;
}

const TONES: readonly Tone[] = ['grey', 'red', 'green', 'yellow', 'blue', 'blue', 'blue', null];

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are steered by them.
const SEQUENCE = /\u001b\[([0-9;?]*)([ -/]*[@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g;

interface Style {
  readonly tone: Tone;
  readonly isBold: boolean;
}

const PLAIN: Style = { tone: null, isBold: false };

/** The lines with the colours that their escape sequences ask for. A style goes on in the next line. */
export function styledLines(lines: readonly string[]): Styled[][] {
  let style = PLAIN;
  return lines.map((line) => {
    const pieces: Styled[] = [];
    let from = 0;
    const shown = overwritten(line);
    const push = (to: number) => {
      if (to > from) pieces.push({ text: shown.slice(from, to), ...style });
    };
    for (const found of shown.matchAll(SEQUENCE)) {
      push(found.index);
      from = found.index + found[0].length;
      if (found[2] === 'm') style = styleAfter(style, found[1] ?? '');
    }
    push(shown.length);
    return pieces;
  });
}

/** A line without any style. */
export function plainLine(line: string): string {
  return overwritten(line).replaceAll(SEQUENCE, '');
}

/** Progress bars return to the beginning of their line and write it again. The last text remains. */
function overwritten(line: string): string {
  const last = line.replace(/\r+$/, '').lastIndexOf('\r');
  return last === -1 ? line.replace(/\r+$/, '') : line.replace(/\r+$/, '').slice(last + 1);
}

function styleAfter(before: Style, codes: string): Style {
  let style = before;
  const numbers = codes.split(';').map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    // Colours of larger palettes have further numbers.
    if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
    else if (code === 0) style = PLAIN;
    else if (code === 1) style = { ...style, isBold: true };
    else if (code === 22) style = { ...style, isBold: false };
    else if (code === 39) style = { ...style, tone: null };
    else if (code >= 30 && code <= 37) style = { ...style, tone: TONES[code - 30] ?? null };
    else if (code >= 90 && code <= 97) style = { ...style, tone: TONES[code - 90] ?? null };
  }
  return style;
}
