import { AppError } from '../domain/errors.ts';
import { PROVIDER_SIGN_IN_SECONDS } from '../domain/people/identity.ts';
import { MICROS_PER_SECOND } from '../lib/instant.ts';
import type { MadeSession } from '../services/people/sessions.ts';
import type { NewSignIn, SignInStep, SigningIn } from '../services/people/sign-in.ts';
import type { BegunAtProvider } from '../services/sign-up/provider-sign-in.ts';
import type { OperationDeps, PresentAt } from '../views/operation.ts';

/** The cookie lives as long as the session may. Idle sessions end on the server. */
export function sessionCookie(
  { settings, cookies }: Pick<OperationDeps, 'settings' | 'cookies'>,
  { token }: MadeSession,
): string {
  return cookies.session(token, Math.floor(settings.sessions.age / MICROS_PER_SECOND));
}

/** Signs the browser in by cookies. If a second factor is needed, the answer says which ones the page can ask for. */
export async function signInBrowser(
  deps: OperationDeps,
  { client, token, log, setCookie }: PresentAt['visitor'],
  signIn: (browser: SigningIn) => Promise<SignInStep>,
) {
  const step = await signIn({ client, before: token }).catch((error: unknown) => {
    // For tools that block addresses. Attempts beyond the limit are not logged: there may be thousands a second.
    if (error instanceof AppError && error.code === 'wrong_credentials')
      log.warn({ event: 'sign_in.refused', address: client.address });
    throw error;
  });
  if ('pending' in step) return { pending: step.pending, secondFactors: step.ways };
  keepSignIn(deps, { setCookie }, step);
  return null;
}

/** Leaves the new session in the browser, which is known from then on. */
export function keepSignIn(
  deps: OperationDeps,
  { setCookie }: Pick<PresentAt['visitor'], 'setCookie'>,
  made: NewSignIn,
): void {
  setCookie(sessionCookie(deps, made));
  setCookie(deps.cookies.device(made.device));
}

/** The page goes to the address of the provider. The cookie comes back with the person, who goes on at `next`. */
export async function leadToProvider(
  { cookies }: OperationDeps,
  {
    log,
    setCookie,
    input: { next = '/' },
  }: PresentAt['visitor'] & { readonly input: { readonly next?: string } },
  begin: (next: string) => Promise<BegunAtProvider>,
) {
  const { address, sealed } = await begin(next).catch((error: unknown) => {
    logProviderFailure(log, error);
    throw error;
  });
  setCookie(cookies.atProvider(sealed, PROVIDER_SIGN_IN_SECONDS));
  return { address };
}

/** For the operator: people only learn that it has failed. */
export function logProviderFailure(log: PresentAt['visitor']['log'], error: unknown): void {
  if (!(error instanceof AppError) || !(error.cause instanceof Error)) return;
  log.warn({ event: 'provider.failed', code: error.code, reason: error.cause.message });
}
