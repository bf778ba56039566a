import {
  ACCESS_LEFT_SCHEMA,
  INVITATION_SCHEMA,
  MADE_INVITATION_SCHEMA,
  MEMBER_SCHEMA,
  NEW_INVITATION_SCHEMA,
  ROLE_SCHEMA,
} from '../../api/team-schema.ts';
import { API_KEY, INVITATION, INVITATION_LINK, MEMBER, WALL } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc, type ResponseDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { DONE, invalidBody, jsonBody } from './account.ts';

const NO_SUCH_MEMBER = errorReply('There is no such member in the project.', 'member not found');
const NO_SUCH_INVITATION = errorReply('There is no such open invitation.', 'invitation not found');
const NOT_BY_YOU = errorReply(
  'The owner stays, and nobody changes their own role.',
  'The owner stays until the project is handed over.',
  'Your own role is changed by others. You can leave the project.',
  'revoke is neither true nor false',
);
const ACCESS_LEFT = jsonReply(
  'What the person has made that gives access to the project, and whether it was revoked.',
  ACCESS_LEFT_SCHEMA.json,
  {
    'a key that goes on to work': { made: { keys: [API_KEY], walls: [] }, is_revoked: false },
    'a wall display that was revoked': { made: { keys: [], walls: [WALL] }, is_revoked: true },
    'to a token that may not see keys': { made: null, is_revoked: false },
  },
);

export const listMembers: OperationDoc = {
  id: 'listMembers',
  group: 'Projects',
  summary: 'List members',
  description: 'The owner, then the members in the order in which they came. Needs the scope `members.view`.',
  responses: {
    200: jsonReply('The members.', object({ members: list(MEMBER_SCHEMA) }).json, {
      'the owner': { members: [MEMBER] },
    }),
  },
};

export const changeRole: OperationDoc = {
  id: 'changeRole',
  group: 'Projects',
  summary: 'Change the role of a member',
  description: `Holds from the next request of the member on. Needs the scope \`members.edit\`.

Keys and wall displays that the person has made go on to work: the answer lists them. With \`revoke\`, for which the token
needs the scope \`keys.edit\` as well, they are revoked together with the change.`,
  body: jsonBody('The role.', ROLE_SCHEMA, {
    'a manager': { role: 'manager' },
    'somebody who only looks': { role: 'read_only', revoke: true },
  }),
  responses: {
    200: ACCESS_LEFT,
    400: invalidBody('role has unexpected value', 'The owner stays until the project is handed over.'),
    404: NO_SUCH_MEMBER,
  },
};

export const removeMember: OperationDoc = {
  id: 'removeMember',
  group: 'Projects',
  summary: 'Remove a member',
  description: `Their sessions and tokens lose the project with the next request. Needs the scope \`members.edit\`.

Keys and wall displays that the person has made go on to work: the answer lists them. With \`revoke=true\`, for which the
token needs the scope \`keys.edit\` as well, they are revoked together with the removal. The person may have noted other keys,
and addresses of checks: replace what matters.`,
  query: {
    revoke: {
      description: 'Whether keys and wall displays that the person has made are revoked as well.',
      schema: { type: 'boolean' },
      example: true,
    },
  },
  responses: { 200: ACCESS_LEFT, 400: NOT_BY_YOU, 404: NO_SUCH_MEMBER },
};

export const listInvitations: OperationDoc = {
  id: 'listInvitations',
  group: 'Projects',
  summary: 'List open invitations',
  description: 'In order of creation. Needs the scope `members.edit`.',
  responses: {
    200: jsonReply('The invitations.', object({ invitations: list(INVITATION_SCHEMA) }).json, {
      'one invitation': { invitations: [INVITATION] },
    }),
  },
};

const madeInvitation = (description: string): ResponseDoc =>
  jsonReply(description, MADE_INVITATION_SCHEMA.json, {
    'mailed to an address': { ...INVITATION, link: null },
    'a link to pass on': { ...INVITATION, email: null, link: INVITATION_LINK },
  });

const TOO_MANY_INVITATIONS = errorReply(
  'The account has invited too many people today.',
  'These are many invitations for one day. Please send the next ones later.',
);

export const inviteMember: OperationDoc = {
  id: 'inviteMember',
  group: 'Projects',
  summary: 'Invite somebody',
  description: `They become a member when they accept. An earlier invitation of the same address is void. Needs the scope
\`members.edit\`.`,
  body: jsonBody('Whom, and for what.', NEW_INVITATION_SCHEMA, {
    'by mail': { email: 'bob@example.org', role: 'manager' },
    'a link for a member': {},
  }),
  responses: {
    201: madeInvitation('The invitation.'),
    400: invalidBody('role has unexpected value', 'email is not a valid e-mail address'),
    403: errorReply(
      'No more members or invitations are possible, or the service sends no mail.',
      'The project has as many members as it can have.',
      'Too many invitations are open. Revoke one first.',
      'This service sends no mail.',
    ),
    409: errorReply(
      'Whoever has the address is in the project already.',
      'bob@example.org is already a member',
    ),
    429: TOO_MANY_INVITATIONS,
  },
};

export const renewInvitation: OperationDoc = {
  id: 'renewInvitation',
  group: 'Projects',
  summary: 'Renew an invitation',
  description: `Mails it again, or makes another link for it. The link from before works no longer. Needs the scope
\`members.edit\`.`,
  body: jsonBody('Nothing is needed here.', { type: 'object' }, { nothing: {} }),
  responses: {
    200: madeInvitation('The invitation.'),
    400: invalidBody(),
    404: NO_SUCH_INVITATION,
    429: TOO_MANY_INVITATIONS,
  },
};

export const revokeInvitation: OperationDoc = {
  id: 'revokeInvitation',
  group: 'Projects',
  summary: 'Take an invitation back',
  description: 'Its link works no longer. Needs the scope `members.edit`.',
  responses: { 204: DONE, 404: NO_SUCH_INVITATION },
};
