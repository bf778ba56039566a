import type { BegunAnswer } from '../lib/answering-threads.ts';
import { exportEvents, listEvents } from '../services/event-log.ts';
import type { QuestionOf } from '../services/reads.ts';
import { eventHeader, eventLines, eventPageJson } from '../wire/dashboard/event-output.ts';
import type { ListDeps } from './lists.ts';
import { maskFor } from './masked-secrets.ts';

export async function eventListText(
  deps: ListDeps,
  { actor, checkId, ...question }: QuestionOf<'event_list'>,
): Promise<string> {
  const mask = await maskFor(deps, actor, checkId);
  return mask(JSON.stringify(eventPageJson(await listEvents(deps, actor, checkId, question))));
}

/** A piece for each part that is read, even if nothing of it is wanted: other answers get a turn between two parts. */
export function exportedEvents(
  deps: ListDeps,
  { actor, checkId, filter, format }: QuestionOf<'event_export'>,
): BegunAnswer<null> {
  const encoder = new TextEncoder();
  const parts = exportEvents(deps, actor, checkId, filter);
  async function* pieces() {
    const mask = await maskFor(deps, actor, checkId);
    for await (const events of parts) yield encoder.encode(mask(eventLines(events, format)));
  }
  return { head: null, first: encoder.encode(eventHeader(format)), rest: pieces() };
}
