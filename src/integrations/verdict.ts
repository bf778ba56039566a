import type { Verdict } from './integration.ts';

/** A failure that says nothing about the channel: it is worth another try. */
export function failed(error: string): Verdict {
  return { ok: false, error, isPermanent: false, retryAfterSeconds: null };
}
