import { AppError } from '../../domain/errors.ts';
import { type Client, networkOf } from './client.ts';
import type { AccountDeps } from './deps.ts';

/**
 * Counts an attempt of a browser. A browser that is known to the account has attempts of its own. Others share those of
 * their network and those for the subject. A known one that has used up its own counts as another.
 */
export async function takeAsClient(
  { attempts }: Pick<AccountDeps, 'attempts'>,
  client: Client,
  device: string | null,
  what: 'passwords' | 'mails',
  subject: string,
): Promise<void> {
  const perSubject = what === 'passwords' ? 'passwordsPerAccount' : 'mailsPerMailbox';
  const asStranger = () =>
    attempts.take([
      { rule: `${what}PerNetwork`, subject: networkOf(client) },
      { rule: perSubject, subject },
    ]);
  if (device === null) return asStranger();
  try {
    await attempts.take([{ rule: `${what}PerDevice`, subject: device }]);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many_attempts') throw error;
    await asStranger();
  }
}
