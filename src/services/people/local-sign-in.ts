import { AppError } from '../../domain/errors.ts';
import type { AccountDeps } from './deps.ts';

/** Refuses local proofs where the operator leaves signing in to a provider or a proxy. */
export function requireLocalSignIn({ settings }: Pick<AccountDeps, 'settings'>): void {
  if (!settings.localSignIn) throw new AppError('local_sign_in_off');
}
