import { SLUG_MAX_LENGTH } from '../../domain/slug.ts';
import {
  BADGE_KEY,
  BADGE_SIGNATURE,
  CHANNEL_UUID,
  CHECK_UUID,
  INVITATION_UUID,
  KEY_UUID,
  MEMBER_UUID,
  PROJECT_UUID,
  QUIET_TIME_UUID,
  UNIQUE_KEY,
} from './examples.ts';
import type { Parameter } from './operation.ts';

const UUID_SCHEMA = { type: 'string', format: 'uuid' };
const SEGMENT_SCHEMA = { type: 'string', pattern: '^[-a-zA-Z0-9_]+$' };
const SLUG_SCHEMA = { type: 'string', pattern: '^[a-z0-9_-]+$', maxLength: SLUG_MAX_LENGTH };
const PING_KEY = 'Gk7cPzqE3TnVw0hYb5RsLm';
const SLUG = 'nightly-backup';

/** The parameters in paths, by name. */
export const PATH_PARAMETERS: Readonly<Record<string, Parameter>> = {
  check: { description: 'UUID of the check, in lower case.', schema: UUID_SCHEMA, example: CHECK_UUID },
  quiet_time: {
    description: 'UUID of the quiet time, in lower case.',
    schema: UUID_SCHEMA,
    example: QUIET_TIME_UUID,
  },
  channel: {
    description: 'UUID of the integration, in lower case.',
    schema: UUID_SCHEMA,
    example: CHANNEL_UUID,
  },
  policy: {
    description: 'UUID of the policy, in lower case.',
    schema: UUID_SCHEMA,
    example: '5c6e2f3a-6a0e-4f0c-9a3b-0f6f2c1d7e55',
  },
  calendar: {
    description: 'UUID of the calendar, in lower case.',
    schema: UUID_SCHEMA,
    example: '0c0e6f7e-2a53-4a4c-8a0e-2f3f3a5f9b10',
  },
  n: {
    description: "The ping's number within its check.",
    schema: { type: 'integer', minimum: 1 },
    example: 112,
  },
  callback: {
    description: 'UUID of the address that the provider was given for this notification.',
    schema: UUID_SCHEMA,
    example: 'c1f1a1f0-7f2b-4a53-9a0e-6a3d9f0e5b11',
  },
  ping_key: { description: 'Ping key of the project.', schema: SEGMENT_SCHEMA, example: PING_KEY },
  slug: { description: 'Slug of the check.', schema: SLUG_SCHEMA, example: SLUG },
  exit_status: {
    description: 'Exit status of the job.',
    schema: { type: 'integer', minimum: 0, maximum: 255 },
    example: 1,
  },
  key_or_check: {
    description: 'Ping key of the project, before a slug; or UUID of the check, before an exit status.',
    schema: SEGMENT_SCHEMA,
    example: PING_KEY,
  },
  slug_or_exit_status: {
    description: 'Slug of the check; or exit status of the job, 0 to 255.',
    schema: SLUG_SCHEMA,
    example: SLUG,
  },
  badge_key: {
    description: 'Identifies the project, or the check.',
    schema: SEGMENT_SCHEMA,
    example: BADGE_KEY,
  },
  signature: {
    description: 'Proves that the address was given out by this instance.',
    schema: SEGMENT_SCHEMA,
    example: `${BADGE_SIGNATURE}-2`,
  },
  tag: {
    description:
      'The tag, percent-encoded twice where it has other characters than letters, digits and `_.-~`.',
    schema: { type: 'string' },
    example: 'prod',
  },
  format: { description: 'What to get.', schema: { enum: ['svg', 'json', 'shields'] }, example: 'svg' },
  states: {
    description: '3 for three states; any other number gives two.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  project: {
    description: 'UUID of the project, for people to read.',
    schema: UUID_SCHEMA,
    example: PROJECT_UUID,
  },
  project_uuid: {
    description: 'UUID of the project, in lower case.',
    schema: UUID_SCHEMA,
    example: PROJECT_UUID,
  },
  member_uuid: {
    description: "UUID of the member's account, in lower case.",
    schema: UUID_SCHEMA,
    example: MEMBER_UUID,
  },
  invitation_uuid: {
    description: 'UUID of the invitation, in lower case.',
    schema: UUID_SCHEMA,
    example: INVITATION_UUID,
  },
  key_uuid: { description: 'UUID of the key, in lower case.', schema: UUID_SCHEMA, example: KEY_UUID },
  key: {
    description: 'A read-only API key.',
    schema: SEGMENT_SCHEMA,
    example: 'hcr_3Jd8sKq0Zx7Vb2Nm5Lp9Rt4Wy6Uc',
  },
};

/** The project in which a token of an account is used. */
export const PROJECT_HEADER: Parameter = {
  description:
    'UUID of the project, for a token of an account. A key has a project of its own and needs none.',
  schema: UUID_SCHEMA,
  example: PROJECT_UUID,
};

export const CHECK_OR_UNIQUE_KEY: Parameter = {
  description: 'UUID of the check, in lower case, or its unique key.',
  schema: { type: 'string', pattern: '^([-0-9a-f]{36}|[0-9a-f]{40})$' },
  example: UNIQUE_KEY,
};
