const DOTS = '••••••••';

/** A secret of which the service shows the beginning alone, with dots for the rest, however long that is. */
export const masked = (secret: string): string => secret.replace(/\*+$/, DOTS);
