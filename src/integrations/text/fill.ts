/** Where a template stands; the same placeholder is written differently in each place. */
export type Mode = 'url' | 'header' | 'body';

/** What stands for each placeholder, by its name without the `$`; null leaves it as it is written. */
export type Table = Readonly<Record<string, (mode: Mode) => string | null>>;

/**
 * The template with its placeholders filled in. The longest name that fits counts, `$NAME_JSON` before `$NAME`,
 * and a number counts as a whole: `$TAG10` is never `$TAG1` and a zero. Values are not looked at again, so that
 * a check called `$BODY` stays `$BODY`.
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
