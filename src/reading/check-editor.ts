import type { LoggedAct } from '../domain/people/audit.ts';
import { lastEdit } from '../services/audit-log.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';

type EditorDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function lastEditHead(
  deps: EditorDeps,
  { actor, subject }: QuestionOf<'last_edit'>,
): Promise<Pick<LoggedAct, 'actor' | 'createdAt'> | null> {
  const act = await lastEdit(deps, actor, subject);
  return act && { actor: act.actor, createdAt: act.createdAt };
}
