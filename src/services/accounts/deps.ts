import type { SessionLimits } from '../../domain/session.ts';
import type { Deps } from '../deps.ts';
import type { Attempts } from './attempts.ts';
import type { PasswordWork } from './password-work.ts';

/** What the operator has set about accounts. */
export interface AccountSettings {
  readonly sessions: SessionLimits;
  /** Days for which the audit log is kept. */
  readonly auditLogDays: number;
}

/** What the verbs about accounts need. One object serves a whole process. */
export interface AccountDeps extends Deps {
  readonly passwords: PasswordWork;
  readonly attempts: Attempts;
  readonly settings: AccountSettings;
}
