const KIB = 1024;
const MIB = 1024 * KIB;

/** What clients of the HTTP door may take, alone and all together. */
export interface HttpLimits {
  /** Bytes of pings' bodies that are being received or written. */
  readonly maxPingBodyBytes: number;
  /** Bytes of all other bodies that are being received or worked on. */
  readonly maxApiBodyBytes: number;
}

export const HTTP_LIMITS: HttpLimits = {
  maxPingBodyBytes: 64 * MIB,
  maxApiBodyBytes: 32 * MIB,
};

/** The reference's limit for request bodies, which clients know. */
export const API_BODY_LIMIT = 2_621_440;

/** As much of a body is read from a caller whose key is not known: the key may be in it. */
export const MAX_KEYLESS_BODY_BYTES = 64 * KIB;

/**
 * What each piece of a body counts for at least. A piece of one byte takes as much work as one of some hundred, and six
 * bytes on the wire.
 */
export const MIN_PIECE_BYTES = 64;

/** A ping's body that is longer goes on growing only while half of `maxPingBodyBytes` is free. */
export const LONG_PING_BODY_BYTES = 64 * KIB;
