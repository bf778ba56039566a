import { queryOptions } from '@tanstack/react-query';
import type { Views } from '../../src/views/index.ts';
import { send, sendOnce } from './api.ts';
import { LIVE, type LiveScope } from './live/queries.ts';
import { type AnswerOf, type Arguments, type Place, placeIn } from './operation.ts';

export type Answer<Name extends keyof Views> = AnswerOf<Views[Name]>;

type Read = {
  readonly [Name in keyof Views]: (...given: Arguments<Views[Name]>) => Promise<Answer<Name>>;
};

const reading = (ask: typeof send): Read =>
  new Proxy({} as Read, {
    get:
      (_read, name) =>
      (given: object = {}) => {
        const { path, input } = placeIn(given);
        return ask(input === undefined ? 'GET' : 'POST', `${path}/read/${String(name)}`, input);
      },
  });

/** Asks the server for a view by its name: `read.editorChoices({ project })`. Its declaration gives the types. */
export const read = reading(send);

/** For the dialogs that interrupt a page. They would wait for themselves if they were interrupted. */
export const readOnce = reading(sendOnce);

/** A view and its input, for the server to read it again after an act. */
export interface AskedView extends Place {
  readonly view: string;
  readonly input?: object;
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      readonly live?: LiveScope;
      /** Absent for queries that are not views. */
      readonly asked?: AskedView;
    };
  }
}

const optionsOf = <Data>(name: string, given: object) => {
  const { place, input } = placeIn(given);
  const live = LIVE[name as keyof Views];
  return queryOptions<Data>({
    // ['project', uuid, name, input], ['check', ref, name, input] or ['person', name, input].
    queryKey: [...(Object.entries(place)[0] ?? ['person']), name, ...(input === undefined ? [] : [input])],
    queryFn: () => (read[name as keyof Read] as (given: object) => Promise<Data>)(given),
    meta: { ...(live && { live }), asked: { view: name, ...place, ...(input !== undefined && { input }) } },
  });
};

type Queries = {
  readonly [Name in keyof Views]: (
    ...given: Arguments<Views[Name]>
  ) => ReturnType<typeof optionsOf<Answer<Name>>>;
};

/** The options of a query for a view: `useQuery(query.editorChoices({ project }))`. */
export const query = new Proxy({} as Queries, {
  get:
    (_queries, name) =>
    (given: object = {}) =>
      optionsOf(String(name), given),
});
