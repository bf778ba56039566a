/** Characters of a body that somebody sends from a page. */
export const MAX_HAND_BODY = 10_000;
