import { en, type Messages } from './en.ts';

/** The texts in the language of the page. */
export const m: Messages = en;
