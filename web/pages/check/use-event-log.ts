import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { query, read } from '../../app/read.ts';
import type { EventPage, LoggedEvent } from './queries.ts';

/** Further down than this, new events wait until the person wants them: the text that they read must not move. */
const NEAR_TOP_PX = 240;

interface Known {
  readonly filter: string;
  readonly events: readonly LoggedEvent[];
  /** Null when all that are kept are known. */
  readonly older: string | null;
}

/** The events of a check, the newest first. New ones come by themselves, older ones on demand. */
export function useEventLog(ref: string, filter: string, isFollowing: boolean) {
  const head = useQuery({ ...query.checkEvents({ check: ref, filter }), enabled: isFollowing });
  const [known, setKnown] = useState<Known | null>(null);
  const [waiting, setWaiting] = useState<EventPage | null>(null);
  const [isLoading, setIsLoading] = useState(false);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(known);
  latest.current = known;

  const take = (page: EventPage) => {
    const before = latest.current;
    setWaiting(null);
    setFresh(newIn(page, before, filter));
    setKnown(merged(page, before, filter));
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is taken once
  useEffect(() => {
    const page = head.data;
    if (page === undefined) return;
    const isReading = scrollY > NEAR_TOP_PX && latest.current?.filter === filter;
    if (isReading && newIn(page, latest.current, filter).size > 0) setWaiting(page);
    else take(page);
  }, [head.data, filter]);

  const current = known?.filter === filter ? known : null;
  const loadOlder = async () => {
    if (current === null || current.older === null || isLoading) return;
    setIsLoading(true);
    try {
      const page = await read.checkEvents({ check: ref, filter, cursor: current.older });
      setKnown((now) =>
        now?.filter === filter ? { ...now, events: union(now.events, page.events), older: page.older } : now,
      );
    } finally {
      setIsLoading(false);
    }
  };
  return {
    head,
    events: current?.events ?? null,
    hasOlder: current?.older != null,
    isLoading,
    loadOlder,
    fresh,
    waiting: waiting === null ? 0 : newIn(waiting, known, filter).size,
    showWaiting: () => waiting !== null && take(waiting),
  };
}

/** Events that were not known before. On the first page all are old. */
function newIn(page: EventPage, known: Known | null, filter: string): ReadonlySet<string> {
  if (known === null || known.filter !== filter) return new Set();
  const before = new Set(known.events.map(({ id }) => id));
  return new Set(page.events.flatMap(({ id }) => (before.has(id) ? [] : [id])));
}

function merged(page: EventPage, known: Known | null, filter: string): Known {
  const whole = { filter, events: page.events, older: page.older };
  if (known === null || known.filter !== filter) return whole;
  const ids = new Set(page.events.map(({ id }) => id));
  // If nothing is on both, something is missing between them.
  if (!known.events.some(({ id }) => ids.has(id))) return whole;
  return {
    filter,
    events: union(page.events, known.events),
    older: known.events.length > page.events.length ? known.older : page.older,
  };
}

/** The first ones win: they were read later. */
function union(first: readonly LoggedEvent[], second: readonly LoggedEvent[]): LoggedEvent[] {
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !ids.has(id))];
}
