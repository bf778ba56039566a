/** An entry as a server tells it, read by nobody yet. */
export type Told = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Older servers tell the UUID only within addresses. */
export const uuidOf = (check: Told): string =>
  textOf(check.uuid) || (textOf(check.ping_url).split('/').at(-1) ?? '');

/** As files have it: JSON is YAML. A plain `${` would be a variable. */
export const quoted = (value: unknown): string => JSON.stringify(value).replaceAll('${', () => '$${');
