import type { Instant, Micros } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';

/**
 * Seals values that a page keeps between two steps, so that nothing has to be stored for people who never take the second
 * one. Values that were sealed for one purpose are worth nothing for another.
 */
export function sealTogether(
  { vault, clock }: Pick<Deps, 'vault' | 'clock'>,
  purpose: string,
  values: Readonly<Record<string, unknown>>,
): string {
  return vault.seal(JSON.stringify({ ...values, purpose, at: clock.now() }));
}

/** The values, unless they are older than `span`, or were sealed by nobody here or for another purpose. */
export function openSealed(
  { vault, clock }: Pick<Deps, 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  purpose: string,
  sealed: string,
  span: Micros,
): Readonly<Record<string, unknown>> | null {
  const text = vault.unseal(sealed);
  // Channels and keys are sealed as well, and not all of them as JSON.
  const values = text === null ? null : parsed(text);
  if (values === null || values.purpose !== purpose) return null;
  const at: Instant = Number(values.at);
  const now = clock.now();
  return now - at < span ? values : null;
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
