import { AppError } from '../../domain/errors.ts';
import type { Finding } from '../../domain/finding.ts';
import type { EffectiveSetting } from '../../lib/env-setting.ts';
import type { Mail, MailSender } from '../../lib/mail-sender.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { type AccountActor, requireOnAccount } from '../people/account-actor.ts';
import type { Vitals } from './vitals.ts';

/** The program, for administrators. */
export interface Instance {
  readonly vitals: Pick<Vitals, 'measure'>;
  /** The operator's settings. Secrets are masked. */
  readonly settings: readonly EffectiveSetting[];
  /** Null where the service sends no mail. */
  readonly mail: Pick<MailSender, 'send'> | null;
  /** Looks at the installation from all sides, in another thread. Null where the environment is not known. */
  readonly examine: (() => Promise<readonly Finding[]>) | null;
}

/** Looks at the installation. It is not recorded: nothing changes. */
export async function examineInstallation(
  { examine }: Instance,
  actor: AccountActor,
): Promise<readonly Finding[] | null> {
  requireOnAccount(actor, 'instance.administer');
  return examine && (await examine());
}

/** Sends a mail at once. Returns null if the mail server took it, else the server's answer. */
export async function sendTestMail(
  deps: Pick<Deps, 'store' | 'clock'>,
  { mail: sender }: Instance,
  actor: AccountActor,
  mail: Mail,
): Promise<string | null> {
  requireOnAccount(actor, 'instance.administer');
  if (sender === null) throw new AppError('no_mail');
  const error = await sender.send(mail);
  const subject = { kind: 'instance', id: '', name: mail.to };
  await deps.store.transaction((tx) =>
    recordAct(deps, tx, actor.by, { action: 'instance.mail_tested', subject, details: { error } }),
  );
  return error;
}
