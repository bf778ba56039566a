/** The part of the address of Settings → Alerts that names a quiet time. */
export const quietTimeAnchor = (uuid: string): string => `quiet-time-${uuid}`;

/** The part of that address that asks for a new one. */
export const NEW_QUIET_TIME = 'new-quiet-time';
