import type { Moment, Ping, Signal, Target } from './ping.ts';

const BOOT_ID = '1d9a2b0c-0000-4000-8000-00000000b007';

/** The wall clock says `wallMs`, and the machine has run for `sinceBootMs`. */
export function momentAt(
  wallMs: number,
  sinceBootMs: number | null = wallMs,
  bootId: string | null = BOOT_ID,
): Moment {
  return { wallMs, bootId, sinceBootMs };
}

export function targetOf(endpoint: string, slug = 'backup'): Target {
  return { base: `${endpoint}/the-ping-key/${slug}`, query: '', label: slug };
}

export function pingOf(
  target: Target,
  signal: Signal,
  more: Partial<Omit<Ping, 'target' | 'signal'>> = {},
): Ping {
  return { target, signal, rid: null, at: momentAt(0), body: new Uint8Array(), ...more };
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
