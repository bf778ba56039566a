/** The person's task before the server takes their request. */
export type Interruption = 'confirmation_required' | 'not_signed_in';

const KINDS: readonly string[] = ['confirmation_required', 'not_signed_in'] satisfies Interruption[];

/** The dialog that is open, and how it ends. */
export interface OpenInterruption {
  readonly kind: Interruption;
  readonly isDone: Promise<boolean>;
  readonly settle: (isDone: boolean) => void;
}

let open: OpenInterruption | null = null;
let isShown = false;
const listeners = new Set<() => void>();

function change(next: OpenInterruption | null): void {
  open = next;
  for (const listener of listeners) listener();
}

export const isInterruption = (code: string | null): code is Interruption => KINDS.includes(code ?? '');

/**
 * Asks the person, over the open page, and tells whether the request can be sent again. All requests that need it
 * meanwhile wait for the same dialog. Pages without the dialogs get the refusal itself.
 */
export function interrupt(kind: Interruption): Promise<boolean> {
  if (!isShown) return Promise.resolve(false);
  if (open !== null) return open.isDone;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (isDone: boolean) => {
    change(null);
    resolve(isDone);
  };
  change({ kind, isDone: promise, settle });
  return promise;
}

/** Calls the listener after each change. As long as somebody listens, the dialogs are shown. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  isShown = true;
  return () => {
    listeners.delete(listener);
    isShown = listeners.size > 0;
  };
}

export const openInterruption = (): OpenInterruption | null => open;
