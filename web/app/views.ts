import type { Answer } from './read.ts';

/** A view of the list of checks that the person sees in the project. */
export type SavedView = Answer<'savedViews'>[number];

/** The address of the list that a view shows. */
export const searchOfView = ({ query }: Pick<SavedView, 'query'>): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(query));
