import { MIN_PASSWORD_LENGTH } from '../../domain/password-rules.ts';

/** What the page for visitors has to know. */
export interface EntranceJson {
  readonly is_signed_in: boolean;
  readonly sign_up: { readonly is_open: boolean; readonly domains: readonly string[] | null };
  /** Whether links can be mailed. Without it people sign up and in with a password. */
  readonly has_mail: boolean;
  readonly has_passkeys: boolean;
  readonly min_password_length: number;
}

export function entranceJson(
  isSignedIn: boolean,
  settings: {
    readonly signUp: { readonly isOpen: boolean; readonly domains: readonly string[] | null };
    readonly hasMail: boolean;
    readonly passkeySite: object | null;
  },
): EntranceJson {
  const { isOpen, domains } = settings.signUp;
  return {
    is_signed_in: isSignedIn,
    sign_up: { is_open: isOpen, domains },
    has_mail: settings.hasMail,
    has_passkeys: settings.passkeySite !== null,
    min_password_length: MIN_PASSWORD_LENGTH,
  };
}
