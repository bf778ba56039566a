import { ROLES } from '../../domain/permission.ts';
import { component, instant, object, oneOf, text, uuid } from '../openapi/schema.ts';
import type { AccountProjectJson } from './account-project-output.ts';

export const ACCOUNT_PROJECT_SCHEMA = component(
  'AccountProject',
  object<AccountProjectJson>({
    uuid: uuid('Names the project in addresses and in `X-Project`.'),
    name: text('What its owner calls it. Names need not be unique.'),
    role: oneOf(ROLES, 'What the account may do in it.'),
    created: instant('When it was made.'),
  }),
);
