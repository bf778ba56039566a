import { AppError } from '../errors.ts';
import type { Channel } from './channel.ts';

type Candidate = Pick<Channel, 'id' | 'uuid' | 'name'>;

/**
 * The channels of the project that a `channels` value names: `*` for all, an empty text for none, else a comma-separated
 * list of UUIDs or exact names.
 */
export function selectChannels<T extends Candidate>(value: string, candidates: readonly T[]): T[] {
  if (value === '*') return [...candidates];
  if (value === '') return [];
  // Without duplicates, so that a megabyte of repeats costs one search.
  const parts = new Set(value.split(','));
  return [...new Set([...parts].map((part) => selectOne(part, candidates)))];
}

function selectOne<T extends Candidate>(part: string, candidates: readonly T[]): T {
  if (part === '') throw new AppError('invalid_channel', 'empty channel identifier');
  const [match, ...others] = candidates.filter(({ uuid, name }) => uuid === part || name === part);
  if (match === undefined) throw new AppError('invalid_channel', `invalid channel identifier: ${part}`);
  if (others.length > 0) throw new AppError('invalid_channel', `non-unique channel identifier: ${part}`);
  return match;
}
