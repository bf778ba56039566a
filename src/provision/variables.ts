import type { FileFault, Located } from './document.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const OPENING = `\${`;

/** `$${` is a literal `${`. `$NAME` is left alone: messages have such placeholders. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Puts variables in the place of `${NAME}` and `${NAME:-text}` in every text. The values are data and are not read again. */
export function withVariables(value: Located, variables: Variables, faults: FileFault[]): Located {
  if (value.kind === 'list')
    return { ...value, items: value.items.map((item) => withVariables(item, variables, faults)) };
  if (value.kind === 'mapping') {
    const pairs = [...value.pairs].map(
      ([key, pair]) => [key, { ...pair, value: withVariables(pair.value, variables, faults) }] as const,
    );
    return { ...value, pairs: new Map(pairs) };
  }
  if (typeof value.value !== 'string' || !value.value.includes(OPENING)) return value;
  const { value: written } = value;
  const used: string[] = [];
  const text = written.replace(REFERENCE, (found, name?: string, otherwise?: string) => {
    if (name === undefined) return OPENING;
    used.push(name);
    const given = variables[name] ?? otherwise;
    if (given === undefined)
      faults.push({ line: value.line, reason: `the variable ${name} is not set (${found})` });
    return given ?? '';
  });
  return { ...value, value: text, ...(used.length > 0 && { written }) };
}
