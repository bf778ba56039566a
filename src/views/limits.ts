/** The longest text that keywords are tried on. */
export const MAX_TRIED_TEXT = 100_000;

/** Deliveries in the strip of a channel. */
export const MAX_STRIP = 20;

/** Deliveries of a channel that are shown one by one. */
export const MAX_CHANNEL_DELIVERIES = 50;

/** Runs that the page of a check shows, and whose numbers it reads. */
export const MAX_PAGE_RUNS = 100;

/** Failed and warned runs before these that it lists, and the pings among which it looks for them. */
export const MAX_EARLIER_TROUBLES = 5;
export const MAX_TROUBLE_PINGS = 3_000;

/** Checks that a search for badges and components offers. */
export const MAX_OFFERED_CHECKS = 50;

/** Accounts or projects of a page of the directory. */
export const MAX_PAGE_ENTRIES = 50;

/** Entries that are looked at for a page. A search that few fit gives a short page, and the place to go on from. */
export const MAX_EXAMINED_ENTRIES = 2_000;

/** The time that a timeline may show, in seconds. It may look as far ahead. */
export const MIN_TIMELINE_SECONDS = 6 * 3_600;
export const MAX_TIMELINE_SECONDS = 7 * 24 * 3_600;
