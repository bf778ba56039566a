/** The texts in the language of the page. Another language is another file that exports the same names. */
export * as m from './en.ts';
