import type { Fields } from '../lib/fields.ts';
import type { Nothing, OperationDeps, PermissionAt, Place, PresentAt } from '../views/operation.ts';
import type { InputValues } from '../wire/dashboard/input.ts';

/**
 * Something that people do on pages of the dashboard. Its route, the function that pages call and the type of the answer
 * follow from it.
 */
export interface Act<P extends Place = Place, F extends Fields = Fields, Answer = unknown> {
  readonly place: P;
  readonly permission: PermissionAt<P>;
  /** Input from the page. Absent if there is none. */
  readonly input?: F;
  /** Calls the verb, which asks for the permission itself. The answer may be empty, or lists facts for the page. */
  run(deps: OperationDeps, asked: PresentAt[P] & { readonly input: InputValues<F> }): Promise<Answer>;
}

/** Any act, with the permission of its place. */
export type AnyAct = { [P in Place]: Act<P> }[Place];

const at =
  <P extends Place>(place: P) =>
  <Answer, F extends Fields = Nothing>(act: Omit<Act<P, F, Answer>, 'place'>): Act<P, F, Answer> => ({
    place,
    ...act,
  });

/** Acts of visitors, of a person on their account, in a project (for people with a role in it), and on a check. */
export const visitorAct = at('visitor');
export const personAct = at('person');
export const projectAct = at('project');
export const checkAct = at('check');
