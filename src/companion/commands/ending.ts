/** How the commands end that run no job. */
export const EXIT = { done: 0, wrongUse: 2, noMatch: 3, refused: 4, notReached: 5 } as const;

/** What asks us to end. */
export const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Notices what asks us to end, instead of ending: what was begun can still be kept. */
export function onSignals(): { readonly asked: AbortSignal; readonly signal: () => NodeJS.Signals | null } {
  const asked = new AbortController();
  let first: NodeJS.Signals | null = null;
  for (const signal of ENDING_SIGNALS) {
    process.on(signal, () => {
      first ??= signal;
      asked.abort();
    });
  }
  return { asked: asked.signal, signal: () => first };
}
