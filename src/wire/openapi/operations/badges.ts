import { badgeDocument } from '../../badge/badge-output.ts';
import { BADGE_SCHEMA, SHIELDS_SCHEMA } from '../../badge/badge-schema.ts';
import { errorReply, type OperationDoc, type ResponseDoc, UNAVAILABLE, UNCHANGED } from '../operation.ts';

const COUNTS = { total: 12, grace: 1, down: 0 };
const badge = (format: 'svg' | 'json' | 'shields') => badgeDocument(format, 'prod', COUNTS, 3).text;

const BADGE: ResponseDoc = {
  description: 'The badge: an image for `svg`, JSON for `json` and `shields`.',
  content: {
    'image/svg+xml': { schema: { type: 'string' }, examples: { svg: badge('svg') } },
    'application/json': {
      schema: { oneOf: [BADGE_SCHEMA.json, SHIELDS_SCHEMA.json] },
      examples: { json: JSON.parse(badge('json')), shields: JSON.parse(badge('shields')) },
    },
  },
};

const RESPONSES = {
  200: BADGE,
  304: UNCHANGED,
  404: errorReply('There is no badge at this address.', 'not found'),
  503: UNAVAILABLE,
};

const STATES =
  'A signature that ends in `-2` gives two states, any other three. Answers are not to be cached.';

export const getTagBadge: OperationDoc = {
  id: 'getTagBadge',
  group: 'Badges',
  summary: 'Get the badge of a tag',
  description: `How the checks with the tag are doing. Take the address from the list of badges. ${STATES}`,
  responses: RESPONSES,
};

export const getProjectBadge: OperationDoc = {
  id: 'getProjectBadge',
  group: 'Badges',
  summary: 'Get the badge of a project',
  description: `How all checks of the project are doing. Take the address from the list of badges. ${STATES}`,
  responses: RESPONSES,
};

export const getCheckBadge: OperationDoc = {
  id: 'getCheckBadge',
  group: 'Badges',
  summary: 'Get the badge of a check',
  description:
    'How one check is doing. The address is in its `badge_url`, and does not reveal the UUID of the check.',
  responses: RESPONSES,
};
