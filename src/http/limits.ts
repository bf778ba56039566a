const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits for HTTP clients, each one and all together. */
export interface HttpLimits {
  /** Open connections of all clients. */
  readonly maxConnections: number;
  /** Open connections of one IPv4 address or one /64 network of IPv6. Larger networks have more shares. Trusted proxies have no such limit. */
  readonly maxConnectionsPerAddress: number;
  /** An older connection is closed with its next answer. */
  readonly maxConnectionMs: number;
  /** A client is disconnected if it reads no byte of its answer for this time. */
  readonly maxUnreadAnswerMs: number;
  /** A client is disconnected if there are unread bytes for this time without a break, even if it reads some. */
  readonly maxSendingMs: number;
  /** The time in which all connections are looked at once. */
  readonly sweepMs: number;
  /**
   * Requests on one connection that arrive before an earlier one is answered. The last of them closes the connection.
   */
  readonly maxPipelinedRequestsPerConnection: number;
  /** Pipelined requests on all connections together. A connection that exceeds it is closed. */
  readonly maxPipelinedRequests: number;
  /** Bytes of ping bodies that are being received or written. */
  readonly maxPingBodyBytes: number;
  /** Bytes of all other bodies that are being received or processed. */
  readonly maxApiBodyBytes: number;
  /** Requests of one account by its sessions: a minute permanently, and at once. */
  readonly maxSessionRequestsPerMinute: number;
  readonly maxSessionRequestBurst: number;
  /** Streams of live events: of all people, of one account, and the bytes that one may have unread. */
  readonly maxStreams: number;
  readonly maxStreamsPerAccount: number;
  readonly maxUnreadStreamBytes: number;
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
  // Ten a second: several pages that are open and refresh themselves.
  maxSessionRequestsPerMinute: 600,
  maxSessionRequestBurst: 3_000,
  maxStreams: 2_000,
  maxStreamsPerAccount: 32,
  maxUnreadStreamBytes: 64 * KIB,
};

/** The limit of the reference for request bodies, which clients know. */
export const API_BODY_LIMIT = 2_621_440;

/** The largest body of a caller without a known key. The body may contain the key. */
export const MAX_KEYLESS_BODY_BYTES = 64 * KIB;

/**
 * A request of the API costs its project one token for each started block of this size in its body. Bodies of honest
 * clients are shorter. Reading a long body occupies the thread that answers pings.
 */
export const BODY_BYTES_PER_TOKEN = 4 * KIB;

/**
 * An account may send as many requests of the API to a node as so many of its projects may. So an account with very many
 * projects has no more than a few shares.
 */
export const BUSY_PROJECTS_PER_ACCOUNT = 4;

/**
 * Each piece of a body counts as at least this many bytes. A piece of one byte takes as much work as one of some
 * hundred bytes, and six bytes on the wire. If a ping's body has too many pieces, it is cut: the ping is still
 * recorded, and the client only loses its connection.
 */
export const MIN_PIECE_BYTES = 64;
export const MIN_PING_PIECE_BYTES = 1024;

/** A longer ping body is only kept further while half of `maxPingBodyBytes` is free. */
export const LONG_PING_BODY_BYTES = 64 * KIB;

/** The limits for all headers of a request: their bytes, and the number that is read. */
export const MAX_HEADER_BYTES = 16 * KIB;
export const MAX_HEADERS = 2_000;

/**
 * The addresses whose requests without a key are counted. The one that asked longest ago is forgotten, and starts again
 * with all its requests.
 */
export const MAX_LIMITED_ADDRESSES = 20_000;

/**
 * Attempts that are refused because there were too many, such as passwords, from one sender. Beyond it, requests of the
 * sender are refused before they are read.
 */
export const MAX_REFUSED_ATTEMPTS_PER_MINUTE = 60;
