import { type Instant, type Micros, seconds } from '../../lib/instant.ts';

/** The effect of opening a link. */
export type LinkPurpose =
  /** Makes the first account, which administers the installation. */
  | 'setup'
  | 'sign_in'
  | 'sign_up'
  | 'set_password'
  /** Confirms a change of the address, for the mailbox that the link was sent to. */
  | 'change_email'
  /** Proves once more who is signed in. The mail has a code and no link. */
  | 'confirm';

/** The purposes for which one link is enough. Using one makes the others void. */
export const VOIDED_TOGETHER: readonly LinkPurpose[] = ['sign_in', 'sign_up', 'set_password', 'confirm'];

/** An address that works once. Only the digest of its secret part is stored. */
export interface Link {
  id: number;
  digest: string;
  purpose: LinkPurpose;
  /** Null while there is no account. */
  accountId: number | null;
  /** The e-mail address that the link proves. Null if it was shown to somebody and not mailed. */
  email: string | null;
  createdAt: Instant;
  expiresAt: Instant;
}

export type NewLink = Omit<Link, 'id'>;

export const MAILED_LINK_SPAN: Micros = seconds(3_600);
export const CONFIRMATION_CODE_SPAN: Micros = seconds(900);
/** Two groups make 31^8 codes. A browser that has asked can try only a few. */
export const MAILED_CODE_GROUPS = 2;
/** The lifetime of a link that is shown to an operator or an administrator, who passes it on. */
export const SHOWN_LINK_SPAN: Micros = seconds(86_400);
