/** The check that a new account begins with. */
export const FIRST_CHECK = { name: 'My First Check', slug: 'my-first-check' } as const;

interface Begun {
  readonly name: string;
  readonly slug: string;
  /** The number of its last ping. */
  readonly pingCount: number;
}

/** Whether nobody has begun yet: there is no check, or only the first one, and nothing has pinged it. */
export function isFirstRun(checks: readonly Begun[]): boolean {
  const [check] = checks;
  if (check === undefined) return true;
  const isFirst = check.name === FIRST_CHECK.name && check.slug === FIRST_CHECK.slug;
  return checks.length === 1 && isFirst && check.pingCount === 0;
}
