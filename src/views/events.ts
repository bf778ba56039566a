/** The log of a check: signals, changes of status, and who was told. */
import type { EventKind } from '../domain/history/event-log.ts';
import { text } from '../lib/fields.ts';
import { toIsoMicros } from '../lib/instant.ts';
import { listEvents } from '../services/history/event-log.ts';
import { parseEventFilter, parseEventPlace } from '../wire/dashboard/event-input.ts';
import { optional } from '../wire/dashboard/input.ts';
import { cursorOf, eventJson } from './event-json.ts';
import { maskFor } from './masked-text.ts';
import { checkView, JsonText } from './view.ts';

export const checkEvents = checkView({
  permission: 'pings.view',
  input: {
    /** The filter in the address of the page and of the export. */
    filter: text({ maxLength: 2_000 }),
    /** The place to continue from. Without it the page begins with the newest. */
    cursor: optional(text({ maxLength: 100 })),
  },
  read: async (deps, { actor, checkId, input }) => {
    const filter = parseEventFilter(new URLSearchParams(input.filter));
    const place = input.cursor === undefined ? null : parseEventPlace(input.cursor);
    const { events, older, counts, oldestAt, unsearched } = await listEvents(deps, actor, checkId, {
      filter,
      place,
    });
    const countOf = (kind: EventKind) => counts?.get(kind) ?? 0;
    const page = {
      /** The newest first. */
      events: events.map(eventJson),
      /** Null at the end. */
      older: older && cursorOf(older),
      /** Null except on the first page. */
      counts: counts && {
        ...{ success: countOf('success'), fail: countOf('fail'), start: countOf('start') },
        ...{ log: countOf('log'), ign: countOf('ign'), flip: countOf('flip') },
      },
      oldestAt: toIsoMicros(oldestAt),
      /** Bodies that were not searched. */
      unsearched,
    };
    const mask = await maskFor(deps, actor, checkId);
    return new JsonText<typeof page>(mask(JSON.stringify(page)));
  },
});
