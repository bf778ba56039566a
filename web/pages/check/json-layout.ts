/** A piece of JSON, as editors colour it. */
export interface JsonPiece {
  readonly kind: 'key' | 'text' | 'number' | 'mark';
  readonly text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;
const INDENT = '  ';

/** Valid JSON, laid out in lines. Numbers and texts stay as they were written, character by character. */
export function jsonLines(source: string): JsonPiece[][] {
  const tokens = source.match(TOKEN) ?? [];
  const lines: JsonPiece[][] = [[]];
  let depth = 0;
  const write = (kind: JsonPiece['kind'], text: string) => lines.at(-1)?.push({ kind, text });
  const newLine = () => {
    lines.push([]);
    if (depth > 0) write('mark', INDENT.repeat(depth));
  };
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token === '{' || token === '[') {
      write('mark', token);
      if (next === '}' || next === ']') return;
      depth++;
      newLine();
    } else if (token === '}' || token === ']') {
      const isEmpty = tokens[at - 1] === '{' || tokens[at - 1] === '[';
      if (!isEmpty) {
        depth--;
        newLine();
      }
      write('mark', token);
    } else if (token === ',') {
      write('mark', token);
      newLine();
    } else if (token === ':') write('mark', ': ');
    else if (token.startsWith('"')) write(next === ':' ? 'key' : 'text', token);
    else write('number', token);
  });
  return lines;
}
