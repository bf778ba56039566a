/** Acts of administrators: on accounts and projects of others, and on the installation itself. */
import type { Account } from '../domain/people/account.ts';
import type { AccountActor } from '../domain/people/permission.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { flag, integer, refined, text } from '../lib/fields.ts';
import { oneLine } from '../lib/text/one-line.ts';
import * as instance from '../services/instance/instance.ts';
import * as visits from '../services/people/visits.ts';
import * as administration from '../services/sign-up/administration.ts';
import type { OperationDeps } from '../views/operation.ts';
import { linkAddress } from '../wire/dashboard/addresses.ts';
import { emailField, nameField, optional, passwordField, uuidField } from '../wire/dashboard/input.ts';
import { testMail } from '../wire/mail/test-mail.ts';
import { personAct } from './act.ts';

/** A link with which somebody chooses a password, if the account was made without one. */
export const createAccount = personAct({
  permission: 'instance.administer',
  input: {
    email: emailField,
    name: optional(nameField),
    isAdmin: optional(flag('Whether they administer the service.')),
    password: optional(passwordField),
  },
  run: async (deps, { person, input: { email, name = '', isAdmin = false, password = null } }) => {
    const made = await administration.createAccount(deps, person, { email, name, isAdmin, password });
    return { link: password === null ? await passwordLink(deps, person, made) : null };
  },
});

export const offerPassword = personAct({
  permission: 'instance.administer',
  input: { account: uuidField },
  run: async (deps, { person, input }) => ({
    link: await passwordLink(
      deps,
      person,
      await administration.findAccountByUuid(deps, person, input.account),
    ),
  }),
});

async function passwordLink(deps: OperationDeps, person: AccountActor, account: Account): Promise<string> {
  const secret = await administration.offerPassword(deps, person, account);
  return linkAddress(deps.site.root, 'set_password', secret);
}

const BILLION = 1_000_000_000;

export const setAccountLimits = personAct({
  permission: 'instance.administer',
  input: {
    account: uuidField,
    checks: optional(integer({ minimum: 0, maximum: BILLION })),
    pings: optional(integer({ minimum: 1, maximum: BILLION })),
  },
  run: async (deps, { person, input: { account: uuid, ...limits } }) => {
    const account = await administration.findAccountByUuid(deps, person, uuid);
    await administration.setAccountLimits(deps, person, account, limits);
  },
});

/** Something that needs nothing but the account. */
const onAccount = (run: (deps: OperationDeps, person: AccountActor, account: Account) => Promise<unknown>) =>
  personAct({
    permission: 'instance.administer',
    input: { account: uuidField },
    run: async (deps, { person, input }) => {
      await run(deps, person, await administration.findAccountByUuid(deps, person, input.account));
    },
  });

export const activateAccount = onAccount((deps, person, account) =>
  administration.setActive(deps, person, account, true),
);
export const deactivateAccount = onAccount((deps, person, account) =>
  administration.setActive(deps, person, account, false),
);
export const makeAdministrator = onAccount((deps, person, account) =>
  administration.setAdmin(deps, person, account, true),
);
export const unmakeAdministrator = onAccount((deps, person, account) =>
  administration.setAdmin(deps, person, account, false),
);
export const removeSecondFactors = onAccount(administration.removeSecondFactors);
export const endAllSessions = onAccount(administration.endAllSessions);

export const deleteAccount = personAct({
  permission: 'instance.administer',
  input: { account: uuidField, email: emailField },
  run: async (deps, { person, input }) => {
    const account = await administration.findAccountByUuid(deps, person, input.account);
    await administration.deleteAccount(deps, person, account, input.email);
  },
});

const reasonField = refined(text({ maxLength: TEXT_LIMITS.visitReason }), 'reason', (value) =>
  oneLine(value).trim(),
);

/** Enters a project of others, for an hour. */
export const visitProject = personAct({
  permission: 'instance.administer',
  input: { target: uuidField, reason: optional(reasonField) },
  run: async (deps, { person, input: { target, reason = '' } }) => {
    await visits.visitProject(deps, person, target, reason);
  },
});

export const leaveVisitedProject = personAct({
  permission: 'instance.view',
  input: { target: uuidField },
  run: (deps, { person, input }) => visits.leaveVisited(deps, person, input.target),
});

/** The error of the mail server. Null if it took the mail. */
export const sendTestMail = personAct({
  permission: 'instance.administer',
  input: { email: emailField },
  run: async (deps, { person, input: { email: to } }) => {
    const mail = { to, ...testMail(deps.settings.siteName), headers: {}, attachments: [] };
    return { error: await instance.sendTestMail(deps, deps.instance, person, mail) };
  },
});

/** What a look at the installation has found. Null where it cannot look. */
export const examineInstallation = personAct({
  permission: 'instance.administer',
  run: async (deps, { person }) => {
    const findings = await instance.examineInstallation(deps.instance, person);
    return {
      findings:
        findings?.map(({ name, verdict, sentence, advice }) => ({ name, verdict, sentence, advice })) ?? null,
    };
  },
});
