import type { GroupRole } from '../domain/people/group-roles.ts';
import type { ServerSettings } from '../integrations/registry.ts';
import type { MailServer } from '../lib/mail-sender.ts';
import type { S3Options } from '../objects/s3.ts';
import type { Database } from '../storage/open.ts';
import type { V3Flips } from '../wire/api/flips.ts';
import type { LOG_LEVELS } from './settings.ts';

export type LogLevel = (typeof LOG_LEVELS)[number];

export type ObjectsConfig = Omit<S3Options, 'clock'>;

/** The mail server through which mails are sent. */
export interface MailConfig extends Omit<MailServer, 'clientNames'> {
  /**
   * Template of the return addresses of mails, with `%s` for the signed part. Null: mails have no return address of
   * their own.
   */
  readonly returnTemplate: string | null;
}

/** Everything an operator can choose, parsed and frozen. */
export interface Config {
  readonly site: {
    /** Public base URL, without a slash at the end. */
    readonly root: string;
    readonly name: string;
    /** The text before a check's identifier in ping URLs, exactly as given. */
    readonly pingEndpoint: string;
    readonly masterBadgeLabel: string;
    readonly pingEmailDomain: string;
  };
  readonly listen: { readonly host: string; readonly port: number };
  /** The server for pings by mail; null when there is none. */
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    /** Bytes of a message that are kept; null keeps all of them. */
    readonly bodyLimit: number | null;
  } | null;
  readonly database: Database;
  /** Storage for long bodies of pings. Null keeps them in the database. */
  readonly objects: ObjectsConfig | null;
  /** Null: a key is generated at the first start and stored with the database. */
  readonly secretKey: { readonly current: string; readonly fallbacks: readonly string[] } | null;
  readonly provisionFile: string | null;
  readonly mail: MailConfig | null;
  /** Settings of the instance that kinds of channel need, such as the token of a bot. */
  readonly integrations: ServerSettings;
  readonly outbound: {
    readonly allowPrivateAddresses: boolean;
    readonly proxies: { readonly http: string | null; readonly https: string | null };
  };
  readonly log: { readonly level: LogLevel };
  readonly http: {
    readonly requestTimeoutSeconds: number;
    readonly shutdownTimeoutSeconds: number;
    /** Addresses and CIDR ranges. Empty: no proxy is trusted. */
    readonly trustedProxies: readonly string[];
    /** Bytes of a ping's body that are kept. Null keeps as many as is safe. */
    readonly pingBodyLimit: number | null;
    readonly maxConnections: number;
    /** Null: only the limit for all addresses together applies. */
    readonly maxConnectionsPerAddress: number | null;
    /** 0 means no limit. */
    readonly publicRateLimitPerMinute: number;
  };
  /** The monitor that this node pings while it is healthy; null when there is none. */
  readonly heartbeat: { readonly url: string; readonly intervalSeconds: number } | null;
  readonly api: {
    /** 0 means no limit. */
    readonly rateLimitPerMinute: number;
    readonly rateBurst: number;
    readonly metricsKey: string | null;
    readonly prometheusEnabled: boolean;
    readonly v3Flips: V3Flips;
  };
  readonly limits: { readonly checks: number; readonly pings: number };
  readonly accounts: {
    readonly siteName: string;
    readonly passkeySite: { readonly id: string; readonly origin: string; readonly name: string } | null;
    /** Time that people stay signed in, in microseconds: without a request, and at all. */
    readonly sessions: { readonly idle: number; readonly age: number };
    readonly signUp: { readonly isOpen: boolean; readonly domains: readonly string[] | null };
    readonly requiresSecondFactor: boolean;
    readonly hasMail: boolean;
    readonly localSignIn: boolean;
    readonly provider: {
      readonly name: string;
      readonly domains: readonly string[] | null;
      readonly groupsClaim: string;
    } | null;
    readonly remoteUser: {
      readonly header: string;
      readonly groupsHeader: string | null;
      readonly proxies: readonly string[];
    } | null;
    readonly groups: { readonly admins: readonly string[]; readonly roles: readonly GroupRole[] };
    readonly auditLogDays: number;
  };
  /** The registration at the provider that signs people in; null when there is none. */
  readonly openId: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string | null;
    readonly scopes: string;
  } | null;
}
