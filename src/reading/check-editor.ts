import type { LoggedAct } from '../domain/people/audit.ts';
import type { Deps } from '../services/core/deps.ts';
import type { QuestionOf } from '../services/core/reads.ts';
import { lastEdit } from '../services/history/audit-log.ts';

type EditorDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function lastEditHead(
  deps: EditorDeps,
  { actor, subject }: QuestionOf<'last_edit'>,
): Promise<Pick<LoggedAct, 'actor' | 'createdAt'> | null> {
  const act = await lastEdit(deps, actor, subject);
  return act && { actor: act.actor, createdAt: act.createdAt };
}
