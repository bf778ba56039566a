/** `one run`, `3 runs`. Empty if there are none. */
export function missedRunsText(missed: number): string {
  if (missed < 2) return missed === 0 ? '' : 'one run';
  return `${missed.toLocaleString('en')} runs`;
}
