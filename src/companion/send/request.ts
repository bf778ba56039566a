import type { Delivery, Ping, ServerLimits, Signal } from '../ping.ts';

/** What is sent for one ping. The address holds secrets. */
export interface PingRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The body has a length also where it is empty: servers drop empty bodies that come in chunks. */
export function requestOf(ping: Ping, ageMs: number | null, agent: string): PingRequest {
  const url = new URL(ping.target.base + pathOf(ping.signal));
  url.search = ping.target.query;
  if (ping.rid !== null) url.searchParams.set('rid', ping.rid);
  if (ageMs !== null) url.searchParams.set('age', secondsOf(ageMs));
  const headers: Record<string, string> = {
    'User-Agent': agent,
    'Content-Length': String(ping.body.length),
  };
  if (ping.body.length > 0) headers['Content-Type'] = 'text/plain';
  return { url, headers, body: ping.body };
}

/** What comes behind the address of the check. */
function pathOf(signal: Signal): string {
  return signal === 'success' ? '' : `/${signal}`;
}

/** Digits, and a fraction only where there is one. */
function secondsOf(ms: number): string {
  return (Math.max(0, Math.round(ms)) / 1000).toFixed(3).replace(/\.?0+$/, '');
}

/** Headers by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * What an answer means. A redirect that is not followed counts as a failure that passes: a network that asks people to sign in first
 * answers with one. So does the word of a proxy.
 */
export function deliveryOf(status: number, headers: AnswerHeaders, wallNow: number): Delivery {
  if (status >= 200 && status < 300) return { kind: 'accepted', limits: limitsOf(headers) };
  const passes = status < 400 || status === 407 || status === 408 || status === 429 || status >= 500;
  if (!passes) return { kind: 'refused', status };
  const retryAfterMs = retryAfterOf(headers['retry-after'], wallNow);
  return { kind: 'failed', reason: `the server answered ${status}`, status, retryAfterMs };
}

function limitsOf(headers: AnswerHeaders): ServerLimits {
  return {
    bodyBytes: wholeNumberOf(headers['ping-body-limit']),
    ageSeconds: wholeNumberOf(headers['ping-age-limit']),
  };
}

function wholeNumberOf(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d{1,12}$/.test(value.trim()) ? Number(value) : null;
}

/** Seconds or a date. */
function retryAfterOf(value: string | string[] | undefined, wallNow: number): number | null {
  const seconds = wholeNumberOf(value);
  if (seconds !== null) return seconds * 1000;
  const date = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - wallNow);
}
