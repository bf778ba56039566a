/* The person's choices that this browser remembers. They stay there, also when they sign out. */

export function keptInBrowser(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

export function keepInBrowser(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage it is forgotten, and nothing else is lost.
  }
}
