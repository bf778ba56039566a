/** The types of views and acts, as pages call them: with one object, which names the place and holds the input. */
import type { JsonPieces, JsonText } from '../../src/views/index.ts';
import type { SentTo } from '../../src/wire/dashboard/input.ts';

type PlaceOf<O> = O extends { readonly place: 'check' }
  ? { readonly check: string }
  : O extends { readonly place: 'project' }
    ? { readonly project: string }
    : unknown;

type Called<O> = O extends { read: infer Function } | { run: infer Function } ? Function : never;

export type Given<O> = PlaceOf<O> & SentTo<O>;

/** Nothing has to be given if every part may be left out. */
export type Arguments<O> = Record<never, never> extends Given<O> ? [given?: Given<O>] : [given: Given<O>];

/** A long read is a generator, which returns the answer. */
export type AnswerOf<O> =
  Called<O> extends (...given: never) => Promise<infer Answer> | AsyncGenerator<undefined, infer Answer>
    ? Answer extends JsonText<infer InText> | JsonPieces<infer InText>
      ? InText
      : Answer
    : never;

/** The UUID of a project, or a check by its UUID or unique key. Absent for operations of a person. */
export interface Place {
  readonly project?: string;
  readonly check?: string;
}

/** Tells the place from the input: no input has a field of these names. The input is undefined if there is none. */
export function placeIn({ project, check, ...rest }: Place) {
  const place: Place = {
    ...(project !== undefined && { project }),
    ...(check !== undefined && { check }),
  };
  const path = Object.entries(place).map(([kind, id]) => `/${kind}s/${id}`);
  return { place, path: path.join(''), input: Object.keys(rest).length > 0 ? rest : undefined };
}
