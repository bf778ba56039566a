import { splitTags } from '../../domain/check/tags.ts';
import { AppError } from '../../domain/errors.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { oneOf, text } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { readGiven, readInput, uuidField, uuidListField } from './input.ts';

/** What can be done to many checks at once. */
export const BULK_VERBS = ['pause', 'resume', 'adjust', 'move', 'delete', 'restore'] as const;

const tagsField = text({ maxLength: TEXT_LIMITS.checkTags });

/** An act on many checks. */
export interface BulkInput {
  readonly verb: (typeof BULK_VERBS)[number];
  readonly checks: readonly string[];
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  readonly addChannels: readonly string[];
  readonly removeChannels: readonly string[];
  /** The project to which they are moved. */
  readonly project: string | null;
  /** The number of checks, as somebody has typed it. */
  readonly typed: string | null;
}

export function parseBulk(body: JsonObject): BulkInput {
  const { verb, checks } = readInput({ verb: oneOf(BULK_VERBS, 'What to do'), checks: uuidListField }, body);
  const given = readGiven(
    {
      add_tags: tagsField,
      remove_tags: tagsField,
      add_channels: uuidListField,
      remove_channels: uuidListField,
      project: uuidField,
      typed: text({ maxLength: 36 }),
    },
    body,
  );
  const { add_tags = '', remove_tags = '', add_channels = [], remove_channels = [] } = given;
  const { project = null, typed = null } = given;
  if (verb === 'move' && project === null)
    throw new AppError('invalid_field', 'project is missing', { field: 'project' });
  return {
    ...{ verb, checks, project, typed },
    addTags: splitTags(add_tags),
    removeTags: splitTags(remove_tags),
    addChannels: add_channels,
    removeChannels: remove_channels,
  };
}
