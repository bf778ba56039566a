import { BADGE_URLS_SCHEMA } from '../../api/badges-schema.ts';
import { PROJECT_SCHEMA } from '../../api/project-schema.ts';
import { BADGES, PROJECT } from '../examples.ts';
import { jsonReply, type OperationDoc } from '../operation.ts';
import { mapOf, object } from '../schema.ts';

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
