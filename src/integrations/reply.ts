import { DELIVERED, type Outcome, tryAgain } from '../domain/delivery.ts';
import type { Reply } from './kind.ts';

/** What providers answer with when they have taken a message; nothing else counts. */
const TAKEN = [200, 201, 202, 204];

/** What an answer means to most kinds: every failure is worth another try, later if the provider asks for that. */
export function classifyByStatus(reply: Reply): Outcome {
  if (TAKEN.includes(reply.status)) return DELIVERED;
  return tryAgain(statusError(reply), retryAfter(reply));
}

export function statusError({ status }: Reply): string {
  return `Received status code ${status}`;
}

/** With the provider's own words, where it has any. */
export function statusErrorWith(reply: Reply, message: unknown): string {
  const hasWords = typeof message === 'string' && message !== '';
  return hasWords ? `${statusError(reply)} with a message: "${message}"` : statusError(reply);
}

/** Only the form in seconds: what is given as a date is rare, and our own pauses do as well. */
export function retryAfter({ headers }: Reply): number | null {
  const header = headers['retry-after'];
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

export function textOf({ body }: Reply): string {
  return new TextDecoder().decode(body);
}

/** The object that the body holds as JSON; empty where it holds none. */
export function jsonOf(reply: Reply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textOf(reply));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
