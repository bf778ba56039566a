import type { Permission } from '../domain/people/permission.ts';
import type { Clock } from '../lib/clock.ts';
import type { Fields } from '../lib/fields.ts';
import type { AccountActor } from '../services/accounts/account-actor.ts';
import type { Actor } from '../services/actor.ts';
import type { Deps } from '../services/deps.ts';
import type { RequiredValues } from '../wire/dashboard/input.ts';
import type { Site } from '../wire/site.ts';

/** What a view reads from. It changes nothing. */
export interface ViewDeps extends Pick<Deps, 'store' | 'vault' | 'defaultLimits'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly site: Site;
}

/** What the address of a view names. */
export type Place = 'project' | 'check';

/** Who asks, about what. It is plain data, because it is sent to another thread. */
interface AskedOf {
  readonly project: { readonly person: AccountActor; readonly actor: Actor };
  readonly check: AskedOf['project'] & { readonly checkId: number };
}

/**
 * Something that a page of the dashboard reads. Its route, the message to the thread that reads, the function that pages
 * call and the type of the answer follow from it.
 */
export interface View<P extends Place = Place, F extends Fields = Fields, Answer = unknown> {
  readonly place: P;
  /** Asked before the input is read. */
  readonly permission: Permission;
  /** What the page has to send along. Absent if it is nothing. */
  readonly input?: F;
  /** Lists the fields of the answer: nothing is shown that is not written here. */
  read(deps: ViewDeps, asked: AskedOf[P] & { readonly input: RequiredValues<F> }): Promise<Answer>;
}

/** The fields of a view that is sent nothing. */
type Nothing = Readonly<Record<never, never>>;

type Declared<P extends Place, F extends Fields, Answer> = Omit<View<P, F, Answer>, 'place'>;

/** A view of a project, for people with a role in it. */
export function projectView<Answer, F extends Fields = Nothing>(
  view: Declared<'project', F, Answer>,
): View<'project', F, Answer> {
  return { place: 'project', ...view };
}

/** A view of a check, for people with a role in its project. */
export function checkView<Answer, F extends Fields = Nothing>(
  view: Declared<'check', F, Answer>,
): View<'check', F, Answer> {
  return { place: 'check', ...view };
}
