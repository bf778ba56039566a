import type { SessionLimits } from '../../domain/session.ts';
import type { RelyingParty } from '../../lib/webauthn.ts';
import type { Deps } from '../deps.ts';
import type { Attempts } from './attempts.ts';
import type { PasswordWork } from './password-work.ts';

/** What the operator has set about accounts. */
export interface AccountSettings {
  /** The name of the service, as apps for codes show it. */
  readonly siteName: string;
  /** For which site passkeys are made. Null where browsers offer none. */
  readonly passkeySite: RelyingParty | null;
  readonly sessions: SessionLimits;
  /** Whether people may make accounts for themselves, and of which domains. Null admits all domains. */
  readonly signUp: { readonly isOpen: boolean; readonly domains: readonly string[] | null };
  /** Whether people without a second factor can do nothing but add one. */
  readonly requiresSecondFactor: boolean;
  /** Whether the service can send mail. */
  readonly hasMail: boolean;
  /** Days for which the audit log is kept. */
  readonly auditLogDays: number;
}

/** What the verbs about accounts need. One object serves a whole process. */
export interface AccountDeps extends Deps {
  readonly passwords: PasswordWork;
  readonly attempts: Attempts;
  readonly settings: AccountSettings;
}
