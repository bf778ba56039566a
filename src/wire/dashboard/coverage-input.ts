import { AppError } from '../../domain/errors.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';

/** The words that somebody looks for. Empty for everything. */
export function parseSearch(query: URLSearchParams): string {
  const search = (query.get('q') ?? '').trim();
  if (search.length > TEXT_LIMITS.checkName)
    throw new AppError('invalid_field', 'q is too long', { field: 'q' });
  return search;
}
