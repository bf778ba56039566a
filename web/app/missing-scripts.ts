import { m } from '../messages/index.ts';
import { ROOT } from './api.ts';

const missing = new WeakSet<Error>();

/** Notes errors of scripts that do not load. After an upgrade of the service the scripts of an open page are gone. */
export function watchScripts(): void {
  // Vite tells of them before it throws.
  addEventListener('vite:preloadError', ({ payload }) => {
    missing.add(payload);
    // The router knows the browsers' own words, and would reload also while the service is away.
    payload.message = m.errors.notLoaded;
  });
}

export const isMissingScript = (error: Error): boolean => missing.has(error);

/** Loads the page anew if the service answers: nobody shall end up on an error page of the browser. */
export async function reload({ onlyOnce }: { readonly onlyOnce: boolean }): Promise<void> {
  const reply = await fetch(`${ROOT}/`, { cache: 'no-store' }).catch(() => null);
  if (reply?.ok && (!onlyOnce || isFirstReload())) location.reload();
}

const RELOADED_AS = 'tocsin.reloaded';
/** A page whose scripts are missing again within this time stays as it is. */
const LATELY_MS = 60_000;

function isFirstReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(RELOADED_AS));
    sessionStorage.setItem(RELOADED_AS, String(Date.now()));
    return Date.now() - last > LATELY_MS;
  } catch {
    // Without a memory it might reload for ever.
    return false;
  }
}
