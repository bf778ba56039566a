/** The place of a template. Each place needs another encoding of the same placeholder. */
export type Mode = 'url' | 'header' | 'body';

/**
 * The value of each placeholder, by its name without the `$`. If it is null, the placeholder stays as it is written.
 */
export type Table = Readonly<Record<string, (mode: Mode) => string | null>>;

/**
 * Fills the placeholders of the template. The longest matching name is used: `$NAME_JSON` before `$NAME`. A number is
 * read as a whole: `$TAG10` is never `$TAG1` and a zero. Values are not filled again, so a check named `$BODY` stays
 * `$BODY`.
 */
export function fill(template: string, table: Table, mode: Mode): string {
  const names = Object.keys(table).toSorted((one, two) => two.length - one.length);
  const patterns = names.map((name) => `${RegExp.escape(name)}${/\d$/.test(name) ? '(?!\\d)' : ''}`);
  if (patterns.length === 0) return template;
  return template.replace(
    new RegExp(`\\$(${patterns.join('|')})`, 'g'),
    (written, name: string) => table[name]?.(mode) ?? written,
  );
}
