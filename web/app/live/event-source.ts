import type { LiveWorld } from './connection.ts';

/** A stream of this tab, or of the worker that all tabs share. `address` is without the last event. */
export const eventSourceAt =
  (address: string): LiveWorld['openStream'] =>
  (lastEventId, { onEvent, onFailure }) => {
    const source = new EventSource(address + searchOf(lastEventId));
    source.onmessage = ({ data, lastEventId: id }) => onEvent(JSON.parse(data), id);
    // The browser would try again by itself, and would never say that it has given up.
    source.onerror = onFailure;
    return { close: () => source.close() };
  };

export function searchOf(lastEventId: string | null): string {
  return lastEventId === null ? '' : `?last_event_id=${encodeURIComponent(lastEventId)}`;
}

export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}
