import * as checkEditor from './check-editor.ts';
import type { View } from './view.ts';

/** Everything that pages read by name. */
export const VIEWS = { ...checkEditor };

export type Views = typeof VIEWS;

/** What pages send along with a view. Null if they send nothing. */
export type InputOf<V> = V extends { read(deps: never, asked: infer Asked): unknown }
  ? Asked extends { readonly input: infer Input }
    ? Input
    : never
  : never;

/** What pages get. */
export type AnswerOf<V> = V extends { read(deps: never, asked: never): Promise<infer Answer> }
  ? Answer
  : never;

const BY_NAME: Readonly<Record<string, View>> = VIEWS;

export function viewNamed(name: string): View {
  const view = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (view === undefined) throw new Error(`there is no view ${name}`);
  return view;
}
