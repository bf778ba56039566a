import type { Schema } from './schema.test-support.ts';

/** What programs of before do not survive in the new schema: things that are gone, renamed or tightened. */
export function breakages(before: Schema, after: Schema): string[] {
  return Object.entries(before).flatMap(([table, old]) => {
    const now = after[table];
    if (now === undefined) return [`table ${table} is gone`];
    const columns = byName(now.columns);
    const oldColumns = byName(old.columns);
    return [
      ...old.columns.flatMap((text) => {
        const name = nameOf(text);
        const found = columns.get(name);
        if (found === undefined) return [`${table}.${name} is gone`];
        return found === text || isLooser(text, found) ? [] : [`${table}.${name} is ${found} now`];
      }),
      ...now.columns
        .filter((text) => !oldColumns.has(nameOf(text)) && / not null$/.test(text))
        .map((text) => `${table}.${nameOf(text)} is required`),
      ...(now.primaryKey === old.primaryKey ? [] : [`the key of ${table} is ${now.primaryKey} now`]),
      ...old.indexes.filter((index) => !now.indexes.includes(index)).map((index) => `index ${index} is gone`),
      ...now.indexes
        .filter((index) => index.includes(' unique ') && !old.indexes.includes(index))
        .map((index) => `${table} must be unique by ${index}`),
      ...now.foreignKeys
        .filter((key) => oldColumns.has(nameOf(key)) && !old.foreignKeys.includes(key))
        .map((key) => `${table} must refer by ${key}`),
      ...now.conditions
        .filter((condition) => !old.conditions.includes(condition))
        .map((condition) => `${table} must fulfil ${condition}`),
    ];
  });
}

const nameOf = (text: string) => text.split(' ', 1)[0] ?? '';

const byName = (columns: readonly string[]) => new Map(columns.map((text) => [nameOf(text), text]));

/** Whether the new column takes all that the old one took, and can be left out where the old one could. */
function isLooser(old: string, now: string): boolean {
  const [oldType, nowType] = [old, now].map((text) => text.replace(/ (not )?null\b.*$/, ''));
  const hadDefault = old.includes(' default ');
  const isNullable = !/ not null\b/.test(now);
  return (
    oldType === nowType &&
    (isNullable || now.includes(' default ')) &&
    (!hadDefault || now.includes(' default '))
  );
}
