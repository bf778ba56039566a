import { BADGE_URLS_SCHEMA } from '../../api/badges-schema.ts';
import { CHANNEL_SCHEMA } from '../../api/channel-schema.ts';
import { PROJECT_SCHEMA } from '../../api/project-schema.ts';
import { BADGES, CHANNELS, DISABLED_CHANNEL, ENABLED_CHANNEL, PROJECT } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, mapOf, object } from '../schema.ts';
import { NOTHING_TO_SAY, UNREADABLE_BODY } from './checks.ts';

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

const switchingReplies = (description: string, example: unknown): OperationDoc['responses'] => ({
  200: jsonReply(description, CHANNEL_SCHEMA.json, { 'an e-mail address': example }),
  400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
  403: errorReply('The integration belongs to another project.', 'access denied'),
  404: errorReply('There is no such integration.', 'channel not found'),
});

export const enableChannel: OperationDoc = {
  id: 'enableChannel',
  group: 'Project',
  summary: 'Switch an integration on',
  description: `Notifications go there again, whatever it was off for. What was withheld meanwhile is not sent.

An e-mail address whose owner has unsubscribed counts as not confirmed (\`verified\` is false) until it is confirmed again.`,
  body: NOTHING_TO_SAY,
  responses: switchingReplies('The integration, now on.', ENABLED_CHANNEL),
};

export const disableChannel: OperationDoc = {
  id: 'disableChannel',
  group: 'Project',
  summary: 'Switch an integration off',
  description: `Nothing but tests is sent there until it is switched on. Notifications that are still open, and those of later
changes, are withheld: they are listed as \`skipped\`. An integration that is off already keeps its reason.`,
  body: NOTHING_TO_SAY,
  responses: switchingReplies('The integration, now off.', DISABLED_CHANNEL),
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
