const DOTS = '••••••••';

/** A secret. The service shows only its beginning, with dots for the rest, whatever its length. */
export const masked = (secret: string): string => secret.replace(/\*+$/, DOTS);
