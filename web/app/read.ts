import type { AnswerOf, InputOf, Views } from '../../src/views/index.ts';
import { send } from './api.ts';

type PlaceOf<V> = V extends { readonly place: 'check' }
  ? { readonly check: string }
  : { readonly project: string };

/** What the page sends along, if the view wants anything. */
type Sent<Input> = keyof Input extends never ? [] : [input: Input];

type Read = {
  readonly [Name in keyof Views]: (
    place: PlaceOf<Views[Name]>,
    ...sent: Sent<InputOf<Views[Name]>>
  ) => Promise<AnswerOf<Views[Name]>>;
};

/** What a view of the server answers. */
export type Answer<Name extends keyof Views> = AnswerOf<Views[Name]>;

/** Asks the server for a view by its name: `read.editorChoices({ project })`. The types are those of its declaration. */
export const read = new Proxy({} as Read, {
  get: (_read, name) => (place: Readonly<Record<string, string>>, input?: object) => {
    const path = Object.entries(place).map(([kind, id]) => `/${kind}s/${id}`);
    return send(input === undefined ? 'GET' : 'POST', `${path.join('')}/read/${String(name)}`, input);
  },
});
