/** What summaries of different tools have in common. */

export type Json = Readonly<Record<string, unknown>>;

/** Lines without colours and without what a carriage return has overwritten. */
export function linesOf(text: string): readonly string[] {
  const plain = text.replaceAll(COLOURS, '');
  return plain.split('\n').map((line) => line.replace(/\r+$/, '').replace(/^[^\n]*\r/, ''));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told colours by them.
const COLOURS = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** All JSON objects that stand in lines of their own, also those that begin and end with a line and those in lists. */
export function objectsOf(text: string): readonly Json[] {
  const objects: Json[] = [];
  let open: string[] | null = null;
  for (const line of linesOf(text)) {
    if (line === '{' || line === '[') open = [];
    open?.push(line);
    if (open === null && /^[[{].*[\]}]$/.test(line)) objects.push(...parse(line));
    if (open !== null && (line === '}' || line === ']')) {
      objects.push(...parse(open.join('\n')));
      open = null;
    }
  }
  return objects;
}

function parse(text: string): readonly Json[] {
  try {
    const found: unknown = JSON.parse(text);
    return (Array.isArray(found) ? found : [found]).filter(isObject);
  } catch {
    return [];
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The numbers among these values. */
export function numbersIn(values: Readonly<Record<string, unknown>>): Record<string, number> {
  const pairs = Object.entries(values).filter(
    (pair): pair is [string, number] => typeof pair[1] === 'number' && Number.isFinite(pair[1]),
  );
  return Object.fromEntries(pairs);
}

const DECIMAL = ['', 'k', 'm', 'g', 't', 'p'];

/** `1.5 MiB`, `3.00 kB`, `3.00M`, `1,234`, `12 B` → bytes; undefined for anything else. */
export function bytesOf(text: string | undefined): number | undefined {
  const [, digits = '', prefix = '', binary] =
    /^\s*([\d,]{1,20}(?:\.\d{1,9})?)\s*([kmgtp]?)(i?)b?(?:ytes)?\s*$/i.exec(text ?? '') ?? [];
  if (digits === '') return undefined;
  const power = DECIMAL.indexOf(prefix.toLowerCase());
  return Math.round(Number(digits.replaceAll(',', '')) * (binary === '' ? 1000 : 1024) ** power);
}

/** What the last line that matches has in its groups. */
export function lastMatch(lines: readonly string[], pattern: RegExp): readonly (string | undefined)[] | null {
  for (let at = lines.length - 1; at >= 0; at--) {
    const match = pattern.exec(lines[at] ?? '');
    if (match !== null) return match.slice(1);
  }
  return null;
}

export const countOf = (lines: readonly string[], pattern: RegExp): number =>
  lines.filter((line) => pattern.test(line)).length;
