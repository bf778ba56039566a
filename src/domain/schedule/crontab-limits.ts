/** Characters of a crontab. Pages know them, and do not send more. */
export const MAX_CRONTAB = 50_000;
/** The jobs of a crontab from which checks are made at once. */
export const MAX_CRONTAB_JOBS = 100;
