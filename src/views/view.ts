import type { MessageLimits } from '../domain/alert/message-quota.ts';
import type { Fields } from '../lib/fields.ts';
import type { InPortions } from '../lib/portions.ts';
import type { Deps } from '../services/core/deps.ts';
import type { StatusViews } from '../services/public/status-view.ts';
import type { InputValues } from '../wire/dashboard/input.ts';
import type { MessageSite, Site } from '../wire/site.ts';
import type { CheckBoards } from './check-boards.ts';
import type { AskedAt, Nothing, OperationDeps, PermissionAt, Place, PresentAt } from './operation.ts';
import type { ProjectCounts } from './project-counts.ts';

/** Caches of a thread, shared by its views. */
export interface Kept {
  readonly projectCounts: ProjectCounts;
  readonly statusViews: StatusViews;
  readonly checkBoards: CheckBoards;
}

/** Sources of a view. It changes nothing but its caches. */
export interface ViewDeps extends Kept, Pick<Deps, 'store' | 'vault' | 'clock' | 'defaultLimits'> {
  readonly site: Site & MessageSite;
  readonly messageLimits: MessageLimits;
}

/**
 * Stands for an answer whose text is made already, because parts of it are masked. The private field tells it from every
 * ordinary answer.
 */
export class JsonText<Answer> {
  /** Never set: it is the type of the text's content. */
  readonly answer?: Answer;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** Stands for an answer that another thread has made. */
export class JsonPieces<Answer> {
  /** Never set: it is the type of the pieces' content. */
  readonly answer?: Answer;
  readonly #pieces: AsyncIterable<Uint8Array>;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces;
  }

  get pieces(): AsyncIterable<Uint8Array> {
    return this.#pieces;
  }
}

interface Declaration<P extends Place, F extends Fields> {
  readonly permission: PermissionAt<P>;
  /** Input from the page, as a body: it may be long, or secret. Absent if there is none. */
  readonly input?: F;
}

/**
 * Something that a page of the dashboard reads. Its route, the message to the thread that reads, the function that pages
 * call and the type of the answer follow from it.
 */
export interface View<
  P extends keyof AskedAt = keyof AskedAt,
  F extends Fields = Fields,
  Answer = unknown,
  Prepared = unknown,
> extends Declaration<P, F> {
  readonly thread: 'reader';
  readonly place: P;
  /** Fetches data that only the thread with the request can get, such as from object storage. It is plain data. */
  prepare?(deps: OperationDeps, asked: AskedAt[P] & { readonly input: InputValues<F> }): Promise<Prepared>;
  /**
   * Lists the fields of the answer: nothing is shown that is not written here. A long read is a generator (`async *read`):
   * other questions get a turn whenever it yields.
   */
  read(
    deps: ViewDeps,
    asked: AskedAt[P] & { readonly input: InputValues<F>; readonly prepared: Prepared },
  ): Promise<Answer> | InPortions<Answer>;
}

/** A short read of data that only the thread with the request has, such as settings or the session itself. */
export interface MainView<P extends Place = Place, F extends Fields = Fields, Answer = unknown>
  extends Declaration<P, F> {
  readonly thread: 'main';
  readonly place: P;
  read(deps: OperationDeps, asked: PresentAt[P] & { readonly input: InputValues<F> }): Promise<Answer>;
}

/** Any view, with the permission of its place. */
export type AnyView = { [P in keyof AskedAt]: View<P> }[keyof AskedAt] | { [P in Place]: MainView<P> }[Place];

type Written<Declared> = Omit<Declared, 'place' | 'thread'>;

const inReader =
  <P extends keyof AskedAt>(place: P) =>
  <Answer, F extends Fields = Nothing, Prepared = undefined>(
    view: Written<View<P, F, Answer, Prepared>>,
  ): View<P, F, Answer, Prepared> => ({
    thread: 'reader',
    place,
    ...view,
  });

const inMain =
  <P extends Place>(place: P) =>
  <Answer, F extends Fields = Nothing>(view: Written<MainView<P, F, Answer>>): MainView<P, F, Answer> => ({
    thread: 'main',
    place,
    ...view,
  });

/** Views of a person, of a project (for people with a role in it), of a check (for people with a role in its project). */
export const personView = inReader('person');
export const projectView = inReader('project');
export const checkView = inReader('check');

/** Views that run on the thread that has the request. */
export const mainView = {
  visitor: inMain('visitor'),
  person: inMain('person'),
  project: inMain('project'),
  check: inMain('check'),
};
