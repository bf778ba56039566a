import { MIN_PASSWORD_LENGTH } from '../../domain/people/password-rules.ts';

/** What the page for visitors has to know. */
export interface EntranceJson {
  readonly is_signed_in: boolean;
  readonly sign_in: {
    /** With a password, a mailed link or a passkey. */
    readonly is_local: boolean;
    /** By a provider; null if there is none. */
    readonly provider: { readonly name: string } | null;
    /** A proxy in front of this service signs people in. Whether it has is told by asking for the session. */
    readonly is_by_proxy: boolean;
  };
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
    readonly localSignIn: boolean;
    readonly provider: { readonly name: string } | null;
    readonly remoteUser: object | null;
  },
): EntranceJson {
  const { signUp, localSignIn, provider, remoteUser } = settings;
  return {
    is_signed_in: isSignedIn,
    sign_in: {
      is_local: localSignIn,
      provider: provider && { name: provider.name },
      is_by_proxy: remoteUser !== null,
    },
    sign_up: { is_open: signUp.isOpen && localSignIn, domains: signUp.domains },
    has_mail: settings.hasMail,
    has_passkeys: settings.passkeySite !== null && localSignIn,
    min_password_length: MIN_PASSWORD_LENGTH,
  };
}
