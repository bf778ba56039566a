import pino from 'pino';
import type { MailPreferences } from '../src/domain/people/account.ts';
import type { Project } from '../src/domain/people/project.ts';
import type { Instant } from '../src/lib/instant.ts';
import type { Mail } from '../src/lib/mail-sender.ts';
import { AccountMailSender } from '../src/notifier/account-mail-sender.ts';
import type { TestApp } from './app.ts';

/** Takes every mail, and answers as it is told. */
export class FakeMailSender {
  readonly sent: Mail[] = [];
  answer: (mail: Mail) => string | null | Promise<string | null> = () => null;

  async send(mail: Mail): Promise<string | null> {
    this.sent.push(mail);
    return this.answer(mail);
  }

  subjects(): string[] {
    return this.sent.map(({ subject }) => subject);
  }
}

export function newAccountMailSender(app: TestApp, sender: FakeMailSender): AccountMailSender {
  return new AccountMailSender(app.deps, sender, {
    log: pino({ level: 'silent' }),
    returnAddress: () => null,
  });
}

/** Sends until nothing is due at the present time. */
export async function post(app: TestApp, sender: FakeMailSender): Promise<void> {
  const mailSender = newAccountMailSender(app, sender);
  while ((await mailSender.tick()) === true) await mailSender.settled();
}

/** All mails that are due at the present time. */
export async function dueMails(app: TestApp): Promise<readonly Mail[]> {
  const sender = new FakeMailSender();
  await post(app, sender);
  return sender.sent;
}

export async function mailPreferencesOf(app: TestApp, accountId: number): Promise<MailPreferences> {
  const found = await app.deps.store.mailPreferences.ofAccount(accountId);
  if (found === null) throw new Error('there is no such account');
  return found;
}

export async function setReports(
  app: TestApp,
  accountId: number,
  reports: MailPreferences['reports'],
  tz = 'UTC',
): Promise<void> {
  await app.deps.store.transaction((tx) => tx.mailPreferences.setReports(accountId, reports, tz));
}

/** A further account that is a member of the project; its id. */
export async function addMember(app: TestApp, project: Project): Promise<number> {
  const { ownerId } = await app.givenProject();
  const now = app.clock.now();
  await app.deps.store.transaction((tx) => tx.projects.addMember(project.id, ownerId, 'member', now));
  return ownerId;
}

/** An instant as a text says it: `2024-03-01T09:00Z`. */
export function instant(text: string): Instant {
  return Temporal.Instant.from(text).epochMilliseconds * 1000;
}
