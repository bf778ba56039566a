import { useEffect, useSyncExternalStore } from 'react';
import { m } from '../../messages/index.ts';
import { Announcer } from './announcer.ts';

const announcer = new Announcer((ms, action) => setTimeout(action, ms));

/** Tells people who use a screen reader, without interrupting them. */
export const announce = (sentence: string): void => announcer.say(sentence);

/** The text for screen readers. */
export function LiveRegion() {
  const text = useSyncExternalStore(announcer.onText, () => announcer.text);
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {text}
    </p>
  );
}

let lastDown: { readonly about: string; readonly count: number } | null = null;

/**
 * Says how many checks are down that nobody has, when the number changes. `about` names the counted checks. `answered` are down, and
 * somebody has them.
 */
export function useDownAnnouncement(about: string, count: number, answered: number): void {
  useEffect(() => {
    const before = lastDown;
    lastDown = { about, count };
    if (before?.about !== about || before.count === count) return;
    if (count > 0) announce(m.live.downCount(count));
    else announce(answered > 0 ? m.live.allAnswered : m.live.noneDown);
  }, [about, count, answered]);
}
