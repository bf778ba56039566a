import { AppError } from '../../domain/errors.ts';
import type { BadgeStatus } from '../../domain/public/badge.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';

const BADGE_STATUSES: readonly BadgeStatus[] = ['up', 'late', 'down'];

/** A badge that somebody imagines. */
export function parseBadgeLook(query: URLSearchParams): {
  readonly label: string;
  readonly status: BadgeStatus;
} {
  const label = (query.get('label') ?? '').slice(0, TEXT_LIMITS.checkTags);
  const status = BADGE_STATUSES.find((one) => one === query.get('status'));
  if (status === undefined) throw new AppError('invalid_field', 'status is not valid', { field: 'status' });
  return { label, status };
}
