const DOTS = '••••••••';

/** A secret of which the service shows only the beginning, with dots for the rest, whatever its length. */
export const masked = (secret: string): string => secret.replace(/\*+$/, DOTS);
