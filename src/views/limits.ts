/** The longest text that keywords are tried on. */
export const MAX_TRIED_TEXT = 100_000;
