import { DELIVERED, type Outcome, tryAgain } from '../domain/delivery.ts';
import type { Reply } from './kind.ts';

/** The statuses with which providers accept a message. Any other status is a failure. */
const TAKEN = [200, 201, 202, 204];

/** The meaning of an answer for most kinds. Every failure is retried, later if the provider asks for it. */
export function classifyByStatus(reply: Reply): Outcome {
  if (TAKEN.includes(reply.status)) return DELIVERED;
  return tryAgain(statusError(reply), retryAfter(reply));
}

export function statusError({ status }: Reply): string {
  return `Received status code ${status}`;
}

/** The status with the provider's own message, if it has one. */
export function statusErrorWith(reply: Reply, message: unknown): string {
  const hasWords = typeof message === 'string' && message !== '';
  return hasWords ? `${statusError(reply)} with a message: "${message}"` : statusError(reply);
}

/** Reads only the form in seconds. Dates are rare, and then our own pauses are used. */
export function retryAfter({ headers }: Reply): number | null {
  const header = headers['retry-after'];
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

export function textOf({ body }: Reply): string {
  return new TextDecoder().decode(body);
}

/** The JSON object in the body; empty if there is none. */
export function jsonOf(reply: Reply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textOf(reply));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
