/** Patterns of file names as shells have them: `*`, `?`, `[a-z]`, `[!a-z]`, and `\` before a character that means itself. */

type Token = 'any number' | ((character: string) => boolean);

/** What stands between two slashes of a pattern. */
export type Part =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'pattern'; readonly matches: (name: string) => boolean };

export function partsOf(pattern: string): readonly Part[] {
  return pattern.split('/').flatMap((part) => (part === '' ? [] : [readPart(part)]));
}

function readPart(part: string): Part {
  if (!/[*?[]/.test(part.replaceAll(/\\./gsu, ''))) {
    return { kind: 'name', name: part.replaceAll(/\\(.)/gsu, '$1') };
  }
  const tokens = tokensOf([...part]);
  const isHidden = /^\\?\./.test(part);
  // A hidden file is found by its dot alone, as in shells.
  return {
    kind: 'pattern',
    matches: (name) => (isHidden || !name.startsWith('.')) && isMatch(tokens, [...name]),
  };
}

function tokensOf(characters: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const set = character === '[' ? readSet(characters, at) : null;
    if (character === '*') tokens.push('any number');
    else if (character === '?') tokens.push(() => true);
    else if (set !== null) {
      tokens.push(set.matches);
      at = set.end;
    } else {
      const meant = character === '\\' ? (characters[++at] ?? '\\') : character;
      tokens.push((one) => one === meant);
    }
  }
  return tokens;
}

/** Null where the set has no end: then its bracket is a character as others. */
function readSet(characters: readonly string[], start: number) {
  const isNegated = ['!', '^'].includes(characters[start + 1] ?? '');
  const first = start + (isNegated ? 2 : 1);
  // A bracket that comes first belongs to the set.
  const end = characters.indexOf(']', first + 1);
  if (end === -1) return null;
  const members = characters.slice(first, end);
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? '';
    const to = members[at + 1] === '-' ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  const isIn = (one: string) =>
    ranges.some(([from, to]) => codeOf(from) <= codeOf(one) && codeOf(one) <= codeOf(to));
  return { end, matches: (one: string) => isIn(one) !== isNegated };
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** After a mismatch the last `*` takes one character more. Earlier ones never have to. */
function isMatch(tokens: readonly Token[], name: readonly string[]): boolean {
  let [at, token] = [0, 0];
  let retry: { readonly token: number; readonly at: number } | null = null;
  while (at < name.length) {
    const next = tokens[token];
    if (next === 'any number') {
      token++;
      retry = { token, at };
    } else if (next?.(name[at] ?? '') === true) {
      token++;
      at++;
    } else if (retry !== null) {
      retry = { token: retry.token, at: retry.at + 1 };
      [token, at] = [retry.token, retry.at];
    } else return false;
  }
  return tokens.slice(token).every((left) => left === 'any number');
}
