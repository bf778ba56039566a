import type { BegunAnswer } from '../lib/answering-threads.ts';
import type { Deps } from '../services/core/deps.ts';
import type { QuestionOf } from '../services/core/reads.ts';
import { exportActs, exportOwnActs } from '../services/history/audit-log.ts';
import { logHeader, logLines } from '../wire/dashboard/audit-log-output.ts';

/** A piece for each part that is read, even if nothing of it is wanted: other answers get a turn between two parts. */
export function exportedActs(
  deps: Pick<Deps, 'store'>,
  question: QuestionOf<'act_export'>,
): BegunAnswer<null> {
  const { filter, format } = question;
  const encoder = new TextEncoder();
  const parts =
    'actor' in question
      ? exportActs(deps, question.actor, filter)
      : exportOwnActs(deps, question.person, filter);
  async function* pieces() {
    for await (const acts of parts) yield encoder.encode(logLines(acts, format));
  }
  return { head: null, first: encoder.encode(logHeader(format)), rest: pieces() };
}
