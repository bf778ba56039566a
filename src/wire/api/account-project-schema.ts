import { ROLES } from '../../domain/people/permission.ts';
import { component, instant, object, oneOf, text, uuid } from '../openapi/schema.ts';
import type { AccountProjectJson, DeletedProjectJson } from './account-project-output.ts';
import { projectNameField } from './project-input.ts';

export const ACCOUNT_PROJECT_SCHEMA = component(
  'AccountProject',
  object<AccountProjectJson>({
    uuid: uuid('Names the project in addresses and in `X-Project`.'),
    name: text('What its owner calls it. Names need not be unique.'),
    role: oneOf(ROLES, 'What the account may do in it.'),
    created: instant('When it was made.'),
  }),
);

export const DELETED_PROJECT_SCHEMA = component(
  'DeletedProject',
  object<DeletedProjectJson>({
    uuid: uuid('Names the project in the address with which it is restored.'),
    name: text('What its owner called it.'),
    deletes_at: instant('Until then its owner can restore it.'),
  }),
);

export const PROJECT_NAME_SCHEMA = {
  type: 'object',
  properties: { name: projectNameField.schema },
  required: ['name'],
};
