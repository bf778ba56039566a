import { AppError } from '../../domain/errors.ts';
import { flag, integer, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from '../api/body.ts';
import { emailField, nameField, passwordField, readGiven, readInput } from './input.ts';

const BILLION = 1_000_000_000;
const MAX_SEARCH = 254;
/** Characters of the reason why an administrator enters a project. */
const MAX_REASON = 200;

export interface NewAccountInput {
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Null: the person chooses one by a link. */
  readonly password: string | null;
}

export function parseNewAccount(body: JsonObject): NewAccountInput {
  const { email } = readInput({ email: emailField }, body);
  const fields = {
    name: nameField,
    is_admin: flag('Whether they administer the service.'),
    password: passwordField,
  };
  const { name = '', is_admin: isAdmin = false, password = null } = readGiven(fields, body);
  return { email, name, isAdmin, password };
}

export interface LimitsInput {
  readonly checks?: number;
  readonly pings?: number;
}

export function parseLimits(body: JsonObject): LimitsInput {
  const { checks, pings } = readGiven(
    { checks: integer({ minimum: 0, maximum: BILLION }), pings: integer({ minimum: 1, maximum: BILLION }) },
    body,
  );
  return { ...(checks !== undefined && { checks }), ...(pings !== undefined && { pings }) };
}

const reasonField = refined(text({ maxLength: MAX_REASON }), 'reason', (value) => oneLine(value).trim());

export function parseReason(body: JsonObject): string {
  return readGiven({ reason: reasonField }, body).reason ?? '';
}

/** What to look for, and after which entry. */
export function parseSearch(query: URLSearchParams): { readonly text: string; readonly afterId: number } {
  const given = (query.get('search') ?? '').trim().toLowerCase();
  if (given.length > MAX_SEARCH || /\p{Cc}/u.test(given)) throw invalid('search is not a short line of text');
  const cursor = query.get('cursor') || '0';
  const afterId = /^\d{1,15}$/.test(cursor) ? Number(cursor) : null;
  if (afterId === null) throw invalid('cursor is not one that was given out');
  return { text: given, afterId };
}

function invalid(message: string): AppError {
  return new AppError('invalid_query', message, { field: message.split(' ')[0] ?? '' });
}
