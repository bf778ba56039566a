import { X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { m } from '../messages/index.ts';

interface Action {
  readonly label: string;
  readonly run: () => void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  /** Errors stay until somebody dismisses them. */
  readonly isError: boolean;
  readonly action: Action | null;
}

const MAX_SHOWN = 3;
const SHOWN_FOR_MS = 8_000;
const STEP_MS = 100;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function add(text: string, isError: boolean, action: Action | null): void {
  lastId++;
  change([...toasts, { id: lastId, text, isError, action }].slice(-MAX_SHOWN));
}

const remove = (id: number) => change(toasts.filter((toast) => toast.id !== id));

/** A message in one line. */
export const tell = (text: string) => add(text, false, null);
/** A message with an offer to take the act back for a while. */
export const tellWithUndo = (text: string, undo: () => void) =>
  add(text, false, { label: m.controls.undo, run: undo });
/** An error. It stays. */
export const tellError = (text: string, again?: () => void) =>
  add(text, true, again === undefined ? null : { label: m.errors.retry, run: again });

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The toasts of all pages. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section
      aria-label={m.controls.messages}
      className="pointer-events-none fixed right-5 bottom-5 z-30 grid w-[min(420px,calc(100vw-24px))] justify-items-stretch gap-2 max-md:right-3 max-md:bottom-[calc(76px+env(safe-area-inset-bottom))]"
    >
      {shown.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastLine({ toast }: { readonly toast: Toast }) {
  const [isHeld, setIsHeld] = useState(false);
  const [leftMs, setLeftMs] = useState(SHOWN_FOR_MS);
  useEffect(() => {
    if (isHeld || toast.isError) return;
    const timer = setInterval(() => setLeftMs((left) => left - STEP_MS), STEP_MS);
    return () => clearInterval(timer);
  }, [isHeld, toast.isError]);
  useEffect(() => {
    if (leftMs <= 0) remove(toast.id);
  }, [leftMs, toast.id]);
  const hold = () => setIsHeld(true);
  const release = () => setIsHeld(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: reading it holds it, nothing is done by it
    <div
      role={toast.isError ? 'alert' : 'status'}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
      className="pointer-events-auto flex min-h-11 items-center gap-3 rounded-[10px] bg-solid py-2 pr-2.5 pl-3.5 text-on-solid shadow-3"
    >
      <span className="min-w-0 flex-1">{toast.text}</span>
      {toast.action !== null && (
        <button
          type="button"
          className="h-6.5 flex-none rounded-[6px] border border-on-solid/35 px-2.5 text-12 font-medium max-md:h-9"
          onClick={() => {
            remove(toast.id);
            toast.action?.run();
          }}
        >
          {toast.action.label}
        </button>
      )}
      {toast.isError || toast.action === null ? (
        <button
          type="button"
          aria-label={m.controls.dismiss}
          className="flex-none p-1"
          onClick={() => remove(toast.id)}
        >
          <X className="size-4" />
        </button>
      ) : (
        <TimeLeft share={leftMs / SHOWN_FOR_MS} />
      )}
    </div>
  );
}

const RADIUS = 7;
const ROUND = 2 * Math.PI * RADIUS;

/** The time left for the offer, as a ring that empties. */
function TimeLeft({ share }: { readonly share: number }) {
  const ring = { cx: 9, cy: 9, r: RADIUS, fill: 'none', stroke: 'currentColor', strokeWidth: 2 } as const;
  return (
    <svg viewBox="0 0 18 18" className="size-4.5 flex-none -rotate-90" aria-hidden="true">
      <circle {...ring} strokeOpacity=".25" />
      <circle {...ring} strokeDasharray={`${ROUND * share} ${ROUND}`} />
    </svg>
  );
}
