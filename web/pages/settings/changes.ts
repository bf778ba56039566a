const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const written = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '–' : JSON.stringify(value);

export interface Change {
  readonly field: string;
  readonly old: string;
  readonly made: string;
}

/** The fields of an entry of the audit log that have changed. */
export function changesOf({ before, after }: Readonly<Record<string, unknown>>): Change[] {
  const [old, made] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  return Object.keys({ ...old, ...made }).map((field) => ({
    field,
    old: written(old[field]),
    made: written(made[field]),
  }));
}

/** Fields that a row names. */
const MAX_NAMED = 3;

/** The changes in a line: `name: A → B`. Empty for what was made or deleted as a whole. */
export function changeLine(details: Readonly<Record<string, unknown>>): string {
  if (!isRecord(details.before) || !isRecord(details.after)) return '';
  const changes = changesOf(details);
  const named = changes
    .slice(0, MAX_NAMED)
    .map(({ field, old, made }) => `${field}: ${old || '–'} → ${made || '–'}`);
  const rest = changes.length - named.length;
  return [...named, ...(rest > 0 ? [`+${rest}`] : [])].join(' · ');
}
