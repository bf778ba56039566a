import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveChangeJson, WatchJson } from '../../../src/wire/dashboard/live-output.ts';
import { ApiError, ROOT, send } from '../api.ts';
import { LiveConnection, type LiveState, type LiveWorld } from './connection.ts';
import { Refetcher } from './refetcher.ts';

const LIVE_PATH = '/live';

const browser: LiveWorld = {
  openStream(lastEventId, { onEvent, onFailure }) {
    const source = new EventSource(`${ROOT}/dashboard/api${pathOf(lastEventId)}`);
    source.onmessage = ({ data, lastEventId: id }) => onEvent(JSON.parse(data), id);
    // The browser would try again by itself, and would never say that it has given up.
    source.onerror = onFailure;
    return { close: () => source.close() };
  },
  poll: (lastEventId) => send('GET', pathOf(lastEventId)),
  isSignedOut: (error) => error instanceof ApiError && error.code === 'not_signed_in',
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.visibilityState === 'hidden',
  random: () => Math.random(),
};

function pathOf(lastEventId: string | null): string {
  return lastEventId === null ? LIVE_PATH : `${LIVE_PATH}?last_event_id=${encodeURIComponent(lastEventId)}`;
}

type ChangeListener = (change: LiveChangeJson | 'everything') => void;

/** The state of the connection, for all parts of a page. There is one in a tab. */
class Live {
  state: LiveState = { kind: 'starting' };
  watch: WatchJson | null = null;
  readonly #views = new Set<() => void>();
  readonly #changes = new Set<ChangeListener>();

  /** Returns the function that ends it. */
  start(queries: QueryClient): () => void {
    const refetcher = new Refetcher(queries);
    const connection = new LiveConnection(browser, {
      onChange: (change) => {
        refetcher.note(change);
        for (const listener of this.#changes) listener(change);
      },
      onState: (state) => {
        this.state = state;
        this.#tellViews();
      },
      onWatch: (watch) => {
        this.watch = watch;
        this.#tellViews();
      },
    });
    const onVisibility = () => connection.visibilityChanged();
    const onOnline = () => connection.retry();
    const onOffline = () => connection.lost();
    document.addEventListener('visibilitychange', onVisibility);
    addEventListener('online', onOnline);
    addEventListener('offline', onOffline);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      removeEventListener('online', onOnline);
      removeEventListener('offline', onOffline);
      connection.stop();
      refetcher.stop();
    };
  }

  onView = (listener: () => void): (() => void) => {
    this.#views.add(listener);
    return () => this.#views.delete(listener);
  };

  onChange(listener: ChangeListener): () => void {
    this.#changes.add(listener);
    return () => this.#changes.delete(listener);
  }

  #tellViews(): void {
    for (const listener of this.#views) listener();
  }
}

const live = new Live();

/** Keeps the page live while it is shown. The shell calls it, once. */
export function useLiveUpdates(): void {
  const queries = useQueryClient();
  useEffect(() => live.start(queries), [queries]);
}

export const useLiveState = (): LiveState => useSyncExternalStore(live.onView, () => live.state);

export const useWatch = (): WatchJson | null => useSyncExternalStore(live.onView, () => live.watch);

/**
 * Calls with each change of the project, and with `everything`, for pages that read single rows again. Give it a function
 * that stays the same. Queries of the usual keys are read again without it.
 */
export function useChanges(project: string | null, listener: ChangeListener): void {
  useEffect(
    () =>
      live.onChange((change) => {
        if (change === 'everything' || project === null || change.project === project) listener(change);
      }),
    [project, listener],
  );
}
