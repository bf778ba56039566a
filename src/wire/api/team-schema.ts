import { MEMBER_ROLES, ROLES } from '../../domain/people/permission.ts';
import { emailField } from '../dashboard/input.ts';
import type { WallJson } from '../dashboard/wall-output.ts';
import {
  component,
  flag,
  instant,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Properties,
  text,
  url,
  uuid,
} from '../openapi/schema.ts';
import { KEY_SCHEMA } from './key-schema.ts';
import { revokeField, roleField } from './team-input.ts';
import type {
  AccessLeftJson,
  InvitationJson,
  MadeAccessJson,
  MadeInvitationJson,
  MemberJson,
} from './team-output.ts';

export const MEMBER_SCHEMA = component(
  'Member',
  object<MemberJson>({
    uuid: uuid('Of the account.'),
    email: text('Of the account.'),
    name: text('Of the person.'),
    role: oneOf(ROLES, 'What the person may do in the project.'),
    since: instant('When the person became a member; for the owner, when the project was made.'),
    last_seen: optional(
      nullable(
        instant('For those who manage the team: when the person was last there. Null: signed in nowhere.'),
      ),
    ),
    has_second_factor: optional(
      flag('For those who manage the team: whether the person has a second factor.'),
    ),
  }),
);

const INVITATION_PROPERTIES: Properties<InvitationJson> = {
  uuid: uuid('Names the invitation in addresses.'),
  email: nullable(text('The address that it is for. Null for a link that somebody passes on.')),
  role: oneOf(MEMBER_ROLES, 'What the person will be able to do.'),
  invited_by: nullable(text('The address of whoever invited. Null if the program did.')),
  created: instant('When it was made.'),
  expires: instant('Until then it can be accepted.'),
};

export const INVITATION_SCHEMA = component('Invitation', object<InvitationJson>(INVITATION_PROPERTIES));

export const MADE_INVITATION_SCHEMA = component(
  'MadeInvitation',
  object<MadeInvitationJson>({
    ...INVITATION_PROPERTIES,
    link: nullable(url('The link to pass on. It is never shown again. Null if it was mailed.')),
  }),
);

export const NEW_INVITATION_SCHEMA = {
  type: 'object',
  properties: {
    email: {
      ...emailField.schema,
      description: 'Where the invitation is mailed. Without it, the answer has a link to pass on.',
    },
    role: { ...roleField.schema, description: 'What the person will be able to do; `member` if left out.' },
  },
};

export const ROLE_SCHEMA = {
  type: 'object',
  properties: { role: roleField.schema, revoke: revokeField.schema },
  required: ['role'],
};

export const WALL_SCHEMA = component(
  'WallDisplay',
  object<WallJson>({
    uuid: uuid('Names the wall display.'),
    name: text('What it is for.'),
    token: text('The first characters of its token. The rest is masked.'),
    created: instant('When it was made.'),
    created_by: nullable(text('The e-mail address of whoever made it, if that is an account that exists.')),
  }),
);

export const ACCESS_LEFT_SCHEMA = component(
  'AccessLeft',
  object<AccessLeftJson>({
    made: nullable(
      object<MadeAccessJson>(
        { keys: list(KEY_SCHEMA), walls: list(WALL_SCHEMA) },
        {
          description: 'What the person has made that is not expired. Null: the token may not see keys.',
        },
      ),
    ),
    is_revoked: flag('Whether it was revoked. Otherwise it goes on to work.'),
  }),
);
