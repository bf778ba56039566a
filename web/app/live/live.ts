import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveChangeJson, WatchJson } from '../../../src/wire/dashboard/live-output.ts';
import { ApiError, ROOT, send } from '../api.ts';
import { LiveConnection, type LiveState, type LiveWorld } from './connection.ts';
import { after, eventSourceAt, searchOf } from './event-source.ts';
import { Refetcher } from './refetcher.ts';
import type { FromTab, ToTab } from './tab-messages.ts';

const LIVE_PATH = '/live';

const STREAM_ADDRESS = `${ROOT}/dashboard/api${LIVE_PATH}`;
const ownStream = eventSourceAt(STREAM_ADDRESS);

/** Some browsers have no workers that tabs share. There each tab has a stream of its own. */
let mayShare = 'SharedWorker' in globalThis;

/** A stream for all tabs of the session. */
const streamOf =
  (session: string): LiveWorld['openStream'] =>
  (lastEventId, handlers) => {
    if (!mayShare) return ownStream(lastEventId, handlers);
    const { onEvent, onFailure } = handlers;
    const worker = new SharedWorker(new URL('./stream-worker.ts', import.meta.url), {
      type: 'module',
      name: session,
    });
    worker.onerror = () => {
      mayShare = false;
      onFailure();
    };
    const { port } = worker;
    const tell = (message: FromTab) => port.postMessage(message);
    port.onmessage = ({ data }: MessageEvent<ToTab>) =>
      data === 'failed' ? onFailure() : onEvent(data.event, data.id);
    tell({ address: STREAM_ADDRESS, lastEventId });
    return {
      close() {
        port.onmessage = null;
        worker.onerror = null;
        tell('leave');
        port.close();
      },
    };
  };

const browser: Omit<LiveWorld, 'openStream'> = {
  poll: (lastEventId) => send('GET', LIVE_PATH + searchOf(lastEventId)),
  isSignedOut: (error) => error instanceof ApiError && error.code === 'not_signed_in',
  now: () => Date.now(),
  after,
  isHidden: () => document.visibilityState === 'hidden',
  random: () => Math.random(),
};

type ChangeListener = (change: LiveChangeJson | 'everything') => void;

/** The state of the connection, for all parts of a page. There is one in a tab. */
class Live {
  state: LiveState = { kind: 'starting' };
  watch: WatchJson | null = null;
  readonly #views = new Set<() => void>();
  readonly #changes = new Set<ChangeListener>();

  /** Returns the function that ends it. */
  start(queries: QueryClient, session: string): () => void {
    const refetcher = new Refetcher(queries);
    const connection = new LiveConnection(
      { ...browser, openStream: streamOf(session) },
      {
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
      },
    );
    const onVisibility = () => connection.visibilityChanged();
    const onOnline = () => connection.retry();
    const onOffline = () => connection.lost();
    const onHide = () => connection.leave();
    // A page that was just loaded is shown as well.
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) connection.retry();
    };
    document.addEventListener('visibilitychange', onVisibility);
    addEventListener('online', onOnline);
    addEventListener('offline', onOffline);
    addEventListener('pagehide', onHide);
    addEventListener('pageshow', onShow);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      removeEventListener('online', onOnline);
      removeEventListener('offline', onOffline);
      removeEventListener('pagehide', onHide);
      removeEventListener('pageshow', onShow);
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
export function useLiveUpdates(session: string): void {
  const queries = useQueryClient();
  useEffect(() => live.start(queries, session), [queries, session]);
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
