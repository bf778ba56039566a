import type { GroupRules } from '../../domain/people/group-roles.ts';
import type { SessionLimits } from '../../domain/people/session.ts';
import type { OpenIdClient } from '../../lib/openid.ts';
import type { RelyingParty } from '../../lib/webauthn.ts';
import type { Deps } from '../core/deps.ts';
import type { Attempts } from './attempts.ts';
import type { PasswordWork } from './password-work.ts';

/** The operator's settings about accounts. */
export interface AccountSettings {
  /** The name of the service, as apps for codes show it. */
  readonly siteName: string;
  /** For which site passkeys are made. Null where browsers offer none. */
  readonly passkeySite: RelyingParty | null;
  readonly sessions: SessionLimits;
  /** Whether people may make accounts for themselves, and the domains of their addresses. Null admits all domains. */
  readonly signUp: { readonly isOpen: boolean; readonly domains: readonly string[] | null };
  /** Whether people without a second factor can do nothing but add one. */
  readonly requiresSecondFactor: boolean;
  /** Whether the service can send mail. */
  readonly hasMail: boolean;
  /** Whether people may sign in and sign up with local proofs: password, mailed link, passkey. */
  readonly localSignIn: boolean;
  /** The provider that signs people in, by OpenID Connect. Null: there is none. */
  readonly provider: ProviderSettings | null;
  /** The proxy that says who people are. Null: there is none. */
  readonly remoteUser: RemoteUserSettings | null;
  /** Permissions of groups of the provider, or of the proxy. */
  readonly groups: GroupRules;
  /** Days for which the audit log is kept. */
  readonly auditLogDays: number;
  /** In a demonstration everybody may look around by the account of visitors. Null: it is none. */
  readonly demonstration: DemonstrationSettings | null;
}

export interface DemonstrationSettings {
  /** The account of visitors. */
  readonly email: string;
  /** When there are more, the oldest one ends. */
  readonly maxSessions: number;
}

export interface ProviderSettings {
  /** Its name on the page. */
  readonly name: string;
  /** Domains of addresses that may sign in. Null admits all. */
  readonly domains: readonly string[] | null;
  /** The claim that lists the groups of a person. */
  readonly groupsClaim: string;
}

export interface RemoteUserSettings {
  /** The header with the address of the person. Names of headers are in lower case. */
  readonly header: string;
  /** The header with the groups of the person, separated by commas. Null: groups are not asked for. */
  readonly groupsHeader: string | null;
  /** Addresses and networks of the proxies. From others the headers mean nothing. */
  readonly proxies: readonly string[];
}

/** Dependencies of the verbs about accounts. One object serves a whole process. */
export interface AccountDeps extends Deps {
  readonly passwords: PasswordWork;
  readonly attempts: Attempts;
  readonly settings: AccountSettings;
  /** Null where there is no provider, and for commands. */
  readonly openId: Pick<OpenIdClient, 'address' | 'identify'> | null;
}
