import type { BegunAnswer } from '../lib/answering-threads.ts';
import type { QuestionOf } from '../services/core/reads.ts';
import { exportEvents } from '../services/history/event-log.ts';
import { eventHeader, eventLines } from '../views/event-json.ts';
import { maskFor } from '../views/masked-text.ts';
import type { ListDeps } from './lists.ts';

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
