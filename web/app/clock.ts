/** The clock of a visitor may be wrong. Pages count in the time of the server. */
const MAX_DIFFERENCE_MS = 5_000;

let differenceMs = 0;

/** Takes the time from the header of an answer. */
export function noteServerTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(difference)) return;
  differenceMs = Math.abs(difference) > MAX_DIFFERENCE_MS ? difference : 0;
}

export const now = (): number => Date.now() + differenceMs;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Calls each second. All times of a page share one timer. */
export function everySecond(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}
