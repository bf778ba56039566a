import type { LoggedAct } from '../domain/people/audit.ts';
import { listMoveTargets } from '../services/accounts/move-targets.ts';
import { lastEdit } from '../services/audit-log.ts';
import { listDeleted } from '../services/check-deletion.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import { deletedCheckJson, targetJson } from '../wire/dashboard/check-settings-output.ts';

type EditorDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function moveTargetsText(
  deps: EditorDeps,
  { person, actor }: QuestionOf<'move_targets'>,
): Promise<string> {
  const targets = await listMoveTargets(deps, person, actor);
  return JSON.stringify({ projects: targets.map(targetJson) });
}

export async function deletedChecksText(
  deps: EditorDeps,
  { actor }: QuestionOf<'deleted_checks'>,
): Promise<string> {
  return JSON.stringify({ checks: (await listDeleted(deps, actor)).map(deletedCheckJson) });
}

export async function lastEditHead(
  deps: EditorDeps,
  { actor, subject }: QuestionOf<'last_edit'>,
): Promise<Pick<LoggedAct, 'actor' | 'createdAt'> | null> {
  const act = await lastEdit(deps, actor, subject);
  return act && { actor: act.actor, createdAt: act.createdAt };
}
