/** Limits of requests that pages know, so that they do not send more. */

/** The views that a page may want to be read after an act. A page shows fewer. */
export const MAX_SHOWN = 12;

/** Rows that can be asked for by their keys at once. */
export const MAX_ASKED_ROWS = 200;

/** The most UUIDs in one list: of checks for one act, or of integrations of a check. */
export const MAX_LISTED_UUIDS = 500;

/** Characters of a search in events. */
export const MAX_SEARCH = 200;

/** The rows of a list that are told in full at once. */
export const MAX_DETAILED = 60;

/** Characters of the path where a person goes on after signing in. */
export const MAX_NEXT_LENGTH = 500;

/** Characters of a filter of the audit log. No action, UUID or id is longer. */
export const MAX_ACT_FILTER = 100;
