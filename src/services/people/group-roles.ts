import type { Account } from '../../domain/people/account.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import { isAdminByGroups, rolesOfGroups } from '../../domain/people/group-roles.ts';
import { MAX_PROJECT_MEMBERS } from '../../domain/people/project.ts';
import type { GroupMembership, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { memberSubject } from '../project/members.ts';
import { accountSubject } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';

/**
 * Gives the account the roles of its groups, and takes back roles of earlier groups. Roles that people have given stay
 * as they are. The account must be locked. A project that is full gets nobody more.
 */
export async function applyGroups(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  groups: readonly string[],
  by: ActedBy,
): Promise<void> {
  await applyAdmin(deps, tx, account, isAdminByGroups(deps.settings.groups, groups), by);
  const roles = rolesOfGroups(deps.settings.groups, groups);
  for (const membership of await tx.groupMembers.ofAccount(account.id)) {
    if (roles.has(membership.projectUuid)) continue;
    await tx.groupMembers.take(account.id, membership.projectId);
    await recordMembership(deps, tx, account, membership, by, 'member.removed');
  }
  let isChanged = false;
  for (const [project, role] of roles) {
    const given = await tx.groupMembers.give(account.id, project, role, {
      maxMembers: MAX_PROJECT_MEMBERS,
      at: deps.clock.now(),
    });
    if (given === null) continue;
    isChanged = true;
    await recordMembership(deps, tx, account, given, by, 'member.joined');
  }
  // From now on the person is reminded about checks that are down in these projects.
  if (isChanged) await tx.mailPreferences.updateReminderDates([account.id], deps.clock.now());
}

async function applyAdmin(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  isAdmin: boolean,
  by: ActedBy,
): Promise<void> {
  if (!(await tx.accounts.setAdminByGroup(account.id, isAdmin))) return;
  await recordAct(deps, tx, by, {
    action: isAdmin ? 'admin.granted' : 'admin.revoked',
    subject: accountSubject(account),
    details: { by: 'groups' },
  });
}

async function recordMembership(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  { projectId, role }: GroupMembership,
  by: ActedBy,
  action: string,
): Promise<void> {
  const details = { role, by: 'groups' };
  await recordAct(deps, tx, by, { action, subject: memberSubject(account), projectId, details });
}
