import { useLayoutEffect } from 'react';

const KEY = 'tocsin.theme';

/** Brings the theme of the account to where the page reads it before its first paint, and shows it at once. */
export function useTheme(theme: string): void {
  useLayoutEffect(() => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Storage may be forbidden. Then the theme follows the system.
    }
    dispatchEvent(new Event('tocsin:theme'));
  }, [theme]);
}
