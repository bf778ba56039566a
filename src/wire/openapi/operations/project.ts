import { BADGE_URLS_SCHEMA } from '../../api/badges-schema.ts';
import { CHANNEL_SCHEMA } from '../../api/channel-schema.ts';
import { PROJECT_SCHEMA } from '../../api/project-schema.ts';
import { BADGES, CHANNELS, PROJECT } from '../examples.ts';
import { jsonReply, type OperationDoc } from '../operation.ts';
import { list, mapOf, object } from '../schema.ts';

export const getProject: OperationDoc = {
  id: 'getProject',
  group: 'Project',
  summary: 'Get the project',
  description: `The project that the key belongs to. Its \`prometheus_url\` is the address to give to a Prometheus server.`,
  responses: {
    200: jsonReply('The project.', PROJECT_SCHEMA.json, {
      'a project': PROJECT,
      'where Prometheus is switched off': { ...PROJECT, prometheus_url: null },
    }),
  },
};

export const listChannels: OperationDoc = {
  id: 'listChannels',
  group: 'Project',
  summary: 'List integrations',
  description: `Where the project can send notifications, in the order of their creation. Their settings are not shown.
Whether one is off, and why, is. Assign them to a check through its \`channels\`.`,
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
