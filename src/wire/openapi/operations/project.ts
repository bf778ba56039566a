import { BADGE_URLS_SCHEMA } from '../../api/badges-schema.ts';
import { CHANNEL_SCHEMA } from '../../api/channel-schema.ts';
import { BADGES, CHANNELS } from '../examples.ts';
import { jsonReply, type OperationDoc } from '../operation.ts';
import { list, mapOf, object } from '../schema.ts';

export const listChannels: OperationDoc = {
  id: 'listChannels',
  group: 'Project',
  summary: 'List integrations',
  description: `Where the project can send notifications, in the order of their creation. Their settings are not shown.
Assign them to a check through its \`channels\`.`,
  responses: {
    200: jsonReply('The integrations.', object({ channels: list(CHANNEL_SCHEMA) }).json, {
      'one e-mail address': { channels: CHANNELS },
    }),
  },
};

export const listBadges: OperationDoc = {
  id: 'listBadges',
  group: 'Project',
  summary: 'List badges',
  description: `The addresses of the public badges of every tag in the project. The tag \`*\` stands for all checks, and is
always there.`,
  responses: {
    200: jsonReply(
      'The addresses, by tag.',
      object({ badges: mapOf(BADGE_URLS_SCHEMA, 'Addresses by tag.') }).json,
      { 'one tag': { badges: BADGES } },
    ),
  },
};
