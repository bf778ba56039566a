import type { BegunAnswer } from '../lib/answering-threads.ts';
import { exportActs, exportOwnActs, listActs, listOwnActs } from '../services/audit-log.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import { actPageJson, logHeader, logLines } from '../wire/dashboard/audit-log-output.ts';

type LogDeps = Pick<Deps, 'store'>;

export async function actListText(deps: LogDeps, question: QuestionOf<'act_list'>): Promise<string> {
  const { filter, after } = question;
  const page =
    'actor' in question
      ? await listActs(deps, question.actor, filter, after)
      : await listOwnActs(deps, question.person, filter, after);
  return JSON.stringify(actPageJson(page));
}

/** A piece for each part that is read, even if nothing of it is wanted: other answers get a turn between two parts. */
export function exportedActs(deps: LogDeps, question: QuestionOf<'act_export'>): BegunAnswer<null> {
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
