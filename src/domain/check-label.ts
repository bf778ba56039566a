import { oneLine } from '../lib/text/one-line.ts';

/** What a message calls a check. Never its UUID: whoever knows that can ping it. */
export function checkLabel(name: string): string {
  return oneLine(name) || 'unnamed check';
}
