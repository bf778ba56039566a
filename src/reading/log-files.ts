import type { EventFilter } from '../domain/history/event-log.ts';
import type { ActFilter } from '../domain/people/audit.ts';
import type { AccountActor, Actor } from '../domain/people/permission.ts';
import type { BegunAnswer } from '../lib/answering-threads.ts';
import type { Deps } from '../services/core/deps.ts';
import { ofPerson, ofProject, type Read } from '../services/core/reads.ts';
import { exportActs, exportOwnActs } from '../services/history/audit-log.ts';
import { exportEvents } from '../services/history/event-log.ts';
import { eventHeader, eventLines } from '../views/event-json.ts';
import { maskFor } from '../views/masked-text.ts';
import { logHeader, logLines } from '../wire/dashboard/audit-log-output.ts';

type LogDeps = Pick<Deps, 'store' | 'clock' | 'defaultLimits'>;
type Format = 'csv' | 'jsonl';

interface AskedEvents {
  readonly actor: Actor;
  readonly checkId: number;
  readonly filter: EventFilter;
  readonly format: Format;
}

export const eventFile: Read<AskedEvents, null, LogDeps> = {
  owner: ofProject,
  async answer(deps, { actor, checkId, filter, format }) {
    const parts = exportEvents(deps, actor, checkId, filter);
    async function* lines() {
      const mask = await maskFor(deps, actor, checkId);
      for await (const events of parts) yield mask(eventLines(events, format));
    }
    return file(eventHeader(format), lines());
  },
};

/** A member reads the project's log, a person reads their own. */
export type ActReader = { readonly actor: Actor } | { readonly person: AccountActor };

type AskedActs = ActReader & { readonly filter: ActFilter; readonly format: Format };

export const actFile: Read<AskedActs, null, LogDeps> = {
  owner: (asked) => ('actor' in asked ? ofProject(asked) : ofPerson(asked)),
  async answer(deps, asked) {
    const { filter, format } = asked;
    const parts =
      'actor' in asked ? exportActs(deps, asked.actor, filter) : exportOwnActs(deps, asked.person, filter);
    async function* lines() {
      for await (const acts of parts) yield logLines(acts, format);
    }
    return file(logHeader(format), lines());
  },
};

/** A piece for each part that is read, even if nothing of it is wanted: other answers get a turn between two parts. */
function file(header: string, lines: AsyncIterable<string>): BegunAnswer<null> {
  const encoder = new TextEncoder();
  async function* pieces() {
    for await (const part of lines) yield encoder.encode(part);
  }
  return { head: null, first: encoder.encode(header), rest: pieces() };
}
