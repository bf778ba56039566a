const KIB = 1024;
const MIB = 1024 * KIB;

/** What clients of the HTTP door may take, alone and all together. */
export interface HttpLimits {
  /** Open connections in all. */
  readonly maxConnections: number;
  /** Open connections of one IPv4 address or one /64 network of IPv6; proxies that are trusted have no such limit. */
  readonly maxConnectionsPerAddress: number;
  /** A connection that is older is closed with its next answer. */
  readonly maxConnectionMs: number;
  /** A client that takes no byte of its answer for so long is cut off. */
  readonly maxUnreadAnswerMs: number;
  /** A client that always has bytes of answers to take, however many it takes, is cut off after this. */
  readonly maxSendingMs: number;
  /** How often connections are looked at. */
  readonly sweepMs: number;
  /** Requests on one connection that came before the answer to an earlier one; the last of them closes it. */
  readonly maxPipelinedRequestsPerConnection: number;
  /** The same on all connections; above it a connection is cut off. */
  readonly maxPipelinedRequests: number;
  /** Bytes of pings' bodies that are being received or written. */
  readonly maxPingBodyBytes: number;
  /** Bytes of all other bodies that are being received or worked on. */
  readonly maxApiBodyBytes: number;
}

export const HTTP_LIMITS: HttpLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1_000,
  maxConnectionMs: 3_600_000,
  maxUnreadAnswerMs: 30_000,
  maxSendingMs: 300_000,
  sweepMs: 5_000,
  maxPipelinedRequestsPerConnection: 100,
  maxPipelinedRequests: 10_000,
  maxPingBodyBytes: 64 * MIB,
  maxApiBodyBytes: 32 * MIB,
};

/** The reference's limit for request bodies, which clients know. */
export const API_BODY_LIMIT = 2_621_440;

/** As much of a body is read from a caller whose key is not known: the key may be in it. */
export const MAX_KEYLESS_BODY_BYTES = 64 * KIB;

/**
 * A request of the API costs one token of its project for each started so many bytes of its body. Bodies of honest clients
 * are shorter; reading a long one keeps the thread busy that answers pings.
 */
export const BODY_BYTES_PER_TOKEN = 4 * KIB;

/**
 * What each piece of a body counts for at least. A piece of one byte takes as much work as one of some hundred, and six
 * bytes on the wire. The body of a ping that has too many is cut, which costs its client nothing but the connection.
 */
export const MIN_PIECE_BYTES = 64;
export const MIN_PING_PIECE_BYTES = 1024;

/** A ping's body that is longer goes on growing only while half of `maxPingBodyBytes` is free. */
export const LONG_PING_BODY_BYTES = 64 * KIB;

/** Of all the headers of a request, and how many of them are looked at. */
export const MAX_HEADER_BYTES = 16 * KIB;
export const MAX_HEADERS = 2_000;
