/**
 * In which form tests run. A file called `*.long.test.ts` is left out by `npm test`. Where the long form of a file is the
 * same tests with more of something, that file imports `long-form.ts` first and the tests second.
 */
export const form = { isLong: false };
