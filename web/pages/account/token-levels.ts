/** The usual sets of permissions of a token. */
export type Level = 'read' | 'write' | 'custom';

/** The permissions of a level, out of all that a token can have. */
export function scopesOf<Scope extends string>(
  level: Exclude<Level, 'custom'>,
  all: readonly Scope[],
): Scope[] {
  return level === 'read' ? all.filter((scope) => scope.endsWith('.view')) : [...all];
}

export function levelOf(scopes: readonly string[], all: readonly string[]): Level {
  const isSame = (level: 'read' | 'write') => {
    const expected = scopesOf(level, all);
    return expected.length === scopes.length && expected.every((scope) => scopes.includes(scope));
  };
  return (['read', 'write'] as const).find(isSame) ?? 'custom';
}
