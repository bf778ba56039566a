import assert from 'node:assert/strict';
import type { Account } from '../../src/domain/people/account.ts';
import type { MemberRole } from '../../src/domain/people/permission.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { START, type TestApp } from '../app.ts';
import { openTestDriver } from '../engines.ts';
import { projectRecord, unique } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

/** A person, and the browser in which they are signed in. */
export interface Person {
  readonly account: Account;
  readonly browser: Browser;
}

export async function givenPerson(app: TestApp): Promise<Person> {
  return signedIn(app, await givenAccount(app));
}

export async function signedIn(app: TestApp, account: Account): Promise<Person> {
  const browser = newBrowser(app);
  assert.equal((await browser.signIn(account.email)).status, 204);
  return { account, browser };
}

export async function givenTeam(app: TestApp): Promise<Person & { project: Project; path: string }> {
  const owner = await givenPerson(app);
  const record = projectRecord(owner.account.id, { name: `Project ${unique()}` });
  const project = await app.deps.store.transaction((tx) => tx.projects.insert(record));
  return { ...owner, project, path: `/projects/${project.uuid}` };
}

export async function join(app: TestApp, { id }: Project, account: Account, role: MemberRole): Promise<void> {
  await app.deps.store.transaction((tx) => tx.projects.addMember(id, account.id, role, START));
}

export async function givenMember(app: TestApp, project: Project, role: MemberRole): Promise<Person> {
  const person = await givenPerson(app);
  await join(app, project, person.account, role);
  return person;
}

export interface MailedInvitation {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly token: string;
}

/** The invitations that are mailed now. */
export async function mailedInvitations(app: TestApp): Promise<MailedInvitation[]> {
  const sender = new FakeMailSender();
  await post(app, sender);
  return sender.sent.flatMap(({ to, subject, text }) => {
    const token = tokenIn(text);
    return token === null ? [] : [{ to, subject, text, token }];
  });
}

/** The secret part of the link of an invitation. */
export function tokenIn(text: string): string | null {
  return /\/accounts\/invitation\/#([\w-]+)$/m.exec(text)?.[1] ?? null;
}

/** The audit log of the project, the oldest first. */
export async function actsIn(app: TestApp, { id }: Project): Promise<{ action: string; details: unknown }[]> {
  await using driver = await openTestDriver(app.database);
  const rows = await driver.all<{ action: string; details: string }>(
    'select action, details from audit_log where project_id = $1 order by id',
    [id],
  );
  return rows.map(({ action, details }) => ({ action, details: JSON.parse(details) }));
}
